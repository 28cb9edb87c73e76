"""All comparisons of a question: every value of a setting against one of them, for several measures, at every point."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock import stats
from ackclock.measure import Measure
from ackclock.stats.paired import one_sign
from ackclock.stats.weighted import mean_of, normalised
from ackclock.store.estimates import Values, check_varied, pairs_of, values_of
from ackclock.store.layout import StoreError
from ackclock.store.populations import mean_over

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock.stats import Corrected, Estimate
    from ackclock.stats.weighted import Mean
    from ackclock.store.estimates import Pair
    from ackclock.store.reader import Store

__all__ = ["LEAST_PAIRS", "Contrast", "contrasts_of"]

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
        """As a JSON object."""
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
    mean = mean_of(pair.treated - pair.control)
    relative = None
    if pair.seeds.size >= LEAST_PAIRS and one_sign(pair.control):
        relative = stats.relative_change(pair.treated, pair.control, level=level)
    return _contrast(measure, name, treated, control, pair.params, float(pair.control.mean()), mean, level, relative)


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
        setting = tuple((key, value) for key, value in pair.params.items() if key not in over)
        groups.setdefault(setting, []).append(pair)
    found = []
    for setting, group in groups.items():
        sides = [[weights[pair.points[side]] for pair in group] for side in (0, 1)]
        if not all(any(side) for side in sides):
            continue
        if not np.allclose(normalised(sides[0]), normalised(sides[1]), rtol=1e-9, atol=0):
            raise StoreError(
                f"{store.path}: {name}={treated} and {name}={control} have different weights at the same points, so "
                "that a difference over the population means nothing; give both the same"
            )
        chosen = [(pair, weight) for pair, weight in zip(group, sides[1], strict=True) if weight]
        if not all(pair.seeds.size for pair, _ in chosen):
            continue
        own = [weight for _, weight in chosen]
        mean = mean_over([_values(pair, pair.treated - pair.control) for pair, _ in chosen], own)
        before = mean_over([_values(pair, pair.control) for pair, _ in chosen], own).value
        found.append(_contrast(measure, name, treated, control, dict(setting), before, mean, level, population=True))
    return found


def _values(pair: Pair, values: NDArray[np.float64]) -> Values:
    return Values(pair.points[0], pair.params, pair.seeds, values)


def _contrast(
    measure: Measure,
    name: str,
    treated: object,
    control: object,
    params: Mapping[str, Any],
    before: float,
    mean: Mean,
    level: float,
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
        difference=mean.estimate(level),
        relative=relative,
        p=mean.p_value(),
        holm=None,
    )
