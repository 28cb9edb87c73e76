"""Repeats the runs of a pack, and compares everything that a reader of the pack is shown with what comes of them."""

from __future__ import annotations

import math
import platform
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ackclock import _core
from ackclock._errors import RefusedError, ScenarioError
from ackclock.base import confined
from ackclock.base.progress import reporter
from ackclock.base.shown import one_line
from ackclock.base.workplace import temporary
from ackclock.cc.registry import LoadError, check_file
from ackclock.engine.run import SIM
from ackclock.judge.packs import derive, kernels
from ackclock.judge.packs.archive import PackError
from ackclock.judge.packs.brought import code_of
from ackclock.judge.packs.contents import TESTIMONY, digests
from ackclock.judge.packs.repeat import Question, answered, answered_confined, job_of
from ackclock.judge.packs.shape import check_accounts, check_document, check_sweep
from ackclock.judge.packs.unpack import is_plain, unpack
from ackclock.results.measure import MEASURES
from ackclock.store import open_store
from ackclock.store.layout import StoreError
from ackclock.store.packed import DamagedRunError
from ackclock.store.packed import unpack as unpack_run
from ackclock.store.provenance import build
from ackclock.sweeps.plan import backend_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ackclock.base.progress import ProgressCallback
    from ackclock.judge.packs.repeat import Answer
    from ackclock.store import Store

__all__ = ["CONFINED", "NOT_EXECUTED", "TRUSTED", "Verified", "verify"]

CONFINED = "executed in a process without network, which writes to a temporary folder alone"
TRUSTED = "executed with the rights of this user"
NOT_EXECUTED = "the pack brings no code"


@dataclass(frozen=True)
class Verified:
    """The result of repeating the runs of a pack."""

    runs: int
    """Runs of the pack."""
    same: int
    """Runs of the simulator with the same cells in every table."""
    failed: int
    """Runs that failed as the pack says: they give no results."""
    equivalent: int
    """Runs of a kernel whose measures all lie in the spread of repetitions; see `ackclock.judge.packs.kernels`."""
    different: Sequence[str]
    """A sentence for each run that came out otherwise."""
    left_out: Sequence[str]
    """Runs that were not repeated because fewer were asked for."""
    not_repeated: Sequence[str]
    """A sentence for each run that this machine cannot repeat."""
    changed: Sequence[str]
    """A sentence for everything in the pack that does not follow from its runs."""
    not_compared: Sequence[str]
    """Parts of the pack that nothing was compared with."""
    code: Sequence[str]
    """Code that the pack brings."""
    executed: str
    """Way in which that code was executed: `CONFINED`, `TRUSTED`, or `NOT_EXECUTED`."""
    measures: Sequence[str] = field(default=())
    """A sentence for each measure of each run of a kernel."""

    @property
    def good(self) -> bool:
        """Whether something was reproduced, and nothing differs, was changed or could not be repeated."""
        wrong = self.different or self.changed or self.not_repeated
        return not wrong and self.same + self.equivalent > 0


@dataclass
class _Found:
    """The findings so far, which `Verified` takes over at the end."""

    same: int = 0
    failed: int = 0
    equivalent: int = 0
    different: list[str] = field(default_factory=list)
    not_repeated: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    not_compared: list[str] = field(default_factory=list)
    measures: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Wanted:
    """A run of the pack."""

    key: str
    told: str
    """The run in words."""
    sweep: Mapping[str, Any]
    point: int
    """The number of its point in the question."""
    seed: int
    backend: str
    """``sim``, or the kernel as the pack names it."""


def verify(
    path: Path,
    *,
    threads: int | None = None,
    most: int | None = None,
    any_version: bool = False,
    trust: bool = False,
    repeats: int = kernels.REPEATS,
    progress: bool | Callable[[float], object] = False,
) -> Verified:
    """Repeats the runs of a pack, and derives again everything that a reader of the pack is shown.

    Runs are repeated in a process without network that can write to a temporary folder alone, where the system can
    confine one. Elsewhere, a pack that brings code is refused unless it is trusted.

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
    trust
        Execute the code of the pack in this process, with the rights of this user.
    repeats
        Repetitions of each run of a kernel, at least 2.
    progress
        True for a bar on standard error, or a function called with the part done, from 0 to 1.

    Raises
    ------
    PackError
        If it is no pack, another version of the engine made it, or code cannot be confined and is not trusted.
    """
    with temporary("verify") as made:
        folder = made.resolve()
        with _told_of(path, folder):
            document = unpack(path, folder / "pack")
            check_document(document)
            if document["wheel"] is not None and not is_plain(document["wheel"]):
                raise PackError("ackclock-pack.json: damaged: wheel is no name of a file")
            if document["engine"] != _core.engine() and not any_version:
                raise PackError(
                    f"its results are those of ackclock {one_line(document['version'])[:64]}, and this is {build()}; "
                    "accepted: that version from a place that you trust, or --any-version"
                )
            with open_store(folder / "pack" / "store", mixed=True, covered=True) as store:
                return _verify(store, folder, document, threads, most, trust, repeats, path, progress)


