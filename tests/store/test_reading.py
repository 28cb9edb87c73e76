"""Reading a store: tables, queries, interrupts, and readers while a sweep writes."""

import json
import shutil
import signal
from contextlib import contextmanager
from functools import partial

import duckdb
import numpy as np
import pytest
from arro3.core import Table as ArrowTable
from arro3.io import read_parquet, write_parquet

import ackclock
from ackclock.judge.packs.contents import digests
from ackclock.results.declared import TABLES
from ackclock.store import Store, StoreError
from ackclock.store.bulk import by_run
from ackclock.store.packed import batch, pack
from tests.helpers import small_sweep
from tests.helpers.faults import READS, InSteps, watched
from tests.helpers.scenarios import SWEPT
from tests.helpers.tables import make_table

pytestmark = pytest.mark.slow


@contextmanager
def reader(out):
    """The store as a reader finds it; None while there is none."""
    try:
        opened = ackclock.open(out)
    except StoreError as error:
        if "no store" not in str(error):
            raise
        yield None
        return
    with opened:
        yield opened


def counts(opened):
    """Runs that are done, and those that the other tables have."""
    if opened is None or "flows" not in opened.tables:
        return 0, 0, 0
    done = opened.sql("SELECT count(*) AS n FROM runs WHERE status = 'done'")["n"][0]
    return done, len(opened.table("flows")), len(set(opened.table("links")["run"]))


def same_at_once(opened):
    """All results of a store at once are those that are read one by one."""
    results = dict(opened.results())
    assert set(results) == set(opened.runs["run"])
    for run, result in results.items():
        one = opened.result(run)
        assert result.meta == one.meta
        assert list(result.tables) == list(one.tables)
        assert all(table.equals(one.tables[name]) for name, table in result.tables.items())
        assert digests(result) == digests(one)


def test_rows_of_runs_are_found_in_any_order():
    """As in a part that somebody else wrote."""
    rows = make_table(run=["a", "a", "b", "a", "c"], n=[1, 2, 3, 4, 5], x=[0.5, None, 1.5, 2.5, None])
    found = by_run(ArrowTable.from_arrow(rows))
    assert {run: list(table.cells()) for run, table in found.items()} == {
        "a": [(1, 0.5), (2, None), (4, 2.5)],
        "b": [(3, 1.5)],
        "c": [(5, None)],
    }
    assert by_run(ArrowTable.from_arrow(rows).slice(0, 0)) == {}


