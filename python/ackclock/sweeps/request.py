"""Request for a sweep, as plain data: the points and runs of the sweep can be derived again from it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ackclock.scenario import override_pairs
from ackclock.sweeps.vary import LatinHypercube, Points, Range, SweepError, settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.scenario import Overrides
    from ackclock.sweeps.vary import Setting, Vary, Weights

__all__ = ["request_of", "settings_of"]

Request = dict[str, Any]


def request_of(
    vary: Vary | None, weights: Weights | None, overrides: Overrides | None, seeds: Sequence[int]
) -> Request | None:
    """The request of a sweep as JSON; None if it has values that JSON cannot have."""
    request = {
        "vary": _written(vary),
        "weights": None if weights is None else [[name, [*one.items()]] for name, one in weights.items()],
        "overrides": [list(pair) for pair in override_pairs(overrides)],
        "seeds": list(seeds),
    }
    try:
        copy: Request = json.loads(json.dumps(request, allow_nan=False))
        # A tuple or a number of another library may become something that is called otherwise.
        same = settings_of(copy) == settings(vary, weights)
    except (TypeError, ValueError):
        return None
    return copy if same else None


def _written(vary: object) -> object:
    match vary:
        case LatinHypercube():
            drawn = {
                name: {"low": one.low, "high": one.high, "log": one.log} if isinstance(one, Range) else list(one)
                for name, one in vary.vary.items()
            }
            return {"hypercube": list(drawn.items()), "points": vary.points, "seed": vary.seed}
        case Points():
            return {"points": [list(one.items()) for one in vary.listed], "grid": _grid(vary.vary)}
        case Mapping():
            return {"grid": _grid(vary)}
        case list() | tuple():
            return {"points": [list(one.items()) for one in vary]}
    return None


def _grid(vary: Mapping[Any, Any]) -> list[Any]:
    """The dimensions in their order, which is that of the points. Settings by name are pairs of name and dict."""
    return [
        [name, {"named": [[label, dict(one)] for label, one in values.items()]}]
        if isinstance(values, Mapping)
        else [name, list(values)]
        for name, values in vary.items()
    ]


def settings_of(request: Request) -> list[Setting]:
    """The points that a request asks for.

    Raises
    ------
    SweepError
        If it is no request.
    """
    try:
        vary = _read(request["vary"])
        given = request["weights"]
        weights = None if given is None else {name: {_key(value): one for value, one in own} for name, own in given}
        return settings(vary, weights)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        if isinstance(error, SweepError):
            raise
        raise SweepError(f"no request of a sweep: {type(error).__name__}") from None


def _key(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def _read(vary: Any) -> Vary | None:
    if vary is None:
        return None
    if "hypercube" in vary:
        ranges = {name: Range(**one) if isinstance(one, dict) else one for name, one in vary["hypercube"]}
        return LatinHypercube(ranges, int(vary["points"]), int(vary["seed"]))
    grid = {name: dict(one["named"]) if isinstance(one, dict) else one for name, one in vary.get("grid", [])}
    if "points" not in vary:
        return grid
    listed = [dict(one) for one in vary["points"]]
    return Points(listed, grid) if "grid" in vary else listed
