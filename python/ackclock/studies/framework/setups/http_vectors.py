"""HTTP traffic from connection vectors at three loads, with vectors of its own for every replication."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ackclock.base.workplace import temporary
from ackclock.scenario.traffic import tmix

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ackclock._core import Cancel
    from ackclock.base.progress import ProgressCallback
    from ackclock.engine.run import Job
    from ackclock.engine.threads import Worker
    from ackclock.results.result import Result

__all__ = ["LOADS", "vectors", "vectors_folder", "vectors_name", "with_own_vectors"]

ARRIVING_S = 270.0
"""Sessions arrive until half a minute before the run ends."""

LOADS = {"": 0.25, "-light": 0.1, "-heavy": 0.4}
"""Suffix of the file to sessions per second: the answers offer about 54 %, 22 % and 88 % of the link's rate."""

LARGEST = 1_000_000
"""Largest answer in bytes. An answer of 10 MB would fill the link for a third of the run."""


def vectors_name(suffix: str, seed: int) -> str:
    """The name of the file with the vectors of a load for a replication."""
    return f"http{suffix}-{seed}.cvec"


def vectors(seeds: Iterable[int]) -> dict[str, str]:
    """The files of connection vectors: name to text. Each replication has its own files."""
    files = {}
    for seed in seeds:
        for suffix, rate in LOADS.items():
            work = tmix.Workload(sessions_per_second=rate, largest=LARGEST)
            made = tmix.generate(ARRIVING_S, seed=seed, workload=work)
            files[vectors_name(suffix, seed)] = tmix.text(made, f"{rate:g} sessions a second, seed {seed}")
    return files


@contextmanager
def vectors_folder(files: Mapping[str, str]) -> Iterator[str]:
    """A temporary folder with these files."""
    with temporary("vectors") as folder:
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        yield str(folder)


def with_own_vectors(worker: Worker[Job, Result], path: str) -> Worker[Job, Result]:
    """A worker that gives each replication its own vectors at `path`, which are the same for all variants."""

    def own(job: Job, cancel: Cancel, note: ProgressCallback) -> Result:
        file = dict(job.overrides).get(path, vectors_name("", 1)).strip('"').replace("-1.cvec", f"-{job.seed}.cvec")
        kept = tuple((key, value) for key, value in job.overrides if key != path)
        return worker(job._replace(overrides=(*kept, (path, file))), cancel, note)

    return own
