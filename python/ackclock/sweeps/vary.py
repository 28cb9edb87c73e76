"""The points of a sweep: a grid, a list, both, or a Latin hypercube over paths of a scenario; and their weights."""

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

    from numpy.typing import NDArray

__all__ = [
    "WEIGHT",
    "LatinHypercube",
    "Points",
    "Range",
    "Setting",
    "SweepError",
    "Vary",
    "Weights",
    "is_weight",
    "settings",
]

WEIGHT = "weight"
"""The key of the weight of a listed point."""


class SweepError(RefusedError):
    """A sweep asks for something that cannot be; the message says what would be accepted."""

    code = "ACK034"


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers from `low` to `high`, to draw from; of quantities with a unit both have the same one, as in 1Mbps."""

    low: float | str
    """Least number."""
    high: float | str
    """Greatest number."""
    log: bool = False
    """Evenly over the logarithm."""


@dataclass(frozen=True, slots=True)
class LatinHypercube:
    """Points spread over ranges and choices, each of which is covered evenly (McKay, Beckman, Conover 1979)."""

    vary: Mapping[str, Range | Sequence[object]]
    """Path to its range, or to its choices."""
    points: int
    """Number of points."""
    seed: int = 1
    """Seed of the draw: the same seed gives the same points."""


Dimension: TypeAlias = "Sequence[object] | Mapping[str, Mapping[str, object]]"
"""Values of a path; or names, each with the values of several paths that it stands for."""


@dataclass(frozen=True, slots=True)
class Points:
    """A list of points, such as the paths of a population, each of them at every point of a grid."""

    listed: Sequence[Mapping[str, object]]
    """The points: of each, path to value."""
    vary: Mapping[str, Dimension]
    """The grid: path to its values."""


Vary: TypeAlias = "Mapping[str, Dimension] | Sequence[Mapping[str, object]] | Points | LatinHypercube"
"""A grid (path to its values), a list of points (each path to value), both, or a Latin hypercube."""

Weights: TypeAlias = "Mapping[str, Mapping[Any, float]]"
"""Names of dimensions of a grid, each with its values and their weights."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One point: what it is called, and what it sets."""

    params: Mapping[str, object]
    """Name to value: numbers, truth values and text as they are, the rest as JSON."""
    overrides: Mapping[str, object]
    """Path to value."""
    weight: float | None = None
    """The weight of the point in a population; None where points have none."""
    population: tuple[str, ...] = ()
    """The names over which the weights are."""


def settings(vary: Vary | None, weights: Weights | None = None) -> list[Setting]:
    """The points, in order: of a grid the last path varies fastest.

    Raises
    ------
    SweepError
        If a path has no value, a name is one of the store's own, a range is none, or weights are not valid.
    """
    if weights is not None and not isinstance(vary, Mapping):
        raise SweepError(f"weights are for the values of a grid; in a list, each point has a key {WEIGHT!r}")
    match vary:
        case None:
            return [Setting({}, {})]
        case LatinHypercube():
            found = _hypercube(vary)
        case Points():
            found = _crossed(vary)
        case Mapping():
            found = _grid(vary, weights)
        case list() | tuple():
            found = _list(vary)
        case _:
            raise TypeError(
                f"what varies is a dict of paths, a list of dicts, Points or a LatinHypercube, not {vary!r}"
            )
    for name in dict.fromkeys(name for setting in found for name in setting.params):
        if name in COLUMNS:
            raise SweepError(f"{name!r} cannot be varied: the table of runs has a column of that name")
    return found


def _crossed(vary: Points) -> list[Setting]:
    listed, grid = _list(vary.listed), _grid(vary.vary, None)
    twice = sorted({name for one in listed for name in one.params} & {*vary.vary})
    if twice:
        raise SweepError(f"{', '.join(twice)}: both in the list of points and in the grid; vary it in one of them")
    return [
        Setting({**one.params, **other.params}, {**one.overrides, **other.overrides}, one.weight, one.population)
        for one in listed
        for other in grid
    ]


