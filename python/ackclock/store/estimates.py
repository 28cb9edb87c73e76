"""Statistics over the runs of a store: the values of a measure, its estimate at each point, and paired comparisons."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock import stats
from ackclock.base.hooks import Hook
from ackclock.base.near import suggestion
from ackclock.results.measure import Measure, MeasureError
from ackclock.store.layout import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock.stats import Comparison, Estimate, Method
    from ackclock.store.reader import Store

__all__ = [
    "Estimates",
    "Pair",
    "Paired",
    "PairedList",
    "PointEstimate",
    "Values",
    "check_varied",
    "compare_points",
    "estimate_points",
    "pairs_of",
    "values_of",
]

LARGEST = 1e100
"""Values are below it, so that sums and squares of them are numbers."""

_estimates_html: Hook[[Measure, Estimates], str] = Hook("estimates.html")
_paired_html: Hook[[Measure, Sequence[Paired]], str] = Hook("paired.html")


@dataclass(frozen=True, slots=True)
class Values:
    """A measure at one point: one number a run that has it, in the order of the seeds."""

    point: int
    params: Mapping[str, Any]
    """The varied fields: name to value."""
    seeds: NDArray[np.uint64]
    values: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PointEstimate:
    """The mean of a measure at one point; None where no run has a value."""

    point: int
    params: Mapping[str, Any]
    estimate: Estimate | None

    def document(self) -> dict[str, Any]:
        """Returns a JSON object: the point's number and values, mean, ci (two numbers or null) and n."""
        told = {"mean": None, "ci": None, "n": 0} if self.estimate is None else self.estimate.document()
        return {"point": self.point, "params": dict(self.params), **told}


class Estimates(list[PointEstimate]):
    """The means of a measure at every point; a notebook shows them as a table."""

    def __init__(self, measure: Measure, points: Sequence[PointEstimate]) -> None:
        super().__init__(points)
        self._measure = measure

    def _repr_html_(self) -> str:
        return _estimates_html(self._measure, self)


@dataclass(frozen=True, slots=True)
class Paired:
    """Two settings of one thing compared, everything else and the seeds being the same."""

    params: Mapping[str, Any]
    """The other varied fields: name to value."""
    comparison: Comparison


class PairedList(list[Paired]):
    """Paired comparisons of a measure at every setting of the rest; a notebook shows them as a table."""

    def __init__(self, measure: Measure, pairs: Sequence[Paired]) -> None:
        super().__init__(pairs)
        self._measure = measure

    def _repr_html_(self) -> str:
        return _paired_html(self._measure, self)


@dataclass(frozen=True, slots=True)
class Pair:
    """The values of runs that two settings have under the same seeds."""

    params: Mapping[str, Any]
    """The other varied fields: name to value."""
    points: tuple[int, int]
    """The numbers of the points: treated, control."""
    seeds: NDArray[np.uint64]
    treated: NDArray[np.float64]
    control: NDArray[np.float64]


def values_of(store: Store, measure: str | Measure) -> list[Values]:
    """The measure's values at every point of a store of one sweep."""
    if len(store.sweeps) != 1:
        told = ", ".join(f"{sweep.id} ({sweep.name})" for sweep in store.sweeps) or "none"
        raise StoreError(
            f"{store.path}: points are those of one sweep; choose it with --sweep, in Python sweep=; there are {told}"
        )
    parsed = measure if isinstance(measure, Measure) else Measure.parse(measure)
    if store.finished == store.failed:
        # Without a run that went well there are no tables to ask.
        none = np.empty(0)
        asked = enumerate(store.sweeps[0].points)
        return [Values(number, params, none.astype(np.uint64), none) for number, params in asked]
    _check(store, parsed)
    query = (
        "SELECT point, seed, value FROM runs JOIN ("  # noqa: S608 -- a measure quotes what it is made of
        f"{parsed.sql(runs='runs')}) USING (run) WHERE status = 'done' ORDER BY point, place"
    )
    table = store.sql(query)
    if not len(table):
        _check_component(store, parsed)
    points = np.asarray(table["point"], dtype=np.int64)
    seeds, values = np.asarray(table["seed"], dtype=np.uint64), np.asarray(table["value"], dtype=np.float64)
    if not (np.abs(values) < LARGEST).all():
        raise StoreError(f"{store.path}: measure {parsed}: damaged: a run has a value that no run of ackclock gives")
    return [
        Values(number, params, seeds[points == number], values[points == number])
        for number, params in enumerate(store.sweeps[0].points)
    ]


