"""Running scenarios from Python."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from operator import index
from typing import TYPE_CHECKING, NamedTuple, SupportsIndex, overload

from ackclock import _core
from ackclock._errors import RefusedError, ScenarioError
from ackclock.base.progress import ProgressCallback, reporter
from ackclock.base.table import Table
from ackclock.cc import registry
from ackclock.engine import kernels
from ackclock.engine.kernels import SIM
from ackclock.engine.threads import default_threads, execute
from ackclock.engine.watched import calls, pool_for
from ackclock.results.result import Replications, Result
from ackclock.scenario import Overrides, Source, Text, check, load, named, override_pairs
from ackclock.scenario._estimate import refuse_huge
from ackclock.scenario._source import as_toml, foreign

if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock._core import Cancel, Trace

__all__ = ["MOST_REPLICATIONS", "SIM", "Job", "check_seed", "run", "run_job", "seeds_from", "seeds_of", "simulated"]

MOST_REPLICATIONS = 1_000_000
"""Most replications of one call, whose tables are held in memory."""


class Job(NamedTuple):
    """A scenario, what to override in it, and a seed (None: the scenario's own)."""

    scenario: Text
    overrides: tuple[tuple[str, str], ...] = ()
    seed: int | None = None
    verify: bool = False
    backend: str = SIM
    """sim, or a kernel by its exact name."""
    threads: int = 1
    """Number of threads of the run."""


def run_job(job: Job, cancel: Cancel, progress: ProgressCallback) -> Result:
    """Runs one job on this thread, with the interpreter's lock released unless a congestion control is in Python."""
    text = job.scenario
    if job.backend != SIM:
        return kernels.run(text, kernels.choose(job.backend), job.overrides, seed=job.seed, cancel=cancel)
    return simulated(text, job.overrides, job.seed, cancel, progress, verify=job.verify, threads=job.threads)


def simulated(
    text: Text,
    overrides: tuple[tuple[str, str], ...],
    seed: int | None,
    cancel: Cancel,
    progress: ProgressCallback,
    *,
    verify: bool,
    threads: int = 1,
    trace: Trace | None = None,
    write: Callable[[str, bytes], None] | None = None,
) -> Result:
    """Simulates a scenario on this thread, or on more; `write` gets the names and the bytes of the files of a trace."""
    with named(text):
        meta, tables = _core.run(
            text.text,
            text.format,
            list(overrides),
            seed,
            cancel,
            progress,
            trace,
            write,
            folder=text.folder,
            algorithms=registry.algorithms(),
            verify=verify,
            calls=calls(),
            threads=threads,
        )
    return Result(meta, {name: Table(table) for name, table in tables.items()}, partial(as_toml, text, overrides))


def seeds_from(first: int, count: int) -> list[int]:
    """The seeds of `count` replications: `first` and those after it.

    Raises
    ------
    RefusedError
        If one of them is no seed.
    """
    seeds = _following(first, count)
    for seed in (seeds[0], seeds[-1]):
        if not is_seed(seed):
            raise RefusedError(f"seed {seed}: {SEEDS}")
    return seeds


def _following(first: int, count: int) -> list[int]:
    if not 1 <= count <= MOST_REPLICATIONS:
        raise ValueError(f"the number of seeds is from 1 to {MOST_REPLICATIONS}, not {count}")
    return list(range(first, first + count))


@overload
def run(
    scenario: Source,
    *,
    seed: int | None = None,
    seeds: None = None,
    overrides: Overrides | None = None,
    threads: int | None = None,
    large: bool = False,
    progress: bool | Callable[[float], object] = False,
    verify: bool = False,
    backend: str = SIM,
) -> Result: ...
@overload
def run(
    scenario: Source,
    *,
    seed: None = None,
    seeds: int | Iterable[int],
    overrides: Overrides | None = None,
    threads: int | None = None,
    large: bool = False,
    progress: bool | Callable[[float], object] = False,
    verify: bool = False,
    backend: str = SIM,
) -> Replications: ...
def run(
    scenario: Source,
    *,
    seed: int | None = None,
    seeds: int | Iterable[int] | None = None,
    overrides: Overrides | None = None,
    threads: int | None = None,
    large: bool = False,
    progress: bool | Callable[[float], object] = False,
    verify: bool = False,
    backend: str = SIM,
) -> Result | Replications:
    """Runs a scenario, once or as replications.

    Parameters
    ----------
    scenario
        The path of a TOML file, TOML text, a dict of the same shape, or an `ackclock.scenario.Scenario`.
    seed
        Seed of a single run; the scenario's own when not given.
    seeds
        Run replications: a number of them (the scenario's seed and those after it) or the seeds themselves.
    overrides
        Values by key path that replace the scenario's, for example ``{"bottleneck.rate": "2Mbps"}``.
    threads
        Replications at the same time; as many as there are cores when not given. For a single run, the number of
        threads of this run; one when not given. It does not change the results.
        Replications with a congestion control in Python are done by processes, each of which loads its file.
    large
        Run a scenario even if it is estimated to take more memory than this machine has.
    progress
        True for a bar on standard error, or a function called with the part done, from 0 to 1.
    verify
        Replay the events of every run against the rates, delays and limits of its links, and compare its tables with
        each other. A run takes several times as long; its results are the same.
    backend
        ``sim``, or a kernel whose TCP the run has: ``linux:6.12`` in virtual time, ``linux:TREE`` for a source tree, or
        ``linux`` for the running kernel in real time.

    Returns
    -------
    Result or Replications
        A `Result`, or with `seeds` the `Replications` in the order of the seeds.

    Raises
    ------
    ScenarioError
        With everything that is wrong with the scenario or a seed, or if a run may take more memory than this machine
        has, before anything runs.
    AlgorithmError
        If a congestion control in Python goes wrong; what it raised is the cause.
    TransportError
        If a transport that is not TCP breaks the rules of its interface.
    ProcessError
        If a congestion control in Python ends the process of its replication, or a transport of a library crashes or
        blocks.
    VerificationError
        If `verify` finds something.
    KernelError
        If the backend is no kernel that can be used, or a run in it fails.
    """
    if verify and backend != SIM:
        raise ValueError(f"verify replays the events of the simulator, and {backend} has none")
    if seed is not None and seeds is not None:
        raise ValueError("give seed for one run or seeds for replications, not both")
    text = load(scenario)
    pairs = tuple(override_pairs(overrides))
    canonical = check(text, pairs)
    own_seed = int(canonical["seed"])
    chosen: list[int | None] = [None]
    if seeds is not None:
        chosen = [*seeds_of(seeds, own_seed)]
    elif seed is not None:
        chosen = [_whole("seed", seed)]
    for one in chosen:
        check_seed(one, text)
    if not large:
        refuse_huge(text, pairs)
    if backend != SIM:
        where = kernels.choose(backend)
        kernels.check(text, where, list(pairs))
        backend = where.exact
    jobs = [Job(text, pairs, one, verify, backend, 1 if seeds is not None else threads or 1) for one in chosen]
    at_once = min(len(jobs), threads or default_threads())
    with (
        pool_for(registry.named_in(canonical), at_once, [run_job], foreign=foreign(canonical)) as processes,
        reporter(progress, text.name or "run") as report,
    ):
        worker = run_job if processes is None else processes.worker(run_job)
        runs = execute(jobs, worker, threads=threads, progress=report)
    return runs[0] if seeds is None else Replications(runs)


def check_seed(seed: int | None, text: Text) -> None:
    """Refuses what is no seed."""
    if seed is not None and not is_seed(seed):
        raise ScenarioError.of(f"seed {seed}: {SEEDS}", text.name)


SEEDS = "accepted: a whole number from 0 to 2^64 - 1"


def is_seed(number: int) -> bool:
    """Whether a run can have this seed."""
    return 0 <= number < 2**64


def seeds_of(seeds: int | Iterable[int], own: int) -> list[int]:
    """The seeds that `seeds` asks for: so many from the scenario's `own`, or these."""
    if not isinstance(seeds, Iterable):
        return _following(own, _whole("seeds", seeds))
    chosen = [_whole("a seed", seed) for seed in seeds]
    if not chosen:
        raise ValueError("seeds is empty")
    if len({*chosen}) < len(chosen):
        raise ValueError("seeds has one twice: the same run again is no replication")
    return chosen


def _whole(what: str, value: SupportsIndex) -> int:
    """An argument as a whole number, numpy's included."""
    try:
        return index(value)
    except TypeError:
        raise TypeError(f"{what} is a whole number, not {value!r}") from None
