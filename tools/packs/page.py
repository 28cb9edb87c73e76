"""Outcomes of all forged packs, in record.json, and the table of docs/packs.md that is made from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ackclock.base.markdown import table_row

__all__ = ["KINDS", "MARK", "PAGE", "RECORD", "read", "save", "table", "write"]

KINDS = ("plain", "rich")
"""The packs whose fields are changed."""
PAGE = Path(__file__).parents[2] / "docs" / "packs.md"
RECORD = Path(__file__).with_name("record.json")
MARK = "<!-- python -m tools.packs.forge writes this table -->\n"

Record = dict[str, dict[str, dict[str, Any]]]
"""Kind of pack, and file and field, to the packs that were forged, how many were found, and the cells of the table."""


def read() -> Record:
    """Returns the outcomes until now."""
    record: Record = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    return {kind: record.get(kind, {}) for kind in KINDS}


def save(record: Record) -> None:
    """Writes the record."""
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def table(record: Record) -> str:
    """The counts, and a row for each file and field."""
    rows = [row for kind in KINDS for row in record.get(kind, {}).values()]
    forged, found = (sum(row[name] for row in rows) for name in ("forged", "found"))
    lines = [
        f"{forged} forged packs: {found} are found, and {forged - found} have no meaning.",
        "",
        "| file | field | as it is | all that follows computed anew |",
        "|---|---|---|---|",
        *(table_row([row["file"], f"`{row['field']}`", *row["cells"]]) for row in rows),
    ]
    return "\n".join(lines) + "\n"


def write(record: Record) -> None:
    """Writes the table into the page."""
    text = PAGE.read_text(encoding="utf-8").partition(MARK)[0].rstrip()
    PAGE.write_text(f"{text}\n\n{MARK}\n{table(record)}", encoding="utf-8")
