"""Changes every field of every file of a pack, one by one, and shows what `ackclock verify` says of each.

``python -m tools.packs.forge`` writes the table of docs/packs.md, and ends with status 1 if a change passes that has a
meaning, or if `verify` ends with an exception. Each change is made twice. The first leaves everything else as it was.
For the second, a forger computes what follows from the changed field anew: scenario hashes, keys of runs, ids of
sweeps, digests of files and of results, the README and the readable scenarios.

What was found is in record.json, and is not tried again without ``--again``. ``--only plain`` and ``--only rich``
choose a pack, and ``--page`` writes the table from the record alone.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import sys
import tempfile
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arro3.core import Array, ChunkedArray
from arro3.core import Table as ArrowTable
from arro3.io import read_parquet, write_parquet

import ackclock
from ackclock._errors import RefusedError
from ackclock.cc import registry
from ackclock.judge import packs
from ackclock.judge.packs.contents import commands_of, digests, document_of, readme, scenarios, written
from ackclock.judge.packs.repeat import Question, answered
from ackclock.sweeps.plan import id_of, key_of
from tools.packs.changes import DOCUMENT, Change, Files, changes, dumped
from tools.packs.page import KINDS, read, save, write

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ackclock.sweeps.vary import Vary

__all__ = ["Outcome", "both", "made", "made_rich", "main", "of_rich", "passing", "row", "sealed", "tried"]

BROKEN = "verify ended with an exception"
SHOWN = 90
"""Characters of a message in the table."""

RICH = "sweep with code, weights, a precision and a failure"
"""The other pack's sweep, in the table."""

SCENARIO = """
name = "packed"
duration = "200ms"
[bottleneck]
rate = { kind = "trace", file = "slow.trace" }
delay = "15ms"
[[flows]]
name = "one"
cc = "reno"
app = "bulk"
"""

OWN = '''
import ackclock


@ackclock.congestion_control("own-forged")
class Own(ackclock.WindowRules):
    """Reno, which fails at another loss factor than a half."""

    loss_factor = 0.5

    def reduction(self, flow):
        return self.loss_factor


@ackclock.congestion_control("failing-forged")
class Failing(ackclock.WindowRules):
    """Fails at the first loss."""

    def reduction(self, flow):
        raise ValueError("5 losses")
'''

HONEST = "is the honest pack again"
WORD = "the sender's word"
NO_MEANING = {
    (DOCUMENT, "host"): WORD,
    (DOCUMENT, "environment"): WORD,
    (DOCUMENT, "revision"): WORD,
    ("provenance", "command"): f"{WORD}; the README and the document show the same command",
    ("provenance", "where"): WORD,
    ("provenance", "host"): WORD,
    ("provenance", "revision"): WORD,
    ("provenance", "git"): WORD,
    ("provenance", "began"): WORD,
    ("provenance", "ended"): WORD,
    ("provenance", "finished_before"): WORD,
    ("provenance", "finished"): WORD,
    ("provenance", "failed"): WORD,
    ("provenance", "member added"): f"{WORD}; nothing reads it",
    ("sweep", "name"): "a title: the same in all places",
    ("sweep", "measures"): "what a report shows first",
    ("flows.parquet", "rows in another order"): "the order of runs is that of the sweep, wherever their rows are",
    ("sweep", "scenarios.name"): "a title: the name of the readable scenario",
    (RICH, "name"): "a title: the same in all places",
    (RICH, "measures"): "what a report shows first",
    (RICH, "scenarios.name"): "a title: the name of the readable scenario",
    (RICH, "terms.until.relative"): "another rule that asks for the same seeds",
    (RICH, "terms.until.least"): "another rule that asks for the same seeds",
    (RICH, "scenarios.text"): "a delay that every point sets to another value",
}
"""Changes that pass, by file and first member or field, and why they have no meaning for what was run."""


