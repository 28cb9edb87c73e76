"""What is compared, the traffic, and every reading of what the original leaves open."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ackclock import tmix
from ackclock.scenario import Text
from ackclock.studies.grid import Reading
from ackclock.studies.newcwv_dash.readings import NEWCWV, NEWRENO, PACED, TEXTBOOK
from ackclock.studies.study import page

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ackclock._core import Cancel
    from ackclock._run import Job
    from ackclock._runner import Progress, Worker
    from ackclock.result import Result

__all__ = ["LOADS", "MAIN", "VARIANTS", "VECTORS", "readings", "vectors", "vectors_name", "with_own_vectors"]

VARIANTS = (NEWRENO, NEWCWV, PACED, TEXTBOOK)

ARRIVING_S = 270.0
"""Sessions arrive until half a minute before the run ends."""

LOADS = {"": 0.25, "-light": 0.1, "-heavy": 0.4}
"""Suffix of the file to sessions per second: answers offer about 54 %, 22 % and 88 % of the link."""

LARGEST = 1_000_000
"""Where answers end: one of 10 MB would fill the link for a third of the run."""

MAIN = "200 ms one-way, 1 BDP, 0.25 sessions a second"
VECTORS = "flows[0].app.vectors.file"


def vectors_name(suffix: str, seed: int) -> str:
    """The file of a load's vectors for a replication."""
    return f"http{suffix}-{seed}.cvec"


def vectors(seeds: Iterable[int]) -> dict[str, str]:
    """Every file of connection vectors, by name. Each replication has its own."""
    files = {}
    for seed in seeds:
        for suffix, rate in LOADS.items():
            work = tmix.Workload(sessions_per_second=rate, largest=LARGEST)
            made = tmix.generate(ARRIVING_S, seed=seed, workload=work)
            files[vectors_name(suffix, seed)] = tmix.text(made, f"{rate:g} sessions a second, seed {seed}")
    return files


def with_own_vectors(worker: Worker[Job, Result], path: str) -> Worker[Job, Result]:
    """The worker that gives a replication vectors of its own at `path`, the same under every variant."""

    def own(job: Job, cancel: Cancel, note: Progress) -> Result:
        file = dict(job.overrides).get(path, vectors_name("", 1)).strip('"').replace("-1.cvec", f"-{job.seed}.cvec")
        kept = tuple((key, value) for key, value in job.overrides if key != path)
        return worker(replace(job, overrides=(*kept, (path, file))), cancel, note)

    return own


def readings(folder: str) -> list[Reading]:
    """The main reading, and those that change one thing of it; the vectors lie in `folder`."""
    text = Text(page(__package__, "scenario.toml"), name="newcwv_http/scenario.toml", folder=folder)
    changes: dict[str, dict[str, object]] = {
        MAIN: {},
        "200 ms round trip": {"bottleneck.delay": "100ms"},
        "half a BDP": {"bottleneck.queue": "0.5bdp"},
        "2 BDP": {"bottleneck.queue": "2bdp"},
        "0.1 sessions a second": {VECTORS: vectors_name("-light", 1)},
        "0.4 sessions a second": {VECTORS: vectors_name("-heavy", 1)},
    }
    return [Reading(name, name, text, overrides) for name, overrides in changes.items()]
