"""Means of measures over a population: over the points of a sweep whose points have weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ackclock.results.measure import Measure
from ackclock.stats.weighted import weighted_mean
from ackclock.store.estimates import values_of
from ackclock.store.layout import StoreError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ackclock.stats import Estimate
    from ackclock.stats.weighted import Mean
    from ackclock.store.estimates import Values
    from ackclock.store.reader import Store

__all__ = ["PopulationEstimate", "estimate_population", "mean_over", "weights_of"]


@dataclass(frozen=True, slots=True)
class PopulationEstimate:
    """The weighted mean of a measure over the points of a population."""

    params: Mapping[str, Any]
    """The setting of everything that is no part of the population: name to value."""
    points: Sequence[int]
    """The numbers of the points, without those of weight 0."""
    missing: Sequence[int]
    """The points among them where no run has a value; there is no estimate then."""
    estimate: Estimate | None

    def document(self) -> dict[str, Any]:
        """Returns a JSON object: the setting, the numbers of points, mean, ci (two numbers or null) and n seeds."""
        told = {"mean": None, "ci": None, "n": 0} if self.estimate is None else self.estimate.document()
        return {"params": dict(self.params), "points": len(self.points), "missing": list(self.missing), **told}


def estimate_population(
    store: Store, measure: str | Measure, *, by: Sequence[str] = (), level: float = 0.95
) -> list[PopulationEstimate]:
    """The weighted mean of a measure at every setting of what is no part of the population; see `Store.population`."""
    parsed = measure if isinstance(measure, Measure) else Measure.parse(measure)
    values = values_of(store, parsed)
    weights = weights_of(store)
    over = {*store.sweeps[0].population} - {*by}
    groups: dict[tuple[tuple[str, Any], ...], list[Values]] = {}
    for one in values:
        setting = tuple((name, value) for name, value in one.params.items() if name not in over)
        groups.setdefault(setting, []).append(one)
    found = []
    for setting, points in groups.items():
        chosen = [one for one in points if weights[one.point]]
        missing = [one.point for one in chosen if not one.values.size]
        estimate = None
        if chosen and not missing:
            mean = mean_over(chosen, [weights[one.point] for one in chosen])
            estimate = mean.estimate(level).within(*parsed.bounds)
        found.append(PopulationEstimate(dict(setting), [one.point for one in chosen], missing, estimate))
    return found


def mean_over(values: Collection[Values], weights: Sequence[float]) -> Mean:
    """The weighted mean of points of which each has a value."""
    return weighted_mean([one.values for one in values], [one.seeds for one in values], weights)


def weights_of(store: Store) -> list[float]:
    """The weight of every point of the store's sweep; raises a StoreError if there are none."""
    weights = store.sweeps[0].weights
    if weights is None:
        raise StoreError(
            f"{store.path}: the points of this sweep have no weights; give `ackclock sweep --points` a file with a "
            "column weight, or weights= in Python; no run is repeated"
        )
    return weights
