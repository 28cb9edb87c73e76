"""The verdicts on record: taken over from full runs, and the page of all verdicts.

``python -m tools.verdicts FOLDER...`` takes over the verdicts that ``ackclock reproduce --out`` wrote into folders.
``python -m tools.verdicts`` only writes the page anew.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from ackclock import studies
from ackclock.report.tables import cell_text
from ackclock.studies.framework import VERDICTS, Claim, load_claims

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/verdicts.md"
INTRODUCTION = """\
# Verdicts of the studies

This page lists every verdict on record, good and bad, from full runs. [Reading a study's verdicts](how-to/verdicts.md)
explains how a verdict is computed and what a reading is. Each study's page says what the original left open and why its
claims hold or fail.
"""


def record_of(document: dict[str, Any]) -> dict[str, Any]:
    """The record of the ``verdicts.json`` of a full run: the measured number and the verdict of each claim.

    Raises
    ------
    ValueError
        If the document is of a quick run.
    """
    if document["quick"]:
        raise ValueError(f"{document['study']}: a quick run is too small to go on record")
    claims = [
        {
            "id": claim["id"],
            "measured": claim["measured"],
            "ci": claim["ci"],
            "n": claim["n"],
            "verdict": claim["verdict"],
            "holds_under": len(claim["holds_under"]),
            "readings": len(claim["readings"]),
        }
        for claim in document["claims"]
    ]
    return {"study": document["study"], "version": document["version"], "claims": claims}


def record_path(study: str) -> Path:
    """The path of the record of a study."""
    return ROOT / "python/ackclock/studies" / study.replace("-", "_") / "record.json"


def claims_of(study: str) -> dict[str, Claim]:
    """The published claims of a study."""
    return load_claims(record_path(study).with_name("claims.toml").read_text(encoding="utf-8"))


def record(study: str) -> dict[str, Any]:
    """The record of a study. It has no claims if no full run is on record."""
    path = record_path(study)
    if not path.exists():
        return {"study": study, "version": None, "claims": []}
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def take_over(folder: Path) -> Path:
    """Writes the verdicts of a folder to the record of their study."""
    document = json.loads((folder / "verdicts.json").read_text(encoding="utf-8"))
    path = record_path(document["study"])
    path.write_text(json.dumps(record_of(document), indent=1) + "\n", encoding="utf-8")
    return path


def page() -> str:
    """The page of all verdicts, good and bad, as Markdown."""
    lines = ["| study | " + " | ".join(VERDICTS) + " |", "|---" * (1 + len(VERDICTS)) + "|"]
    total: Counter[str] = Counter()
    recorded = [study for study in studies.names() if record(study)["claims"]]
    for study in studies.names():
        counts = Counter(claim["verdict"] for claim in record(study)["claims"])
        total += counts
        lines.append(_row(f"[{study}](#{study})" if study in recorded else f"{study} (no full run on record)", counts))
    lines.append(_row("all", total))
    return "\n".join([INTRODUCTION, *lines, "", *(_claims(study) for study in recorded)])


def _row(name: str, counts: Counter[str]) -> str:
    return f"| {name} | " + " | ".join(str(counts[verdict] or "") for verdict in VERDICTS) + " |"


def _claims(study: str) -> str:
    kept, claims = record(study), claims_of(study)
    folder = record_path(study).parent.name
    lines = [
        f"## {study}",
        "",
        f"{studies.get(study).summary}. [The page of the study](../python/ackclock/studies/{folder}/README.md).",
        "",
        "| claim | published | measured [95 %] | verdict | holds under |",
        "|---|---|---|---|---|",
    ]
    for row in kept["claims"]:
        claim = claims[row["id"]]
        published = claim.published if isinstance(claim.published, str) else f"{claim.published:g}{_unit(claim)}"
        held = f"{row['holds_under']} of {row['readings']} readings" if row["readings"] > 1 else ""
        cells = [claim.statement, published, _measured(row, claim), row["verdict"], held]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join([*lines, ""])


def _measured(row: dict[str, Any], claim: Claim) -> str:
    if row["measured"] is None:
        return "-"
    low, high = row["ci"]
    interval = "" if low is None else f" [{cell_text(low)}, {cell_text(high)}]"
    return f"{cell_text(row['measured'])}{_unit(claim)}{interval}"


def _unit(claim: Claim) -> str:
    return f" {claim.unit}" if claim.unit else ""


def main(arguments: list[str]) -> None:
    """Takes over the verdicts of the folders that are named, and writes the page."""
    for argument in arguments:
        sys.stdout.write(f"{take_over(Path(argument))}\n")
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