@dataclass(frozen=True)
class Outcome:
    """Outcome of `verify` for a change."""

    change: Change
    anew: bool
    """Whether what follows from the field was computed anew."""
    found: str | None
    """The first message; None if the pack passed."""

    @property
    def excuse(self) -> str | None:
        """Reason for which a change that passes has no meaning."""
        field = self.change.field
        first = field.partition(".")[0].removesuffix(" removed")
        return NO_MEANING.get((self.change.file, field)) or NO_MEANING.get((self.change.file, first))


def made(folder: Path) -> Files:
    """The files of an honest pack: two congestion controls under two seeds, over a trace of a file."""
    (folder / "slow.trace").write_text("\n".join(str(time) for time in range(1, 400, 2)) + "\n", encoding="utf-8")
    (folder / "packed.toml").write_text(SCENARIO, encoding="utf-8")
    grid = {"flows[0].cc": ["reno", "cubic"]}
    ackclock.sweep(folder / "packed.toml", grid, seeds=2, out=folder / "store").close()
    packs.pack(folder / "store", folder / "pack.zip", without_wheel=True)
    with zipfile.ZipFile(folder / "pack.zip") as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def made_rich(folder: Path) -> Files:
    """The files of a pack with code, weights, settings by name, a rule for more seeds, and a run that fails."""
    (folder / "slow.trace").write_text("\n".join(str(time) for time in range(1, 400, 2)) + "\n", encoding="utf-8")
    text = SCENARIO.replace('"200ms"', '"400ms"').replace('delay = "15ms"', 'delay = "15ms"\nloss = "1%"')
    (folder / "packed.toml").write_text(text, encoding="utf-8")
    (folder / "own.py").write_text(OWN, encoding="utf-8")
    with registry.adopted({}):
        registry.load(folder / "own.py")
        grid: Vary = {
            "flows[0].cc": ["own-forged", "failing-forged"],
            "path": {"near": {"bottleneck.delay": "5ms"}, "far": {"bottleneck.delay": "25ms"}},
        }
        ackclock.sweep(
            folder / "packed.toml",
            grid,
            seeds=2,
            until="ci=40%,least=2,most=3",
            of="flows.goodput_bps",
            weights={"path": {"near": 1, "far": 3}},
            out=folder / "store",
            threads=1,
        ).close()
        packs.pack(folder / "store", folder / "pack.zip", without_wheel=True)
    with zipfile.ZipFile(folder / "pack.zip") as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def of_rich(files: Files, known: set[tuple[str, str]]) -> Iterator[Change]:
    """The changes of the other pack: those of its sweep, and those of files and fields that the first one lacks."""
    for one in changes(files):
        if one.file == "sweep":
            yield Change(RICH, one.field, one.make)
        elif (one.file, one.field) not in known:
            yield one
    yield Change(RICH, "rule that asks for fewer seeds", _loosened)


def _loosened(files: Files) -> Files:
    """A sweep whose interval may be so wide that no seeds are added."""
    name = next(one for one in files if one.startswith("store/sweeps/"))
    document = json.loads(files[name])
    document["terms"]["until"]["relative"] = 90.0
    return files | {name: dumped(name, document)}


def sealed(files: Files, before: Files) -> Files:
    """The files with everything computed anew that follows from what differs from `before`.

    A forger who cannot compute it leaves it as it was.
    """
    found = dict(files)
    for name in [one for one in found if one.startswith("store/sweeps/")]:
        if found[name] != before.get(name):
            with suppress(KeyError, TypeError, ValueError, IndexError, AttributeError):
                found = _keys(found, name)
    for name in [one for one in found if one.endswith("/part.json")]:
        tables = [one for one in {*found, *before} if one.endswith(".parquet")]
        if any(found.get(one) != before.get(one) for one in tables):
            part = json.loads(found[name])
            folder = name.removesuffix("part.json")
            for one in list(part.get("files", {})):
                data = found.get(folder + one)
                if data is None:
                    del part["files"][one]
                else:
                    part["files"][one] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            found[name] = dumped(name, part)
    return _shown(found, before)


