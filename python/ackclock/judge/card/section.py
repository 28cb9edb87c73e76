"""The sections of RFC 9743 as data: one TOML file each, with its scenarios, their points and their rows."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ackclock._errors import RefusedError
from ackclock.base.near import suggestion

__all__ = ["CANDIDATE", "Point", "Row", "Scenario", "Section", "Unshown", "chosen", "read", "sections"]

FOLDER = Path(__file__).with_name("sections")
CANDIDATE = "candidate"
"""The role of the flows that have the candidate, CUBIC and Reno in turn."""


@dataclass(frozen=True)
class Row:
    """A number of a run that the card compares."""

    text: str
    """The number in words, without its unit."""
    measure: str
    """Name of a function of `ackclock.judge.card.measures`, or a measure such as ``sum(flows.timeouts)``."""
    unit: str
    better: str
    """``higher`` or ``lower``; empty if the row only states a fact, which has no verdict."""
    args: dict[str, Any] = field(default_factory=dict)
    """Arguments of the function."""
    scale: float = 1.0
    """Factor from the unit of the measure to `unit`."""
    harm: tuple[str, ...] = ()
    """Flows without which the run is repeated: the row is then the harm that these flows do to the number, in per cent
    (Ware, Mukerjee, Seshan, Sherry, HotNets 2019). `better` is the direction of the number, and less harm is better."""

    @property
    def direction(self) -> str:
        """The direction that is better in the row itself: of harm, less is."""
        return "lower" if self.harm else self.better


@dataclass(frozen=True)
class Point:
    """A variant of a scenario."""

    name: str
    """The variant in words; empty if the scenario has no other."""
    settings: tuple[tuple[str, str], ...] = ()
    """Paths and values that replace those of the scenario."""
    quick: bool = True
    """Whether the quick form of the card has the point."""


@dataclass(frozen=True)
class Scenario:
    """A network, the flows over it, and the rows that are read from its runs."""

    name: str
    summary: str
    """The scenario in a sentence."""
    network: dict[str, Any]
    """All tables of the scenario but its flows."""
    flows: tuple[dict[str, Any], ...]
    """The flows; `role = "candidate"` marks those that have the candidate, CUBIC and Reno in turn."""
    rows: tuple[Row, ...]
    points: tuple[Point, ...]
    tcp: bool = False
    """Whether the scenario needs settings that only TCP has."""


@dataclass(frozen=True)
class Unshown:
    """A part of a section that the laboratory does not show."""

    what: str
    why: str


@dataclass(frozen=True)
class Section:
    """A section of RFC 9743."""

    number: str
    title: str
    keyword: str
    """The requirement in the RFC's key word, such as MUST; empty if the section has none."""
    asks: str
    """The criterion of the section, in a sentence of ours."""
    scenarios: tuple[Scenario, ...] = ()
    unshown: tuple[Unshown, ...] = ()


def sections() -> tuple[Section, ...]:
    """All sections, in the order of the RFC."""
    return _sections()


@cache
def _sections() -> tuple[Section, ...]:
    found = [read(tomllib.loads(path.read_text(encoding="utf-8"))) for path in FOLDER.glob("*.toml")]
    return tuple(sorted(found, key=lambda section: _order(section.number)))


def chosen(numbers: tuple[str, ...]) -> tuple[Section, ...]:
    """The sections with these numbers, in the order of the RFC; a number such as 5.2 stands for all below it.

    Without numbers, all sections.

    Raises
    ------
    RefusedError
        With every number that no section has.
    """
    every = sections()
    known = [section.number for section in every]
    wrong = [number for number in dict.fromkeys(numbers) if not any(_within(one, number) for one in known)]
    if wrong:
        lines = [
            f"--section {number}: RFC 9743 has no such section of criteria{suggestion(number, known)}"
            for number in wrong
        ]
        raise RefusedError("\n".join([*lines, f"accepted: {', '.join(known)}, or the beginning of one such as 5.2"]))
    return tuple(one for one in every if not numbers or any(_within(one.number, number) for number in numbers))


def _within(number: str, wanted: str) -> bool:
    return number == wanted or number.startswith(f"{wanted}.")


def _order(number: str) -> tuple[int, ...]:
    return tuple(int(part) for part in number.split("."))


def read(text: dict[str, Any]) -> Section:
    """The section of a parsed TOML file."""
    return Section(
        number=text["number"],
        title=text["title"],
        keyword=text.get("keyword", ""),
        asks=text["asks"],
        scenarios=tuple(_scenario(one) for one in text.get("scenarios", ())),
        unshown=tuple(Unshown(**one) for one in text.get("unshown", ())),
    )


def _scenario(text: dict[str, Any]) -> Scenario:
    points = [
        Point(one["name"], tuple((path, str(value)) for path, value in one["set"].items()), one.get("quick", False))
        for one in text.get("points", ())
    ]
    return Scenario(
        name=text["name"],
        summary=text["summary"],
        network=text["network"],
        flows=tuple(text["flows"]),
        rows=tuple(Row(**(one | {"harm": tuple(one.get("harm", ()))})) for one in text["rows"]),
        points=tuple(points) or (Point(""),),
        tcp=text.get("tcp", False),
    )
