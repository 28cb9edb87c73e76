"""Sweeps of a parameter under several assumptions: the part of a transfer time that a change to TCP saves."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal

import numpy as np

from ackclock import stats
from ackclock.report import Figure, Plot, Series, colour_of
from ackclock.stats import RESAMPLES, RESAMPLING_SEED, Estimate, student
from ackclock.studies.framework.grid import Reading, hashes
from ackclock.studies.framework.study import Outcome, Sheet

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock.results.result import Result
    from ackclock.scenario import Text
    from ackclock.studies.framework.claims import ClaimResult, Kind
    from ackclock.studies.framework.grid import Grid, Variant
    from ackclock.studies.framework.lab import Lab

__all__ = ["Assumption", "Sweep", "Swept", "figure", "largest_saving", "outcome", "run_sweep", "sheet"]

ROUNDING = 1e-12
"""A standard error of a saving below this is rounding: nothing in the sweep is random at this point."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """A parameter, its values, and the overrides of the scenario for each value."""

    name: str
    axis: str
    """Parameter with its unit."""
    points: Mapping[float, Mapping[str, object]]
    overrides: Mapping[str, object] = field(default_factory=dict)
    """Overrides that hold at every value."""


@dataclass(frozen=True, slots=True)
class Assumption:
    """An assumption about a setting that the publication does not state. The main assumption changes nothing."""

    name: str
    overrides: Mapping[str, object] = field(default_factory=dict)
    kind: Kind = "assumption"


@dataclass(frozen=True, slots=True)
class Swept:
    """A sweep that was run under several assumptions."""

    sweep: Sweep
    grid: Grid
    assumptions: tuple[Assumption, ...]

    def benefit(self, assumption: str, x: float, variant: str, control: str) -> Estimate:
        """Mean reduction of the time by `variant`, relative to `control`, in %, over paired seeds."""
        pair = (self.grid.values(_name(self.sweep, x, assumption), one, "time_s") for one in (variant, control))
        return stats.relative_change(*pair).scaled(-100)

    def benefits(self, assumption: str, variant: str, control: str) -> dict[float, Estimate]:
        """The benefit at every value."""
        return {x: self.benefit(assumption, x, variant, control) for x in self.sweep.points}

    def largest(self, assumption: str, variant: str, control: str) -> Estimate:
        """The largest benefit of the sweep, with the interval of `largest_saving`."""
        return self._largest(assumption, variant, control, 1)

    def smallest(self, assumption: str, variant: str, control: str) -> Estimate:
        """The smallest benefit of the sweep, with the interval of `largest_saving` of the negative savings."""
        return self._largest(assumption, variant, control, -1)

    def _largest(self, assumption: str, variant: str, control: str, sign: Literal[1, -1]) -> Estimate:
        times = self._times(assumption, variant), self._times(assumption, control)
        return largest_saving(*times, sign).scaled(100 * sign)

    def _times(self, assumption: str, variant: str) -> NDArray[np.float64]:
        """The times by value and replication."""
        return np.stack(
            [self.grid.values(_name(self.sweep, x, assumption), variant, "time_s") for x in self.sweep.points]
        )


def largest_saving(
    treated: NDArray[np.float64], control: NDArray[np.float64], sign: Literal[1, -1] = 1, resamples: int = RESAMPLES
) -> Estimate:
    """The largest over the points of a sweep of the time that is saved, as a part of the control's mean.

    Parameters
    ----------
    treated, control
        Times by point and replication; a replication is paired over all points and both variants.
    sign
        With -1, the largest of the negative savings: its negative is the smallest saving.
    resamples
        Number of bootstrap resamples.

    Notes
    -----
    The point with the largest saving is itself estimated, so that the largest measured saving is too large on average.
    The lower end of the interval therefore holds for all points at the same time: it is the largest over the points of
    the saving less c standard errors, where the deviation of no point exceeds c standard errors in 97.5 % of the
    resamples of whole replications. The upper end is the largest of the upper ends of the points, because the true
    largest saving exceeds it only if the saving of one fixed point does. Few replications widen both by Student's
    quantile over the normal one.

    Coverage of 95 % intervals over 2,000 synthetic sweeps with 30 replications: 94 % and 97 % for the largest and the
    smallest of eight equal savings, 93 % where one of two points is far ahead. The interval of the chosen point alone
    covers eight equal savings in 74 %.
    """
    savings = sign * (1 - treated.mean(axis=1) / control.mean(axis=1))
    value, replications = float(savings.max()), treated.shape[1]
    if replications < 2:
        return Estimate(value, math.nan, math.nan, replications, method="percentile")
    drawn = np.random.default_rng(RESAMPLING_SEED).integers(replications, size=(resamples, replications))
    weights = np.stack([np.bincount(one, minlength=replications) for one in drawn], axis=1)
    deviations = sign * (1 - (treated @ weights) / (control @ weights)) - savings[:, None]
    errors = deviations.std(axis=1)
    scaled = deviations / np.where(errors > ROUNDING, errors, math.inf)[:, None]
    small = student.quantile(replications - 1, 0.975) / NormalDist().inv_cdf(0.975)
    below = max(0.0, float(np.quantile(scaled.max(axis=0), 0.975)))
    above = np.maximum(0.0, np.quantile(-scaled, 0.975, axis=1))
    low, high = (savings - small * below * errors).max(), (savings + small * above * errors).max()
    return Estimate(value, float(low), float(high), replications, method="percentile")


def _name(sweep: Sweep, x: float, assumption: str) -> str:
    return f"{sweep.name} {x:g}; {assumption}"


def run_sweep(
    lab: Lab,
    sweep: Sweep,
    text: Text,
    assumptions: Sequence[Assumption],
    variants: Sequence[Variant],
    seeds: Sequence[int],
    measure: Callable[[Result], Mapping[str, float]],
) -> Swept:
    """Runs every value under every assumption, of which the first decides the verdicts.

    `measure` returns ``time_s``, from which the benefit is computed.
    """
    readings = []
    for assumption in assumptions:
        for x, point in sweep.points.items():
            name = _name(sweep, x, assumption.name)
            readings.append(Reading(name, text, {**sweep.overrides, **point, **assumption.overrides}, assumption.kind))
    deciding = [_name(sweep, x, assumptions[0].name) for x in sweep.points]
    grid = lab.grid(readings, variants, seeds, measure, deciding)
    return Swept(sweep, grid, tuple(assumptions))


def figure(
    swept: Swept, assumption: str, variants: Sequence[Variant], control: str, published: str, command: str
) -> Figure:
    """The benefit over the parameter under one assumption, a curve for each variant."""
    series = []
    for index, one in enumerate(variants):
        benefits = swept.benefits(assumption, one.name, control)
        low, high = [[getattr(b, end) for b in benefits.values()] for end in ("low", "high")]
        middle = [b.value for b in benefits.values()]
        series.append(Series(one.label, list(benefits), middle, colour_of(index), "interval", low, high))
    caption = f"95 % intervals over paired replications. Published: {published}."
    title = f"Benefit by {swept.sweep.name}"
    return Plot(title, swept.sweep.axis, "benefit (% of the time)", series, caption, command)


def sheet(swept: Swept, variants: Sequence[Variant], control: str) -> Sheet:
    """Every benefit under every assumption."""
    rows: list[list[object]] = []
    for assumption in swept.assumptions:
        for one in variants:
            for x, benefit in swept.benefits(assumption.name, one.name, control).items():
                rows.append([assumption.name, one.label, x, benefit.value, benefit.low, benefit.high])
    columns = ["reading", "variant", swept.sweep.axis, "benefit %", "low", "high"]
    return Sheet(_slug(swept.sweep), f"Benefit by {swept.sweep.name}", columns, rows, shown=False)


def outcome(
    swept: Sequence[tuple[Swept, str]],
    treated: Sequence[Variant],
    control: str,
    *,
    claims: Sequence[ClaimResult],
    illustrations: Sequence[Figure] = (),
    seeds: Sequence[int],
    command: str,
) -> Outcome:
    """The outcome of a study of sweeps: `swept` has each sweep with the published benefit.

    The figures are those of the first assumption.
    """
    curves = [figure(one, one.assumptions[0].name, treated, control, published, command) for one, published in swept]
    return Outcome(
        claims=claims,
        seeds=seeds,
        hashes={
            name: hashed for one, _ in swept for name, hashed in hashes(one.grid.readings, one.grid.variants[0]).items()
        },
        runs={f"runs-{_slug(one.sweep)}": one.grid for one, _ in swept},
        sheets=[sheet(one, treated, control) for one, _ in swept],
        figures=[*illustrations, *curves],
    )


def _slug(sweep: Sweep) -> str:
    return sweep.name.replace(" ", "-")