def _keys(files: Files, name: str) -> Files:
    """Scenario hashes, keys and the id of a changed sweep, everywhere that they are."""
    sweep: dict[str, Any] = json.loads(files[name])
    old = name.removeprefix("store/sweeps/").removesuffix(".json")
    with tempfile.TemporaryDirectory() as temporary:
        for one, data in files.items():
            if one.startswith("store/sources/"):
                (Path(temporary) / one.rpartition("/")[2]).write_bytes(data)
        question = Question(temporary, sweep["scenarios"], sweep["points"], [], sweep["algorithms"])
        points = answered(question).points
    for point, answer in zip(sweep["points"], points, strict=True):
        point["scenario_hash"] = answer.scenario_hash or point["scenario_hash"]
    renamed = {}
    for run in sweep["runs"]:
        point = sweep["points"][run[1]]
        given = (point["scenario_hash"], run[2], sweep["version"], sweep["keep"], point.get("backend"))
        renamed[run[0]] = key_of(*given)
        run[0] = renamed[run[0]]
    asked = sweep.get("request")
    # The runs that a rule for more seeds adds are no part of the id.
    count = len(asked["seeds"]) * len(sweep["points"]) if isinstance(asked, dict) else None
    first = [run[:2] for run in sweep["runs"][:count]]
    sweep["id"] = id_of([point["params"] for point in sweep["points"]], first, sweep["terms"])
    found = {}
    hashes = {run[0]: sweep["points"][run[1]]["scenario_hash"] for run in sweep["runs"]}
    for one, data in files.items():
        changed = dumped(name, sweep) if one == name else data
        if one.endswith(".parquet"):
            changed = _renamed(data, renamed, hashes, sweep["name"])
        if one.endswith(".json"):
            for before, after in (*renamed.items(), (old, sweep["id"])):
                changed = changed.replace(before.encode(), after.encode())
        found[one.replace(old, sweep["id"])] = changed
    return found


def _renamed(data: bytes, renamed: dict[str, str], hashes: dict[str, str], name: str) -> bytes:
    """A table with other keys of runs; of the table of runs also with the hashes and the name that belong to them."""
    table = ArrowTable.from_arrow(read_parquet(io.BytesIO(data)))
    keys = [renamed.get(key, key) for key in table.column("run").to_pylist()]
    columns: dict[str, list[Any]] = {"run": keys}
    if "scenario_hash" in table.column_names:
        columns |= {"scenario_hash": [hashes.get(key, "") for key in keys], "name": [name] * len(keys)}
    for column, cells in columns.items():
        field = table.schema.field(column)
        place = table.column_names.index(column)
        table = table.set_column(place, field, ChunkedArray([Array(cells, type=field.type)]))
    out = io.BytesIO()
    write_parquet(table, out, compression="zstd(3)")
    return out.getvalue()


def _shown(files: Files, before: Files) -> Files:
    """The document, the README and the readable scenarios, made of the store with ackclock's own functions."""
    with tempfile.TemporaryDirectory() as temporary:
        for one, data in files.items():
            place = Path(temporary) / one
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        try:
            given = json.loads(files[DOCUMENT])
            with ackclock.open(Path(temporary) / "store", mixed=True, covered=True) as store:
                sweeps = [dict(one.document) for one in store.sweeps]
                done = [row["run"] for row in store.runs.rows() if row["status"] == "done"]
                results = {run: digests(store.result(run)) for run in done}
                failures = {row["run"]: row["error"] for row in store.failures.rows()}
                commands = commands_of(store.provenance(), sweeps)
            document = given | document_of(sweeps, results, failures, commands, given["wheel"], given)
            shown = {"README.md": readme(sweeps, document), **dict(scenarios(sweeps)), DOCUMENT: written(document)}
        except (RefusedError, KeyError, TypeError, ValueError, AttributeError, IndexError):
            return files
    kept = {one: data for one, data in files.items() if files.get(one) != before.get(one)}
    others = {one: data for one, data in files.items() if not one.startswith("scenarios/") or one in kept}
    return others | {one: data for one, data in shown.items() if one not in kept or one == DOCUMENT}


