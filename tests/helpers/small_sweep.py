"""A sweep of four runs that makes the same calls each time, for the tests that fail or kill it at each of them."""

from __future__ import annotations

import io
import json
import mmap
import os
import shutil
import sys
import tempfile
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import duckdb

import ackclock
from ackclock import cli
from ackclock._core import Cancel
from ackclock.base.progress import SweepReport
from ackclock.store import StoreError
from ackclock.sweeps.perform import perform
from tests.helpers.faults import Call, watched
from tests.helpers.processes import KILLED, in_child
from tests.helpers.scenarios import SWEPT
from tests.helpers.stores import bytes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

RUNS = 4
_packed: dict[str, tuple[bytes, bool]] = {}


class Inline:
    """Does runs on the calling thread, in order; each is simulated once for all sweeps of the process."""

    where = "here"

    def __init__(self, threads: int | None = None, *, limit: int | None = None) -> None:
        pass

    def run(self, plan: Any, runs: Iterable[Any], tick: Callable[[float], object], journal: Any) -> Iterator[Any]:
        for run in runs:
            if run.key not in _packed:
                scenario_hash = plan.points[run.point].scenario_hash
                _packed[run.key] = perform(
                    run.key, run.job, scenario_hash, plan.name, run.keep, Cancel(), lambda _: None
                )
            yield run, *_packed[run.key]
            tick(0)


@contextmanager
def calm() -> Iterator[None]:
    """Parts of two runs and a file for each run, however fast the machine is; no git, one thread of DuckDB."""
    with (
        mock.patch("ackclock.sweeps.Threads", Inline),
        mock.patch("ackclock.store.writer.PART_RUNS", 2),
        mock.patch("ackclock.store.writer.TOGETHER_S", 0),
        mock.patch("ackclock.store.provenance.revision", return_value=None),
        mock.patch("ackclock.store.reader.duckdb.connect", partial(duckdb.connect, config={"threads": 1})),
    ):
        yield


def sweep(folder: Path, store: Path, ended: Callable[[], object] = lambda: None) -> tuple[int, str]:
    """Runs ``ackclock sweep`` here: its exit status and what it says. `ended` is told of each run that is reported."""
    scenario = folder / "scenario.toml"
    if not scenario.exists():
        scenario.write_text(SWEPT.replace("500ms", "150ms"))
    arguments = ["sweep", str(scenario), "--seeds", "2", "--vary", "flows[0].cc=reno,cubic", "--out", str(store)]
    report = SweepReport.ended

    def tell(self: SweepReport, good: bool) -> None:
        ended()
        report(self, good)

    told = io.StringIO()
    with mock.patch.object(SweepReport, "ended", tell), redirect_stdout(io.StringIO()), redirect_stderr(told):
        return cli.main(arguments), told.getvalue()


def finished(store: Path) -> int:
    """The runs that a reader finds in the store; 0 where there is none yet."""
    try:
        with ackclock.open(store) as opened:
            rows = opened.table("flows")["run"] if "flows" in opened.tables else []
            assert len(rows) == opened.finished
            return opened.finished
    except StoreError as error:
        if "no store" in str(error):
            return 0
        raise


def goes_on(folder: Path, store: Path, reported: int, whole: dict[str, str]) -> None:
    """Sees that a store that was left behind lacks nothing that was reported, and that the sweep finishes it."""
    assert finished(store) >= reported, "a run that was reported has gone"
    status, told = sweep(folder, store)
    assert (status, "damaged" in told) == (0, False), told
    assert bytes_of(store) == whole


def kill_everywhere(folder: Path) -> dict[str, Any]:
    """Kills the sweep at each of its calls, in a child process, and restarts it: the calls, and what went wrong."""
    with calm():
        assert sweep(folder, folder / "whole")[0] == 0
        whole = bytes_of(folder / "whole")
        reported = mmap.mmap(-1, 1)
        calls: list[str] = []
        wrong: list[str] = []
        name = mmap.mmap(-1, 64)
        for half in (False, True):
            number = 0
            while True:
                store = folder / "store"
                reported[0] = 0

                def killed(number: int = number, half: bool = half, store: Path = store) -> None:
                    left = number

                    def before(call: Call) -> None:
                        nonlocal left
                        if half and call.name != "write":
                            return
                        left -= 1
                        if left < 0:
                            if half:
                                call.half()
                            name[:] = call.name.encode().ljust(64)
                            os._exit(KILLED)

                    def ended() -> None:
                        reported[0] += 1

                    with watched(before):
                        status, told = sweep(folder, store, ended)
                    assert status == 0, told

                ended_with = in_child(killed)
                if ended_with != KILLED:
                    if ended_with:
                        wrong.append(f"the sweep that was not killed ended with {ended_with}")
                    break
                told = f"{'half of ' if half else ''}call {number}, {name[:].decode().strip()}"
                calls.append(told)
                if in_child(lambda store=store: goes_on(folder, store, reported[0], whole)):
                    wrong.append(f"{told}, {reported[0]} reported")
                shutil.rmtree(store, ignore_errors=True)
                number += 1
    return {"calls": calls, "wrong": wrong}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        json.dump(kill_everywhere(Path(place)), sys.stdout)
