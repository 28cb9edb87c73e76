"""Sweeps of a parameter under several readings: by how much a change shortens what is timed, as curve and extremes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ackclock import stats
from ackclock.report import Figure, Plot, Series, colour_of
from ackclock.studies.grid import Reading, hash_of
from ackclock.studies.study import Sheet, StudyResult, command_for, page, runs_sheet

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.result import Result
    from ackclock.scenario import Text
    from ackclock.stats import Estimate
    from ackclock.studies.claims import ClaimResult
    from ackclock.studies.grid import Grid, Variant
    from ackclock.studies.lab import Lab

__all__ = ["Choice", "Sweep", "Swept", "figure", "result", "run_sweep", "sheet"]


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
    lab: Lab,
    sweep: Sweep,
    text: Text,
    choices: Sequence[Choice],
    variants: Sequence[Variant],
    seeds: Sequence[int],
    measure: Callable[[Result], Mapping[str, float]],
) -> Swept:
    """Runs every value under every choice; `measure` gives ``time_s``, what the benefit is about."""
    readings = []
    for choice in choices:
        for x, point in sweep.points.items():
            name = _name(sweep, x, choice.name)
            readings.append(Reading(name, name, text, {**sweep.overrides, **point, **choice.overrides}))
    grid = lab.grid(readings, variants, seeds, measure)
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
    return Sheet(_slug(swept.sweep), f"Benefit by {swept.sweep.name}", columns, rows, shown=False)


def result(
    slug: str,
    title: str,
    package: str | None,
    swept: Sequence[tuple[Swept, str]],
    treated: Sequence[Variant],
    control: str,
    *,
    claims: Sequence[ClaimResult],
    illustrations: Sequence[Figure] = (),
    seeds: Sequence[int],
    quick: bool,
) -> StudyResult:
    """What a study of sweeps, whose folder is `package`, gives back: `swept` has each with what was published of it.

    The figures are those of the first choice.
    """
    command = command_for(slug, quick=quick)
    runs = [runs_sheet(f"runs-{_slug(one.sweep)}", "Every run", one.grid) for one, _ in swept]
    curves = [figure(one, one.choices[0].name, treated, control, published, command) for one, published in swept]
    return StudyResult(
        slug=slug,
        title=title,
        claims=claims,
        seeds=list(seeds),
        command=command,
        quick=quick,
        page=page(package, "README.md"),
        sheets=[*(sheet(one, treated, control) for one, _ in swept), *runs],
        figures=[*illustrations, *curves],
        files={"scenario.toml": page(package, "scenario.toml")},
        scenarios={one.name: hash_of(one, s.grid.variants[0]) for s, _ in swept for one in s.grid.readings},
    )


def _slug(sweep: Sweep) -> str:
    return sweep.name.replace(" ", "-")
