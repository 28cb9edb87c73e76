"""The verdicts on record: taken over from full runs, judged anew, and the page of all verdicts.

``python -m tools.verdicts FOLDER...`` takes over the verdicts that ``ackclock reproduce --out`` wrote into folders.
``python -m tools.verdicts --nulls STUDY...`` runs the null readings of studies and puts them on record.
``python -m tools.verdicts`` only writes the page anew. With ``--rejudge`` it first computes the verdicts of all records
anew from the recorded intervals, which a change of a band or of a rule needs; nothing is run.
"""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from ackclock import studies
from ackclock.base.markdown import table_row
from ackclock.report.tables import cell_text
from ackclock.stats import Estimate
from ackclock.studies.framework import (
    CAUSES,
    VERDICTS,
    Claim,
    ClaimResult,
    Kind,
    Lab,
    combined,
    judge,
    load_claims,
    nulls,
    with_null,
)
from ackclock.studies.framework.nulls import of_row

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/verdicts.md"
INTRODUCTION = """\
# Verdicts of the studies

*For readers of the reproduced papers, and those who decide whether to believe the results.*

This page lists every verdict on record, good and bad, from full runs. [Reading a study's verdicts](how-to/verdicts.md)
explains how a verdict is computed and what a reading is. Each study's page says what the original left open and why its
claims hold or fail. [What moved results](history.md) lists those that changed when the studies
were brought to their primary sources.
"""
ORIGIN = ("seeds", "engine", "host", "scenario_hashes")
"""Origin of the numbers of a record. Records from before these fields were kept lack them."""

HOST = ("processor", "machine", "system", "python")
"""Facts of the machine in a record. Numbers do not depend on them; a difference between machines would be a bug."""


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
            "kinds": _kinds(claim["readings"]),
            **({"beside": claim["beside"]} if claim["beside"] else {}),
            **({"null": claim["null"]} if claim["null"] else {}),
            **({"cause": claim["cause"]} if claim["cause"] else {}),
        }
        for claim in document["claims"]
    ]
    origin = {name: document[name] for name in ("study", "version", *ORIGIN)}
    host = {name: origin["host"][name] for name in HOST}
    return {**origin, "host": host, "claims": claims}


def _kinds(readings: Sequence[dict[str, Any]]) -> dict[str, list[int]]:
    """Kind of readings to the number of those under which the claim holds, and the number of all."""
    every = Counter(reading["kind"] for reading in readings)
    held = Counter(reading["kind"] for reading in readings if reading["verdict"] == "reproduced")
    return {kind: [held[kind], every[kind]] for kind in get_args(Kind) if every[kind]}


def rejudged(study: str) -> dict[str, Any]:
    """The record of a study with its verdicts computed anew from the recorded intervals and the claims of today.

    A record does not keep the intervals of the other readings. Their counts stay, which is right after a change of what
    divides failures from inconclusive intervals; after a change of a band they are unknown (null) until a full run.
    """
    kept, claims = record(study), claims_of(study)
    for row in kept["claims"]:
        claim = claims[row["id"]]
        row["verdict"] = judge(claim, _estimate(row))[0]
        for one in row.get("beside", ()):
            one["verdict"] = judge(replace(claim, status="published"), _estimate(one))[0]
        if claim.status == "published":
            row["verdict"] = combined([row["verdict"], *(one["verdict"] for one in row.get("beside", ()))])
        if row.get("null"):
            null = of_row(claim, row["null"])
            row["null"]["verdict"] = null.verdict
            row["verdict"] = with_null(ClaimResult(claim, None, row["verdict"], ""), null).verdict
        if row["verdict"] != "not reproduced":
            row.pop("cause", None)
    return kept


def with_null_readings(study: str) -> dict[str, Any]:
    """The record of a study with null readings that are run now, and the verdicts that follow."""
    one, kept = studies.get(study), record(study)
    found = nulls.measured(one, Lab())
    for row in kept["claims"]:
        row.pop("null", None)
        null = found.get(row["id"])
        if null is not None:
            row["null"] = ClaimResult(claims_of(study)[row["id"]], None, "not testable", "", null=null).document()[
                "null"
            ]
    _write(kept)
    return rejudged(study)


def cause_of(row: dict[str, Any], claim: Claim) -> str | None:
    """Known cause for which a claim on record is not reproduced. Only a run can show a cause."""
    if row["verdict"] != "not reproduced":
        return None
    shown = row.get("cause") == "shown" and claim.turned_by
    return "shown" if shown else "argued" if claim.because else "unexplained"


