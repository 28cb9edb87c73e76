"""The question of a sweep, and its answer in sentences that are computed from the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ackclock.report.experiment.axes import describe
from ackclock.report.experiment.curves import is_of_algorithms
from ackclock.report.words import cell_text, counted, interval_text
from ackclock.results.names import capital, in_sentence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.report.experiment.axes import Axis
    from ackclock.report.experiment.curves import Roles
    from ackclock.report.experiment.differences import Comparisons, Difference, Rivals
    from ackclock.report.experiment.measures import PointMean, Shown
    from ackclock.stats import Estimate

__all__ = ["answer_of", "question_of"]

MOST_VALUES = 6
"""Values of an axis that a question lists."""

MOST_SENTENCES = 3
"""Sentences of an answer; of more settings it is how many of them differ, and the sentences are folded."""

MOST_NAMED = 3
"""Settings that a sentence names by their values."""

MOST_DETAILS = 24
"""Sentences that are folded."""


def question_of(name: str, first: Shown, roles: Roles, axis: Axis | None, rivals: Rivals | None = None) -> str:
    """A plain question, made of what was varied and of the first measure.

    Parameters
    ----------
    name
        The name of the sweep.
    first
        The first measure of the report.
    roles
        The varied fields.
    axis
        The axis whose values are compared; None if nothing is.
    rivals
        The groups of flows that are compared in the same runs.
    """
    if rivals is not None:
        varied = " and ".join(f"the {in_sentence(one.title)} ({_values(one)})" for one in roles.axes)
        change = f", and how does it change with {varied}" if varied else ""
        return f"Which has the higher goodput, {rivals.names[0]} or {rivals.names[1]}{change}?"
    measured = _the(first.title)
    if axis is None and not roles.axes:
        return f"What is {measured} in the scenario {name}?"
    asked = [axis] if axis is not None else list(roles.axes)
    told = " and ".join(f"the {in_sentence(one.title)} ({_values(one)})" for one in asked)
    verb = "does" if len(asked) == 1 else "do"
    others = [f"the {in_sentence(one.title)} ({_values(one)})" for one in roles.axes if one not in asked]
    also = f" The sweep also varies {' and '.join(others)}." if others else ""
    return f"How {verb} {told} change {measured}?{also}"


def _values(axis: Axis) -> str:
    if len(axis.values) <= MOST_VALUES:
        return ", ".join(axis.text(value) for value in axis.values)
    if axis.numbers is not None:
        return f"{axis.text(axis.values[0])} to {axis.text(axis.values[-1])}"
    return f"{len(axis.values)} values"


def answer_of(
    first: Shown, roles: Roles, compared: Comparisons | None, rivals: Rivals | None = None
) -> tuple[list[str], list[str]]:
    """Sentences on the first measure: its paired differences, or where it is lowest and highest.

    The comparison of two groups of flows in the same runs comes first.

    Returns the answer, and the sentences on single settings where they are too many for an answer.
    """
    cells = [cell for cell in first.cells if cell.estimate is not None]
    if not cells:
        return [f"No run has a value of {_the(first.title)}."], []
    own = compared.of(first.measure) if compared is not None else []
    if compared is None or not own:
        return [*_rivals(rivals, roles), *_range(first, roles, cells)], []
    others, control = roles.without(compared.axis), _side(compared.axis, compared.control)
    details: list[str] = []
    tallies: list[str] = []
    for value in dict.fromkeys(one.params[compared.axis.name] for one in own):
        mine = [one for one in own if one.params[compared.axis.name] == value]
        treated = _side(compared.axis, value)
        details += [_difference(first, compared, one, others, treated, control) for one in mine]
        tallies.append(_tally(first, mine, others, treated, control) if len(mine) > 1 else details[-1])
    if len(details) <= MOST_SENTENCES:
        return [*_rivals(rivals, roles), *details], []
    return [*_rivals(rivals, roles), *tallies], details[:MOST_DETAILS]


def _side(axis: Axis, value: object) -> str:
    """A value that is compared, with the name of its axis unless it is an algorithm."""
    text = axis.text(value)
    return text if is_of_algorithms(axis) else f"{in_sentence(axis.title)} = {text}"


def _rivals(rivals: Rivals | None, roles: Roles) -> list[str]:
    """States how many points give the first group more than the second; for few points, also how much more."""
    if rivals is None:
        return []
    known = [(cell.estimate, cell.params) for cell in rivals.cells if cell.estimate is not None]
    first, second = rivals.names
    if len(known) <= MOST_SENTENCES:
        sentences = []
        for estimate, params in known:
            setting = _setting(params, roles.axes)
            where = f"With {setting}, the" if setting else "The"
            pairs = counted(estimate.n, "run")
            if estimate.has_interval and estimate.low <= 0 <= estimate.high:
                told = interval_text(estimate.value, estimate.low, estimate.high, signed=True)
                sentences.append(
                    f"{where} goodputs of {first} and {second} do not differ clearly: {told} {rivals.unit}, in {pairs}."
                )
                continue
            more = f"{_size(estimate)} {rivals.unit} {_way(estimate)}"
            sentences.append(f"{where} goodput of {first} is {more} than that of {second}, in {pairs}.")
        return sentences
    parts = _counts(known, roles.axes, rivals.unit)
    return [f"The goodput of {first}, compared with that of {second} in the same runs, is {parts}."]


def _way(estimate: Estimate) -> str:
    return "higher" if estimate.value > 0 else "lower" if estimate.value < 0 else "different"


def _size(estimate: Estimate) -> str:
    """The size of a difference without its sign, with its interval."""
    low, high = sorted(abs(end) for end in (estimate.low, estimate.high))
    return interval_text(abs(estimate.value), low, high)


def _counts(known: Sequence[tuple[Estimate, Mapping[str, Any]]], axes: Sequence[Axis], unit: str) -> str:
    """States the settings with which differences are above and below zero, and the size of the differences."""
    higher = [pair for pair in known if pair[0].has_interval and pair[0].low > 0]
    lower = [pair for pair in known if pair[0].has_interval and pair[0].high < 0]
    unclear = [pair for pair in known if pair not in higher and pair not in lower]
    every = [params for _, params in known]
    parts = []
    for found, way in ((higher, "higher"), (lower, "lower")):
        if found:
            sizes = sorted(abs(one.value) for one, _ in found)
            span = cell_text(sizes[0]) if len(sizes) == 1 else f"{cell_text(sizes[0])} to {cell_text(sizes[-1])}"
            parts.append(f"{way} by {span} {unit}".rstrip() + f" {_where([one for _, one in found], every, axes)}")
    if unclear:
        parts.append(f"not clearly different {_where([one for _, one in unclear], every, axes)}")
    return ", ".join(parts)


def _where(found: Sequence[Mapping[str, Any]], every: Sequence[Mapping[str, Any]], axes: Sequence[Axis]) -> str:
    """The settings in words; how many they are, if they are all or too many to name."""
    if len(found) == len(every):
        return f"with all {len(every)} settings"
    if (
        len(axes) == 1
        and axes[0].numbers is not None
        and len(found) > 1
        and (stretch := _stretch(found, every, axes[0]))
    ):
        return stretch
    if len(found) > MOST_NAMED:
        return f"with {len(found)} of {len(every)} settings"
    settings = [_setting(params, axes) for params in found]
    return f"with {'; '.join(settings[:-1])}{' and with ' if settings[1:] else ''}{settings[-1]}"


def _stretch(found: Sequence[Mapping[str, Any]], every: Sequence[Mapping[str, Any]], axis: Axis) -> str | None:
    """Neighbouring values of an axis of numbers in words; None if others are between them."""
    order = sorted((params[axis.name] for params in every), key=axis.number)
    places = sorted(order.index(params[axis.name]) for params in found)
    if places[-1] - places[0] != len(places) - 1:
        return None
    name, first, last = in_sentence(axis.title), axis.text(order[places[0]]), axis.text(order[places[-1]])
    if places[0] == 0:
        return f"with the {name} up to {last}"
    if places[-1] == len(order) - 1:
        return f"with the {name} from {first} on"
    return f"with the {name} from {first} to {last}"


def _range(first: Shown, roles: Roles, cells: Sequence[PointMean]) -> list[str]:
    """The lowest and the highest mean, for points that make no pairs."""
    known = [(cell.estimate, cell) for cell in cells if cell.estimate is not None]
    if len(known) == 1:
        return [f"{capital(_the(first.title))} is {_estimate(known[0][0], first.unit)}."]
    low, high = (choose(known, key=lambda pair: pair[0].value) for choose in (min, max))
    ends = [f"{_estimate(one, first.unit)}, with {_setting(cell.params, roles.axes)}" for one, cell in (low, high)]
    return [f"{capital(_the(first.title))} is lowest, {ends[0]}, and highest, {ends[1]}."]


def _difference(
    first: Shown, compared: Comparisons, one: Difference, others: Sequence[Axis], treated: str, control: str
) -> str:
    setting = _setting(one.params, others)
    where = f"With {setting}, " if setting else ""
    pairs = counted(one.estimate.n, "pair")
    means = _means(first, compared, one)
    unit = f" {one.measure.unit}" if one.measure.unit else ""
    text = f"{where}{_the(first.title) if where else capital(_the(first.title))} with {treated}"
    if one.estimate.has_interval and one.estimate.low <= 0 <= one.estimate.high:
        told = interval_text(one.estimate.value, one.estimate.low, one.estimate.high, signed=True)
        return f"{text} does not differ clearly from that with {control}: {told}{unit}, over {pairs}{means}."
    relative = ""
    if one.relative is not None:
        relative = f" ({_signed(one.relative.value)} %)"
    size, way = _size(one.estimate), _way(one.estimate)
    return f"{text} is {size}{unit} {way} than with {control}{relative}, over {pairs}{means}."


def _means(first: Shown, compared: Comparisons, one: Difference) -> str:
    """The two means, in parentheses."""
    treated, control = (
        next((cell.estimate for cell in first.cells if dict(cell.params) == params), None)
        for params in (dict(one.params), {**one.params, compared.axis.name: compared.control})
    )
    if treated is None or control is None:
        return ""
    unit = f" {first.unit}" if first.unit else ""
    return f" ({cell_text(float(treated.value))} against {cell_text(float(control.value))}{unit})"


def _tally(first: Shown, mine: Sequence[Difference], others: Sequence[Axis], treated: str, control: str) -> str:
    """States the settings of the rest with which the measure is higher and lower, for more settings than sentences."""
    parts = _counts([(one.estimate, one.params) for one in mine], others, mine[0].measure.unit)
    name = capital(_the(first.title))
    return f"{name} with {treated} instead of {control} is {parts} (95 % intervals of differences paired by seed)."


def _the(title: str) -> str:
    """A name inside a sentence, with its article."""
    return title if title.startswith("Jain") else f"the {in_sentence(title)}"


def _setting(params: Mapping[str, Any], axes: Sequence[Axis]) -> str:
    """A setting inside a sentence."""
    return ", ".join(in_sentence(describe(params, [axis])) for axis in axes)


def _signed(value: float) -> str:
    return f"{'+' if value > 0 else ''}{cell_text(float(value))}"


def _estimate(estimate: Estimate, unit: str) -> str:
    return f"{interval_text(estimate.value, estimate.low, estimate.high)} {unit}".rstrip()
