"""`ackclock sql`: the answer as a table, CSV, JSON and a file; queries that only read; messages for people."""

import csv
import io
import json

import pytest

import ackclock
from ackclock.cli import main
from tests.helpers.scenarios import SWEPT


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("sql") / "store"
    scenario = SWEPT + "\n[probes]\nwindow = true\n"
    ackclock.sweep(scenario, {"bottleneck.queue": ["1bdp", "4bdp"]}, seeds=2, out=out).close()
    return out


MEANS = """SELECT "bottleneck.queue" AS queue, flow, avg(goodput_bps) AS mean_bps
           FROM flows JOIN runs USING (run) GROUP BY ALL ORDER BY queue, flow"""


def expected(folder):
    with ackclock.open(folder) as store:
        return list(store.sql(MEANS).rows())


def test_a_table_is_shown(folder, capsys):
    assert main(["sql", str(folder), MEANS]) == 0
    printed = capsys.readouterr().out
    rows = expected(folder)
    assert [line.split()[0] for line in printed.splitlines() if "bdp" in line] == [row["queue"] for row in rows]
    for row in rows:
        assert f"{row['mean_bps']:.10g}" in printed
    assert printed.endswith(f"{len(rows)} rows\n")


def test_json_csv_and_files_have_every_digit(folder, capsys, tmp_path):
    assert main(["sql", str(folder), MEANS, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == expected(folder)
    assert main(["sql", str(folder), MEANS, "--csv"]) == 0
    printed = capsys.readouterr().out
    assert [float(row["mean_bps"]) for row in csv.DictReader(io.StringIO(printed))] == [
        row["mean_bps"] for row in expected(folder)
    ]
    assert main(["sql", str(folder), MEANS, "--out", str(tmp_path / "a.csv")]) == 0
    assert (tmp_path / "a.csv").read_text(encoding="utf-8") == printed
    assert main(["sql", str(folder), MEANS, "--out", str(tmp_path / "a.parquet")]) == 0
    import pyarrow.parquet as pq

    assert pq.read_table(tmp_path / "a.parquet").to_pylist() == expected(folder)


def test_json_has_what_json_can_say(folder, capsys):
    query = "SELECT 'inf'::DOUBLE AS far, sum(seed) AS total, DATE '2020-01-02' AS day, [1.5, NULL] AS pair FROM runs"
    assert main(["sql", str(folder), query, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [{"far": None, "total": 6, "day": "2020-01-02", "pair": [1.5, None]}]


def test_a_long_answer_is_cut_and_says_so(folder, capsys):
    assert main(["sql", str(folder), 'SELECT run, time_s FROM "window"', "--rows", "3"]) == 0
    with ackclock.open(folder) as store:
        count = len(store.table("window"))
    printed = capsys.readouterr().out
    assert f"{count:,} rows; {count - 3:,} more rows: --rows, --csv, --json or --out shows them\n" in printed
    assert len(printed.splitlines()) < 12


def test_without_a_query_the_columns_are_listed(folder, capsys):
    assert main(["sql", str(folder), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    found = {(row["table"], row["column"]): row for row in rows}
    assert found["flows", "goodput_bps"]["unit"] == "bit/s"
    assert found["runs", "bottleneck.queue"]["what it is"] == "varied"
    assert ("runs", "place") not in found
    assert {row["table"] for row in rows} == {"events", "flows", "links", "runs", "window"}


def test_show_tables_names_the_tables_of_the_store(folder, capsys):
    assert main(["sql", str(folder), "show tables;", "--json"]) == 0
    names = [row["name"] for row in json.loads(capsys.readouterr().out)]
    assert names == ["events", "flows", "links", "runs", "window"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["SELECT * FROM nosuch"], "tables of the store: events, flows, links, runs, window [ACK031]\n"),
        (["SELECT goodput FROM flows"], 'Candidate bindings: "goodput_bps"'),
        (
            ["SELECT * FROM window"],
            "window is a word of SQL: as the name of the table, it needs double quotes [ACK031]\n",
        ),
        (
            ["SELECT INTERVAL 3 SECOND AS gap"],
            "column gap: a table has no intervals; epoch(...) gives seconds [ACK031]\n",
        ),
        (["DROP TABLE runs"], "a store is read with one query that gives rows: SELECT"),
        (["COPY runs TO 'runs.csv'"], "a store is read with one query that gives rows: SELECT"),
        (["SELECT 1; SELECT 2"], "a store is read with one query that gives rows: SELECT"),
        (["SELECT 1", "--csv", "--json"], "--csv, --json, --out: expected one of them [ACK001]\n"),
        (["SELECT 1", "--out", "a.txt"], "--out a.txt: expected a name that ends in .csv or .parquet [ACK001]\n"),
        (["SELECT 1", "--rows", "0"], "--rows 0: expected a whole number of at least 1 [ACK001]\n"),
    ],
)
def test_wrong_queries_are_refused_in_words(folder, arguments, told, capsys):
    assert main(["sql", str(folder), *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert told in captured.err
    assert "Traceback" not in captured.err


def test_a_folder_that_is_no_store_is_refused(tmp_path, capsys):
    assert main(["sql", str(tmp_path), "SELECT 1"]) == 2
    assert f"{tmp_path}: no store" in capsys.readouterr().err