def _estimate(row: dict[str, Any]) -> Estimate | None:
    if row["measured"] is None:
        return None
    low, high = (math.nan if end is None else end for end in row["ci"])
    return Estimate(row["measured"], low, high, row["n"])


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
    return _write(record_of(document))


def _write(kept: dict[str, Any]) -> Path:
    path = record_path(kept["study"])
    path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
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
    return "\n".join([INTRODUCTION, _known(recorded), *lines, "", *(_claims(study) for study in recorded)])


def _known(recorded: Sequence[str]) -> str:
    """Causes of the claims that fail, and the number of claims that were run without their mechanism."""
    causes: Counter[str] = Counter()
    left: Counter[str] = Counter()
    for study in recorded:
        claims = claims_of(study)
        for row in record(study)["claims"]:
            causes[cause_of(row, claims[row["id"]]) or ""] += 1
            null = row.get("null")
            left["run"] += bool(null)
            left["holds"] += bool(null) and row["verdict"] == "illustration" and null["verdict"] == "reproduced"
    told = ", ".join(f"{causes[cause]} {cause}" for cause in CAUSES)
    return (
        f"Of {sum(causes[cause] for cause in CAUSES)} claims that are not reproduced, the cause is: {told}. *Shown* "
        "means that an experiment of the study turns\nthe verdict, *argued* that a cause is given which nothing here "
        f"has turned. {left['run']} claims were measured once more with the\nmechanism removed that they are about; "
        f"{left['holds']} of them hold without it as well, and count as illustrations.\n"
    )


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
        "| claim | published | measured [95 %] | verdict | without the mechanism | holds under |",
        "|---|---|---|---|---|---|",
    ]
    for row in kept["claims"]:
        claim = claims[row["id"]]
        published = claim.published if isinstance(claim.published, str) else f"{claim.published:g}{_unit(claim)}"
        cause = cause_of(row, claim)
        verdict = row["verdict"] + (f" ({cause})" if cause else "")
        cells = [claim.statement, published, _measured(row, claim), verdict, without(row), holds(row)]
        lines.append(table_row(cells))
    return "\n".join([*lines, "", _origin(kept), ""])


def without(row: dict[str, Any]) -> str:
    """Whether a claim holds with its mechanism removed, and what was removed."""
    null = row.get("null")
    if not null:
        return ""
    undecided = ("inconclusive", "not testable")
    said = {"reproduced": "holds", **dict(zip(undecided, undecided, strict=True))}.get(null["verdict"], "falls")
    return f"{said} ({null['without']})"


def holds(row: dict[str, Any]) -> str:
    """Number of readings under which a claim holds, by kind where there are several kinds."""
    if row["readings"] <= 1:
        return ""
    if row["holds_under"] is None:
        return "not recorded"
    kinds = row.get("kinds", {})
    if len(kinds) <= 1:
        return f"{row['holds_under']} of {row['readings']} {next(iter(kinds), 'reading')}s"
    return ", ".join(f"{held} of {every} {kind}s" for kind, (held, every) in kinds.items())


def _origin(kept: dict[str, Any]) -> str:
    """Origin of the run on record, as a sentence."""
    if "engine" not in kept:
        return "The record is older than the rule that a record keeps seeds, engine, machine and hashes of scenarios."
    seeds, host = kept["seeds"], kept["host"]
    return (
        f"Engine {kept['engine'][:8]}, seeds {min(seeds)} to {max(seeds)}, {len(kept['scenario_hashes'])} scenarios, "
        f"{host['processor'] or host['machine']}, {host['system']}."
    )


def _measured(row: dict[str, Any], claim: Claim) -> str:
    if row["measured"] is None:
        return "-"
    low, high = row["ci"]
    interval = "" if low is None else f" [{cell_text(low)}, {cell_text(high)}]"
    beside = "".join(f"; {one['reading']}: {_measured(one, claim)}" for one in row.get("beside", ()))
    return f"{cell_text(row['measured'])}{_unit(claim)}{interval}{beside}"


def _unit(claim: Claim) -> str:
    return f" {claim.unit}" if claim.unit else ""


def main(arguments: list[str]) -> None:
    """Takes over the verdicts of the folders that are named, and writes the page."""
    if arguments[:1] == ["--nulls"]:
        for study in arguments[1:]:
            _write(with_null_readings(study))
        arguments = []
    if arguments == ["--rejudge"]:
        for study in studies.names():
            if record(study)["claims"]:
                _write(rejudged(study))
        arguments = []
    for argument in arguments:
        sys.stdout.write(f"{take_over(Path(argument))}\n")
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
