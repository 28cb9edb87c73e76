"""The question of a sweep, and its answer in sentences that are computed from the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ackclock.names import capital, in_sentence
from ackclock.report.experiment.axes import describe
from ackclock.report.words import cell_text, counted, interval_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.report.experiment.axes import Axis
    from ackclock.report.experiment.curves import Roles
    from ackclock.report.experiment.differences import Comparisons, Difference
    from ackclock.report.experiment.measures import PointMean, Shown
    from ackclock.stats import Estimate

__all__ = ["answer_of", "question_of"]

MOST_VALUES = 6
"""Values of an axis that a question lists."""

MOST_SENTENCES = 3
"""Sentences of an answer; of more settings it is how many of them differ, and the sentences are folded."""

MOST_DETAILS = 24
"""Sentences that are folded."""


def question_of(name: str, first: Shown, roles: Roles, axis: Axis | None) -> str:
    """A plain question, made of what was varied and of the first measure.

    Parameters
    ----------
    name
        The name of the sweep.
    first
        The first measure of the report.
    roles
        What was varied.
    axis
        The axis whose values are compared; None if nothing is.
    """
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


def answer_of(first: Shown, roles: Roles, compared: Comparisons | None) -> tuple[list[str], list[str]]:
    """Sentences on the first measure: its paired differences, or where it is lowest and highest.

    Returns the answer, and the sentences on single settings where they are too many for an answer.
    """
    cells = [cell for cell in first.cells if cell.estimate is not None]
    if not cells:
        return [f"No run has a value of {_the(first.title)}."], []
    own = compared.of(first.measure) if compared is not None else []
    if compared is None or not own:
        return _range(first, roles, cells), []
    others, control = roles.without(compared.axis), compared.axis.text(compared.control)
    details: list[str] = []
    tallies: list[str] = []
    for value in dict.fromkeys(one.params[compared.axis.name] for one in own):
        mine = [one for one in own if one.params[compared.axis.name] == value]
        treated = compared.axis.text(value)
        details += [_difference(first, compared, one, others, treated, control) for one in mine]
        tallies.append(_tally(first, mine, treated, control) if len(mine) > 1 else details[-1])
    if len(details) <= MOST_SENTENCES:
        return details, []
    return tallies, details[:MOST_DETAILS]


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
    number = abs(one.estimate.value)
    if one.estimate.has_interval and one.estimate.low <= 0 <= one.estimate.high:
        told = interval_text(one.estimate.value, one.estimate.low, one.estimate.high, signed=True)
        return f"{text} does not differ clearly from that with {control}: {told}{unit}, over {pairs}{means}."
    way = "higher" if one.estimate.value > 0 else "lower" if one.estimate.value < 0 else "different"
    interval = ""
    if one.estimate.has_interval:
        ends = sorted(abs(end) for end in (one.estimate.low, one.estimate.high))
        interval = f" [{cell_text(ends[0])}, {cell_text(ends[1])}]"
    relative = ""
    if one.relative is not None:
        relative = f" ({_signed(one.relative.value)} %)"
    return f"{text} is {cell_text(number)}{interval}{unit} {way} than with {control}{relative}, over {pairs}{means}."


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


def _tally(first: Shown, mine: Sequence[Difference], treated: str, control: str) -> str:
    """In how many settings the measure is higher and lower, for more settings than sentences."""
    higher = [one.estimate for one in mine if one.estimate.has_interval and one.estimate.low > 0]
    lower = [one.estimate for one in mine if one.estimate.has_interval and one.estimate.high < 0]
    unit = mine[0].measure.unit
    parts = []
    for found, way in ((higher, "higher"), (lower, "lower")):
        if found:
            sizes = sorted(abs(one.value) for one in found)
            span = cell_text(sizes[0]) if len(sizes) == 1 else f"{cell_text(sizes[0])} to {cell_text(sizes[-1])}"
            parts.append(f"{way} by {span} {unit}".rstrip() + f" at {len(found)}")
    unclear = len(mine) - len(higher) - len(lower)
    if unclear:
        parts.append(f"not clearly different at {unclear}")
    name = capital(_the(first.title))
    return (
        f"{name} with {treated} instead of {control} is {', '.join(parts)} of {len(mine)} settings of the rest "
        "(95 % intervals of differences paired by seed)."
    )


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
