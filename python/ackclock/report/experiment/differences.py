"""Differences between settings, paired by seed: all of a report's, with what holds of many comparisons at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.report.experiment.axes import describe
from ackclock.report.experiment.curves import is_of_algorithms
from ackclock.report.experiment.measures import MOST_RELATIVE, PointMean, changes, is_goodput
from ackclock.report.filters import filtered_table
from ackclock.report.render import render
from ackclock.report.words import interval_text
from ackclock.results.measure import Measure
from ackclock.results.names import unit_of
from ackclock.stats import holm, paired_difference
from ackclock.stats.several import p_value
from ackclock.store.contrasts import LEAST_PAIRS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from markupsafe import Markup

    from ackclock.report.experiment.axes import Axis
    from ackclock.report.experiment.curves import Roles
    from ackclock.report.experiment.measures import Shown
    from ackclock.stats import Estimate
    from ackclock.store import Store

__all__ = ["Comparisons", "Difference", "Rivals", "comparisons", "rivals_of"]

LEVEL = 0.05
"""The probability of one wrong difference or more after Holm's correction."""

MOST_ROWS = 1500
"""Differences that the table has."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One paired difference, in the unit shown."""

    measure: Shown
    params: Mapping[str, Any]
    """The setting, with the treated value."""
    estimate: Estimate
    relative: Estimate | None
    """The relative change in per cent; None with too few pairs."""


@dataclass(frozen=True, slots=True)
class Rivals:
    """The first two groups of flows, compared in the same runs."""

    names: tuple[str, str]
    unit: str
    cells: Sequence[PointMean]
    """At each point, the goodput of the first group less that of the second."""


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Every difference of a report from one value of an axis."""

    axis: Axis
    control: object
    differences: Sequence[Difference]
    figures: Sequence[Shown]
    """The differences of each measure, and the relative changes where there are enough pairs."""
    kept: Mapping[int, bool]
    """Number of a difference to whether it remains after Holm's correction; one without a p-value is not in it."""
    note: str = ""
    """Number of comparisons, and number of those that chance alone would make look like differences, as a sentence."""

    def of(self, measure: str) -> list[Difference]:
        """The differences of one measure."""
        return [one for one in self.differences if one.measure.measure == measure]

    def table(self, axes: Sequence[Axis]) -> Markup:
        """The section: every difference."""
        others = [axis for axis in axes if axis is not self.axis]
        relative = any(one.relative is not None for one in self.differences)
        rows: list[list[object]] = []
        numbered = list(enumerate(self.differences[:MOST_ROWS]))
        for number, one in numbered:
            row: list[object] = [one.measure.title.removeprefix("Difference: ")]
            row += [axis.text(one.params.get(axis.name)) for axis in others]
            row.append(self.axis.text(one.params[self.axis.name]))
            row += [_interval(one.estimate), one.measure.unit, one.estimate.n]
            if relative:
                row.append("-" if one.relative is None else f"{_interval(one.relative)} %")
            row.append({True: "yes", False: "no", None: "-"}[self.kept.get(number)])
            rows.append(row)
        treated = f"{self.axis.title}, against {self.axis.text(self.control)}"
        columns = ["Measure", *(axis.title for axis in others), treated, "Difference", "Unit", "Pairs"]
        columns += [*(["Relative change"] if relative else []), "Differs after Holm"]
        by = {"Measure": [row[0] for row in rows], treated: [row[1 + len(others)] for row in rows]}
        by |= {axis.title: [row[1 + at] for row in rows] for at, axis in enumerate(others)}
        left = len(self.differences) - len(rows)
        few = ""
        if any(one.estimate.n < LEAST_PAIRS for one in self.differences):
            few = f"Relative changes need {LEAST_PAIRS} pairs and are left out."
        elif not relative:
            few = f"Relative changes are left out: a mean is zero, or there are more than {MOST_RELATIVE} settings."
        return render(
            "differences.html",
            note=self.note,
            few="" if relative else few,
            left=left,
            table=filtered_table(columns, rows, by, what="differences"),
        )


