"""The tables of requirements: one TOML file for each RFC."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "docs/compliance/rfcs"

LEVELS = {
    "MUST", "MUST NOT", "SHALL", "SHALL NOT", "REQUIRED", "SHOULD", "SHOULD NOT", "RECOMMENDED", "NOT RECOMMENDED",
    "MAY", "OPTIONAL", "step",
}  # fmt: skip
"""The key words of RFC 2119, and ``step`` for a step of an algorithm in an RFC that says it without them."""

WITHOUT_CODE = {"deviating", "not applicable"}
"""The statuses of a requirement that no code obeys."""

_KEYS = {"id", "section", "level", "quote", "status", "reason", "note"}


@dataclass(frozen=True)
class Requirement:
    """A sentence of an RFC that requires or permits something."""

    rfc: int
    id: str
    """The section and a number within it. It stays as it is when requirements are added."""
    section: str
    level: str
    quote: str
    """The words of the sentence that identify it."""
    status: str = ""
    """One of `WITHOUT_CODE` where no code obeys the requirement; else empty."""
    reason: str = ""
    note: str = ""
    """A note about a requirement that is obeyed: the stacks or the limits for which it holds."""

    @property
    def name(self) -> str:
        """RFC and id, for messages."""
        return f"RFC {self.rfc}, {self.id}"


@dataclass(frozen=True)
class Document:
    """An RFC and its requirements, in the order of its text."""

    rfc: int
    title: str
    about: str
    requirements: tuple[Requirement, ...]
    not_requirements: tuple[str, ...] = ()
    """Beginnings of sentences that have a key word and require nothing: they speak of requirements elsewhere."""


def load(folder: Path = FOLDER) -> list[Document]:
    """The tables of all RFCs, by number.

    Raises
    ------
    ValueError
        If a table is not well-formed: the message names the file, the requirement and what is accepted.
    """
    return sorted((_document(path) for path in folder.glob("rfc*.toml")), key=lambda document: document.rfc)


def _document(path: Path) -> Document:
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    rfc = int(path.stem.removeprefix("rfc"))
    rows = tuple(_requirement(path, rfc, row) for row in table.get("requirement", []))
    for what, keys in (
        ("id", [row.id for row in rows]),
        ("quotation", [f"{row.section}: {row.quote}" for row in rows]),
    ):
        twice = sorted({key for key in keys if keys.count(key) > 1})
        if twice:
            raise ValueError(f"{path.name}: the {what} stands there twice: {', '.join(twice)}")
    return Document(rfc, table["title"], table["about"], rows, tuple(table.get("not_requirements", [])))


def _requirement(path: Path, rfc: int, row: dict[str, Any]) -> Requirement:
    where = f"{path.name}: {row.get('id', 'a requirement without id')}"
    if unknown := {*row} - _KEYS:
        raise ValueError(f"{where}: {', '.join(sorted(unknown))}: accepted are {', '.join(sorted(_KEYS))}")
    if missing := {"id", "section", "level", "quote"} - {*row}:
        raise ValueError(f"{where}: {', '.join(sorted(missing))} is missing")
    made = Requirement(rfc, **row)
    if made.level not in LEVELS:
        raise ValueError(f"{where}: level {made.level!r}; accepted are {', '.join(sorted(LEVELS))}")
    if made.status and made.status not in WITHOUT_CODE:
        raise ValueError(f"{where}: status {made.status!r}; accepted are {', '.join(sorted(WITHOUT_CODE))}, or none")
    if bool(made.status) != bool(made.reason):
        raise ValueError(f"{where}: a status needs a reason, and a reason a status")
    if not made.id.startswith(f"{made.section}-"):
        raise ValueError(f"{where}: the id begins with the section, {made.section}-")
    return made
