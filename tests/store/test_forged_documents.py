"""Documents of a store with members of other kinds: one message from every command that reads the store."""

import copy
import hashlib
import json
import os
import shutil

import duckdb
import pytest

import ackclock
from ackclock.cli import main

SCENARIO = """
duration = "100ms"
[bottleneck]
rate = "5Mbps"
delay = "10ms"
queue = "1bdp"
[[flows]]
name = "one"
app = "bulk"
"""
COMMANDS = {
    "ls": ("ls", "store"),
    "sql": ("sql", "store", "SELECT * FROM runs"),
    "report": ("report", "store", "--out", "r.html"),
    "compare": ("compare", "store", "--against", "flows[0].cc=reno"),
    "export": ("export", "store", "--table", "flows", "--out", "o.csv"),
    "pack": ("pack", "store", "--out", "p.zip", "--without-wheel"),
}
SWEEP = {
    "a value that is a list": (("points", 0, "params", "flows[0].cc"), ["reno"]),
    "a value that is a table": (("points", 0, "params", "flows[0].cc"), {"a": 1}),
    "half a character": (("points", 0, "params", "flows[0].cc"), "\ud800"),
    "no algorithms": (("algorithms",), 1.5),
    "an algorithm that is none": (("algorithms",), {"x": 5}),
    "a text that is a list": (("scenarios", 0, "text"), []),
    "a name that is a table": (("scenarios", 0, "name"), {"a": 1}),
    "a format that is none": (("scenarios", 0, "format"), "../x"),
    "a scenario that is none": (("points", 0, "scenario"), 9),
    "a truth value for a number": (("points", 0, "scenario"), True),
    "overrides that are none": (("points", 0, "overrides"), [["a"]]),
    "files that are none": (("points", 0, "files"), "x"),
    "a name that is a number": (("name",), 5),
    "a version that is a number": (("version",), 5),
    "a hash that is a number": (("points", 0, "scenario_hash"), 5),
    "measures that are none": (("measures",), "x"),
    "competing flows that are none": (("competing",), [["a", 1]]),
    "a key that is none": (("runs", 0, 0), "a b"),
    "a seed that is a truth value": (("runs", 0, 2), True),
}
ACCOUNT = {
    "half a character": (("where",), "\ud800"),
    "no host": (("host",), None),
    "no time": (("began",), "yesterday"),
    "no command": (("command",), [1]),
    "no revision": (("git",), {}),
    "no count": (("finished",), "x"),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("forged") / "store"
    ackclock.sweep(SCENARIO, {"flows[0].cc": ["reno", "cubic"]}, seeds=2, out=folder, threads=1).close()
    return folder


@pytest.fixture
def changed(made, tmp_path, monkeypatch):
    """Changes a member of a document of a copy of the store."""
    monkeypatch.chdir(tmp_path)

    def changed(pattern, at, value):
        shutil.copytree(made, "store")
        (path,) = (tmp_path / "store").glob(pattern)
        document = copy.deepcopy(json.loads(path.read_bytes()))
        place = document
        for key in at[:-1]:
            place = place[key]
        place[at[-1]] = value
        path.write_text(json.dumps(document), encoding="utf-8")
        return path.name

    return changed


def refuses(words, capsys):
    assert main([*words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("ackclock: ")
    assert err.count("\n") == 1
    assert err.removesuffix("\n").isprintable()
    return err


@pytest.mark.parametrize("case", SWEEP.values(), ids=SWEEP)
def test_the_document_of_a_sweep(changed, capsys, case):
    name = changed("sweeps/*.json", *case)
    for words in COMMANDS.values():
        assert f"{name}: damaged" in refuses(words, capsys)


@pytest.mark.parametrize("case", ACCOUNT.values(), ids=ACCOUNT)
def test_the_account_of_a_start(changed, capsys, case):
    name = changed("provenance/*.json", *case)
    assert f"{name}: damaged" in refuses(COMMANDS["report"], capsys)


def test_a_name_without_end_is_shortened(changed, capsys):
    changed("ackclock-store.json", ("sweeps", 0), "x" * 70_000)
    err = refuses(COMMANDS["ls"], capsys)
    assert len(err) < 2500
    assert "characters]" in err


FLOWS = {
    "no run": "SELECT * EXCLUDE (run) FROM given",
    "runs that are numbers": "SELECT 1 AS run, * EXCLUDE (run) FROM given",
    "runs that are lists": "SELECT [run] AS run, * EXCLUDE (run) FROM given",
    "no flow": "SELECT * EXCLUDE (flow) FROM given",
    "flows that are numbers": "SELECT * REPLACE (1 AS flow) FROM given",
    "goodputs that are texts": "SELECT * REPLACE ('x' AS goodput_bps) FROM given",
    "structures": "SELECT *, {'a': [1, 2]} AS more FROM given",
    "intervals": "SELECT *, INTERVAL 1 DAY AS more FROM given",
    "decimals": "SELECT *, 1::DECIMAL(38, 10) AS more FROM given",
    "goodputs that are lists": "SELECT * REPLACE ([1] AS goodput_bps) FROM given",
}


@pytest.fixture
def forged(made, tmp_path, monkeypatch):
    """Replaces a table of a part by the answer to a query, with its digest."""
    monkeypatch.chdir(tmp_path)

    def forged(table, query):
        shutil.copytree(made, "store")
        (part,) = (tmp_path / "store" / "parts").iterdir()
        file = part / f"{table}.parquet"
        with duckdb.connect() as connection:
            connection.execute(f"CREATE TABLE given AS FROM read_parquet('{file}')")
            connection.execute(f"COPY ({query}) TO '{file}' (FORMAT parquet)")
        document = json.loads((part / "part.json").read_bytes())
        data = file.read_bytes()
        document["files"][file.name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        (part / "part.json").write_text(json.dumps(document), encoding="utf-8")

    return forged


@pytest.mark.parametrize("query", FLOWS.values(), ids=FLOWS)
def test_a_table_with_other_columns(forged, capsys, query):
    forged("flows", query)
    for words in (
        ("sql", "store", "SELECT * FROM flows"),
        COMMANDS["report"],
        COMMANDS["compare"],
        COMMANDS["export"],
        COMMANDS["pack"],
    ):
        assert "table flows: damaged: column" in refuses(words, capsys)


@pytest.mark.parametrize("value", ["'inf'", "-1e308", "1e200"])
def test_values_that_no_run_gives(forged, capsys, value):
    forged("flows", f"SELECT * REPLACE (CAST({value} AS DOUBLE) AS goodput_bps) FROM given")
    for words in (
        COMMANDS["compare"],
        COMMANDS["report"],
        ("export", "store", "--of", "flows.goodput_bps", "--out", "o.tex"),
    ):
        assert "a run has a value that no run of ackclock gives" in refuses(words, capsys)


def test_a_table_of_runs_with_other_columns(forged, capsys):
    forged("runs", "SELECT * REPLACE (5 AS status) FROM given")
    for words in COMMANDS.values():
        assert "table runs: damaged: column status" in refuses(words, capsys)


def test_a_column_with_the_name_of_one_of_the_table_of_runs(forged):
    forged("flows", "SELECT *, 7 AS point, 'x' AS seed FROM given")
    assert main(["export", "store", "--table", "flows", "--out", "o.parquet"]) == 0
    with duckdb.connect() as connection:
        assert connection.sql("SELECT count(*) FROM 'o.parquet'").fetchall() == [(4,)]


def test_runs_without_a_row(forged, capsys):
    """The runs have no measures, and the report says so in the place of a figure."""
    forged("flows", "FROM given WHERE false")
    assert main([*COMMANDS["report"]]) == 0
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
@pytest.mark.parametrize("pattern", ["ackclock-store.json", "sweeps/*.json", "parts/*/part.json", "parts/*/*.parquet"])
def test_pipes_in_place_of_files(made, tmp_path, monkeypatch, capsys, pattern):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(made, "store")
    for path in (tmp_path / "store").glob(pattern):
        path.unlink()
        os.mkfifo(path)
    for words in COMMANDS.values():
        refuses(words, capsys)
