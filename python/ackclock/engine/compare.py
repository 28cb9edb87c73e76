"""Two scenarios under the same seeds: what the one does that the other does not, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock import stats
from ackclock.base.hooks import Hook
from ackclock.engine.run import run
from ackclock.results.measure import Measure
from ackclock.results.result import Replications
from ackclock.results.usual import all_compete
from ackclock.scenario._source import canonical, load, override_pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ackclock.scenario import Overrides, Source
    from ackclock.stats import Comparison

__all__ = ["MEASURES", "SHARES", "Compared", "compare"]

_html: Hook[[Compared], str] = Hook("compared.html")

MEASURES = (
    "sum(flows.goodput_bps)",
    "sum(flows.retransmits)",
    "sum(flows.timeouts)",
    "links[bottleneck].utilisation",
    "links[bottleneck].drop_rate",
    "links[bottleneck].queue_delay_mean_ms",
    "links[bottleneck].queue_delay_p95_ms",
)
"""Measures that a comparison shows by default, as far as both sides have them."""

SHARES = "jain(flows.goodput_bps)"
"""The further measure of two scenarios in which all flows compete for the same capacity."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Measure to what the treatment changes of it."""

    comparisons: Mapping[str, Comparison]
    treated: Replications = field(repr=False)
    control: Replications = field(repr=False)

    def __getitem__(self, measure: str) -> Comparison:
        return self.comparisons[measure]

    def rows(self) -> list[dict[str, Any]]:
        """One row a measure: both means, the difference and the relative change with their intervals."""
        return [
            {
                "measure": name,
                "treated": float(np.mean(_values(self.treated, name))),
                "control": float(np.mean(_values(self.control, name))),
                "difference": one.difference.document(),
                "relative": None if one.relative is None else one.relative.document(),
                "unit": one.unit,
            }
            for name, one in self.comparisons.items()
        ]

    def _repr_html_(self) -> str:
        return _html(self)


def compare(
    treated: Source | Replications,
    control: Source | Replications,
    measures: Sequence[str] | None = None,
    *,
    seeds: int | Iterable[int] = 10,
    overrides: Overrides | None = None,
    threads: int | None = None,
    progress: bool | Callable[[float], object] = False,
    level: float = 0.95,
) -> Compared:
    """Runs two scenarios under the same seeds and compares them pair by pair.

    Parameters
    ----------
    treated, control
        Two scenarios, or replications that were run already.
    measures
        What to compare, as ``p95(flows[video].srtt_ms)``; see `ackclock.Measure`. Without them goodput,
        retransmissions, utilisation, loss and queueing, as far as both have them; and Jain's index of two scenarios
        whose flows all share their routes and always have data to send.
    seeds
        Of what is to be run.
    overrides
        Values by key path that replace those of what is to be run.
    threads, progress
        As for `run`.
    level
        Confidence of the intervals.

    Raises
    ------
    ValueError
        If replications that were run already do not have the same seeds, or a measure asked for has no value in a run.
    MeasureError
        If a measure cannot be read, or a run has no such table or column.
    ScenarioError
        With everything that is wrong with a scenario, before anything runs.
    """
    chosen = measures if measures is None else [str(Measure.parse(one)) for one in measures]
    given = [one.seeds for one in (treated, control) if isinstance(one, Replications)]
    wanted: int | Iterable[int] = given[0] if given else seeds
    sides = [
        side
        if isinstance(side, Replications)
        else run(side, seeds=wanted, overrides=overrides, threads=threads, progress=progress)
        for side in (treated, control)
    ]
    first, second = sides
    if first.seeds != second.seeds:
        raise ValueError(f"pairs need the same seeds: {first.seeds} against {second.seeds}")
    found: dict[str, Comparison] = {}
    shares = chosen is None and all(_all_compete(side, overrides) for side in (treated, control))
    usual = [MEASURES[0], *([SHARES] if shares else []), *MEASURES[1:]]
    for name in usual if chosen is None else chosen:
        if chosen is None and not all(_has(side, name) for side in sides):
            continue
        pair = [_values(side, name) for side in sides]
        if not np.isfinite(pair).all():
            if chosen is None:
                continue
            raise ValueError(f"measure {name} has no value in some run")
        measure = Measure.parse(name)
        least, most = measure.bounds
        one = stats.compare(*pair, level=level, unit=measure.unit)
        found[name] = replace(one, difference=one.difference.within(least - most, most - least))
    return Compared(found, first, second)


def _all_compete(side: Source | Replications, overrides: Overrides | None) -> bool:
    """Whether all flows of a scenario share their routes and always have data to send; of runs, nobody knows."""
    if isinstance(side, Replications):
        return False
    return all_compete(canonical(load(side), override_pairs(overrides)))


def _has(runs: Replications, name: str) -> bool:
    measure = Measure.parse(name)
    return all(
        measure.table in one.tables
        and measure.column in one.tables[measure.table]
        and (measure.component is None or measure.component in one.tables[measure.table][measure.key])
        for one in runs
    )


def _values(runs: Replications, name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    measure = Measure.parse(name)
    return np.array([measure.of(one) for one in runs], dtype=np.float64)