class TestReading:
    def test_tables_leave_in_every_form(self, made):
        with ackclock.open(made) as opened:
            flows = opened.table("flows")
            assert flows.to_arrow().num_rows == flows.to_polars().height == len(flows.to_pandas()) == 12
            # In the order of the sweep, whatever the parts.
            assert list(flows["run"]) == list(opened.runs["run"])

    def test_rows_are_in_the_order_of_the_sweep_and_of_each_run(self, tmp_path, monkeypatch):
        """Long tables too, which a query on several threads returns in any order; from parts and pending runs."""
        monkeypatch.setattr("ackclock.store.writer.PART_RUNS", 3)
        # DuckDB reads groups of rows on its threads: here are dozens of them, and none waits for the one before it.
        monkeypatch.setattr("ackclock.store.parts.write_parquet", partial(write_parquet, max_row_group_size=8192))
        free = {"threads": 4, "preserve_insertion_order": False}
        monkeypatch.setattr("ackclock.store.reader.duckdb.connect", partial(duckdb.connect, config=free))
        probes = {"probes.packets": True, "duration": "60s"}
        with ackclock.sweep(SWEPT, seeds=4, overrides=probes, out=tmp_path / "store") as opened:
            runs = [ackclock.run(SWEPT, seed=seed, overrides=probes) for seed in (1, 2, 3, 4)]
            expected = np.concatenate([run.packets["time_s"] for run in runs])
            assert expected.size > 250_000
            assert (opened.table("packets")["time_s"] == expected).all()
            assert opened.result(opened.runs["run"][1]).packets.equals(runs[1].packets)
            same_at_once(opened)
        part = sorted((tmp_path / "store" / "parts").iterdir())[1]
        shutil.rmtree(part)
        # The last run as a process leaves it that ended before the part was written.
        record = {"run": "", "status": "done", "error": None, "details": None, "name": "x", "duration_s": 60.0}
        with ackclock.open(tmp_path / "store") as opened:
            row = list(opened.runs.rows())[3]
        record |= {name: row[name] for name in ("run", "scenario_hash", "seed", "version")}
        (tmp_path / "store" / "pending" / "00000009.runs").write_bytes(batch([pack(record, runs[3].tables)]))
        with ackclock.open(tmp_path / "store") as opened:
            assert (opened.table("packets")["time_s"] == expected).all()
            same_at_once(opened)

    def test_a_run_that_no_part_names_is_not_left_out(self, store):
        description = sorted((store / "parts").iterdir())[1] / "part.json"
        document = json.loads(description.read_bytes())
        document["runs"][0] = "0" * 16
        description.write_text(json.dumps(document), encoding="utf-8")
        with ackclock.open(store) as opened, pytest.raises(StoreError, match="which its part does not name"):
            dict(opened.results())

    def test_a_table_without_a_row_in_any_run(self, tmp_path):
        text = 'duration = "1s"\nbottleneck = { rate = "5Mbps", delay = "10ms" }\nprobes = { window = true }\n'
        text += '[[flows]]\napp = { kind = "transfer", size = "5kB" }\n'
        with ackclock.sweep(text, {"flows[0].cc": ["reno", "cubic"]}, out=tmp_path / "out") as store:
            assert "events" in store.tables
            result = store.result(store.runs["run"][0])
        assert len(result.window) > 0
        assert "events" not in result.tables

    def test_a_query_that_is_wrong(self, made):
        with ackclock.open(made) as opened:
            with pytest.raises(StoreError, match="goodputt"):
                opened.sql("SELECT goodputt FROM flows")
            for query in ("CREATE TABLE mine (x INTEGER)", "SELECT 1; SELECT 2", "DROP TABLE runs", ""):
                with pytest.raises(StoreError, match="one query that gives rows"):
                    opened.sql(query)
            with pytest.raises(KeyError, match="there are flows, links, runs"):
                opened.table("flow")
        with pytest.raises(StoreError, match="was closed"):
            opened.sql("SELECT 1")

    @pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer that sends a signal")
    def test_an_interrupt_in_a_query_stays_one(self, made):
        """DuckDB alone would lose it whenever another thread does the work."""
        before = signal.signal(signal.SIGALRM, signal.default_int_handler)
        try:
            with ackclock.open(made) as store:
                with pytest.raises(KeyboardInterrupt):
                    signal.setitimer(signal.ITIMER_REAL, 0.1)
                    store.sql("SELECT sum(a.range * b.range % 7) FROM range(1000000) AS a, range(1000000) AS b")
                assert len(store.table("flows")) > 0
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def test_a_store_in_use_shows_whole_runs(self, tmp_path):
        """A reader opens it at every call that changes a file: each run it sees is whole, and none ever goes."""
        out = tmp_path / "store"
        seen = []

        def look(call):
            with reader(out) as opened:
                seen.append(counts(opened))

        with small_sweep.calm():
            with watched(look):
                assert small_sweep.sweep(tmp_path, out)[0] == 0
            look(None)
        assert all(runs == flows == links for runs, flows, links in seen)
        assert [runs for runs, *_ in seen] == sorted(runs for runs, *_ in seen)
        assert {runs for runs, *_ in seen} == set(range(small_sweep.RUNS + 1))

    def test_a_reader_that_is_overtaken_sees_whole_runs(self, tmp_path, monkeypatch):
        """At each file that a reader reads, the sweep goes on by some steps: pending runs turn into parts meanwhile."""
        out = tmp_path / "store"
        seen = []
        with small_sweep.calm(), InSteps(partial(small_sweep.sweep, tmp_path, out)) as writer:

            def overtake(call):
                for _ in range(writer.steps):
                    writer.go_on()

            for steps in (1, 2, 3, 5, 8, 13) * 4:
                writer.steps = steps
                with watched(overtake, READS), reader(out) as opened:
                    seen.append(counts(opened))
        assert writer.result is not None
        assert writer.result[0] == 0
        assert all(runs == flows == links for runs, flows, links in seen)
        assert [runs for runs, *_ in seen] == sorted(runs for runs, *_ in seen)
        assert seen[-1][0] == small_sweep.RUNS

    def test_several_sweeps(self, store):
        grid = {"flows[0].cc": ["cubic"], "bottleneck.rate": ["5Mbps", "7Mbps"]}
        ackclock.sweep(SWEPT, grid, seeds=2, out=store).close()
        with ackclock.open(store) as both:
            assert len(both.sweeps) == 2
            # Two of the runs are there already.
            assert len(both.runs) == 12 + 2 == len(both.table("flows"))
            with pytest.raises(StoreError, match="choose it with --sweep, in Python sweep=; there are"):
                both.values("flows.goodput_bps")
            first, second = both.sweeps
        with ackclock.open(store, sweep=second.id[:6]) as one:
            assert len(one.runs) == 4 == len(one.table("flows"))
            assert one.complete
        with ackclock.open(store, sweep=first.id) as one:
            assert len(one.runs) == 12
        with pytest.raises(StoreError, match="no sweep 'mine'; there are"):
            ackclock.open(store, sweep="mine")


def test_repr_says_what_it_is(made):
    with ackclock.open(made) as opened:
        assert isinstance(opened, Store)
        assert "12 of 12 runs, flows, links, runs" in repr(opened)


def test_the_files_say_units_and_descriptions_of_columns(made):
    parts = [path for path in sorted((made / "parts").iterdir()) if (path / "flows.parquet").is_file()]
    assert parts
    for part in parts:
        fields = {field.name: field for field in read_parquet(part / "flows.parquet").schema}
        columns = TABLES["flows"]["columns"]
        assert list(fields) == ["run", *(column["name"] for column in columns)]
        for column in columns:
            told = {"description": column["about"]} | ({"unit": column["unit"]} if column["unit"] else {})
            assert fields[column["name"]].metadata_str == told
