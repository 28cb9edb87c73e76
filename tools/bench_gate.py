"""The speed of the engine beside that of another commit, in interleaved pairs.

``python -m tools.bench_gate COMMIT`` builds the extension of the working tree and of the commit with the same options,
runs the workloads of ``ackclock bench`` under both in turn, and prints how the speed has changed, with an interval: the
speed is that of the same workload in CPU seconds. ``--pairs N`` sets the number of pairs, ``--only W2`` a workload, and
``--stack linux`` or ``rfc`` one of the two stacks. Builds stay in ``target/bench-gate``. Use a quiet machine: a pair is
measured in one sitting, but another program may still slow down one half of it.

The exit status is 1 if a workload is slower with confidence by more than ``--allowed`` per cent (2).
"""

from __future__ import annotations

import argparse
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ackclock.stats.ranks import signed_rank_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parent.parent
BUILDS = ROOT / "target/bench-gate"
WORKLOADS = ("W2", "W3", "W4")
STACKS = ("linux", "rfc")
FEWEST = 6
"""Pairs below which no interval of 95 % exists."""
RUN = """
import json, resource, sys
from ackclock import _core
text = open(sys.argv[1], encoding="utf-8").read()
def spent():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
before = spent()
meta, _ = _core.run(text, "toml", [("flows[0].stack", sys.argv[2])])
print(spent() - before)
"""
"""Runs a scenario once in a process of its own and prints its CPU seconds."""


class Change(NamedTuple):
    """The change of the speed, per cent: its centre over pairs, and the ends of its interval."""

    middle: float
    low: float
    high: float


def change_of(before: Sequence[float], now: Sequence[float]) -> Change:
    """The change from the CPU seconds of the same work, in pairs.

    The interval of 95 % is the exact one of the signed ranks of their ratios.

    Raises
    ------
    ValueError
        If there are fewer pairs than an interval needs.
    """
    if len(before) != len(now) or len(now) < FEWEST:
        raise ValueError(f"{len(before)} and {len(now)} measurements; accepted: as many of both, at least {FEWEST}")
    shift = signed_rank_interval([math.log(old / new) for old, new in zip(before, now, strict=True)])
    return Change(*(100 * math.expm1(part) for part in (shift.value, shift.low, shift.high)))


def verdict(change: Change, allowed: float) -> str:
    """The change in words."""
    if change.high < -allowed:
        return "slower"
    if change.low > allowed:
        return "faster"
    return "no change shown" if change.low < -allowed or change.high > allowed else "the same"


def build(tree: Path, name: str) -> Path:
    """Builds the extension of a source tree and returns a folder from which its package is imported.

    Each tree has a target folder of its own: cargo tells the crates of two trees apart by the times of their files
    alone.
    """
    target = BUILDS / name / "target"
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target)}
    command = ["cargo", "build", "--quiet", "--release", "--locked", "-p", "ackclock-python"]
    subprocess.run(command, cwd=tree, env=environment, check=True)  # noqa: S603
    package = BUILDS / name / "python"
    shutil.rmtree(package, ignore_errors=True)
    sources = shutil.ignore_patterns("_core*", "__pycache__")
    shutil.copytree(tree / "python/ackclock", package / "ackclock", ignore=sources)
    shutil.copy(target / "release/lib_core.so", package / "ackclock/_core.abi3.so")
    return package


def build_commit(commit: str) -> Path:
    """Builds the extension of a commit."""
    tree = BUILDS / "tree"
    if tree.exists():
        _git("worktree", "remove", "--force", str(tree))
    _git("worktree", "add", "--detach", "--quiet", str(tree), commit)
    try:
        return build(tree, "commit")
    finally:
        _git("worktree", "remove", "--force", str(tree))


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=ROOT, check=True)  # noqa: S603, S607


def cpu_seconds(package: Path, workload: str, stack: str) -> float:
    """The CPU seconds of a workload with the engine of a package."""
    scenario = ROOT / f"python/ackclock/engine/bench/{workload}.toml"
    environment = {**os.environ, "PYTHONPATH": str(package), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", RUN, str(scenario), stack]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, text=True)  # noqa: S603
    return float(done.stdout)


def compare(here: Path, there: Path, workload: str, stack: str, pairs: int) -> tuple[list[float], list[float]]:
    """CPU seconds with the engines of two packages, in pairs whose order alternates."""
    for package in (there, here):
        cpu_seconds(package, workload, stack)
    before: list[float] = []
    now: list[float] = []
    for number in range(pairs):
        order = ((there, before), (here, now)) if number % 2 else ((here, now), (there, before))
        for package, times in order:
            times.append(cpu_seconds(package, workload, stack))
    return before, now


def main(arguments: Sequence[str]) -> int:
    """Builds, measures and prints."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench_gate", description="The engine beside a commit's.")
    parser.add_argument("commit")
    parser.add_argument("--pairs", type=int, default=11)
    parser.add_argument("--only", choices=WORKLOADS, action="append")
    parser.add_argument("--stack", choices=STACKS, action="append")
    parser.add_argument("--allowed", type=float, default=2.0, metavar="PER CENT")
    asked = parser.parse_args(arguments)
    if asked.pairs < FEWEST:
        parser.error(f"--pairs {asked.pairs}: accepted: at least {FEWEST}")
    there, here = build_commit(asked.commit), build(ROOT, "here")
    slower = False
    for stack in asked.stack or STACKS:
        for workload in asked.only or WORKLOADS:
            before, now = compare(here, there, workload, stack, asked.pairs)
            change = change_of(before, now)
            found = verdict(change, asked.allowed)
            slower |= found == "slower"
            spread = f"{change.low:+.1f} to {change.high:+.1f} %"
            line = f"{workload} {stack}: {change.middle:+.1f} % ({spread}), {asked.pairs} pairs: {found}"
            print(line, flush=True)  # noqa: T201 -- what the tool is for
    return int(slower)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