def _check(store: Store, measure: Measure) -> None:
    """Refuses a measure of a table or column that the store does not have, naming those it has."""
    if measure.table not in store.tables:
        raise MeasureError(
            f"measure {measure}: no table {measure.table}; "
            f"there are {', '.join(store.tables)}{suggestion(measure.table, store.tables)}"
        )
    columns = _columns(store, measure.table)
    if measure.column not in columns:
        raise MeasureError(
            f"measure {measure}: table {measure.table} has no column {measure.column}; there are {', '.join(columns)}"
            f"{suggestion(measure.column, columns)}"
        )


def _check_component(store: Store, measure: Measure) -> None:
    """Refuses a flow or link that no run has; one without a row in the measure's table may have rows elsewhere."""
    named = [name for name in (measure.table, f"{measure.key}s") if measure.key in _columns(store, name)]
    if measure.component is not None and named:
        found = " UNION ".join(f'SELECT "{measure.key}" AS name FROM "{one}"' for one in named)  # noqa: S608
        names = store.sql(f"SELECT DISTINCT name FROM ({found}) WHERE name IS NOT NULL")["name"]  # noqa: S608
        measure.check_component(names.tolist())


def _columns(store: Store, table: str) -> list[str]:
    return store.sql(f'SELECT * FROM "{table}" LIMIT 0').column_names if table in store.tables else []  # noqa: S608


def estimate_points(
    store: Store, measure: str | Measure, *, level: float = 0.95, method: Method = "t"
) -> list[PointEstimate]:
    """The mean of a measure at every point. Its interval ends where the measure does: Jain's index is at most 1."""
    parsed = measure if isinstance(measure, Measure) else Measure.parse(measure)

    def estimate(values: NDArray[np.float64]) -> Estimate:
        return stats.mean(values, level=level, method=method).within(*parsed.bounds)

    return Estimates(
        parsed,
        [
            PointEstimate(one.point, one.params, estimate(one.values) if one.values.size else None)
            for one in values_of(store, parsed)
        ],
    )


def check_varied(store: Store, name: str, *values: object) -> None:
    """Raises a ValueError if something is not varied, or never has one of the values."""
    points: Sequence[Mapping[str, Any]] = store.sweeps[0].points if store.sweeps else []
    if not any(name in point for point in points):
        varied = ", ".join(dict.fromkeys(key for point in points for key in point)) or "nothing"
        raise ValueError(f"{name!r} is not varied; what is: {varied}")
    found = list(dict.fromkeys(repr(point.get(name)) for point in points))
    for wanted in values:
        if not any(point.get(name) == wanted for point in points):
            raise ValueError(f"{name} is never {wanted!r}; it is {', '.join(found)}")


def compare_points(
    store: Store, name: str, treated: object, control: object, measure: str | Measure, *, level: float = 0.95
) -> list[Paired]:
    """`treated` against `control` of what is called `name`, at every setting of everything else."""
    check_varied(store, name, treated, control)
    parsed = measure if isinstance(measure, Measure) else Measure.parse(measure)
    least, most = parsed.bounds
    paired = []
    for pair in pairs_of(values_of(store, parsed), name, treated, control):
        if pair.seeds.size:
            found = stats.compare(pair.treated, pair.control, level=level, unit=parsed.unit)
            difference = found.difference.within(least - most, most - least)
            paired.append(Paired(pair.params, replace(found, difference=difference)))
    return PairedList(parsed, paired)


def pairs_of(values: Sequence[Values], name: str, treated: object, control: object) -> list[Pair]:
    """The runs of two values of a setting, at every setting of all else that both have; there may be no pairs there."""
    sides: dict[tuple[tuple[str, Any], ...], dict[str, Values]] = {}
    for one in values:
        others = tuple((key, value) for key, value in one.params.items() if key != name)
        for side, wanted in (("treated", treated), ("control", control)):
            if one.params.get(name) == wanted:
                sides.setdefault(others, {})[side] = one
    found = []
    for others, both in sides.items():
        if len(both) == 2:
            first, second = both["treated"], both["control"]
            seeds, here, there = np.intersect1d(first.seeds, second.seeds, return_indices=True)
            points = first.point, second.point
            found.append(Pair(dict(others), points, seeds, first.values[here], second.values[there]))
    return found
