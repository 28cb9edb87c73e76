"""Sweeps of a parameter under several readings: by how much a change shortens what is timed, as curve and extremes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ackclock import stats
from ackclock.report import Figure, Plot, Series, colour_of
from ackclock.studies.grid import Reading, run_grid
from ackclock.studies.study import Sheet

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock._run import Job
    from ackclock._runner import Progress, Worker
    from ackclock.result import Result
    from ackclock.scenario import Text
    from ackclock.stats import Estimate
    from ackclock.studies.grid import Grid, Variant

__all__ = ["Choice", "Sweep", "Swept", "figure", "run_sweep", "sheet"]


@dataclass(frozen=True, slots=True)
class Sweep:
    """One experiment: a parameter, its values, and what each value sets in the scenario."""

    name: str
    axis: str
    """Parameter with its unit."""
    points: Mapping[float, Mapping[str, object]]
    overrides: Mapping[str, object] = field(default_factory=dict)
    """What the experiment sets at every value."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to read what is unknown. The main one changes nothing."""

    name: str
    overrides: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Swept:
    """A sweep that was run under several choices."""

    sweep: Sweep
    grid: Grid
    choices: tuple[Choice, ...]

    def benefit(self, choice: str, x: float, variant: str, control: str) -> Estimate:
        """By how many per cent `variant` is faster than `control` in the mean, over paired seeds."""
        pair = (self.grid.values(_name(self.sweep, x, choice), one, "time_s") for one in (variant, control))
        return stats.relative_change(*pair).scaled(-100)

    def benefits(self, choice: str, variant: str, control: str) -> dict[float, Estimate]:
        """The benefit at every value."""
        return {x: self.benefit(choice, x, variant, control) for x in self.sweep.points}

    def largest(self, choice: str, variant: str, control: str) -> Estimate:
        """The largest benefit of the sweep."""
        return max(self.benefits(choice, variant, control).values(), key=lambda one: one.value)

    def smallest(self, choice: str, variant: str, control: str) -> Estimate:
        """The smallest benefit of the sweep."""
        return min(self.benefits(choice, variant, control).values(), key=lambda one: one.value)


def _name(sweep: Sweep, x: float, choice: str) -> str:
    return f"{sweep.name} {x:g}; {choice}"


def run_sweep(
    sweep: Sweep,
    text: Text,
    choices: Sequence[Choice],
    variants: Sequence[Variant],
    seeds: Sequence[int],
    measure: Callable[[Result], Mapping[str, float]],
    *,
    threads: int | None,
    progress: Progress | None,
    worker: Worker[Job, Result],
) -> Swept:
    """Runs every value under every choice; `measure` gives ``time_s``, what the benefit is about."""
    readings = []
    for choice in choices:
        for x, point in sweep.points.items():
            name = _name(sweep, x, choice.name)
            readings.append(Reading(name, name, text, {**sweep.overrides, **point, **choice.overrides}))
    grid = run_grid(readings, variants, seeds, measure, threads=threads, progress=progress, worker=worker)
    return Swept(sweep, grid, tuple(choices))


def figure(
    swept: Swept, choice: str, variants: Sequence[Variant], control: str, published: str, command: str
) -> Figure:
    """Benefit by parameter under one choice, a curve for each variant."""
    series = []
    for index, one in enumerate(variants):
        benefits = swept.benefits(choice, one.name, control)
        low, high = [[getattr(b, end) for b in benefits.values()] for end in ("low", "high")]
        middle = [b.value for b in benefits.values()]
        series.append(Series(one.label, list(benefits), middle, colour_of(index), "interval", low, high))
    caption = f"95 % intervals over paired replications. Published: {published}."
    title = f"Benefit by {swept.sweep.name}"
    return Plot(title, swept.sweep.axis, "benefit (% of the time)", series, caption, command)


def sheet(swept: Swept, variants: Sequence[Variant], control: str) -> Sheet:
    """Every benefit under every choice."""
    rows: list[list[object]] = []
    for choice in swept.choices:
        for one in variants:
            for x, benefit in swept.benefits(choice.name, one.name, control).items():
                rows.append([choice.name, one.label, x, benefit.value, benefit.low, benefit.high])
    columns = ["reading", "variant", swept.sweep.axis, "benefit %", "low", "high"]
    return Sheet(swept.sweep.name.replace(" ", "-"), f"Benefit by {swept.sweep.name}", columns, rows, shown=False)
