"""Everything that a reader of a pack is shown, derived again from the inputs of its runs, and compared with the pack.

Each function gives a sentence for everything that is not as `ackclock pack` would have written it.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock import _core
from ackclock.base.shown import one_line
from ackclock.engine.run import SIM
from ackclock.judge.packs.archive import belongs
from ackclock.judge.packs.contents import (
    DOCUMENT,
    README,
    TESTIMONY,
    commands_of,
    document_of,
    readme,
    scenarios,
    written,
)
from ackclock.judge.packs.wheels import foreign_files
from ackclock.results.usual import competing_at_all
from ackclock.scenario import override_pairs
from ackclock.stats import Precision
from ackclock.store import open_store
from ackclock.store.audit import misplaced, records
from ackclock.store.layout import FORMAT as STORE_FORMAT
from ackclock.store.layout import MANIFEST
from ackclock.store.provenance import build
from ackclock.sweeps.plan import BACKEND, id_of, key_of
from ackclock.sweeps.request import settings_of
from ackclock.sweeps.until import Until
from ackclock.sweeps.vary import SweepError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ackclock.judge.packs.repeat import PointAnswer
    from ackclock.store import Store
    from ackclock.store.estimates import Values

__all__ = ["of_files", "of_points", "of_requests", "of_runs", "of_store"]

MOST = 20
"""Names that a sentence lists."""


def of_files(
    folder: Path,
    document: Mapping[str, Any],
    sweeps: Sequence[Mapping[str, Any]],
    accounts: list[Any],
    results: Mapping[str, Mapping[str, str]],
    failures: Mapping[str, str],
) -> Iterator[str]:
    """The files beside the store, made again; and files that no pack has."""
    wheel = document["wheel"]
    about = {name: document[name] for name in (*TESTIMONY, "version", "engine")}
    made = document_of(sweeps, results, failures, commands_of(accounts, sweeps), wheel, about)
    files = {DOCUMENT: written(made), README: readme(sweeps, made), **dict(scenarios(sweeps))}
    for name, data in files.items():
        place = folder / name
        if not place.is_file():
            yield f"{name}: is missing"
        elif place.read_bytes() != data:
            yield f"{name}: is not what follows from the store{_members(place, made) if name == DOCUMENT else ''}"
    wheels = [] if wheel is None else [f"wheel/{wheel}"]
    for name in wheels:
        if not (folder / name).is_file():
            yield f"{one_line(name)}: is missing"
            continue
        foreign = foreign_files(folder / name)
        if foreign:
            more = f" and {len(foreign) - MOST} more" if len(foreign) > MOST else ""
            yield (
                f"{one_line(name)}: is not the ackclock that verifies: {', '.join(foreign[:MOST])}{more}; do not "
                "install it unless you trust the sender of the pack"
            )
    ids = [sweep["id"] for sweep in sweeps]
    manifest = {
        "written_by": "ackclock",
        "version": str(document["version"]).partition("+")[0],
        "format": STORE_FORMAT,
        "sweeps": ids,
    }
    if not _same(json.loads((folder / "store" / MANIFEST).read_bytes()), manifest):
        yield f"store/{MANIFEST}: is not that of the store's sweeps"
    for account in accounts:
        known = [account.get(name) == document[name] for name in ("version", "engine")]
        if not all(known) or account.get("sweep") not in ids:
            yield "store/provenance: a start is of another version, or of no sweep"
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        place = path.relative_to(folder)
        of_store = place.parts[0] == "store" and belongs(Path(*place.parts[1:]))
        if not of_store and place.as_posix() not in (*files, *wheels):
            yield f"{one_line(place.as_posix())}: is no file of a pack"


def _members(place: Path, made: Mapping[str, Any]) -> str:
    given = json.loads(place.read_bytes())
    wrong = [name for name in made if not _same(given.get(name), made[name])]
    return f": {', '.join(wrong)}" if wrong else ""


def _same(one: object, other: object) -> bool:
    """Whether two values are the same as JSON: 1, 1.0 and true are three values."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def of_requests(sweep: Mapping[str, Any]) -> Iterator[str]:
    """The points and the first runs of a sweep, as its request asks for them."""
    name, request = one_line(f"sweep {sweep['name']}"), sweep["request"]
    if not _same(sweep["version"], build()) or sweep["engine"] != _core.engine():
        yield f"{name}: its version is not that of the pack"
    if request is None:
        return
    try:
        wanted = settings_of(request)
        common = override_pairs([(str(path), value) for path, value in request["overrides"]])
        seeds = [int(seed) for seed in request["seeds"]]
        told = [
            override_pairs({path: one for path, one in each.overrides.items() if path != BACKEND}) for each in wanted
        ]
    except (SweepError, TypeError, ValueError, KeyError, AttributeError, RecursionError) as error:
        yield f"{name}: its request cannot be read: {one_line(str(error))}"
        return
    points = sweep["points"]
    if len(points) != len(wanted):
        yield f"{name}: has {len(points)} points, and {len(wanted)} were asked for"
    for number, (point, setting, own) in enumerate(zip(points, wanted, told, strict=False)):
        expected = [list(pair) for pair in (*common, *own)]
        asked = str(setting.overrides.get(BACKEND, SIM))
        for what, there, here in (
            ("what it is called", point["params"], dict(setting.params)),
            ("what it sets", point["overrides"], expected),
            ("its weight", point.get("weight"), setting.weight),
            ("its backend", str(point.get("backend", SIM)).partition(":")[0], asked.partition(":")[0]),
        ):
            if not _same(there, here):
                yield f"{name}: point {number}: {what} is not what was asked for"
    if not _same(sweep.get("population", []), list(wanted[0].population)):
        yield f"{name}: its population is not what was asked for"
    asked_for = {(number, seed) for seed in seeds for number in range(len(points))}
    there = {(point, seed) for _, point, seed in sweep["runs"]}
    if "until" in sweep["terms"]:
        # Further runs follow those that were asked for.
        first = {(point, seed) for _, point, seed in sweep["runs"][: len(seeds) * len(points)]}
        if asked_for != first or len({*seeds}) < len(seeds):
            yield f"{name}: its first runs are not those that were asked for"
    elif asked_for != there:
        left, more = len(asked_for - there), len(there - asked_for)
        yield f"{name}: {left} runs that were asked for are left out, and {more} were not asked for"


