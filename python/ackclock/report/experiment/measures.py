"""The measures that a report of a store shows by default, with their names and units."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.results.measure import Measure, MeasureError
from ackclock.results.names import measure_name, unit_of, with_unit
from ackclock.results.usual import Group, usual_measures
from ackclock.stats import Estimate, paired_difference, relative_change
from ackclock.stats.paired import one_sign
from ackclock.store.contrasts import LEAST_PAIRS
from ackclock.store.estimates import pairs_of, values_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.report.experiment.axes import Axis
    from ackclock.store import Store

__all__ = [
    "MOST_RELATIVE",
    "PointMean",
    "Shown",
    "changes",
    "default_measures",
    "flow_groups",
    "goodputs",
    "is_goodput",
    "shown",
]

MOST = 6
"""Measures that are shown when nobody says which, besides the goodputs of further flows."""

MOST_RELATIVE = 100
"""Settings of which a measure has relative changes: the bootstrap of each takes about 15 ms."""


@dataclass(frozen=True, slots=True)
class PointMean:
    """The mean of a measure at one point, in the unit shown."""

    params: Mapping[str, Any]
    estimate: Estimate | None


@dataclass(frozen=True, slots=True)
class Shown:
    """A measure at every point, in a unit to be read."""

    title: str
    """The name in words."""
    unit: str
    cells: Sequence[PointMean]
    diverging: bool = False
    """Whether it is a difference, so that zero is what to compare with."""
    what: str = "The mean over the seeds"
    """A phrase that names the measure of the estimates."""
    measure: str = ""
    """The text of the measure."""

    @property
    def label(self) -> str:
        """The name with its unit."""
        return with_unit(self.title, self.unit)


def default_measures(store: Store) -> list[str]:
    """The measures that the sweep is about; otherwise the usual ones of its flows, as far as the runs have them.

    The flows of which a field is varied come first.
    """
    if len(store.sweeps) == 1 and store.sweeps[0].measures:
        return store.sweeps[0].measures
    groups = _groups(store)
    names = [one.name for one in groups]
    varied = dict.fromkeys(name for sweep in store.sweeps for path in sweep.varied for name in _flows_of(path, names))
    competing = store.sweeps[0].competing if len(store.sweeps) == 1 else []
    found = [text for text in usual_measures(groups, competing, varied) if _has_values(store, text)]
    own = sum(is_goodput(text) for text in found)
    return found[: MOST + max(own - 1, 0)]


def _has_values(store: Store, text: str) -> bool:
    measure = Measure.parse(text)
    if measure.table not in store.tables:
        return False
    try:
        return any(one.values.size for one in store.values(measure))
    except MeasureError:
        return False


def _groups(store: Store) -> list[Group]:
    """The flows of the scenario in their order, as far as the first run has them."""
    if "flows" not in store.tables:
        return []
    first = next(iter(store.sql("SELECT run FROM runs WHERE status = 'done' ORDER BY place LIMIT 1").rows()), None)
    if first is None:
        return []
    # A query of the view would not keep the order of the flows.
    found = store.result(first["run"], ("flows",))
    if "flows" not in found.tables:
        return []
    flows = found.flows
    names = [re.sub(r"\.[0-9]+$", "", str(name)) for name in flows["flow"]]
    apps = [str(app) for app in flows["app"]] if "app" in flows else [""] * len(names)
    return [Group(name, app, names.count(name)) for name, app in dict(zip(names, apps, strict=True)).items()]


def flow_groups(store: Store) -> list[str]:
    """The flows of the scenario in their order, as far as the first run has them: copies are one flow."""
    return [one.name for one in _groups(store)]


def _flows_of(path: str, groups: Sequence[str]) -> list[str]:
    """The flows whose field this path is."""
    found = re.match(r"flows\[\s*(.*?)\s*\]\.", path)
    if found is None:
        return []
    if found[1].isdigit():
        return [groups[int(found[1])]] if int(found[1]) < len(groups) else []
    return [found[1]] if found[1] in groups else []


def shown(store: Store, text: str, *, level: float = 0.95) -> Shown:
    """A measure at every point of the store's sweep; raises as `Store.values`."""
    measure = Measure.parse(text)
    estimates = store.estimates(measure, level=level)
    unit, factor = unit_of(measure, [one.estimate.value for one in estimates if one.estimate is not None])
    cells = [PointMean(one.params, None if one.estimate is None else one.estimate.scaled(factor)) for one in estimates]
    return Shown(measure_name(measure), unit, cells, measure=str(measure))


def is_goodput(text: str) -> bool:
    """Whether a measure is the goodput of one group of flows."""
    measure = Measure.parse(text)
    return measure.component is not None and str(measure) == f"flows[{measure.component}].goodput_bps"


def goodputs(store: Store, texts: Sequence[str], flow: Axis) -> Shown:
    """The goodputs of several groups of flows together, with the group as a further setting of each point."""
    every = [(Measure.parse(text), store.estimates(text)) for text in texts]
    values = [one.estimate.value for _, points in every for one in points if one.estimate is not None]
    unit, factor = unit_of(every[0][0], values)
    cells = [
        PointMean(
            {**one.params, flow.name: measure.component},
            None if one.estimate is None else one.estimate.scaled(factor),
        )
        for measure, points in every
        for one in points
    ]
    return Shown("Goodput of each flow", unit, cells)


def changes(store: Store, text: str, axis: Axis, control: object, *, only: object = None) -> list[Shown]:
    """The differences of a measure from one value of an axis to each of the others, or to `only`, paired by seed.

    The differences are in the unit of the measure. With `LEAST_PAIRS` pairs everywhere, a control of one sign, and at
    most `MOST_RELATIVE` settings, the relative changes in per cent follow.
    """
    measure = Measure.parse(text)
    least, most = measure.bounds
    values = values_of(store, measure)
    pairs = [
        ({**one.params, axis.name: value}, one.treated, one.control)
        for value in axis.values
        if value != control and only in (None, value)
        for one in pairs_of(values, axis.name, value, control)
        if one.seeds.size
    ]
    if not pairs:
        return []
    unit, factor = unit_of(measure, [float(np.mean(side)) for _, *both in pairs for side in both])
    name, control_text = measure_name(measure), axis.text(control)
    what = f"The mean difference from {axis.title} = {control_text}, over runs of the same seeds"
    cells = [
        PointMean(params, paired_difference(*both).within(least - most, most - least).scaled(factor))
        for params, *both in pairs
    ]
    unit = "percentage points" if unit == "%" else unit
    found = [Shown(f"Difference: {name}", unit, cells, diverging=True, what=what, measure=str(measure))]
    enough = all(len(both[0]) >= LEAST_PAIRS and one_sign(both[1]) for _, *both in pairs)
    if enough and len(pairs) <= MOST_RELATIVE:
        relative = [PointMean(params, relative_change(*both).scaled(100)) for params, *both in pairs]
        what = f"The relative change of the mean from {axis.title} = {control_text}, over runs of the same seeds"
        found.append(Shown(f"Relative change: {name}", "%", relative, diverging=True, what=what, measure=str(measure)))
    return found