def _list(points: Sequence[Mapping[str, object]]) -> list[Setting]:
    found = [_listed(number, point) for number, point in enumerate(points)]
    if not found:
        raise SweepError("the list of points is empty")
    if not any(WEIGHT in point for point in points):
        return found
    wrong = [f"point {number}: no {WEIGHT}" for number, point in enumerate(points) if WEIGHT not in point]
    wrong += [
        f"point {number}: {WEIGHT} {point[WEIGHT]!r}"
        for number, point in enumerate(points)
        if WEIGHT in point and not is_weight(point[WEIGHT])
    ]
    over = tuple(dict.fromkeys(name for one in found for name in one.params))
    weighted = [
        Setting(one.params, one.overrides, float(point[WEIGHT]), over)  # type: ignore[arg-type]
        for one, point in zip(found, points if not wrong else [], strict=not wrong)
    ]
    _check_weights(wrong, [one.weight for one in weighted])
    return weighted


def is_weight(value: object) -> bool:
    """Whether something is a weight: a finite number of at least 0."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0


def _check_weights(wrong: Sequence[str], weights: Sequence[float | None]) -> None:
    if wrong:
        more = f" and {len(wrong) - MOST_WRONG} more" if len(wrong) > MOST_WRONG else ""
        listed = "; ".join(wrong[:MOST_WRONG])
        raise SweepError(f"{listed}{more}; accepted: a finite number of at least 0 for every point")
    if not any(weights):
        raise SweepError("all weights are zero; accepted: at least one above 0")


MOST_WRONG = 20
"""Wrong weights that a message lists."""


def _grid(vary: Mapping[str, Dimension], weights: Weights | None) -> list[Setting]:
    weight_of = _weights(vary, weights) if weights is not None else {}
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
        parts = [weight_of[name][params[name]] for name in weight_of]
        found.append(Setting(params, overrides, math.prod(parts) if parts else None, tuple(weight_of)))
    return found


def _weights(vary: Mapping[str, Dimension], weights: Weights) -> dict[str, dict[object, float]]:
    """Weights of the values of each weighted dimension, as the points show these values."""
    if not weights:
        raise SweepError("weights is empty; accepted: a name that varies, with its values and their weights")
    found: dict[str, dict[object, float]] = {}
    wrong: list[str] = []
    for name, given in weights.items():
        if name not in vary or not isinstance(given, Mapping):
            told = f"{name} does not vary" if name not in vary else f"{name}: expected a dict of values and weights"
            raise SweepError(f"weights: {told}; what varies is {', '.join(vary) or 'nothing'}")
        values = [_shown(value) for value in vary[name]]
        shown = {_shown(value): weight for value, weight in given.items()}
        wrong += [f"weights: {name} has no value {value!r}" for value in shown if value not in values]
        wrong += [f"weights: {name}={value}: no weight" for value in values if value not in shown]
        wrong += [f"weights: {name}={value}: {one!r}" for value, one in shown.items() if not is_weight(one)]
        found[name] = shown
    _check_weights(wrong, [math.prod(any(one.values()) for one in found.values())])
    return found


def _listed(number: int, point: Mapping[str, object]) -> Setting:
    if not isinstance(point, Mapping) or not all(isinstance(path, str) for path in point):
        raise SweepError(f"point {number}: expected a dict of path to value, not {point!r}")
    given = {path: value for path, value in point.items() if path != WEIGHT}
    return Setting({path: _shown(value) for path, value in given.items()}, given)


def _hypercube(vary: LatinHypercube) -> list[Setting]:
    if vary.points < 1:
        raise SweepError(f"a Latin hypercube has at least one point, not {vary.points}")
    if not vary.vary:
        raise SweepError("a Latin hypercube needs a path to vary")
    draw = _stratified(vary.points, len(vary.vary), vary.seed)
    columns = [_spread(name, values, draw[:, place]) for place, (name, values) in enumerate(vary.vary.items())]
    return [_listed(0, dict(zip(vary.vary, point, strict=True))) for point in zip(*columns, strict=True)]


def _stratified(points: int, dimensions: int, seed: int) -> NDArray[Any]:
    """Places between 0 and 1: in each dimension one in every `points`-th part (McKay, Beckman and Conover 1979)."""
    import numpy as np

    # A child of the seed, as scipy takes it: sweeps keep their points.
    rng = np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0])
    within = rng.uniform(size=(points, dimensions))
    parts = np.tile(np.arange(1, points + 1), (dimensions, 1))
    for row in parts:
        rng.shuffle(row)
    places: NDArray[Any] = (parts.T - within) / points
    return places


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
