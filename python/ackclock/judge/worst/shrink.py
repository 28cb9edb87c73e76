"""A case made small: as few events as possible, and round numbers, with nearly all of the damage."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ackclock.judge.worst.bounds import Bounds
    from ackclock.judge.worst.case import Case

__all__ = ["KEPT", "smaller"]

KEPT = 0.9
"""Share of the damage beyond that of the plain path that a smaller case keeps."""


def smaller(case: Case, bounds: Bounds, damages: Callable[[Sequence[Case]], list[float]], plain_damage: float) -> Case:
    """The case with fewer events and rounder numbers that still does `KEPT` of the damage.

    The damage is counted from that of the path with nothing happening, or from zero if events do not add to it.
    """
    (damage,) = damages([case])
    base = plain_damage if damage > plain_damage and case.events else 0.0
    enough = base + KEPT * (damage - base)
    changed = True
    while changed:
        changed = False
        candidates = list(case.without_one())
        values = damages(candidates)
        good = [place for place, value in enumerate(values) if value >= enough]
        if good:
            case = candidates[max(good, key=lambda place: values[place])]
            changed = True
    for one in list(_places(case)):
        for digits in (1, 2):
            rounder = _rounded(case, one, digits)
            if rounder == case or not _within(rounder, bounds):
                continue
            if damages([rounder])[0] >= enough:
                case = rounder
                break
    return case


def _places(case: Case) -> Iterator[tuple[str, int | None, str | None]]:
    """The numbers of a case: field, place in it, and field of what is there."""
    for one in fields(case):
        value = getattr(case, one.name)
        if isinstance(value, tuple):
            for place, inner in enumerate(value):
                if is_dataclass(inner):
                    yield from ((one.name, place, number.name) for number in fields(inner))
                else:
                    yield one.name, place, None
        elif is_dataclass(value):
            yield from ((one.name, None, number.name) for number in fields(value))
        elif value is not None:
            yield one.name, None, None


def _rounded(case: Case, where: tuple[str, int | None, str | None], digits: int) -> Case:
    """The case with one number rounded to so many significant digits."""
    name, place, inner = where
    value: Any = getattr(case, name)
    one = value if place is None else value[place]
    if inner is None:
        new: Any = _round(one, digits)
    else:
        new = replace(one, **{inner: _round(getattr(one, inner), digits)})
    if place is not None:
        new = (*value[:place], new, *value[place + 1 :])
    if name == "losses":
        new = tuple(sorted(set(new)))
    return replace(case, **{name: new})


def _round(value: float, digits: int) -> Any:
    return type(value)(float(f"{value:.{digits}g}"))


def _within(case: Case, bounds: Bounds) -> bool:
    """Whether a case is one that the bounds allow: rounding may have moved it over an edge or its events together."""
    ends = [
        (case.rate_mbps, bounds.rate_mbps), (case.rtt_ms, bounds.rtt_ms), (case.buffer_bdp, bounds.buffer_bdp),
        (case.hold_ms + case.slot_ms, (0.0, bounds.jitter_ms)), (case.reverse_slot_ms, (0.0, bounds.jitter_ms)),
    ]  # fmt: skip
    ends += [(one.share, (bounds.least_share, 1.0)) for one in case.steps]
    ends += [(one.share, (0.0, 1.0)) for one in case.bursts]
    ends += [(1e3 * one.length_s, (0.0, bounds.fade_ms)) for one in case.fades]
    slack = 1e-9
    if not all(low - slack <= value <= high + slack for value, (low, high) in ends):
        return False
    steps = [one.at_s for one in case.steps]
    apart = all(one.at_s + one.length_s < other.at_s for one, other in zip(case.fades, case.fades[1:], strict=False))
    every = case.dip is None or not case.dip.every_s or case.dip.every_s > case.dip.at_s + case.dip.length_s
    begins = [one.at_s for one in case.fades] + steps + [one.at_s for one in case.bursts]
    early = all(one <= bounds.last_event_s + slack for one in begins)
    return steps == sorted(set(steps)) and apart and every and early
