"""Stores: what reading sees, and what damage, other writers and a full disk do."""

import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import ClassVar

import duckdb
import numpy as np
import pytest
from arro3.io import write_parquet

import ackclock
from ackclock.store import Store, StoreError
from ackclock.store.packed import DamagedRunError, batch, pack, unbatch, unpack
from ackclock.store.provenance import build, revision
from ackclock.store.writer import open_writer
from tests import small_sweep
from tests.conftest import make_table
from tests.faults import READS, InSteps, watched
from tests.test_sweep import SCENARIO, bytes_of

GRID = {"flows[0].cc": ["reno", "cubic"]}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A store of twelve runs in parts of five."""
    out = tmp_path_factory.mktemp("made") / "store"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ackclock.store.writer.PART_RUNS", 5)
        ackclock.sweep(SCENARIO, GRID, seeds=6, out=out).close()
    return out


@pytest.fixture
def store(made, tmp_path, monkeypatch):
    """A copy of it, to be damaged."""
    monkeypatch.setattr("ackclock.store.writer.PART_RUNS", 5)
    return shutil.copytree(made, tmp_path / "store")


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


def again(out):
    """Starts the sweep of the store again, and says which runs it did."""
    ran = []

    def watch(fraction):
        ran.append(fraction)

    ackclock.sweep(SCENARIO, GRID, seeds=6, out=out, progress=watch).close()
    return ran


class TestReading:
    def test_tables_leave_in_every_form(self, made):
        with ackclock.open(made) as opened:
            flows = opened.table("flows")
            assert flows.to_arrow().num_rows == flows.to_polars().height == len(flows.to_pandas()) == 12
            # In the order of the sweep, whatever the parts.
            assert list(flows["run"]) == list(opened.runs["run"])

    def test_rows_are_in_the_order_of_the_sweep_and_of_each_run(self, tmp_path, monkeypatch):
        """Of long tables too, which a query on several threads gives in any order; from parts and pending runs."""
        monkeypatch.setattr("ackclock.store.writer.PART_RUNS", 3)
        # DuckDB reads groups of rows on its threads: here are dozens of them, and none waits for the one before it.
        monkeypatch.setattr("ackclock.store.parts.write_parquet", partial(write_parquet, max_row_group_size=8192))
        free = {"threads": 4, "preserve_insertion_order": False}
        monkeypatch.setattr("ackclock.store.reader.duckdb.connect", partial(duckdb.connect, config=free))
        probes = {"probes.packets": True, "duration": "60s"}
        with ackclock.sweep(SCENARIO, seeds=4, overrides=probes, out=tmp_path / "store") as opened:
            runs = [ackclock.run(SCENARIO, seed=seed, overrides=probes) for seed in (1, 2, 3, 4)]
            expected = np.concatenate([run.packets["time_s"] for run in runs])
            assert expected.size > 250_000
            assert (opened.table("packets")["time_s"] == expected).all()
            assert opened.result(opened.runs["run"][1]).packets.equals(runs[1].packets)
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
        ackclock.sweep(SCENARIO, grid, seeds=2, out=store).close()
        with ackclock.open(store) as both:
            assert len(both.sweeps) == 2
            # Two of the runs are there already.
            assert len(both.runs) == 12 + 2 == len(both.table("flows"))
            with pytest.raises(StoreError, match="choose it with sweep="):
                both.values("flows.goodput_bps")
            first, second = both.sweeps
        with ackclock.open(store, sweep=second.id[:6]) as one:
            assert len(one.runs) == 4 == len(one.table("flows"))
            assert one.complete
        with ackclock.open(store, sweep=first.id) as one:
            assert len(one.runs) == 12
        with pytest.raises(StoreError, match="no sweep 'mine'; there are"):
            ackclock.open(store, sweep="mine")

    def test_provenance(self, made):
        with ackclock.open(made) as opened:
            account = opened.provenance()[0]
            assert account["version"] == build() == opened.sweeps[0].version
            assert account["engine"].startswith(build().partition("+")[2])
            assert (account["finished"], account["failed"], account["finished_before"]) == (12, 0, 0)
            assert account["began"] <= account["ended"]
            assert {"system", "machine", "processor", "cores", "python"} <= account["host"].keys()
            scenario = opened.sweeps[0].document["scenarios"][0]
            assert ackclock.run(scenario["text"], overrides=opened.sweeps[0].document["points"][0]["overrides"])

    @pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
    def test_the_revision_is_that_of_the_folder(self, tmp_path, monkeypatch):
        monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
        assert revision(tmp_path) is None
        for name in ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"):
            monkeypatch.setenv(name, "somebody")
        (tmp_path / "file").write_text("one")
        for arguments in (["init", "--quiet"], ["add", "file"], ["commit", "--quiet", "--message", "first"]):
            subprocess.run(["git", "-C", str(tmp_path), *arguments], check=True)
        found = revision(tmp_path)
        assert len(found["commit"]) == 40
        assert not found["modified"]
        (tmp_path / "file").write_text("two")
        assert revision(tmp_path) == found | {"modified": True}

    def test_an_account_that_is_damaged_is_named(self, store):
        (store / "provenance" / "1.json").write_text("{")
        with ackclock.open(store) as opened:
            assert opened.complete
            with pytest.raises(StoreError, match=r"1\.json: damaged; no result hangs on it"):
                opened.provenance()


class TestVersions:
    @pytest.fixture
    def mixed(self, store, monkeypatch):
        for module in ("ackclock.sweeps.plan", "ackclock.sweeps.perform", "ackclock.store.provenance"):
            monkeypatch.setattr(f"{module}.build", lambda: "0.2.0+cafecafe")
        ackclock.sweep(SCENARIO, GRID, seeds=2, out=store).close()
        return store

    def test_results_of_two_do_not_mix(self, mixed):
        with pytest.raises(StoreError, match=r"several versions.*12 runs.*0\.2\.0\+cafecafe \(4 runs\).*mixed=True"):
            ackclock.open(mixed)

    def test_one_of_them(self, mixed):
        with ackclock.open(mixed, version="0.2.0") as new, ackclock.open(mixed, version=build()) as old:
            assert len(new.table("flows")) == len(new.runs) == 4
            assert len(old.table("flows")) == len(old.runs) == 12
        with pytest.raises(StoreError, match=r"no results of version '0\.3'; there are"):
            ackclock.open(mixed, version="0.3")

    def test_both_where_asked_for(self, mixed):
        with ackclock.open(mixed, mixed=True) as both:
            counts = both.sql("SELECT version, count(*) AS n FROM flows JOIN runs USING (run) GROUP BY ALL ORDER BY n")
            assert list(counts["n"]) == [4, 12]


class TestDamage:
    def parts(self, store):
        return sorted((store / "parts").iterdir())

    def test_a_truncated_file(self, store, made):
        file = self.parts(store)[1] / "flows.parquet"
        file.write_bytes(file.read_bytes()[:-20])
        with pytest.raises(StoreError, match=r"flows\.parquet: \d+ bytes, not the \d+ written; the sweep, st"):
            ackclock.open(store)
        again(store)
        assert bytes_of(store) == bytes_of(made)

    def test_a_table_whose_name_is_more_than_a_name(self, store, made):
        part = self.parts(store)[0] / "part.json"
        document = json.loads(part.read_text())
        document["files"]['flows" AS SELECT 1; --.parquet'] = document["files"].pop("flows.parquet")
        part.write_text(json.dumps(document))
        shutil.copy(part.with_name("flows.parquet"), part.with_name('flows" AS SELECT 1; --.parquet'))
        with pytest.raises(StoreError, match="names files that are no tables"):
            ackclock.open(store)
        again(store)
        assert bytes_of(store) == bytes_of(made)

    def test_a_flipped_bit(self, store, made, capsys):
        file = self.parts(store)[1] / "flows.parquet"
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
        with ackclock.open(store) as opened:
            assert len(opened.table("links")) > 0
            with pytest.raises(StoreError, match=r"flows\.parquet: damaged"):
                opened.table("flows")
        again(store)
        assert "damaged" in capsys.readouterr().err
        assert bytes_of(store) == bytes_of(made)

    @pytest.mark.parametrize("gone", [[0], [1], [0, 2], [2], [0, 1, 2]])
    def test_parts_that_are_gone(self, store, made, gone):
        parts = self.parts(store)
        assert len(parts) == 3
        for number in gone:
            shutil.rmtree(parts[number])
        with ackclock.open(store) as opened:
            assert opened.finished < 12
            assert not opened.complete
            assert set(opened.runs["status"]) <= {"done", "missing"}
        again(store)
        assert bytes_of(store) == bytes_of(made)

    def test_a_pending_run_that_is_cut_off(self, store, made):
        victim = self.parts(store)[2]
        shutil.rmtree(victim)
        (store / "pending" / "00000007.runs").write_bytes(batch([b"PK\x03\x04 and no more"])[:-3])
        with ackclock.open(store) as opened:
            assert opened.finished == 10
        again(store)
        assert bytes_of(store) == bytes_of(made)

    def test_what_was_half_written_goes(self, store, made):
        (store / "parts" / ".x.partial").mkdir()
        (store / "parts" / ".x.partial" / "flows.parquet").write_bytes(b"half")
        (store / "pending" / ".y.runs.partial").write_bytes(b"half")
        with ackclock.open(store) as opened:
            assert opened.complete
        again(store)
        assert bytes_of(store) == bytes_of(made)

    def test_a_part_whose_pending_runs_are_still_there(self, store, made):
        """A process that ended between writing a part and removing what it was made of."""
        part = self.parts(store)[0]
        run = json.loads((part / "part.json").read_text())["runs"][0]
        with ackclock.open(store) as opened:
            result = opened.result(run)
            record = next(row for row in opened.runs.rows() if row["run"] == run)
        packed = {name: record.get(name) for name in ("run", "scenario_hash", "seed", "version", "status", "error")}
        packed |= {"name": "x", "duration_s": 1.0, "details": None}
        (store / "pending" / "00000001.runs").write_bytes(batch([pack(packed, result.tables)]))
        with ackclock.open(store) as opened:
            assert len(opened.table("flows")) == 12
        again(store)
        assert bytes_of(store) == bytes_of(made)

    def test_a_manifest_of_a_later_version(self, store):
        manifest = store / "ackclock-store.json"
        manifest.write_text(manifest.read_text().replace('"format": 1', '"format": 2'))
        before = bytes_of(store)
        for attempt in (ackclock.open, again):
            with pytest.raises(StoreError, match="written by a later ackclock, in format 2; this one reads 1"):
                attempt(store)
        assert bytes_of(store) == before

    @pytest.mark.parametrize("text", ["", "{", "[]", '{"format": "one"}', '{"format": 1}'])
    def test_a_damaged_manifest(self, store, text):
        (store / "ackclock-store.json").write_text(text)
        with pytest.raises(StoreError, match=r"ackclock-store\.json: damaged"):
            ackclock.open(store)

    def test_a_damaged_plan(self, store, made):
        plan = next((store / "sweeps").iterdir())
        plan.write_text(plan.read_text()[:100])
        with pytest.raises(StoreError, match="damaged; the sweep, started again, writes it anew"):
            ackclock.open(store)
        again(store)
        assert bytes_of(store) == bytes_of(made)


class TestPlaces:
    def test_no_store(self, tmp_path):
        with pytest.raises(StoreError, match="no store; `ackclock sweep"):
            ackclock.open(tmp_path)

    def test_a_folder_of_something_else_is_left_alone(self, tmp_path):
        (tmp_path / "thesis.tex").write_text("mine")
        with pytest.raises(StoreError, match=r"holds what is no store \(thesis\.tex\)"):
            ackclock.sweep(SCENARIO, out=tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]

    def test_a_file_in_the_way(self, tmp_path):
        (tmp_path / "out").write_text("mine")
        for place in ("out", "out/deeper"):
            with pytest.raises(StoreError, match=r"not a folder|cannot be written: Not a directory"):
                ackclock.sweep(SCENARIO, out=tmp_path / place)

    def test_a_folder_that_cannot_be_made(self):
        with pytest.raises(StoreError, match="/proc/ackclock: cannot be written"):
            ackclock.sweep(SCENARIO, out="/proc/ackclock")

    def test_a_folder_that_cannot_be_written(self, tmp_path, monkeypatch):
        (tmp_path / "out").mkdir()
        # The user of a container may write anywhere: this one is told that it may not.
        monkeypatch.setattr(os, "access", lambda path, mode: False)
        with pytest.raises(StoreError, match="cannot be written: Permission denied"):
            ackclock.sweep(SCENARIO, out=tmp_path / "out")

    def test_two_sweeps_at_once(self, store):
        with open_writer(store, "other"):
            with pytest.raises(StoreError, match=rf"another sweep is writing to it \(process {os.getpid()} on"):
                again(store)
            with ackclock.open(store) as opened:
                assert opened.complete
        again(store)

    def test_whoever_comes_second_leaves_the_folder_alone(self, tmp_path, monkeypatch):
        """Another process may be the first to write into a folder that this one has just made."""
        out = tmp_path / "store"

        def taken(layout):
            layout.lock.write_text("process 1 on another machine")
            raise StoreError("another sweep is writing to it")

        monkeypatch.setattr("ackclock.store.writer.writing", taken)
        with pytest.raises(StoreError, match="another sweep"):
            again(out)
        assert [path.name for path in out.iterdir()] == ["lock"]

    def test_a_folder_that_another_process_makes_meanwhile(self, tmp_path, monkeypatch):
        made = []

        def mkdir(path, *arguments, **options):
            if not made:
                made.append(path)
                make(path)
            make(path, *arguments, **options)

        make = Path.mkdir
        monkeypatch.setattr(Path, "mkdir", mkdir)
        with open_writer(tmp_path / "store", "sweep"):
            pass
        assert made == [tmp_path / "store"]
        monkeypatch.undo()
        (tmp_path / "link").symlink_to(tmp_path / "nowhere")
        with pytest.raises(StoreError, match="link: cannot be written: File exists"):
            again(tmp_path / "link")

    def test_two_processes_at_once_end_with_the_same_store(self, tmp_path):
        """One of them is refused, or comes later and finds everything done."""
        (tmp_path / "hello.toml").write_text(SCENARIO)
        command = [sys.executable, "-m", "ackclock", "sweep", "hello.toml", "--seeds", "60", "--out"]
        both = [
            subprocess.Popen([*command, "both"], cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
            for _ in range(2)
        ]
        told = [process.communicate()[1].decode() for process in both]
        codes = sorted(process.returncode for process in both)
        assert codes in ([0, 0], [0, 2])
        if codes == [0, 2]:
            assert any("another sweep is writing" in text for text in told)
        subprocess.run([*command, "alone"], cwd=tmp_path, check=True, capture_output=True)
        assert bytes_of(tmp_path / "both") == bytes_of(tmp_path / "alone")


class TestFullDisk:
    @pytest.mark.parametrize("writes", [0, 3, 9, 14, 19])
    def test_what_has_finished_is_kept(self, made, tmp_path, monkeypatch, writes):
        monkeypatch.setattr("ackclock.store.writer.PART_RUNS", 5)
        out = tmp_path / "store"
        left = [writes]
        sync = os.fsync

        def full(descriptor):
            left[0] -= 1
            if left[0] < 0:
                raise OSError(28, os.strerror(28))
            sync(descriptor)

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(StoreError, match="cannot be written: No space left on device; what has finished is kept"):
            ackclock.sweep(SCENARIO, GRID, seeds=6, out=out, threads=1)
        monkeypatch.setattr(os, "fsync", sync)
        with ackclock.open(out) as opened:
            kept = opened.finished
            assert kept >= min(writes, 5)
            assert len(opened.sql("SELECT DISTINCT run FROM flows" if kept else "SELECT 1 WHERE false")) == kept
        fractions = again(out)
        assert fractions[0] == pytest.approx(kept / 12)
        assert bytes_of(out) == bytes_of(made)

    def test_a_disk_that_is_really_full(self, tmp_path, made, monkeypatch):
        monkeypatch.setattr("ackclock.store.writer.PART_RUNS", 5)
        disk = tmp_path / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=100k", "none", str(disk)], capture_output=True)
        if mounted.returncode:
            pytest.skip("no disk of our own: mounting is not allowed here")
        try:
            with pytest.raises(StoreError, match="No space left on device"):
                ackclock.sweep(SCENARIO, GRID, seeds=6, out=disk / "store")
            with ackclock.open(disk / "store") as opened:
                assert 0 < opened.finished < 12
            subprocess.run(["mount", "-o", "remount,size=10m", str(disk)], check=True)
            again(disk / "store")
            assert bytes_of(disk / "store") == bytes_of(made)
        finally:
            subprocess.run(["umount", str(disk)], check=True)


class TestPacked:
    RECORD: ClassVar = {
        "run": "a", "scenario_hash": "b", "seed": 1, "version": "c", "name": "d", "duration_s": 1.5,
        "status": "done", "error": None, "details": None,
    }  # fmt: skip

    def test_round_trip(self):
        table = make_table(x=[1, None, 3], y=["a", "b", None])
        found = unpack(pack(self.RECORD, {"t": table}))
        assert found.record == self.RECORD
        assert found.tables["t"].column("x").to_pylist() == [1, None, 3]
        assert found.tables["t"].column("y").to_pylist() == ["a", "b", None]

    def test_no_byte_of_it_can_change_unnoticed(self):
        data = pack(self.RECORD, {"t": make_table(x=[1, 2, 3])})
        for place in range(0, len(data), 7):
            broken = bytearray(data)
            broken[place] ^= 0x10
            with pytest.raises(DamagedRunError):
                unpack(bytes(broken))

    def test_batches(self):
        runs = [b"", b"one", b"three"]
        data = batch(runs)
        assert list(unbatch(data)) == runs
        assert [list(unbatch(data[:length])) for length in (0, 7, 8, 18, 19, 31)] == [
            [], [], [b""], [b""], [b"", b"one"], [b"", b"one"],
        ]  # fmt: skip

    def test_cut_off_anywhere(self):
        data = pack(self.RECORD, {"t": make_table(x=[1, 2, 3])})
        for length in range(0, len(data), 11):
            with pytest.raises(DamagedRunError):
                unpack(data[:length])


def test_repr_says_what_it_is(made):
    with ackclock.open(made) as opened:
        assert isinstance(opened, Store)
        assert "12 of 12 runs, flows, links, runs" in repr(opened)