def _interval(estimate: Estimate) -> str:
    return interval_text(estimate.value, estimate.low, estimate.high, signed=True)


def rivals_of(store: Store, measures: Sequence[str], roles: Roles) -> Rivals | None:
    """The difference between the first two groups of flows in the same runs.

    None if the first two measures are not the goodputs of two groups that compete for the same capacity, or if
    algorithms were varied: their comparison is the answer then.
    """
    parsed = [Measure.parse(text) for text in measures[:2]]
    if len(parsed) < 2 or not all(is_goodput(text) for text in measures[:2]):
        return None
    names = str(parsed[0].component), str(parsed[1].component)
    if not any(set(names) <= set(one) for one in store.sweeps[0].competing):
        return None
    if any(is_of_algorithms(axis) for axis in roles.axes):
        return None
    found: list[tuple[Mapping[str, Any], Estimate]] = []
    means: list[float] = []
    for first, second in zip(*(store.values(one) for one in parsed), strict=True):
        common, left, right = np.intersect1d(first.seeds, second.seeds, return_indices=True)
        if common.size:
            sides = first.values[left], second.values[right]
            means += [float(side.mean()) for side in sides]
            found.append((first.params, paired_difference(*sides)))
    if not found:
        return None
    unit, factor = unit_of(parsed[0], means)
    return Rivals(names, unit, [PointMean(params, estimate.scaled(factor)) for params, estimate in found])


def comparisons(
    store: Store,
    measures: Sequence[str],
    roles: Roles,
    against: tuple[Axis, object] | None = None,
    rivals: Rivals | None = None,
) -> Comparisons | None:
    """The differences of these measures, or None where the points have nothing to compare pair by pair.

    Without `against`, the values that colours tell apart are compared with the first of them; without such values, the
    last number of the axis x with its first. The comparisons of `rivals` are corrected together with these.
    """
    if against is not None:
        axis, control = against
    elif roles.scattered or (roles.scheme or roles.x) is None:
        return None
    else:
        axis = roles.scheme or roles.x  # type: ignore[assignment]
        control = axis.values[0]
    only = None if against is not None or axis is roles.scheme else axis.values[-1]
    found: list[Difference] = []
    figures: list[Shown] = []
    for text in measures:
        own = changes(store, text, axis, control, only=only)
        figures += own
        if own:
            relative = {describe(one.params, roles.axes): one.estimate for one in own[1].cells} if own[1:] else {}
            found += [
                Difference(own[0], one.params, one.estimate, relative.get(describe(one.params, roles.axes)))
                for one in own[0].cells
                if one.estimate is not None
            ]
    if not found:
        return None
    every = [one.estimate for one in found]
    every += [cell.estimate for cell in rivals.cells if cell.estimate is not None] if rivals is not None else []
    values = {at: p for at, one in enumerate(every) if (p := p_value(one)) is not None}
    corrected = holm(list(values.values()), level=1 - LEVEL)
    kept = {at: one.rejected for at, one in zip(values, corrected, strict=True)}
    listed = {at: remains for at, remains in kept.items() if at < len(found)}
    return Comparisons(axis, control, found, figures, listed, _note([every[at] for at in kept], sum(kept.values())))


def _note(estimates: Sequence[Estimate], remaining: int) -> str:
    count = len(estimates)
    if count < 2:
        return ""
    missing = sum(not one.low <= 0 <= one.high for one in estimates)
    by_chance = f"{LEVEL * count:.2g}"
    return (
        f"This report makes {count} comparisons, each with a 95 % interval. If nothing differed, {by_chance} of these "
        f"intervals would miss zero by chance on average. {missing} miss zero; {remaining} remain after Holm's "
        f"correction for all {count} (a 5 % risk of any false one)."
    )
