"""Stores of any size: each run has its own key and seed, and the tables of one run that was simulated."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import ackclock
from ackclock._core import Cancel
from ackclock.store.packed import pack, unpack
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

    def run(self, plan: Any, runs: Iterable[Any], tick: Callable[[float], object], _journal: Any) -> Iterator[Any]:
        """The runs with their bytes, in order."""
        for run in runs:
            point = plan.points[run.point]
            kind = CC.index(point.params["flows[0].cc"])
            if kind not in self._tables:
                data, _ = perform(run.key, run.job, point.scenario_hash, plan.name, run.keep, Cancel(), lambda _: None)
                self._tables[kind] = unpack(data)
            packed = self._tables[kind]
            record: Record = packed.record | {
                "run": run.key, "seed": run.job.seed, "scenario_hash": point.scenario_hash,
            }  # fmt: skip
            yield run, pack(record, packed.tables), True
            tick(0)


def make(out: Path, points: int, seeds: int) -> None:
    """Makes a store of so many points, each under so many seeds.

    Half of the points are of CUBIC, and the others differ in the rate.
    """
    rates = [f"{1000 + number}kbps" for number in range(points // len(CC))]
    with mock.patch("ackclock.sweeps.Threads", Copies):
        ackclock.sweep(SCENARIO, {"bottleneck.rate": rates, "flows[0].cc": CC}, seeds=seeds, out=out).close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("points", type=int)
    parser.add_argument("seeds", type=int)
    given = parser.parse_args()
    make(given.out, given.points, given.seeds)
    sys.exit(0)
