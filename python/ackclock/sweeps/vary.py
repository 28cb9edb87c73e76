"""The points of a sweep: a grid, a list, or a Latin hypercube over paths of a scenario."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from ackclock._errors import RefusedError
from ackclock.store.layout import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["LatinHypercube", "Range", "Setting", "SweepError", "Vary", "settings"]


class SweepError(RefusedError):
    """A sweep asks for something that cannot be; the message says what would be accepted."""


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers from `low` to `high`, to draw from; of quantities with a unit both have the same one, as in 1Mbps."""

    low: float | str
    high: float | str
    log: bool = False
    """Evenly over the logarithm."""


@dataclass(frozen=True, slots=True)
class LatinHypercube:
    """So many points spread over ranges and choices, each of which is covered evenly (McKay, Beckman, Conover 1979)."""

    vary: Mapping[str, Range | Sequence[object]]
    points: int
    seed: int = 1
    """Seed of the draw: the same seed gives the same points."""


Dimension: TypeAlias = "Sequence[object] | Mapping[str, Mapping[str, object]]"
"""Values of a path; or names, each with the values of several paths that it stands for."""

Vary: TypeAlias = "Mapping[str, Dimension] | Sequence[Mapping[str, object]] | LatinHypercube"
"""A grid (path to its values), a list of points (each path to value), or a Latin hypercube."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One point: what it is called, and what it sets."""

    params: Mapping[str, object]
    """Name to value: numbers, truth values and text as they are, the rest as JSON."""
    overrides: Mapping[str, object]
    """Path to value."""


def settings(vary: Vary | None) -> list[Setting]:
    """The points, in order: of a grid the last path varies fastest.

    Raises
    ------
    SweepError
        If a path has no value, a name is one of the store's own, or a range is none.
    """
    match vary:
        case None:
            return [Setting({}, {})]
        case LatinHypercube():
            found = _hypercube(vary)
        case Mapping():
            found = _grid(vary)
        case list() | tuple():
            found = [_listed(number, point) for number, point in enumerate(vary)]
            if not found:
                raise SweepError("the list of points is empty")
        case _:
            raise TypeError(f"what varies is a dict of paths, a list of dicts or a LatinHypercube, not {vary!r}")
    for name in dict.fromkeys(name for setting in found for name in setting.params):
        if name in COLUMNS:
            raise SweepError(f"{name!r} cannot be varied: the table of runs has a column of that name")
    return found


def _grid(vary: Mapping[str, Dimension]) -> list[Setting]:
    dimensions: list[list[tuple[dict[str, object], dict[str, object]]]] = []
    for name, values in vary.items():
        if isinstance(values, str | bytes) or not isinstance(values, Sequence | Mapping) or not values:
            raise SweepError(f"{name}: expected a list of values with at least one in it, not {values!r}")
        if isinstance(values, Mapping):
            dimensions.append([({name: label}, dict(several)) for label, several in values.items()])
        else:
            dimensions.append([({name: _shown(value)}, {name: value}) for value in values])
    found = []
    for chosen in itertools.product(*dimensions):
        params = {name: value for one, _ in chosen for name, value in one.items()}
        overrides = {path: value for _, one in chosen for path, value in one.items()}
        found.append(Setting(params, overrides))
    return found


def _listed(number: int, point: Mapping[str, object]) -> Setting:
    if not isinstance(point, Mapping) or not all(isinstance(path, str) for path in point):
        raise SweepError(f"point {number}: expected a dict of path to value, not {point!r}")
    return Setting({path: _shown(value) for path, value in point.items()}, dict(point))


def _hypercube(vary: LatinHypercube) -> list[Setting]:
    from scipy.stats import qmc

    if vary.points < 1:
        raise SweepError(f"a Latin hypercube has at least one point, not {vary.points}")
    if not vary.vary:
        raise SweepError("a Latin hypercube needs a path to vary")
    draw = qmc.LatinHypercube(d=len(vary.vary), rng=vary.seed).random(vary.points)
    columns = [_spread(name, values, draw[:, place]) for place, (name, values) in enumerate(vary.vary.items())]
    return [_listed(0, dict(zip(vary.vary, point, strict=True))) for point in zip(*columns, strict=True)]


def _spread(name: str, values: Range | Sequence[object], places: Iterable[float]) -> list[object]:
    """The values at some places between 0 and 1."""
    if not isinstance(values, Range):
        if isinstance(values, str | bytes) or not isinstance(values, Sequence) or not values:
            raise SweepError(f"{name}: expected a Range or a list of values, not {values!r}")
        return [values[min(int(place * len(values)), len(values) - 1)] for place in places]
    (low, unit), (high, other) = (_quantity(name, end) for end in (values.low, values.high))
    if unit != other:
        raise SweepError(f"{name}: {values.low} and {values.high} have different units; give both the same")
    if not low < high or (values.log and low <= 0):
        wanted = "above zero, the lower first" if values.log else "the lower first"
        raise SweepError(f"{name}: {values.low} to {values.high} is no range; expected two ends {wanted}")
    if values.log:
        drawn = [low * (high / low) ** float(place) for place in places]
    else:
        drawn = [low + (high - low) * float(place) for place in places]
    # Six digits are more than a draw has to say, and stay readable.
    rounded = [float(f"{value:.6g}") for value in drawn]
    return [f"{value:.12g}{unit}" if unit else value for value in rounded]


def _quantity(name: str, end: float | str) -> tuple[float, str]:
    if isinstance(end, str):
        match = re.fullmatch(r"\s*([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)\s*([a-zA-Z%]*)\s*", end)
        if match is None:
            raise SweepError(f"{name}: {end!r} is no number with a unit, as 10Mbps or 0.5bdp")
        return float(match[1]), match[2]
    if not math.isfinite(end):
        raise SweepError(f"{name}: {end} is no end of a range")
    return float(end), ""


def _shown(value: Any) -> object:
    return value if isinstance(value, str | int | float | bool) else json.dumps(value, ensure_ascii=False)
