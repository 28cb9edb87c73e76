"""The measures that a report of a store shows by default, and their units."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ackclock.measure import Measure, MeasureError
from ackclock.report.tables import cell_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.stats import Estimate
    from ackclock.store import Store

__all__ = ["MEASURES", "PointMean", "Shown", "change", "default_measures", "shown"]

MEASURES = (
    "flows.goodput_bps",
    "jain(flows.goodput_bps)",
    "links[bottleneck].utilisation",
    "links[bottleneck].queue_delay_mean_ms",
    "links[bottleneck].drop_rate",
    "delays.p95_ms",
    "completions.mean_s",
    "dash.mean_level_bps",
    "dash.stall_s",
    "voip.mos",
)
"""The measures to choose from, those that matter most first."""

MOST = 6
"""Measures that are shown when nobody says which."""


@dataclass(frozen=True, slots=True)
class PointMean:
    """The mean of a measure at one point, in the unit shown."""

    params: Mapping[str, Any]
    estimate: Estimate | None


@dataclass(frozen=True, slots=True)
class Shown:
    """A measure at every point, in a unit to be read."""

    name: str
    unit: str
    cells: Sequence[PointMean]
    diverging: bool = False
    """Whether it is a change, so that zero is what to compare with."""
    what: str = "The mean over the seeds"
    """A phrase that names the measure of the estimates."""

    @property
    def label(self) -> str:
        """The name with its unit."""
        return f"{self.name} ({self.unit})" if self.unit else self.name


def default_measures(store: Store) -> list[str]:
    """The measures of `MEASURES` that the store has, in their order."""
    found: list[str] = []
    for text in MEASURES:
        measure = Measure.parse(text)
        if measure.table not in store.tables or (measure.function == "jain" and _flows(store) < 2):
            continue
        try:
            values = store.values(measure)
        except MeasureError:
            continue
        if any(one.values.size for one in values):
            found.append(text)
        if len(found) == MOST:
            break
    return found


def _flows(store: Store) -> int:
    return int(store.sql("SELECT count(DISTINCT flow) AS n FROM flows")["n"][0])


def shown(store: Store, text: str, *, level: float = 0.95) -> Shown:
    """A measure at every point of the store's sweep; raises as `Store.values`."""
    measure = Measure.parse(text)
    estimates = store.estimates(measure, level=level)
    unit, factor = _unit(measure.unit, [one.estimate.value for one in estimates if one.estimate is not None])
    return Shown(
        str(measure),
        unit,
        [PointMean(one.params, None if one.estimate is None else one.estimate.scaled(factor)) for one in estimates],
    )


def change(store: Store, text: str, path: str, control: object, *, level: float = 0.95) -> Shown | None:
    """A measure's relative change, in per cent, from one setting of `path` to each of the others, paired by seed.

    None where no point has one: where the control is zero, or of either sign.
    """
    others = dict.fromkeys(point.get(path) for point in store.sweeps[0].points)
    cells = [
        PointMean({**one.params, path: value}, one.comparison.relative.scaled(100))
        for value in others
        if value != control
        for one in store.compare(path, value, control, text, level=level)
        if one.comparison.relative is not None
    ]
    what = f"The change of the mean from {path} = {cell_text(control)}, over runs of the same seeds"
    return Shown(f"change of {Measure.parse(text)}", "%", cells, diverging=True, what=what) if cells else None


def _unit(unit: str, values: Sequence[float]) -> tuple[str, float]:
    most = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    match unit:
        case "bps":
            return ("Mbit/s", 1e-6) if most >= 1e6 else ("kbit/s", 1e-3)
        case "bytes" if most >= 1e6:
            return "MB", 1e-6
        case "bytes" if most >= 1e3:
            return "kB", 1e-3
    return unit, 1.0
