"""All comparisons of a question: every value of a setting against one of them, for several measures, at every point."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock import stats
from ackclock.base.log import logger
from ackclock.results.measure import Measure
from ackclock.stats.paired import one_sign
from ackclock.stats.weighted import mean_of, normalised
from ackclock.store.estimates import Values, check_varied, pairs_of, values_of
from ackclock.store.populations import mean_over

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock.stats import Corrected, Estimate
    from ackclock.store.estimates import Pair
    from ackclock.store.reader import Store

__all__ = ["LEAST_PAIRS", "Contrast", "contrasts_of"]

LOGGER = logger(__name__)

LEAST_PAIRS = 20
"""Pairs that a relative change needs: with fewer, its interval is too narrow."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """One value of a setting against another, for one measure."""

    measure: str
    unit: str
    """Unit of the difference; empty for a plain number."""
    name: str
    """The setting: a path, or the name of a dict of settings."""
    treated: Any
    control: Any
    params: Mapping[str, Any]
    """Everything else that was varied: name to value; of a population without the names over which the weights are."""
    population: bool
    """Whether this is the weighted mean over a population."""
    control_mean: float
    difference: Estimate
    """Treated minus control over pairs of runs with the same seed."""
    relative: Estimate | None
    """The difference over the control's mean; None with fewer than 20 pairs, if the control's values do not all have
    the same sign, and for a population.
    """
    p: float | None
    """Two-sided p-value of no difference, by Student's t; None with one pair, or if all pairs differ by the same."""
    holm: Corrected | None
    """The same test with Holm's correction for the number of comparisons."""

    def document(self) -> dict[str, Any]:
        """Returns the contrast as a JSON object."""
        corrected = None
        if self.holm is not None:
            corrected = {"p": self.holm.p, "level": self.holm.level, "differs": self.holm.rejected}
        return {
            "measure": self.measure,
            "unit": self.unit,
            "setting": self.name,
            "treated": self.treated,
            "control": self.control,
            "params": dict(self.params),
            "population": self.population,
            "control_mean": self.control_mean,
            "difference": self.difference.document(),
            "relative": None if self.relative is None else self.relative.document(),
            "p": self.p,
            "holm": corrected,
        }


def contrasts_of(
    store: Store, name: str, control: object, measures: Sequence[str | Measure], *, level: float = 0.95
) -> list[Contrast]:
    """Every value of `name` against `control`; see `Store.contrasts`."""
    check_varied(store, name, control)
    found: list[Contrast] = []
    for one in measures:
        measure = one if isinstance(one, Measure) else Measure.parse(one)
        values = values_of(store, measure)
        for treated in dict.fromkeys(each.params[name] for each in values if name in each.params):
            if treated != control:
                pairs = pairs_of(values, name, treated, control)
                found += [_at_point(measure, name, treated, control, pair, level) for pair in pairs if pair.seeds.size]
                found += _over_population(store, measure, name, treated, control, pairs, level)
    tested = [number for number, one in enumerate(found) if one.p is not None]
    corrected = stats.holm([p for one in found if (p := one.p) is not None], level=level)
    for number, holm in zip(tested, corrected, strict=True):
        found[number] = replace(found[number], holm=holm)
    return found


def _at_point(measure: Measure, name: str, treated: object, control: object, pair: Pair, level: float) -> Contrast:
    difference = stats.paired_difference(pair.treated, pair.control, level=level)
    p = mean_of(pair.treated - pair.control).p_value()
    relative = None
    if pair.seeds.size >= LEAST_PAIRS and one_sign(pair.control):
        relative = stats.relative_change(pair.treated, pair.control, level=level)
    return _contrast(measure, name, treated, control, pair.params, float(pair.control.mean()), difference, p, relative)


def _over_population(
    store: Store, measure: Measure, name: str, treated: object, control: object, pairs: Sequence[Pair], level: float
) -> list[Contrast]:
    """The weighted means of the differences, where the points have weights and each of weight above 0 has pairs."""
    weights = store.sweeps[0].weights
    over = {*store.sweeps[0].population} - {name}
    if weights is None or not over:
        return []
    groups: dict[tuple[tuple[str, Any], ...], list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(_setting(pair.params, over), []).append(pair)
    found = []
    for setting, group in groups.items():
        chosen = [pair for pair in group if weights[pair.points[1]]]
        own = [weights[pair.points[1]] for pair in chosen]
        others = [weights[pair.points[0]] for pair in chosen]
        asked = [
            number
            for number, params in enumerate(store.sweeps[0].points)
            if weights[number]
            and params.get(name) in (treated, control)
            and _setting({key: value for key, value in params.items() if key != name}, over) == setting
        ]
        same = len(asked) == 2 * len(chosen) and any(others)
        if not same or not np.allclose(normalised(others), normalised(own), rtol=1e-9, atol=0):
            why = f"the points with {name}={treated} and with {name}={control} have different weights"
            LOGGER.warning("%s: no difference over the population: %s", measure, why)
        elif not all(pair.seeds.size for pair in chosen):
            LOGGER.warning("%s: no difference over the population: a point has no pair of runs", measure)
        else:
            mean = mean_over([_values(pair, pair.treated - pair.control) for pair in chosen], own)
            before = mean_over([_values(pair, pair.control) for pair in chosen], own).value
            difference = mean.estimate(level), mean.p_value()
            found.append(
                _contrast(measure, name, treated, control, dict(setting), before, *difference, population=True)
            )
    return found


def _setting(params: Mapping[str, Any], over: set[str]) -> tuple[tuple[str, Any], ...]:
    """The values of what is no part of the population."""
    return tuple((key, value) for key, value in params.items() if key not in over)


def _values(pair: Pair, values: NDArray[np.float64]) -> Values:
    return Values(pair.points[0], pair.params, pair.seeds, values)


def _contrast(
    measure: Measure,
    name: str,
    treated: object,
    control: object,
    params: Mapping[str, Any],
    before: float,
    difference: Estimate,
    p: float | None,
    relative: Estimate | None = None,
    *,
    population: bool = False,
) -> Contrast:
    return Contrast(
        measure=str(measure),
        unit=measure.unit,
        name=name,
        treated=treated,
        control=control,
        params=params,
        population=population,
        control_mean=before,
        difference=difference,
        relative=relative,
        p=p,
        holm=None,
    )
