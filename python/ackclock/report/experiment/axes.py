"""Axes of the varied fields: numbers with a unit where all values are quantities, otherwise names."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ackclock.report.words import cell_text
from ackclock.results.names import field_name, with_unit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Axis", "axes_of", "describe"]

UNITS: dict[str, tuple[str, float]] = {
    "ns": ("time", 1e-9),
    "us": ("time", 1e-6),
    "\N{MICRO SIGN}s": ("time", 1e-6),
    "\N{GREEK SMALL LETTER MU}s": ("time", 1e-6),
    "ms": ("time", 1e-3),
    "s": ("time", 1.0),
    "min": ("time", 60.0),
    "h": ("time", 3600.0),
    **{
        prefix + unit: ("rate", factor)
        for prefix, factor in (("", 1.0), ("k", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12))
        for unit in ("bps", "bit/s")
    },
    "B": ("volume", 1.0),
    "bytes": ("volume", 1.0),
    "kB": ("volume", 1e3),
    "KiB": ("volume", 2.0**10),
    "MB": ("volume", 1e6),
    "MiB": ("volume", 2.0**20),
    "GB": ("volume", 1e9),
    "GiB": ("volume", 2.0**30),
    "p": ("packets", 1.0),
    "packet": ("packets", 1.0),
    "packets": ("packets", 1.0),
    "bdp": ("BDP", 1.0),
    "ppb": ("probability", 1e-7),
    "ppm": ("probability", 1e-4),
    "%": ("probability", 1.0),
}
"""The units of scenarios: what of, and how many of the first unit below they are."""

SHOWN: dict[str, list[tuple[str, float]]] = {
    "time": [("s", 1.0), ("ms", 1e-3), ("\N{MICRO SIGN}s", 1e-6)],
    "rate": [("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3), ("bit/s", 1.0)],
    "volume": [("MB", 1e6), ("kB", 1e3), ("bytes", 1.0)],
    "packets": [("packets", 1.0)],
    "BDP": [("BDP", 1.0)],
    "probability": [("%", 1.0)],
}
"""Units to show, the largest first: the first that leaves the middle of the values at 1 or above is taken."""

NUMBER = re.compile(r"([-+]?[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?)\s*([^\s0-9].*)?")


FEWEST_ON_A_LINE = 3
"""Values of an axis of numbers that a line may connect; fewer are categories."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One thing that was varied."""

    name: str
    """The path, or the name of a dict of settings."""
    values: tuple[Any, ...]
    """Different ones, in order: of size where they are numbers, else as they came."""
    numbers: tuple[float, ...] | None
    """The values in `unit`; None where one is no number, or of another kind than the others."""
    unit: str = ""
    title: str = ""
    """The name in words."""

    @property
    def label(self) -> str:
        """The name in words with its unit."""
        return with_unit(self.title or self.name, self.unit)

    @property
    def is_wide(self) -> bool:
        """Whether the numbers ask for a logarithmic axis."""
        return self.numbers is not None and self.numbers[0] > 0 and self.numbers[-1] / self.numbers[0] >= 10

    @property
    def is_line(self) -> bool:
        """Whether figures may connect the values by a line.

        The values are then at least three numbers. Names, truth values and two numbers are categories: a line between
        them would show values that nobody measured, so that each is a dot with its interval.
        """
        return self.numbers is not None and len(self.values) >= FEWEST_ON_A_LINE

    def number(self, value: Any) -> float:
        """A value in `unit`."""
        assert self.numbers is not None, self.name  # noqa: S101 -- asked of numbers alone
        return self.numbers[self.values.index(value)]

    def text(self, value: Any) -> str:
        """A value with its unit."""
        if self.numbers is None or value not in self.values:
            return cell_text(value)
        number = f"{self.number(value):g}"
        return f"{number} {self.unit}" if self.unit else number


def axes_of(points: Sequence[Mapping[str, Any]], flows: Sequence[str] = ()) -> list[Axis]:
    """Everything that has two values or more in some points. `flows` are the names of the flows, for their fields."""
    names = dict.fromkeys(name for point in points for name in point)
    found = (_axis(name, list(dict.fromkeys(point.get(name) for point in points))) for name in names)
    return [
        replace(axis, title=field_name(axis.name, flows, is_amount=axis.numbers is not None))
        for axis in found
        if len(axis.values) > 1
    ]


def _axis(name: str, values: list[Any]) -> Axis:
    read = [_quantity(value) for value in values]
    numbers = [one for one in read if one is not None]
    # A queue of no packets is as empty as one of no BDP.
    kinds = {kind for kind, number in numbers if number or kind} or {""}
    if len(numbers) < len(values) or len(kinds) > 1:
        return Axis(name, tuple(values), None)
    kind = kinds.pop()
    middle = sorted(abs(number) for _, number in numbers if number)
    candidates = SHOWN.get(kind, [("", 1.0)])
    unit, factor = next(
        (one for one in candidates if middle and middle[len(middle) // 2] >= one[1] * (1 - 1e-9)), candidates[-1]
    )
    pairs = sorted(
        ((float(f"{number / factor:.12g}"), value) for (_, number), value in zip(numbers, values, strict=True)),
        key=lambda pair: pair[0],
    )
    return Axis(name, tuple(value for _, value in pairs), tuple(number for number, _ in pairs), unit)


def _quantity(value: Any) -> tuple[str, float] | None:
    """The kind of quantity of a value, and the number in the first unit of that kind."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return "", float(value)
    match = NUMBER.fullmatch(str(value).strip())
    if match is None:
        return None
    if match[2] is None:
        return "", float(match[1])
    kind, factor = UNITS.get(match[2].strip(), (None, 0.0))
    return None if kind is None else (kind, float(match[1]) * factor)


def describe(params: Mapping[str, Any], axes: Sequence[Axis]) -> str:
    """A setting in words: what is told of some axes."""
    return ", ".join(f"{axis.title or axis.name} = {axis.text(params.get(axis.name))}" for axis in axes)
