"""Repeats the runs of a pack and compares their results with those that it holds."""

from __future__ import annotations

import math
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock import _core
from ackclock._errors import Cancelled, RefusedError
from ackclock.base.progress import reporter
from ackclock.cc import registry
from ackclock.engine.run import SIM, Job, run_job
from ackclock.engine.threads import execute
from ackclock.judge.packs.archive import PackError, digests, read
from ackclock.scenario import Text
from ackclock.store import open_store
from ackclock.store.provenance import build
from ackclock.sweeps.plan import backend_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ackclock._core import Cancel
    from ackclock.base.progress import ProgressCallback
    from ackclock.results.result import Result
    from ackclock.store import Store

__all__ = ["EQUIVALENT", "Verified", "verify"]

EQUIVALENT = 0.05
"""A run of a kernel is equivalent to another if no flow's goodput differs by a larger part of the greater one."""


@dataclass(frozen=True)
class Verified:
    """The result of repeating the runs of a pack."""

    runs: int
    """Runs of the pack."""
    same: int
    """Runs of the simulator with the same cells in every table, and runs that failed as before."""
    equivalent: int
    """Runs of a kernel that are equivalent; see `EQUIVALENT`."""
    different: Sequence[str]
    """A sentence for each run that is neither."""
    left_out: Sequence[str]
    """A sentence for each run that was not repeated."""
    changed: Sequence[str]
    """Runs whose results in the pack are not those that it was made with."""

    @property
    def good(self) -> bool:
        """Whether every repeated run came out as it was, and the pack is as it was made."""
        return not self.different and not self.changed


def verify(
    path: Path,
    *,
    threads: int | None = None,
    most: int | None = None,
    any_version: bool = False,
    progress: bool | Callable[[float], object] = False,
) -> Verified:
    """Repeats the runs of a pack.

    Parameters
    ----------
    path
        The archive that `pack` wrote.
    threads
        Runs at the same time; as many as there are cores when not given.
    most
        Repeat so many runs, spread over all of them.
    any_version
        Repeat them with this version of the engine, even if another one made the results.
    progress
        True for a bar on standard error, or a function called with the part done, from 0 to 1.

    Raises
    ------
    PackError
        If it is no pack, or another version of the engine made it.
    """
    with tempfile.TemporaryDirectory(prefix="ackclock-") as name:
        folder = Path(name)
        document = read(path, folder)
        if document["engine"] != _core.engine() and not any_version:
            made_with = f"ackclock {document['version']}"
            wheel = f"the wheel in it, wheel/{document['wheel']}" if document["wheel"] else made_with
            raise PackError(
                f"{path}: its results are those of {made_with}, and this is {build()}; "
                f"accepted: {wheel}, or --any-version"
            )
        with open_store(folder / "store", mixed=True, covered=True) as store:
            changed = [run for run, told in document["results"].items() if _held(store, run) != told]
            wanted = list(_wanted(store, folder))
            step = max(1, math.ceil(len(wanted) / most)) if most else 1
            chosen = wanted[::step]
            left_out = [f"{len(wanted) - len(chosen)} runs: only {len(chosen)} were asked for"] if step > 1 else []
            with registry.adopted(_algorithms(store)), reporter(progress, path.name) as report:
                results = execute([job for _, _, job in chosen], _run, threads=threads, progress=report)
            return _compared(store, document, chosen, results, len(wanted), changed, left_out)


def _run(job: Job, cancel: Cancel, progress: ProgressCallback) -> Result | Exception:
    """A run, or the error that ended it: one that failed has to fail again."""
    try:
        return run_job(job, cancel, progress)
    except Cancelled:
        raise
    except Exception as error:  # noqa: BLE001 -- compared with the one on record
        return error


def _held(store: Store, run: str) -> dict[str, str] | None:
    try:
        return digests(store.result(run))
    except (KeyError, RefusedError):
        return None


def _wanted(store: Store, folder: Path) -> Iterator[tuple[str, str, Job]]:
    """Every run once: its key, what it is in words, and its job. Files of scenarios lie in the pack's store."""
    seen = set()
    for sweep in store.sweeps:
        document = sweep.document
        texts = [Text(one["text"], one["format"], one["name"], str(folder)) for one in document["scenarios"]]
        for run, number, seed in document["runs"]:
            if run in seen:
                continue
            seen.add(run)
            point = document["points"][number]
            files = tuple((key, f'"{folder / "store" / "sources" / digest}"') for key, digest in point.get("files", []))
            overrides = (*(tuple(pair) for pair in point["overrides"]), *files)
            told = ", ".join(f"{name}={value}" for name, value in point["params"].items()) or "the scenario"
            job = Job(texts[point["scenario"]], overrides, seed, backend=backend_of(point.get("backend", SIM)))
            yield run, f"{told}, seed {seed}", job


def _algorithms(store: Store) -> dict[str, tuple[str, str]]:
    return {
        source: (text[0], text[1])
        for sweep in store.sweeps
        for source, text in sweep.document["algorithms"].items()
        if text is not None
    }


def _compared(
    store: Store,
    document: Mapping[str, Any],
    chosen: Sequence[tuple[str, str, Job]],
    results: Sequence[Result | Exception],
    runs: int,
    changed: Sequence[str],
    left_out: Sequence[str],
) -> Verified:
    same = equivalent = 0
    different: list[str] = []
    skipped = [*left_out]
    for (run, told, job), result in zip(chosen, results, strict=True):
        failure = document["failures"].get(run)
        if isinstance(result, Exception):
            if isinstance(result, RefusedError) and job.backend != SIM:
                skipped.append(f"{told}: {result}")
            elif failure is not None:
                same += 1
            else:
                different.append(f"{told}: failed: {result}")
        elif failure is not None:
            different.append(f"{told}: did not fail; on record: {failure}")
        elif job.backend != SIM:
            apart = _apart(store.result(run), result)
            equivalent += apart <= EQUIVALENT
            if apart > EQUIVALENT:
                different.append(f"{told}: a flow's goodput differs by {100 * apart:.3g} %")
        else:
            ours = digests(result)
            tables = [name for name, digest in document["results"][run].items() if ours.get(name) != digest]
            same += not tables
            if tables:
                different.append(f"{told}: {', '.join(tables)}")
    return Verified(runs, same, equivalent, different, skipped, changed)


def _apart(one: Result, other: Result) -> float:
    """The largest difference of a flow's goodput, as a part of the greater one."""
    pairs = zip(one.flows["goodput_bps"], other.flows["goodput_bps"], strict=True)
    return max((abs(a - b) / max(a, b) for a, b in pairs if max(a, b) > 0), default=0.0)