@contextmanager
def _told_of(path: Path, folder: Path) -> Iterator[None]:
    """Messages about the pack and its members, and not about the temporary folder, whose remedies do not exist."""
    try:
        yield
    except (RefusedError, LoadError) as error:
        told = str(error).replace(f"{folder / 'pack'}/", "").replace(str(folder), "the pack")
        if isinstance(error, StoreError):
            told = f"{told.partition('; ')[0]}; accepted: what `ackclock pack` wrote"
        raise PackError(told if told.startswith(f"{path}: ") else f"{path}: {told}") from None


def _verify(
    store: Store,
    folder: Path,
    document: Mapping[str, Any],
    threads: int | None,
    most: int | None,
    trust: bool,
    repeats: int,
    path: Path,
    progress: bool | Callable[[float], object],
) -> Verified:
    sweeps = [dict(sweep.document) | {"runs": [*sweep.document["runs"]]} for sweep in store.sweeps]
    for sweep, known in zip(sweeps, store.sweeps, strict=True):
        check_sweep(sweep)
        for file, _ in sweep["algorithms"].values():
            check_file(file)
        if sweep["id"] != known.id:
            raise PackError(f"sweep {one_line(known.id)}: damaged: its id is another than its name")
    accounts = store.provenance()
    check_accounts(accounts)
    question, wanted = _question(folder / "pack" / "store" / "sources", sweeps, threads)
    step = max(1, math.ceil(len(wanted) / most)) if most else 1
    chosen = wanted[::step]
    left_out = [f"{len(wanted) - len(chosen)} runs: only {len(chosen)} were asked for"] if step > 1 else []
    of_sim = [run for run in chosen if run.backend == SIM]
    question.runs.extend([run.point, run.seed] for run in of_sim)
    code = code_of(sweeps)
    with reporter(progress, one_line(path.name)) as report:
        answer, executed = _answer(question, folder, code, trust, report)
    found = _Found()
    _derived(store, folder, document, sweeps, accounts, answer, found)
    for run, data in zip(of_sim, answer.runs, strict=True):
        _compare(store, document, run, data, found)
    for run in chosen:
        if run.backend != SIM:
            _of_kernel(store, question, answer, run, repeats, found)
    return Verified(
        len(wanted), found.same, found.failed, found.equivalent, found.different, left_out, found.not_repeated,
        [*dict.fromkeys(found.changed)], [*dict.fromkeys(found.not_compared)], code, executed, found.measures,
    )  # fmt: skip


def _question(
    sources: Path, sweeps: Sequence[Mapping[str, Any]], threads: int | None
) -> tuple[Question, list[_Wanted]]:
    """The inputs of all points, and every run once."""
    question = Question(str(sources), [], [], [], {}, threads)
    wanted: dict[str, _Wanted] = {}
    for sweep in sweeps:
        first, texts = len(question.points), len(question.texts)
        question.texts.extend(sweep["scenarios"])
        question.algorithms.update(sweep["algorithms"])
        for point in sweep["points"]:
            question.points.append({**point, "scenario": texts + point["scenario"]})
        for key, number, seed in sweep["runs"]:
            point = sweep["points"][number]
            params = ", ".join(f"{name}={value}" for name, value in point["params"].items()) or "the scenario"
            told = one_line(f"{params}, seed {seed}")
            wanted.setdefault(key, _Wanted(key, told, sweep, first + number, seed, point.get("backend", SIM)))
    return question, list(wanted.values())


def _answer(
    question: Question, folder: Path, code: Sequence[str], trust: bool, progress: ProgressCallback | None
) -> tuple[Answer, str]:
    """Answer that follows from the inputs, and the way in which the code was executed."""
    if trust:
        return answered(question, progress), TRUSTED if code else NOT_EXECUTED
    why = confined.available()
    if why is None:
        place = folder / "work"
        place.mkdir()
        answer = answered_confined(question, place, progress)
        if answer is not None:
            return answer, CONFINED if code else NOT_EXECUTED
        why = "this system does not let a process be confined"
    if code:
        raise PackError(
            f"brings code, which is not executed: {', '.join(code)}; {why}; accepted: --trust, which executes it with "
            "the rights of this user, for those who have read it"
        )
    answer = answered(question, progress)
    if any(point.libraries for point in answer.points):
        raise PackError("names a library, which is not executed; accepted: --trust, for those who know the library")
    return answer, NOT_EXECUTED


