"""The speed of the engine beside that of ns-2, in pairs that are measured in one sitting.

A workload runs in ns-2 by ``dumbbell.tcl``: the same links, queue, number of flows and duration, with ns-2's own SACK
TCP (Reno's growth) and delayed acknowledgments. Both simulators are judged by the data packets that the
bottleneck delivers for each CPU second, so that the difference of their congestion controls counts little.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tomllib
from importlib import resources
from typing import TYPE_CHECKING, Any

from ackclock import _core
from ackclock._errors import RefusedError
from ackclock.base.progress import reporter

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["STACKS", "WORKLOADS", "beside_ns2", "ratio_of", "settings_of"]

WORKLOADS = ("W2", "W3", "W4")
STACKS = ("linux", "rfc")
"""The stacks of the engine; the default of scenarios comes first."""


def beside_ns2(workloads: Sequence[str] = WORKLOADS, *, repeat: int = 1, progress: bool = False) -> dict[str, Any]:
    """Measures workloads in ns-2 and here in turn, and returns the JSON document of ``ackclock bench --against ns2``.

    Each of `repeat` rounds runs ns-2 and every stack once. A row has the medians of packets per CPU second, and the
    median, the smallest and the largest of the ratios of the rounds.

    Raises
    ------
    RefusedError
        If ns-2 is not installed, or fails.
    """
    program = shutil.which("ns")
    if program is None:
        raise RefusedError("ns-2 is not installed: the program ns of Debian's package ns2 (apt install ns2)")
    rows = []
    with reporter(progress, "bench") as report:
        for index, workload in enumerate(workloads):
            rounds = []
            for number in range(repeat):
                rounds.append(_round(program, workload))
                if report is not None:
                    report((index + (number + 1) / repeat) / len(workloads))
            rows += [_row(workload, stack, rounds) for stack in STACKS]
    return {"version": _core.version(), "against": "ns-2", "repeat": repeat, "workloads": rows}


def settings_of(workload: str) -> list[str]:
    """The arguments of ``dumbbell.tcl``: rate, delay, delay of an access link, number of flows, seconds."""
    scenario = tomllib.loads(_file(f"{workload}.toml"))
    bottleneck, (flow,) = scenario["bottleneck"], scenario["flows"]
    rate = bottleneck["rate"].removesuffix("ps")
    side = scenario["access"]["source_delay"]
    return [rate, bottleneck["delay"], side, str(flow["count"]), scenario["duration"].removesuffix("s")]


def ratio_of(here: Sequence[float], there: Sequence[float]) -> tuple[float, float, float]:
    """The median of the ratios of pairs, the smallest and the largest."""
    ratios = [one / other for one, other in zip(here, there, strict=True)]
    return statistics.median(ratios), min(ratios), max(ratios)


def _round(program: str, workload: str) -> dict[str, float]:
    """Packets per CPU second of ns-2 and of each stack, one run each."""
    speeds = {"ns-2": _ns2(program, workload)}
    for stack in STACKS:
        worker = [sys.executable, "-m", "ackclock.engine.bench.worker", workload, stack]
        done = subprocess.run(worker, stdout=subprocess.PIPE, check=True, text=True, start_new_session=True)  # noqa: S603
        speeds[stack] = json.loads(done.stdout)["packets_per_cpu_s"]
    return speeds


def _ns2(program: str, workload: str) -> float:
    """Packets per CPU second of a run in ns-2, its start included: some 0.03 s."""
    with resources.as_file(resources.files(__package__).joinpath("dumbbell.tcl")) as script:
        command = [program, str(script), *settings_of(workload)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as run:  # noqa: S603
            output = run.stdout.read() if run.stdout is not None else ""
            _, status, usage = os.wait4(run.pid, 0)
            run.returncode = os.waitstatus_to_exitcode(status)
    words = output.split()
    if run.returncode != 0 or words[:1] != ["packets"]:
        raise RefusedError(f"ns-2 failed on {workload} with status {run.returncode}: {output[-200:]!r}")
    return int(words[1]) / (usage.ru_utime + usage.ru_stime)


def _row(workload: str, stack: str, rounds: Sequence[dict[str, float]]) -> dict[str, Any]:
    here, there = ([one[name] for one in rounds] for name in (stack, "ns-2"))
    ratio, least, most = ratio_of(here, there)
    return {
        "name": workload,
        "stack": stack,
        "packets_per_cpu_s": statistics.median(here),
        "ns2_packets_per_cpu_s": statistics.median(there),
        "ratio": ratio,
        "ratio_least": least,
        "ratio_most": most,
    }


def _file(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
