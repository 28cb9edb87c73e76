"""The cost of the engine: fixed workloads, each in a process of its own, measured in CPU seconds.

The workloads are the TOML files beside this one. A packet is a data packet that the bottleneck delivered; CPU seconds
are those of the run itself, user and system, without the start of the interpreter; peak memory is that of the process.

The workload leaf-spine is a fabric of many links; see `leaf_spine`. The workload python-cc is W2 under a trivial
congestion control in Python, and says how many ACKs that was told of. The workload rust-cc is W2 under the same
algorithm in Rust, in a library that cargo makes of it first.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import statistics
import subprocess
import sys
from importlib import resources
from typing import TYPE_CHECKING, Any

from ackclock import _core
from ackclock._errors import RefusedError
from ackclock.base.progress import reporter
from ackclock.engine.bench import leaf_spine

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["RUST", "can_compile", "measure", "names", "text_of"]

RUST = "rust-cc"
"""The workload that needs cargo."""


def names() -> list[str]:
    """The workloads, in order: W1 and so on, then leaf-spine, python-cc and rust-cc."""
    files = resources.files(__name__).iterdir()
    written = {file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml")} - {"tiny"}
    return sorted({*written, leaf_spine.NAME})


def text_of(name: str) -> str:
    """The scenario of a workload, as TOML."""
    if name == leaf_spine.NAME:
        return leaf_spine.text()
    return resources.files(__name__).joinpath(f"{name}.toml").read_text(encoding="utf-8")


def can_compile() -> bool:
    """Whether this machine can compile the algorithm of rust-cc."""
    return shutil.which("cargo") is not None


def measure(workloads: Sequence[str], *, repeat: int = 1, progress: bool = False) -> dict[str, Any]:
    """Measures workloads one after the other and returns the JSON document of ``ackclock bench --json``.

    With `repeat`, a workload is measured that often and the one with the median CPU time is reported.

    Raises
    ------
    RefusedError
        If the system does not tell what a process has used, as Windows does not, or rust-cc cannot be compiled.
    """
    if repeat < 1:
        raise ValueError(f"repeat is at least 1, not {repeat}")
    if importlib.util.find_spec("resource") is None:
        raise RefusedError("the benchmark needs a system that tells what a process has used: run it on Linux or macOS")
    if RUST in workloads and not can_compile():
        raise RefusedError(f"{RUST} needs cargo, which compiles its algorithm; accepted: the other workloads")
    measured = []
    with reporter(progress, "bench") as report:
        for index, name in enumerate(workloads):
            tries = []
            for number in range(repeat):
                tries.append(_measure_once(name))
                if report is not None:
                    report((index + (number + 1) / repeat) / len(workloads))
            middle = statistics.median_low(one["cpu_s"] for one in tries)
            measured.append({"name": name} | next(one for one in tries if one["cpu_s"] == middle))
    return {"version": _core.version(), "repeat": repeat, "workloads": measured}


def _measure_once(name: str) -> dict[str, Any]:
    worker = [sys.executable, "-m", "ackclock.engine.bench.worker", name]
    # A session of its own: Ctrl-C reaches this process alone, which then ends the worker.
    done = subprocess.run(worker, stdout=subprocess.PIPE, check=True, text=True, start_new_session=True)  # noqa: S603
    row: dict[str, Any] = json.loads(done.stdout)
    return row
