"""A store whose disk fails at each call in turn: nothing that was reported is lost."""

import errno
import os
import shutil
from functools import partial

import pytest

import ackclock
from ackclock.store import StoreError
from tests.helpers import small_sweep
from tests.helpers.faults import READS, Fault, watched

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the store of a sweep that nothing disturbed."""
    made = tmp_path_factory.mktemp("faults")
    with small_sweep.calm():
        status, told = small_sweep.sweep(made, made / "whole")
    assert status == 0, told
    return made


def fail_everywhere(folder, error, *, on, first):
    """Fails every other call of the sweep in turn, from one on: what failed, and what was wrong after it."""
    whole = small_sweep.bytes_of(folder / "whole")
    store = folder / "store"
    failed, wrong = [], []
    with small_sweep.calm():
        while True:
            fault, reported = Fault(first + 2 * len(failed), error, on=on), []
            with watched(fault):
                status, told = small_sweep.sweep(folder, store, partial(reported.append, 1))
            if fault.hit is None:
                assert status == 0, told
                return failed, wrong
            failed.append(fault.hit.name)
            where = f"call {first + 2 * len(failed) - 2}, {fault.hit.name} {fault.hit.path}"
            # An error of the account alone does no harm: the sweep goes on.
            if status or small_sweep.bytes_of(store) != whole:
                lines = told.splitlines()
                if status != 2 or len(lines) != 1 or os.strerror(error) not in told or str(store) not in told:
                    wrong.append(f"{where}: {status}: {told}")
            try:
                small_sweep.goes_on(folder, store, len(reported), whole)
            except AssertionError as problem:
                wrong.append(f"{where}: {problem}")
            shutil.rmtree(store, ignore_errors=True)


@pytest.mark.parametrize(
    ("error", "on", "first"),
    [(errno.ENOSPC, True, 0), (errno.EIO, True, 1)],
    ids=["a full disk", "a disk that fails for good"],
)
def test_a_call_that_fails_is_one_message_and_loses_nothing(folder, error, on, first):
    failed, wrong = fail_everywhere(folder, error, on=on, first=first)
    assert not wrong, "\n".join(wrong)
    assert len(failed) > 25


class EndError(BaseException):
    """The end of a process, for a test that goes on: nothing tidies up after it."""


def end_at_the_last_part(call):
    """Ends a sweep that has written one part, with two runs that are in none."""
    if end_at_the_last_part.reached or str(call.path).endswith("-00001.partial"):
        end_at_the_last_part.reached = True
        raise EndError


@pytest.fixture
def store(folder, tmp_path):
    """The store of a sweep that was killed: runs in a part, runs in none, and a part half written."""
    end_at_the_last_part.reached = False
    with small_sweep.calm(), watched(end_at_the_last_part), pytest.raises(EndError):
        small_sweep.sweep(folder, tmp_path / "store")
    assert small_sweep.finished(tmp_path / "store") == small_sweep.RUNS
    return tmp_path / "store"


def complaint(wrong, fault, store):
    """The faults of the message about a failed call."""
    if wrong is None or str(store) not in wrong or os.strerror(errno.EIO) not in wrong or len(wrong.splitlines()) != 1:
        return f"{fault.hit.name} {fault.hit.path}: {wrong}"
    return None


def test_a_store_that_cannot_be_read_is_one_message(store):
    complaints, number = [], 0
    while True:
        fault, wrong = Fault(number, errno.EIO, under=store), None
        with watched(fault, READS):
            try:
                with ackclock.open(store) as opened:
                    for name in opened.tables:
                        opened.table(name)
                    opened.result(opened.runs["run"][0])
                    opened.provenance()
            except StoreError as error:
                wrong = str(error)
        if fault.hit is None:
            break
        complaints.append(complaint(wrong, fault, store))
        number += 1
    assert number > 10
    assert [one for one in complaints if one] == []


def test_a_sweep_that_cannot_read_its_store_is_one_message_and_keeps_what_is_there(folder, store, tmp_path):
    complaints, number = [], 0
    place = tmp_path / "again"
    with small_sweep.calm():
        while True:
            shutil.copytree(store, place)
            parts = {path.name for path in (place / "parts").iterdir() if not path.name.startswith(".")}
            fault = Fault(number, errno.EIO, under=place)
            with watched(fault, READS):
                status, told = small_sweep.sweep(folder, place)
            if fault.hit is None:
                break
            # The account of a sweep that has ended stays open where it cannot be written, as on a full disk.
            if status != 0 or str(fault.hit.path) != str(place / "provenance"):
                complaints.append(complaint(told if status == 2 else None, fault, place))
            assert parts <= {path.name for path in (place / "parts").iterdir()}
            assert small_sweep.finished(place) == small_sweep.RUNS
            shutil.rmtree(place)
            number += 1
    assert number > 10
    # Nothing but speed depends on the journal of runs under way, so a sweep goes on without it.
    assert [one for one in complaints if one and "/under-way-" not in one] == []


def test_a_run_that_two_files_hold_is_left_in_neither(folder, store):
    """Ctrl-C between the rename of a file of runs and its bookkeeping has the runs written again on the way out."""
    first = min((store / "pending").glob("*.runs"))
    shutil.copy(first, first.with_name("00000099.runs"))
    with small_sweep.calm():
        small_sweep.goes_on(folder, store, small_sweep.RUNS, small_sweep.bytes_of(folder / "whole"))


@pytest.mark.parametrize("act", ["table", "result", "estimates"])
@pytest.mark.parametrize("spoil", ["cut off", "empty", "gone"])
def test_a_table_that_is_damaged_after_it_was_checked_is_one_message(folder, tmp_path, monkeypatch, act, spoil):
    """DuckDB reads it then, and its error comes out as the store's."""
    store = shutil.copytree(folder / "whole", tmp_path / "store")
    with ackclock.open(store) as opened:
        run = opened.runs["run"][0]
        opened._make_view("flows")
        monkeypatch.setattr("ackclock.store.reader.damage", lambda *_: None)
        for file in store.glob("parts/*/flows.parquet"):
            data = file.read_bytes()
            file.unlink()
            if spoil != "gone":
                file.write_bytes(data[:-20] if spoil == "cut off" else b"")
        acts = {
            "table": lambda: opened.table("flows"),
            "result": lambda: opened.result(run),
            "estimates": lambda: opened.estimates("flows.goodput_bps"),
        }
        with pytest.raises(StoreError, match=r"flows\.parquet") as raised:
            acts[act]()
    assert len(str(raised.value).splitlines()) == 1


def test_an_error_of_the_disk_does_not_quote_the_query():
    import duckdb

    from ackclock.store.database import ask

    def question(_):
        raise duckdb.IOException('IO Error: Could not read from file "x": Input/output error\n\nLINE 1: SELECT\n ^')

    with duckdb.connect() as connection, pytest.raises(StoreError) as raised:
        ask("out", connection, question)
    assert str(raised.value) == 'out: IO Error: Could not read from file "x": Input/output error'
