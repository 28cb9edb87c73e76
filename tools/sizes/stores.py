"""Stores of any size: each run has its own key and seed, and the tables of one run that was simulated.

`make` gives the runs to the store as a sweep does. `make_parts` gives them to what writes the parts, without packing
each of them, syncing it to the disk and unpacking it: a store of a million runs takes a quarter of the time.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import ackclock
from ackclock._core import Cancel
from ackclock.store.packed import Packed, pack, unpack
from ackclock.store.writer import Writer
from ackclock.sweeps.perform import perform

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ackclock.store.packed import Record

SCENARIO = """
duration = "100ms"
[bottleneck]
rate = "5Mbps"
delay = "10ms"
queue = "1bdp"
[[flows]]
name = "one"
app = "bulk"
start_jitter = "20ms"
"""
CC = ["reno", "cubic"]


class Copies:
    """Does no run: it gives each run the tables of the first one of its point."""

    where = "here"

    def __init__(self, _threads: int | None = None, **_: Any) -> None:
        self._tables: dict[int, Any] = {}
        self._finished: dict[str, Packed] = {}
        """Runs that are in no part, of `run_unpacked`."""

    def run(self, plan: Any, runs: Iterable[Any], tick: Callable[[float], object], _journal: Any) -> Iterator[Any]:
        """The runs with their bytes, in order."""
        for run in runs:
            one = self._of(plan, run)
            yield run, pack(one.record, one.tables), True
            tick(0)

    def run_unpacked(self, plan: Any, runs: Iterable[Any], tick: Callable[[float], object], _: Any) -> Iterator[Any]:
        """The runs without their bytes, which `take` has."""
        for run in runs:
            self._finished[run.key] = self._of(plan, run)
            yield run, b"", True
            tick(0)

    def take(self, runs: list[str]) -> list[Packed]:
        """Finished runs, which are forgotten here."""
        return [self._finished.pop(run) for run in runs]

    def _of(self, plan: Any, run: Any) -> Packed:
        point = plan.points[run.point]
        kind = CC.index(point.params["flows[0].cc"])
        if kind not in self._tables:
            data, _ = perform(run.key, run.job, point.scenario_hash, plan.name, run.keep, Cancel(), lambda _: None)
            self._tables[kind] = unpack(data)
        packed = self._tables[kind]
        record: Record = packed.record | {
            "run": run.key, "seed": run.job.seed, "scenario_hash": point.scenario_hash,
        }  # fmt: skip
        return Packed(record, packed.tables)


def make(out: Path, points: int, seeds: int) -> None:
    """Makes a store of so many points, each under so many seeds.

    Half of the points are of CUBIC, and the others differ in the rate.
    """
    rates = [f"{1000 + number}kbps" for number in range(points // len(CC))]
    with mock.patch("ackclock.sweeps.Threads", Copies):
        ackclock.sweep(SCENARIO, {"bottleneck.rate": rates, "flows[0].cc": CC}, seeds=seeds, out=out).close()


def make_parts(out: Path, points: int, seeds: int) -> None:
    """Makes the same store, from the same parts, without a file of each run before."""
    copies = Copies()
    with (
        mock.patch.object(Copies, "run", copies.run_unpacked),
        mock.patch.object(Writer, "keep", _nothing_kept),
        mock.patch.object(Writer, "_read", lambda _, runs: copies.take(runs)),
    ):
        make(out, points, seeds)


def _nothing_kept(writer: Any, *, now: bool = False) -> None:  # noqa: ARG001 -- the name is that of the writer
    writer._pending |= dict.fromkeys(writer._buffer, (0, 0))
    writer._buffer.clear()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("points", type=int)
    parser.add_argument("seeds", type=int)
    parser.add_argument("--parts", action="store_true", help="write the parts alone")
    given = parser.parse_args()
    (make_parts if given.parts else make)(given.out, given.points, given.seeds)
    sys.exit(0)
