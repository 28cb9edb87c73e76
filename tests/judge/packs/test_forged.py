"""Forged packs: each change of a field is found, or has no meaning. docs/packs.md has the table of all changes."""

from __future__ import annotations

import pytest

from ackclock.cli import main
from ackclock.judge import packs
from tests.judge.packs.parts import written
from tools.packs import forge
from tools.packs.changes import DOCUMENT, changes
from tools.packs.page import PAGE

CHOSEN = [
    ("sweep", "labels swapped", "is not what was asked for"),
    ("sweep", "runs left out", "2 runs that were asked for are left out"),
    ("sweep", "point left out", "has 1 points, and 2 were asked for"),
    ("sweep", "override that fails added", "what it sets is not what was asked for"),
    ("sweep", "backend of a kernel added", "its backend is not what was asked for"),
    ("sweep", "points.scenario_hash", "scenario_hash is not that of its scenario"),
    ("sweep", "scenarios.text", ""),
    ("README.md", "a digit", "README.md: is not what follows from the store"),
    ("scenarios", "a digit", "is not what follows from the store"),
    (DOCUMENT, "results.*.*", "is not what follows from the store: results"),
    ("flows.parquet", "goodput_bps", ": flows"),
    ("flows.parquet", "a row doubled", ": flows"),
    ("runs.parquet", "duration_s", "duration"),
    ("runs.parquet", "status", ""),
    ("runs.parquet", "error", "error in the table of runs is not the run's"),
    ("runs.parquet", "details", "details in the table of runs is not the run's"),
    ("runs.parquet", "unit and description", "is not ackclock's"),
    ("flows.parquet", "unit and description", "is not ackclock's"),
    ("file added", "wheel/extra.whl", "is no file of a pack"),
    (DOCUMENT, "wheel", "is missing"),
]
"""File, field, and a part of what is said of the change as it is, or with all that follows computed anew."""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("forged")


@pytest.fixture(scope="module")
def files(place):
    return forge.made(place)


@pytest.fixture(scope="module")
def rich(tmp_path_factory):
    """The folder and the files of a pack with two congestion controls of one file, of which each has the text."""
    folder = tmp_path_factory.mktemp("rich")
    return folder, forge.made_rich(folder)


@pytest.mark.parametrize(("file", "field", "told"), CHOSEN)
def test_a_change_is_found(place, files, file, field, told):
    [change, *_] = [one for one in changes(files) if (one.file, one.field) == (file, field)]
    outcomes = list(forge.tried(place, files, [change]))
    assert forge.passing(outcomes) == []
    assert any(told in (one.found or "") for one in outcomes)


@pytest.mark.parametrize(
    ("field", "told"),
    [
        ("request.seeds", "its first runs are not those that were asked for"),
        ("algorithms.*", "its text is that of another source"),
        ("points.weight", "its weight is not what was asked for"),
        ("failures.*", "is not what follows from the store: failures"),
        ("rule that asks for fewer seeds", "the seeds after the first ones are not those that its rule asks for"),
    ],
)
def test_a_change_of_a_pack_with_code_weights_and_a_precision_is_found(rich, field, told):
    folder, files = rich
    chosen = [one for one in forge.of_rich(files, set()) if one.field == field]
    outcomes = list(forge.tried(folder, files, chosen))
    assert forge.passing(outcomes) == []
    assert any(told in (one.found or "") for one in outcomes)


def test_the_forger_computes_the_id_where_a_rule_adds_seeds(rich):
    """Otherwise the id would show every forgery of such a pack, whatever else shows it."""
    folder, files = rich
    [change, *_] = [one for one in forge.of_rich(files, set()) if one.field == "measures"]
    assert [one.found for one in forge.tried(folder, files, [change])] == [None, None]


def test_points_without_runs_are_named_where_a_rule_adds_seeds(rich):
    folder, files = rich
    [change] = [one for one in forge.of_rich(files, set()) if one.field == "runs left out"]
    pack = written(forge.sealed(change.make(files), files), folder / "left-out.zip")
    changed = packs.verify(pack, trust=True, threads=1).changed
    assert [one for one in changed if "left out" in one and "point 3" in one] == [
        "sweep packed: point 3: all of its runs are left out"
    ]


def test_every_file_of_a_pack_is_changed(files):
    tried = {one.file for one in changes(files)}
    tables = {name.rpartition("/")[2] for name in files if name.endswith(".parquet")}
    assert tables <= tried
    assert tried >= {DOCUMENT, "README.md", "scenarios", "sources", "sweep", "part", "provenance", "store manifest"}


def test_the_table_has_every_change_of_both_packs(files, rich):
    page = PAGE.read_text(encoding="utf-8")
    rows = {tuple(line.split(" | ")[:2]) for line in page.splitlines() if line.startswith("| ")}
    plain = {(one.file, one.field) for one in changes(files)}
    others = {(one.file, one.field) for one in forge.of_rich(rich[1], plain)}
    assert {file for file, _ in others} > {forge.RICH}
    assert {(f"| {file}", f"`{field}`") for file, field in plain | others} <= rows
    assert "FORGED" not in page


def test_what_is_not_excused_is_reported():
    [change] = [forge.Change("sweep", "points.weight", lambda files: files)]
    assert forge.passing([forge.Outcome(change, True, None)]) == ["sweep: points.weight, computed anew"]
    assert forge.passing([forge.Outcome(change, True, "found")]) == []
    assert forge.passing([forge.Outcome(change, False, f"{forge.BROKEN}: x")]) == ["sweep: points.weight"]


def test_a_forged_result_is_named_with_its_run_and_its_table(place, files, capsys):
    [change, *_] = [one for one in changes(files) if (one.file, one.field) == ("links.parquet", "packets")]
    pack = written(forge.sealed(change.make(files), files), place / "links.zip")
    done = packs.verify(pack)
    assert (done.same, done.changed) == (3, [])
    assert [text.endswith(": links") for text in done.different] == [True]
    assert main(["verify", str(pack)]) == 1
    assert "came out differently: flows[0].cc=" in capsys.readouterr().err