def of_points(sweep: Mapping[str, Any], answers: Sequence[PointAnswer], sources: Path) -> Iterator[str]:
    """The points of a sweep, its keys and its id, as they follow from the scenarios."""
    name = one_line(f"sweep {sweep['name']}")
    for number, (point, answer) in enumerate(zip(sweep["points"], answers, strict=True)):
        if answer.problem is not None:
            yield f"{name}: point {number} cannot run: {one_line(answer.problem)}"
            continue
        if point["scenario_hash"] != answer.scenario_hash:
            yield f"{name}: point {number}: scenario_hash is not that of its scenario"
        if not _same(sorted(point.get("files", [])), sorted(answer.files)):
            yield f"{name}: point {number}: files are not those that its scenario names"
    sound = all(answer.problem is None for answer in answers)
    if sound and not _same(sweep.get("competing", []), competing_at_all([answer.competing for answer in answers])):
        yield f"{name}: the flows that compete are not those of its scenarios"
    algorithms = {source for answer in answers for source in answer.algorithms}
    if sound and algorithms != {*sweep["algorithms"]}:
        yield f"{name}: its congestion controls are not those that its scenarios name"
    used = {point["scenario"] for point in sweep["points"]}
    if used != {*range(len(sweep["scenarios"]))}:
        yield f"{name}: has a scenario that no point uses"
    for digest in {digest for point in sweep["points"] for _, digest in point.get("files", [])}:
        place = sources / digest
        if not place.is_file() or hashlib.sha256(place.read_bytes()).hexdigest() != digest:
            yield f"{name}: the file {digest[:16]} is missing or has another content"
    # The functions whose digests are a part of these keys are in no pack.
    if not any(sweep["keep"][1:]):
        for key, number, seed in sweep["runs"]:
            point = sweep["points"][number]
            kept, kernel = sweep["keep"], point.get("backend")
            if key != key_of(point["scenario_hash"], seed, sweep["version"], kept, kernel):
                yield f"{name}: the run {one_line(key)} has not the key of its scenario and seed"
    if sweep["request"] is not None:
        first = [run[:2] for run in sweep["runs"][: len(sweep["request"].get("seeds", [])) * len(sweep["points"])]]
        if sweep["id"] != id_of([point["params"] for point in sweep["points"]], first, sweep["terms"]):
            yield f"{name}: its id does not follow from its runs"


