"""Changes every field of every file of a pack, one by one, and shows what `ackclock verify` says of each.

``python -m tools.packs.forge`` writes the table of docs/packs.md, and ends with status 1 if a change passes that has a
meaning. Each change is made twice. The first leaves everything else as it was. For the second, a forger computes what
follows from the changed field anew: scenario hashes, keys of runs, ids of sweeps, digests of files and of results, the
README and the readable scenarios.
"""

from __future__ import annotations

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

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ackclock.sweeps.vary import Vary

__all__ = ["PAGE", "Outcome", "made", "made_rich", "main", "of_rich", "passing", "sealed", "tried"]

PAGE = Path(__file__).parents[2] / "docs" / "packs.md"
MARK = "<!-- python -m tools.packs.forge writes this table -->\n"
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
}
"""Changes that pass, by file and first member or field, and why they have no meaning for what was run."""


@dataclass(frozen=True)
class Outcome:
    """What `verify` said of a change."""

    change: Change
    anew: bool
    """Whether what follows from the field was computed anew."""
    found: str | None
    """The first message; None if the pack passed."""

    @property
    def excuse(self) -> str | None:
        """Why a change that passes has no meaning."""
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
    first = [run[:2] for run in sweep["runs"]]
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
    """What `verify` says of each change, as it is and with everything computed anew."""
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
        # No pack of these brings code, so that nothing has to be confined.
        done = packs.verify(pack, trust=True, threads=1)
    except packs.PackError as error:
        return f"refused: {str(error).removeprefix(f'{pack}: ')}"
    if done.good:
        return None
    told = [*done.changed, *done.different, *done.not_repeated, "nothing was reproduced"][0]
    return told.replace(f"{pack.parent}/", "")


def passing(outcomes: list[Outcome]) -> list[str]:
    """The changes that pass and have a meaning."""
    return [
        f"{one.change.file}: {one.change.field}{', computed anew' if one.anew else ''}"
        for one in outcomes
        if one.found is None and one.excuse is None
    ]


def table(outcomes: list[Outcome]) -> str:
    """The outcomes in Markdown: a row for each file and field, whose last outcome counts."""
    rows: dict[tuple[str, str], list[Outcome]] = {}
    for one in outcomes:
        rows.setdefault((one.change.file, one.change.field), []).append(one)
    lines = ["| file | field | as it is | all that follows computed anew |", "|---|---|---|---|"]
    for (file, field), mine in rows.items():
        cells = [_cell([one for one in mine if one.anew is anew]) for anew in (False, True)]
        lines.append(f"| {file} | `{field}` | {cells[0]} | {cells[1]} |")
    return "\n".join(lines) + "\n"


def _cell(outcomes: list[Outcome]) -> str:
    worst = next((one for one in outcomes if one.found is None), outcomes[-1])
    if worst.found is None:
        return f"passes: {worst.excuse or 'FORGED'}"
    told = worst.found.replace("|", "/").replace("\n", " ")
    return told if len(told) <= SHOWN else f"{told[:SHOWN]}..."


def main() -> int:
    """Writes the table into the page; returns the exit status."""
    with tempfile.TemporaryDirectory() as name:
        plain, rich = Path(name) / "plain", Path(name) / "rich"
        plain.mkdir()
        rich.mkdir()
        files = made(plain)
        outcomes = list(tried(plain, files, changes(files)))
        known = {(one.change.file, one.change.field) for one in outcomes}
        files = made_rich(rich)
        outcomes += tried(rich, files, of_rich(files, known))
    wrong = passing(outcomes)
    for one in wrong:
        sys.stderr.write(f"passes: {one}\n")
    found = sum(one.found is not None for one in outcomes)
    head = f"{len(outcomes)} forged packs: {found} are found, and {len(outcomes) - found} have no meaning.\n\n"
    text = PAGE.read_text(encoding="utf-8").partition(MARK)[0].rstrip()
    PAGE.write_text(f"{text}\n\n{MARK}\n{head}{table(outcomes)}", encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
