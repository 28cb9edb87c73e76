"""Thousands of runs of each scenario and of its treatment. They are the population that experiments are drawn from."""

from __future__ import annotations

import hashlib
import json
import math
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import ackclock
from ackclock import _core
from ackclock.results.measure import Measure

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from tools.coverage.scenarios import Case

__all__ = ["Pool", "pool_of"]

AT_ONCE = 200
"""Runs whose results are in memory at the same time."""


@dataclass(frozen=True)
class Pool:
    """The values of a measure under the same seeds."""

    control: NDArray[np.float64]
    treated: NDArray[np.float64]


def pool_of(case: Case, runs: int, cache: Path, report: Callable[[str], object]) -> Pool:
    """The values of a scenario and of its treatment under the seeds from 1 on, from the cache if they are there.

    Parameters
    ----------
    case
        The scenario.
    runs
        Number of seeds.
    cache
        A folder. What it has is of this engine and this scenario.
    report
        Is told what is done.
    """
    asked = json.dumps([case.scenario, case.treatment, case.measure, _core.engine()], sort_keys=True)
    file = cache / f"{case.name}-{hashlib.sha256(asked.encode()).hexdigest()[:12]}.npy"
    done = np.load(file) if file.exists() else np.empty((2, 0))
    while done.shape[1] < runs:
        first = done.shape[1] + 1
        seeds = range(first, min(first + AT_ONCE, runs + 1))
        rows = [_values(case, seeds, overrides) for overrides in ({}, case.treatment)]
        done = np.concatenate([done, np.array(rows)], axis=1)
        _save(file, done)
        report(f"{case.name}: {done.shape[1]} of {runs} seeds")
    return Pool(*done[:, :runs])


def _values(case: Case, seeds: range, overrides: dict[str, str]) -> list[float]:
    measure = Measure.parse(case.measure)
    found = [measure.of(one) for one in ackclock.run(case.scenario, seeds=seeds, overrides=overrides, threads=1)]
    # A run in which nothing ended has no completion time. A sample leaves it out; here it has the mean of the others.
    known = [one for one in found if math.isfinite(one)]
    return [one if math.isfinite(one) else float(np.mean(known)) for one in found]


def _save(file: Path, done: NDArray[np.float64]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=file.parent, suffix=".npy")
    with os.fdopen(descriptor, "wb") as stream:
        np.save(stream, done)
    Path(name).replace(file)
