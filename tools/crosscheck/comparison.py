"""The pairs of algorithms that are compared, and which differences between them have an explanation."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tools.crosscheck.simulators import Measures

__all__ = ["MEASURES", "Compared", "Explanation", "Pair", "Reading", "load", "read"]

TOLERANCE = 0.1
"""A larger difference, relative to the larger value, has to be explained."""

MEASURES: Mapping[str, float] = {"utilisation": 0.0, "loss": 5e-5, "queue": 1.0, "share": 0.02}
"""Measure to the absolute difference that is too small to matter: five lost packets in a minute, one packet in the
queue, and the part of a share that depends on whose packet comes first."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of a difference."""

    theirs: Literal["more", "less"]
    """Whether the other simulator has more or less than ackclock."""
    cause: str
    experiment: str
    """The experiment that found the cause, and its result."""


@dataclass(frozen=True, slots=True)
class Pair:
    """An algorithm of theirs and the one of ours that it is compared with."""

    simulator: str
    theirs: str
    ours: Any
    """The congestion control of a scenario: a name, or a table with parameters."""
    settings: tuple[str, ...]
    """Settings of the other simulator that make both algorithms the same."""
    explained: Mapping[str, Explanation]


@dataclass(frozen=True, slots=True)
class Reading:
    """One measure of a pair."""

    measure: str
    ours: float
    theirs: float
    explanation: Explanation | None

    @property
    def differs(self) -> bool:
        """Whether the difference is large enough to need an explanation."""
        apart = abs(self.ours - self.theirs)
        return apart > max(MEASURES[self.measure], TOLERANCE * max(self.ours, self.theirs))

    @property
    def is_explained(self) -> bool:
        """Whether there is an explanation for a difference of this sign."""
        sign = "more" if self.theirs > self.ours else "less"
        return self.explanation is not None and self.explanation.theirs == sign


@dataclass(frozen=True, slots=True)
class Compared:
    """A pair, run."""

    pair: Pair
    readings: tuple[Reading, ...]

    @classmethod
    def of(cls, pair: Pair, ours: tuple[Measures, Measures], theirs: tuple[Measures, Measures]) -> Compared:
        """Compares the measures of both simulators: those of the flow alone, and those beside Reno."""

        def value(measures: tuple[Measures, Measures], measure: str) -> float:
            alone, beside = measures
            return float(getattr(beside if measure == "share" else alone, measure))

        return cls(
            pair,
            tuple(
                Reading(measure, value(ours, measure), value(theirs, measure), pair.explained.get(measure))
                for measure in MEASURES
            ),
        )

    def unexplained(self) -> Iterator[Reading]:
        """The differences that nothing explains."""
        return (reading for reading in self.readings if reading.differs and not reading.is_explained)

    def outdated(self) -> Iterator[Reading]:
        """Explained measures that do not differ any more."""
        return (reading for reading in self.readings if reading.explanation is not None and not reading.differs)


def load() -> list[Pair]:
    """The pairs of this package."""
    return read(resources.files(__package__).joinpath("algorithms.toml").read_text())


def read(text: str) -> list[Pair]:
    """Reads pairs.

    Raises
    ------
    ValueError
        If a measure is unknown or explained twice, or `theirs` of a difference is neither more nor less.
    """
    return [_pair(table) for table in tomllib.loads(text)["algorithm"]]


def _pair(table: dict[str, Any]) -> Pair:
    explained: dict[str, Explanation] = {}
    where = f"{table['simulator']} {table['theirs']}"
    for difference in table.get("difference", []):
        if difference["theirs"] not in ("more", "less"):
            raise ValueError(f"{where}: theirs is more or less, not {difference['theirs']!r}")
        for measure in difference["measures"]:
            if measure not in MEASURES:
                raise ValueError(f"{where}: measures are {', '.join(MEASURES)}, not {measure!r}")
            if measure in explained:
                raise ValueError(f"{where}: {measure} is explained twice")
            explained[measure] = Explanation(difference["theirs"], difference["cause"], difference["experiment"])
    return Pair(
        simulator=table["simulator"],
        theirs=table["theirs"],
        ours=table["ours"],
        settings=tuple(table.get("settings", ())),
        explained=explained,
    )
