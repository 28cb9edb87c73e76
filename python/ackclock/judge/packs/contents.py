"""Files of a pack that follow from its store: the document, the README, and the scenarios to be read.

`pack` writes them, and `verify` makes them again and compares every byte.
"""

from __future__ import annotations

import hashlib
import json
import shlex
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

The commands below are for a folder that holds this archive and no other. They repeat every run and compare the results,
with ackclock {release} from a place that you trust:

    python3 -m venv environment
    environment/bin/pip install 'ackclock=={release}'
    environment/bin/ackclock verify *.zip
{install}
To look at the results, unpack the archive and open its store:

    python3 -m zipfile -e *.zip unpacked
    environment/bin/ackclock ls unpacked/store
{reports}

The sweeps:

{sweeps}

The commands that made the results, with the scenarios of this archive. Other files that they name are in
`unpacked/store/sources`, by their digests:

{commands}
"""

INSTALL = """
A machine without such a place can install the copy in the archive instead. Whoever installs it executes code of the
archive's sender. `ackclock verify` says whether it is the ackclock that verifies.

    python3 -m zipfile -e *.zip unpacked
    environment/bin/pip install {wheel}
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


def commands_of(accounts: Sequence[Mapping[str, Any]], sweeps: Sequence[Mapping[str, Any]]) -> list[str]:
    """The commands of the starts of sweeps as a shell takes them, each once; scenarios have their names in the pack."""
    places = {Path(name).name: f"unpacked/{place}" for name, place in _places(sweeps).items()}
    return list(dict.fromkeys(_command(account["command"], places) for account in accounts))


def _command(arguments: Sequence[str], places: Mapping[str, str]) -> str:
    program, *rest = [str(one) for one in arguments] or [""]
    own = program.endswith(("ackclock/__main__.py", "/ackclock")) or program == "ackclock"
    if own:
        rest = [places.get(Path(one).name, one) for one in rest]
    name = ["environment/bin/ackclock"] if own else ["python3", Path(program).name]
    return one_line(shlex.join([*name, *rest]))


def readme(sweeps: Sequence[Mapping[str, Any]], document: Mapping[str, Any]) -> bytes:
    """The README of a pack."""
    wheel = document["wheel"]
    text = TEXT.format(
        names=one_line(", ".join(one["name"] for one in sweeps)),
        version=document["version"],
        release=str(document["version"]).partition("+")[0],
        wheel="ackclock itself" if wheel is not None else "no copy of ackclock itself",
        install="" if wheel is None else INSTALL.format(wheel=shlex.quote(f"unpacked/wheel/{wheel}")),
        reports="\n".join(_report(one, several=len(sweeps) > 1) for one in sweeps),
        sweeps="\n".join(_told(one) for one in sweeps),
        commands="\n".join(f"    {command}" for command in document["commands"]) or "    none are known",
    )
    return text.encode()


def _report(sweep: Mapping[str, Any], *, several: bool) -> str:
    """The command that writes the report of a sweep."""
    chosen = f" --sweep {sweep['id']}" if several else ""
    name = f"report-{sweep['id']}.html" if several else "report.html"
    return one_line(f"    environment/bin/ackclock report unpacked/store{chosen} --out {name}")


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
    for number, text in enumerate(_texts(sweeps)):
        yield _place(number, text), text["text"].encode()


def _texts(sweeps: Sequence[Mapping[str, Any]]) -> list[Mapping[str, str]]:
    return list({text["text"]: text for one in sweeps for text in one["scenarios"]}.values())


def _place(number: int, text: Mapping[str, str]) -> str:
    stem = "".join(one if one.isalnum() or one in "-_." else "-" for one in Path(text["name"]).stem) or "scenario"
    return f"scenarios/{number}-{stem}.{text['format']}"


def _places(sweeps: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The paths in a pack of scenarios by their own names, as far as each name is that of one scenario."""
    named = [(text["name"], _place(number, text)) for number, text in enumerate(_texts(sweeps))]
    names = [Path(name).name for name, _ in named]
    return {name: place for name, place in named if names.count(Path(name).name) == 1}


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
