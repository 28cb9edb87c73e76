"""Packed runs: round trips, batches, and damage that is noticed."""

import hashlib
import io
import json
import zipfile
from typing import ClassVar

import pytest

from ackclock.store.packed import DamagedRunError, batch, pack, unbatch, unpack
from tests.helpers.tables import make_table


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

    @staticmethod
    def sealed(files, **how):
        """The bytes of an archive with a digest that is right."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", **how) as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        return out.getvalue() + hashlib.sha256(out.getvalue()).digest()

    @pytest.mark.parametrize(
        "name", ['x" AS SELECT 1; --.arrow', "../x.arrow", "X.arrow", "x", "x.arrow/y.arrow", " .arrow", "1x.arrow"]
    )
    def test_a_table_whose_name_is_more_than_a_name(self, name):
        with zipfile.ZipFile(io.BytesIO(pack(self.RECORD, {"t": make_table(x=[1])}))) as archive:
            files = {one: archive.read(one) for one in archive.namelist()}
        assert unpack(self.sealed(files)).tables
        files[name] = files.pop("t.arrow")
        with pytest.raises(DamagedRunError, match="no table"):
            unpack(self.sealed(files))

    @pytest.mark.parametrize("member", sorted(RECORD))
    @pytest.mark.parametrize("value", [[], {}, True, "x" * 9, -1, 1 << 64])
    def test_a_record_of_other_types(self, member, value):
        kinds = {"seed": int, "duration_s": (int, float)}
        record = self.RECORD | {member: value}
        data = self.sealed({"run.json": json.dumps(record)})
        sound = type(value) in (kinds[member] if isinstance(kinds.get(member), tuple) else (kinds.get(member, str),))
        if sound and member not in ("status", "seed"):
            assert unpack(data).record == record
        else:
            with pytest.raises(DamagedRunError):
                unpack(data)

    @pytest.mark.parametrize(
        "text", ["", "[" * 100_000, "[]", '{"run": "a", "run": "b"}', '{"seed": ' + "9" * 5000 + "}"]
    )
    def test_a_record_that_is_none(self, text):
        with pytest.raises(DamagedRunError):
            unpack(self.sealed({"run.json": text}))

    def test_an_archive_that_is_none_or_is_compressed(self):
        record = json.dumps(self.RECORD)
        for data in (b"", b"no archive" * 9):
            with pytest.raises(DamagedRunError):
                unpack(data + hashlib.sha256(data).digest())
        with pytest.raises(DamagedRunError, match="compressed"):
            unpack(self.sealed({"run.json": record}, compression=zipfile.ZIP_DEFLATED))
        with pytest.raises(DamagedRunError, match="cannot be read"):
            unpack(self.sealed({"run.json": record, "t.arrow": b"no table"}))
