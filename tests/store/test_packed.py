"""Packed runs: round trips, batches, and damage that is noticed."""

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