def tried(folder: Path, files: Files, chosen: Iterable[Change]) -> Iterator[Outcome]:
    """Outcomes of `verify` for each change, as it is and with everything computed anew."""
    target = folder / "forged.zip"
    for change in chosen:
        forged = change.make(files)
        for anew in (False, True):
            contents = sealed(forged, files) if anew else forged
            if _same(contents, files):
                yield Outcome(change, anew, HONEST)
                continue
            with zipfile.ZipFile(target, "w") as archive:
                for name, data in contents.items():
                    archive.writestr(name, data)
            yield Outcome(change, anew, _said(target))


def _same(one: Files, other: Files) -> bool:
    """Whether two packs have the same files; the order of the members of a document does not count."""
    if one.keys() != other.keys():
        return False
    return all(
        data == other[name] or (name.endswith(".json") and json.loads(data) == json.loads(other[name]))
        for name, data in one.items()
    )


def _said(pack: Path) -> str | None:
    try:
        # The code that one of these packs brings is this module's own, with one character changed.
        done = packs.verify(pack, trust=True, threads=1)
    except packs.PackError as error:
        return f"refused: {str(error).removeprefix(f'{pack}: ')}"
    except Exception as error:  # noqa: BLE001 -- whatever it is, the forger has broken `verify`
        return f"{BROKEN}: {error!r}"
    if done.good:
        return None
    told = [*done.changed, *done.different, *done.not_repeated, "nothing was reproduced"][0]
    return told.replace(f"{pack.parent}/", "")


def passing(outcomes: list[Outcome]) -> list[str]:
    """The changes that pass and have a meaning, and those that `verify` does not survive."""
    return [
        f"{one.change.file}: {one.change.field}{', computed anew' if one.anew else ''}"
        for one in outcomes
        if (one.found is None and one.excuse is None) or (one.found or "").startswith(BROKEN)
    ]


def row(outcomes: list[Outcome]) -> dict[str, Any]:
    """Row of the table: the outcomes of the changes of one field."""
    first = outcomes[0].change
    return {
        "file": first.file,
        "field": first.field,
        "forged": len(outcomes),
        "found": sum(one.found is not None for one in outcomes),
        "wrong": passing(outcomes),
        "cells": [_cell([one for one in outcomes if one.anew is anew]) for anew in (False, True)],
    }


def _cell(outcomes: list[Outcome]) -> str:
    worst = next((one for one in outcomes if one.found is None), outcomes[-1])
    if worst.found is None:
        return f"passes: {worst.excuse or 'FORGED'}"
    told = worst.found
    return told if len(told) <= SHOWN else f"{told[:SHOWN]}..."


def both(folder: Path) -> Iterator[tuple[str, Path, Files, dict[tuple[str, str], list[Change]]]]:
    """Each pack: its kind, its folder, its files, and its changes by file and field."""
    known: set[tuple[str, str]] = set()
    for kind, make in zip(KINDS, (made, made_rich), strict=True):
        place = folder / kind
        place.mkdir()
        files = make(place)
        fields: dict[tuple[str, str], list[Change]] = {}
        for one in changes(files) if kind == KINDS[0] else of_rich(files, known):
            fields.setdefault((one.file, one.field), []).append(one)
        known |= set(fields)
        yield kind, place, files, fields


def main(arguments: list[str] | None = None) -> int:
    """Tries what is not in the record, and writes the table into the page; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--page", action="store_true")
    given = parser.parse_args(arguments)
    record = read()
    with tempfile.TemporaryDirectory() as name:
        for kind, place, files, fields in () if given.page else both(Path(name)):
            if given.only in (None, kind):
                before = {} if given.again else record[kind]
                record[kind] = {one: before[one] for one in map(" ".join, fields) if one in before}
                for field, chosen in fields.items():
                    if " ".join(field) not in before:
                        record[kind][" ".join(field)] = row(list(tried(place, files, chosen)))
                        save(record)
                record[kind] = {one: record[kind][one] for one in map(" ".join, fields)}
                save(record)
    wrong = [one for rows in record.values() for found in rows.values() for one in found["wrong"]]
    for one in wrong:
        sys.stderr.write(f"passes, or breaks verify: {one}\n")
    write(record)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