def of_runs(store: Store, sweeps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Rules for more seeds, which are applied again to the results."""
    for sweep in sweeps:
        terms = sweep["terms"].get("until")
        if terms is not None:
            yield from _of_rule(store, sweep, terms)


def _of_rule(store: Store, sweep: Mapping[str, Any], terms: Mapping[str, Any]) -> Iterator[str]:
    name = one_line(f"sweep {sweep['name']}")
    try:
        wanted = {one: terms[one] for one in ("relative", "absolute", "level", "least", "most")}
        rule = Until.parse(Precision(**wanted), str(terms["measure"]))
        if not _same(rule.terms(), terms):
            yield f"{name}: its rule for seeds is not one that ackclock writes"
        with open_store(store.path, sweep=sweep["id"], mixed=True) as own:
            found = own.values(rule.measure)
    except (KeyError, TypeError, ValueError) as error:
        yield f"{name}: its rule for seeds cannot be read: {one_line(str(error))}"
        return
    taken: dict[int, list[int]] = {}
    for _, number, seed in sweep["runs"]:
        taken.setdefault(number, []).append(seed)
    for one in found:
        mine = taken.get(one.point, [])
        if not mine:
            yield f"{name}: point {one.point}: all of its runs are left out"
            continue
        if rule.more(one.values, len(mine)) > 0:
            yield f"{name}: point {one.point}: seeds that its rule asks for are left out"
        if sorted(mine) != list(range(min(mine), min(mine) + len(mine))):
            yield f"{name}: point {one.point}: its seeds do not follow each other"
    if sweep["request"] is not None and all(one.point in taken for one in found):
        runs = [(number, seed) for _, number, seed in sweep["runs"]]
        count = len(sweep["request"].get("seeds", [])) * len(sweep["points"])
        if _added(rule, runs, count, found) != runs[count:]:
            yield f"{name}: the seeds after the first ones are not those that its rule asks for"


def _added(rule: Until, runs: Sequence[tuple[int, int]], count: int, found: Sequence[Values]) -> list[tuple[int, int]]:
    """The points and seeds that a rule adds to the first `count` runs, up to a run whose value is not in the store."""
    known = {
        (one.point, seed): value for one in found for seed, value in zip(one.seeds.tolist(), one.values, strict=True)
    }
    taken: dict[int, list[int]] = {}
    for number, seed in runs[:count]:
        taken.setdefault(number, []).append(seed)
    added: list[tuple[int, int]] = []
    while set(added) <= set(runs):
        more = []
        for number, seeds in sorted(taken.items()):
            values = np.array([known[number, seed] for seed in seeds if (number, seed) in known])
            # A forged rule may ask for any number of runs.
            wanted = min(rule.more(values, len(seeds)), len(runs) + 1)
            more += [(number, max(seeds) + 1 + place) for place in range(wanted)]
        if not more:
            break
        for number, seed in more:
            taken[number].append(seed)
        added += more
    return added


def of_store(root: Path, sweeps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The files of the store: each run once, in its place, with rows of its own alone, and with its own record."""
    asked: dict[str, dict[str, Any]] = {}
    names: dict[str, set[str]] = {}
    for sweep in sweeps:
        for key, number, seed in sweep["runs"]:
            scenario_hash = sweep["points"][number]["scenario_hash"]
            asked[key] = {"scenario_hash": scenario_hash, "seed": seed, "version": sweep["version"]}
            names.setdefault(key, set()).add(sweep["name"])
    orders = {sweep["id"]: [key for key, *_ in sweep["runs"]] for sweep in sweeps}
    for told in misplaced(root, orders):
        yield f"store: {one_line(told)}"
    for record in records(root):
        key = str(record["run"])
        if key not in asked:
            yield f"store: has a run {one_line(key)} that no sweep asks for"
            continue
        wrong = [name for name, value in asked[key].items() if record[name] != value]
        wrong += ["name"] if record["name"] not in names[key] else []
        # A run has either results or an error.
        absent = ("duration_s",) if record["status"] == "failed" else ("error", "details")
        wrong += [name for name in absent if record[name] is not None]
        wrong += ["status"] if record["status"] not in ("done", "failed") else []
        if wrong:
            yield f"store: run {one_line(key)}: {', '.join(wrong)} in the table of runs is not the run's"
