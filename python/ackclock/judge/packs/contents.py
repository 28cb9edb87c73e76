"""Files of a pack that follow from its store: the document, the README, and the scenarios to be read.

`pack` writes them, and `verify` makes them again and compares every byte.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.base.shown import one_line
from ackclock.results.measure import MEASURES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ackclock.results.result import Result

__all__ = [
    "DOCUMENT",
    "FORMAT",
    "README",
    "TESTIMONY",
    "commands_of",
    "digests",
    "document_of",
    "readme",
    "scenarios",
    "written",
]

FORMAT = 2
"""Format 2 has what a sweep was asked for, and derives every file beside the store from the store."""
DOCUMENT = "ackclock-pack.json"
README = "README.md"
TESTIMONY = ("revision", "host", "environment")
"""Members of the document that are the sender's word: nothing can check them."""

TEXT = """\
# {names}

This archive repeats an experiment that was run with ackclock {version}. It holds the scenarios, the files and the
congestion controls that they name, the results, and {wheel}.

To repeat every run and compare the results, install ackclock {release} from a place that you trust:

    python3 -m venv environment
    environment/bin/pip install ackclock=={release}
    environment/bin/ackclock verify ARCHIVE.zip
{install}
To look at the results, unpack the archive and open its store:

    environment/bin/ackclock ls store
    environment/bin/ackclock report store --out report

The sweeps:

{sweeps}

The commands that made the results:

{commands}
"""

INSTALL = """
A machine without such a place can install wheel/{wheel} instead. Whoever installs it executes code of the archive's
sender. `ackclock verify` says whether it is the ackclock that verifies.
"""


def document_of(
    sweeps: Sequence[Mapping[str, Any]],
    results: Mapping[str, Mapping[str, str]],
    failures: Mapping[str, str],
    commands: Sequence[str],
    wheel: str | None,
    testimony: Mapping[str, Any],
) -> dict[str, Any]:
    """The document of a pack; `testimony` has the members of `TESTIMONY`, and those of the build."""
    return {
        "format": FORMAT,
        **{name: testimony[name] for name in ("version", "engine", *TESTIMONY)},
        "commands": list(commands),
        "sweeps": [{"id": one["id"], "name": one["name"]} for one in sweeps],
        "results": results,
        "failures": failures,
        "wheel": wheel,
    }


def written(document: Mapping[str, Any]) -> bytes:
    """The bytes of a document."""
    return (json.dumps(document, indent=1, sort_keys=True) + "\n").encode()


def commands_of(accounts: Sequence[Mapping[str, Any]]) -> list[str]:
    """The commands of the starts of sweeps, as they are shown."""
    return [one_line(" ".join(["ackclock", *account["command"][1:]])) for account in accounts]


def readme(sweeps: Sequence[Mapping[str, Any]], document: Mapping[str, Any]) -> bytes:
    """The README of a pack."""
    wheel = document["wheel"]
    text = TEXT.format(
        names=one_line(", ".join(one["name"] for one in sweeps)),
        version=document["version"],
        release=str(document["version"]).partition("+")[0],
        wheel="ackclock itself" if wheel is not None else "no copy of ackclock itself",
        install="" if wheel is None else INSTALL.format(wheel=wheel),
        sweeps="\n".join(_told(one) for one in sweeps),
        commands="\n".join(f"    {command}" for command in document["commands"]) or "    none are known",
    )
    return text.encode()


def _told(sweep: Mapping[str, Any]) -> str:
    """A sweep and its points, in words."""
    points = [
        ", ".join(f"{name}={value}" for name, value in point["params"].items()) or "the scenario"
        for point in sweep["points"]
    ]
    head = f"- {sweep['name']} ({sweep['id']}): {len(points)} points, {len(sweep['runs'])} runs"
    return "\n".join([one_line(head), *(f"  - {one_line(one)}" for one in points)])


def scenarios(sweeps: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, bytes]]:
    """The scenarios of sweeps, each once, by their paths in a pack."""
    texts = {text["text"]: text for one in sweeps for text in one["scenarios"]}
    for number, text in enumerate(texts.values()):
        stem = "".join(one if one.isalnum() or one in "-_." else "-" for one in Path(text["name"]).stem) or "scenario"
        yield f"scenarios/{number}-{stem}.{text['format']}", text["text"].encode()


def digests(result: Result) -> dict[str, str]:
    """The digest of every table of a run: of the names of its columns, and of all its cells in their order."""
    found = {}
    for name, table in result.tables.items():
        # The function of the user that took these numbers is not in a pack.
        if name == MEASURES:
            continue
        digest = hashlib.sha256()
        for column in sorted(set(table.column_names) - {"run"}):
            cells = np.asarray(table[column])
            digest.update(f"{column}\0{len(cells)}\0".encode())
            digest.update(_bytes(cells))
        found[name] = digest.hexdigest()
    return found


def _bytes(cells: np.typing.NDArray[Any]) -> bytes:
    match cells.dtype.kind:
        case "f":
            # Every number that is none is the same one.
            return np.where(np.isnan(cells), np.nan, cells).astype("<f8").tobytes()
        case "u":
            return cells.astype("<u8").tobytes()
        case "i" | "b":
            return cells.astype("<i8").tobytes()
        case _:
            return json.dumps([None if cell is None else str(cell) for cell in cells.tolist()]).encode()