def _derived(
    store: Store,
    folder: Path,
    document: Mapping[str, Any],
    sweeps: Sequence[Mapping[str, Any]],
    accounts: list[Any],
    answer: Answer,
    found: _Found,
) -> None:
    """Everything that a reader is shown besides the results."""
    sources = folder / "pack" / "store" / "sources"
    results = {run: digests(one) for run, one in store.results()}
    failures = {row["run"]: row["error"] for row in store.failures.rows()}
    place = 0
    for sweep in sweeps:
        points = answer.points[place : place + len(sweep["points"])]
        place += len(points)
        found.changed += derive.of_requests(sweep)
        found.changed += derive.of_points(sweep, points, sources)
        name = one_line(f"sweep {sweep['name']}")
        if sweep["request"] is None:
            found.not_compared.append(f"{name}: its request is not in the pack, so points may be left out")
        if sweep["keep"][1] is not None:
            found.not_compared.append(f"{name}: table {MEASURES}: the function of its numbers is not in the pack")
    found.changed += [f"{one_line(one)}: its text is that of another source" for one in answer.unfounded]
    used = {digest for sweep in sweeps for point in sweep["points"] for _, digest in point.get("files", [])}
    kept = {path.name for path in sources.glob("*")}
    found.changed += [f"store/sources/{one_line(one)}: no scenario names it" for one in sorted(kept - used)]
    found.changed += derive.of_runs(store, sweeps)
    found.changed += derive.of_store(store.path, sweeps)
    found.changed += derive.of_files(folder / "pack", document, sweeps, accounts, results, failures)
    if not store.complete:
        found.changed.append("store: runs that its sweeps ask for are missing")
    found.not_compared.append(f"the sender's word: {', '.join(TESTIMONY)}, and host and times of store/provenance")
    if failures:
        found.not_compared.append("the details of failures, which are text of the machine that made them")


def _compare(store: Store, document: Mapping[str, Any], run: _Wanted, data: bytes | None, found: _Found) -> None:
    """Compares a run of the simulator with the one of the pack."""
    if run.sweep["keep"][2] is not None:
        found.not_repeated.append(f"{run.told}: a function that is not in the pack did it")
        return
    if data is None:
        found.different.append(f"{run.told}: cannot run")
        return
    try:
        packed = unpack_run(data)
    except DamagedRunError as error:
        raise PackError(f"the process that repeated the runs gave {error}") from None
    record = packed.record
    failure = document["failures"].get(run.key)
    if record["status"] == "failed":
        if failure is None:
            found.different.append(f"{run.told}: failed: {one_line(str(record['error']))}")
        elif failure != record["error"]:
            found.different.append(f"{run.told}: failed otherwise than the pack says: {one_line(str(record['error']))}")
        else:
            found.failed += 1
        return
    if failure is not None:
        found.different.append(f"{run.told}: did not fail; on record: {one_line(failure)}")
        return
    try:
        held = store.result(run.key)
    except (KeyError, RefusedError):
        found.different.append(f"{run.told}: has no results in the pack")
        return
    ours = digests(packed.result())
    tables = run.sweep["keep"][0]
    ours = {name: digest for name, digest in ours.items() if tables is None or name in tables}
    theirs = digests(held)
    wrong = sorted({name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name)})
    if held.meta["duration_s"] != record["duration_s"]:
        wrong.append("duration")
    found.same += not wrong
    if wrong:
        found.different.append(f"{run.told}: {', '.join(map(one_line, wrong))}")


def _of_kernel(store: Store, question: Question, answer: Answer, run: _Wanted, repeats: int, found: _Found) -> None:
    """Repeats a run of a kernel several times, and compares its measures one by one."""
    from ackclock.kernel import backends, live
    from ackclock.kernel.source import KernelError

    told = f"{run.told}, {one_line(run.backend)}"
    if answer.points[run.point].problem is not None or answer.points[run.point].algorithms:
        found.different.append(f"{told}: cannot run")
        return
    try:
        name = _kernel_here(run.backend)
        where = backends.backend(name)
        job = job_of(question, run.point, run.seed)
        here = [live.run(job.scenario, where, job.overrides, seed=run.seed) for _ in range(max(2, repeats))]
    except (KernelError, ScenarioError) as error:
        found.not_repeated.append(f"{told}: {one_line(str(error))}")
        return
    try:
        held = store.result(run.key)
    except (KeyError, RefusedError):
        found.different.append(f"{told}: has no results in the pack, and did not fail here")
        return
    measures = kernels.compared(held, here)
    apart = [one for one in measures if not one.equivalent]
    found.measures += [f"{told}: {one}" for one in measures]
    found.equivalent += not apart
    found.different += [f"{told}: {one_line(str(one))}" for one in apart]
    left = kernels.not_compared(held, here)
    if left:
        found.not_compared.append(f"runs of kernels: tables {one_line(', '.join(left))}, and columns of text")


def _kernel_here(kernel: str) -> str:
    """The backend of this machine that is the kernel of a pack.

    Raises
    ------
    KernelError
        If this machine has no such kernel.
    """
    from ackclock.kernel import builds
    from ackclock.kernel.source import KernelError

    name = backend_of(kernel)
    which = kernel.partition(":")[2]
    if name == kernel:
        if which not in {one.digest for one in builds.built()}:
            raise KernelError(f"this machine has no kernel with the digest {which}")
    elif which != platform.release():
        raise KernelError(f"this machine runs Linux {platform.release()}, and not {which}")
    return name
