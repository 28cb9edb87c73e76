"""The sentences of the decks and what answers them: ``python -m tools.decks`` writes docs/sentences-of-the-decks.md.

Five slide decks are behind the first studies. Each has a file in ``python/ackclock/studies/decks`` with a row for every
sentence, number, parameter, system and figure. A row has `answers`, or it says in `nothing` why nothing of it can be
tested. An answer is one line:

- ``claim STUDY/ID``: a claim; ``*`` stands for several.
- ``setting STUDY/FILE PATH = VALUE``: a value in a scenario of the study.
- ``reading``, ``variant``, ``figure`` or ``table`` ``STUDY/NAME``: a name, or its fixed part, in the study's sources.
- ``system KIND/NAME``: an entry of ``ackclock list KIND``.

`faults` finds the rows without an answer and the answers that do not exist.
"""

from __future__ import annotations

import ast
import fnmatch
import functools
import json
import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ackclock import _core, studies
from ackclock.base.markdown import table_row
from tools.verdicts import ROOT, claims_of, record, record_path

FOLDER = ROOT / "python/ackclock/studies/decks"
PAGE = ROOT / "docs/sentences-of-the-decks.md"
SETUPS = ROOT / "python/ackclock/studies/framework/setups"

KINDS = ("sentence", "number", "parameter", "system", "figure")
"""Kinds of quotations in a row."""
NAMED = ("reading", "variant", "figure", "table")
"""Answers that are a name in the sources of a study."""
INTRODUCTION = """\
# The sentences of the decks

*For readers who want to know which sentence of the original slides is answered by what.*

The first studies go back to five slide decks. This page lists what the slides say, deck by deck in their order: every
sentence, number, parameter, system and figure, as far as the notes on the slides go. Numbers and terms are quoted,
whole slides are not. Beside each row stand the claims with their verdicts on record, the readings, settings and figures
that answer it, or the reason why nothing of it can be tested. A test fails when a row has no answer, or names one that
does not exist.

The rows are in `python/ackclock/studies/decks`; `python -m tools.decks` writes this page from them.
[The verdicts of the studies](verdicts.md) have the numbers.
"""


@dataclass(frozen=True, slots=True)
class Row:
    """A sentence, number, parameter, system or figure of a deck."""

    kind: str
    says: str
    answers: tuple[str, ...] = ()
    nothing: str = ""
    """Reason for which nothing in the row can be tested."""


@dataclass(frozen=True, slots=True)
class Deck:
    """A slide deck with its rows, in order."""

    title: str
    source: str
    rows: tuple[Row, ...]


def load(text: str) -> Deck:
    """A deck from its file."""
    data = tomllib.loads(text)
    rows = tuple(Row(**{**row, "answers": tuple(row.get("answers", ()))}) for row in data["rows"])
    return Deck(data["title"], data["source"], rows)


def decks() -> list[Deck]:
    """All decks, in order."""
    return [load(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.toml"))]


def faults(deck: Deck) -> list[str]:
    """The rows of a deck without an answer, and the answers that do not exist, as sentences."""
    found = []
    for row in deck.rows:
        if row.kind not in KINDS:
            found.append(f"{row.says}: {row.kind!r} is no kind of row; there are {', '.join(KINDS)}")
        if bool(row.answers) == bool(row.nothing):
            found.append(f"{row.says}: a row has answers, or says why nothing of it can be tested")
        found += [f"{row.says}: {wrong}" for answer in row.answers if (wrong := fault(answer))]
    return found


def fault(answer: str) -> str:
    """Reason for which an answer does not exist, or an empty string."""
    kind, _, rest = answer.partition(" ")
    owner, _, name = rest.partition("/")
    if kind == "system":
        return "" if name in _catalogue().get(owner, ()) else f"{answer}: no such entry of `ackclock list {owner}`"
    if owner not in studies.STUDIES:
        return f"{answer}: no such study"
    if kind == "claim":
        return "" if fnmatch.filter(claims_of(owner), name) else f"{answer}: no such claim"
    if kind == "setting":
        return _setting_fault(owner, name, answer)
    if kind in NAMED:
        return "" if name in _names(owner) else f"{answer}: no such name in the sources of the study"
    return f"{answer}: an answer begins with claim, setting, {', '.join(NAMED)} or system"


def _setting_fault(study: str, rest: str, answer: str) -> str:
    match = re.fullmatch(r"(\S+\.toml) (\S+) = (.+)", rest)
    if match is None:
        return f"{answer}: a setting is FILE PATH = VALUE"
    file, path, value = match.groups()
    places = [record_path(study).with_name(file), *SETUPS.glob(f"*/{file}")]
    texts = [place.read_text(encoding="utf-8") for place in places if place.exists()]
    if not texts:
        return f"{answer}: no such scenario"
    found = _value_at(tomllib.loads(texts[0]), path)
    return "" if str(found) == value else f"{answer}: the scenario has {found}"


def _value_at(scenario: Any, path: str) -> Any:
    """The value at a path such as ``flows[0].app.kind``, or None."""
    for part in re.findall(r"[^.\[\]]+", path):
        try:
            scenario = scenario[int(part)] if isinstance(scenario, list) else scenario[part]
        except (KeyError, IndexError, TypeError, ValueError):
            return None
    return scenario


@functools.cache
def _catalogue() -> dict[str, set[str]]:
    listed: dict[str, list[dict[str, Any]]] = json.loads(_core.catalogue())
    return {kind: {entry["name"] for entry in entries} for kind, entries in listed.items()}


@functools.cache
def _names(study: str) -> set[str]:
    """All texts of the sources of a study and of the set-ups, and the scenarios of its record."""
    folders = (record_path(study).parent, SETUPS)
    trees = (ast.parse(path.read_text(encoding="utf-8")) for folder in folders for path in folder.rglob("*.py"))
    texts = {
        node.value
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return {text.strip(" ,:") for text in texts} | set(record(study).get("scenario_hashes", ()))


def page() -> str:
    """The page as Markdown."""
    return "\n".join([INTRODUCTION, *(_section(deck) for deck in decks())])


def _section(deck: Deck) -> str:
    head = "| what the slides say | is a | answered by |\n|---|---|---|"
    lines = [f"## {deck.title}", "", f"{deck.source}.", "", head]
    lines += [table_row(_cells(row)) for row in deck.rows]
    return "\n".join([*lines, ""])


def _cells(row: Row) -> list[str]:
    answered = "; ".join(map(_told, row.answers)) if row.answers else f"says nothing testable: {row.nothing}"
    return [row.says, row.kind, answered]


def _told(answer: str) -> str:
    """An answer as the page has it: claims with their verdicts."""
    kind, _, rest = answer.partition(" ")
    owner, _, name = rest.partition("/")
    if kind != "claim":
        return f"{kind} `{name}`" + ("" if kind == "system" else f" of {owner}")
    verdict_of = {row["id"]: row["verdict"] for row in record(owner)["claims"]}
    verdicts = [verdict_of.get(one, "no run on record") for one in fnmatch.filter(claims_of(owner), name)]
    counted = ", ".join(f"{verdicts.count(one)} {one}" for one in dict.fromkeys(verdicts))
    told = verdicts[0] if len(verdicts) == 1 else counted
    return f"[{owner}](verdicts.md#{owner}) `{name}`: *{told}*"


def main() -> None:
    """Writes the page, if every row has its answers."""
    wrong = [fault for deck in decks() for fault in faults(deck)]
    if wrong:
        sys.exit("\n".join(wrong))
    Path(PAGE).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
