"""Damaged stores: reading names the damage, and the sweep, started again, repairs it."""

import json
import re
import shutil

import pytest

import ackclock
from ackclock.store import StoreError
from ackclock.store.packed import batch, pack
from tests.helpers.stores import bytes_of, swept_again


class TestDamage:
    def parts(self, store):
        return sorted((store / "parts").iterdir())

    def test_a_truncated_file(self, store, made):
        file = self.parts(store)[1] / "flows.parquet"
        file.write_bytes(file.read_bytes()[:-20])
        with pytest.raises(StoreError, match=r"flows\.parquet: \d+ bytes, not the \d+ written; the sweep, st"):
            ackclock.open(store)
        swept_again(store)
        assert bytes_of(store) == bytes_of(made)

    def test_a_table_whose_name_is_more_than_a_name(self, store, made):
        part = self.parts(store)[0] / "part.json"
        document = json.loads(part.read_text())
        document["files"]['flows" AS SELECT 1; --.parquet'] = document["files"].pop("flows.parquet")
        part.write_text(json.dumps(document))
        shutil.copy(part.with_name("flows.parquet"), part.with_name('flows" AS SELECT 1; --.parquet'))
        with pytest.raises(StoreError, match="names files that are no tables"):
            ackclock.open(store)
        swept_again(store)
        assert bytes_of(store) == bytes_of(made)

    def test_a_part_that_does_not_name_a_run_of_its_table(self, store):
        part = self.parts(store)[0] / "part.json"
        document = json.loads(part.read_text())
        gone = document["runs"].pop()
        part.write_text(json.dumps(document))
        with ackclock.open(store) as opened, pytest.raises(StoreError, match=f"run {gone}, which its part does not"):
            opened.result(gone)

    def test_a_flipped_bit(self, store, made, caplog, capfd):
        file = self.parts(store)[1] / "flows.parquet"
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
        with ackclock.open(store) as opened:
            assert len(opened.table("links")) > 0
            with pytest.raises(StoreError, match=r"flows\.parquet: damaged"):
                opened.table("flows")
        swept_again(store)
        assert [(record.name, record.levelname) for record in caplog.records] == [("ackclock.sweeps", "WARNING")]
        assert "damaged" in caplog.text
        assert capfd.readouterr() == ("", "")
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
        swept_again(store)
        assert bytes_of(store) == bytes_of(made)

    def test_a_pending_run_that_is_cut_off(self, store, made):
        victim = self.parts(store)[2]
        shutil.rmtree(victim)
        (store / "pending" / "00000007.runs").write_bytes(batch([b"PK\x03\x04 and no more"])[:-3])
        with ackclock.open(store) as opened:
            assert opened.finished == 10
        swept_again(store)
        assert bytes_of(store) == bytes_of(made)

    def test_what_was_half_written_goes(self, store, made):
        (store / "parts" / ".x.partial").mkdir()
        (store / "parts" / ".x.partial" / "flows.parquet").write_bytes(b"half")
        (store / "pending" / ".y.runs.partial").write_bytes(b"half")
        with ackclock.open(store) as opened:
            assert opened.complete
        swept_again(store)
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
        swept_again(store)
        assert bytes_of(store) == bytes_of(made)

    def test_a_manifest_of_a_later_version(self, store):
        manifest = store / "ackclock-store.json"
        document = json.loads(manifest.read_text())
        wrong = f"written by a later ackclock, in format 3; ackclock {ackclock.__version__} reads formats 1 to 2: "
        for version, remedy in [("9.2.0", "ackclock 9.2.0 or later"), (None, "that version or later")]:
            manifest.write_text(json.dumps(document | {"format": 3, "version": version}))
            before = bytes_of(store)
            for attempt in (ackclock.open, swept_again):
                with pytest.raises(StoreError, match=re.escape(f"{wrong}read the store with {remedy}")):
                    attempt(store)
            assert bytes_of(store) == before

    def test_a_store_of_the_first_format_is_read_and_upgraded_by_the_next_writer(self, store, made):
        manifest = store / "ackclock-store.json"
        document = json.loads(manifest.read_text())
        first = {"written_by": "ackclock", "format": 1, "sweeps": document["sweeps"]}
        manifest.write_text(json.dumps(first, indent=2) + "\n")
        before = bytes_of(store)
        with ackclock.open(store) as opened:
            assert len(opened.table("flows")) == 12
        assert bytes_of(store) == before
        assert swept_again(store) == [1.0]
        assert bytes_of(store) == bytes_of(made)

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "{",
            "[]",
            '{"format": "one"}',
            '{"format": 1}',
            '{"format": 0, "sweeps": []}',
            '{"format": true, "sweeps": []}',
        ],
    )
    def test_a_damaged_manifest(self, store, text):
        (store / "ackclock-store.json").write_text(text)
        with pytest.raises(StoreError, match=r"ackclock-store\.json: damaged"):
            ackclock.open(store)

    def test_a_damaged_plan(self, store, made):
        plan = next((store / "sweeps").iterdir())
        plan.write_text(plan.read_text()[:100])
        with pytest.raises(StoreError, match="damaged; the sweep, started again, writes it anew"):
            ackclock.open(store)
        swept_again(store)
        assert bytes_of(store) == bytes_of(made)
