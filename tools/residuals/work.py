"""The runs of one experiment on one side, in a process of its own, whose processor time is known."""

from __future__ import annotations

import os
import resource
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import TYPE_CHECKING, TypeAlias

import ackclock
from ackclock import kernel
from ackclock.kernel.runs import choose
from tools.residuals.cells import measured
from tools.residuals.plan import EXPERIMENTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from multiprocessing.queues import Queue

    from ackclock.kernel.builds import Built
    from tools.residuals.plan import Experiment

__all__ = ["results", "simulated", "worked"]

EMULATED = ("path", "lossy", "window")
"""Kinds whose kernel runs over the emulated network, as its own netem cannot repeat their losses or buffers."""

BY_KEY = {one.key: one for one in EXPERIMENTS}

Found: TypeAlias = tuple[list[dict[str, float]], float]
"""Measures of each run, and the processor time of all runs, in s."""


def results(tasks: Iterable[tuple[str, str]], version: str, hz: int) -> Iterator[tuple[str, str, Found]]:
    """Does tasks, which are keys of experiments with sides, as many at once as there are cores.

    Gives each with what was found, in the order of their ends.
    """
    cores = sorted(os.sched_getaffinity(0))
    context = get_context("spawn")
    free: Queue[int] = context.Queue()
    for core in cores:
        free.put(core)
    with ProcessPoolExecutor(len(cores), context, _begin, (free,)) as executor:
        started = {executor.submit(worked, key, side, version, hz): (key, side) for key, side in tasks}
        for future in as_completed(started):
            yield *started[future], future.result()


def _begin(free: Queue[int]) -> None:
    """Gives a new process a core of its own: kernels in different processes do not know of each other."""
    os.sched_setaffinity(0, {free.get()})


def worked(key: str, side: str, version: str, hz: int) -> Found:
    """Measures of an experiment on a side, with the processor time of this process and of its children."""
    before = _spent_s()
    experiment = BY_KEY[key]
    found = simulated(experiment) if side == "simulator" else asked(experiment, choose(version, hz))
    return found, _spent_s() - before


def _spent_s() -> float:
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def simulated(experiment: Experiment) -> list[dict[str, float]]:
    """Measures of an experiment's runs in the simulator."""
    return [measured(experiment.kind, ackclock.run(scenario).tables) for scenario in experiment.scenarios]


def asked(experiment: Experiment, built: Built) -> list[dict[str, float]]:
    """Measures of an experiment's runs in a kernel, over the kernel's netem or over the emulated network."""
    if experiment.kind in EMULATED:
        backend = f"linux:{'.'.join(built.version.split('.')[:2])}"
        return [
            measured(experiment.kind, ackclock.run(scenario, backend=backend).tables)
            for scenario in experiment.scenarios
        ]
    return [measured(experiment.kind, kernel.run(scenario, built).tables) for scenario in experiment.scenarios]
