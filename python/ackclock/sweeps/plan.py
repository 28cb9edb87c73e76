"""The plan of a sweep: its points, checked, and the runs that come of them, each with its key."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import platform
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from ackclock import _core
from ackclock._errors import Problem, ScenarioError
from ackclock.cc import registry
from ackclock.engine import kernels
from ackclock.engine.run import SIM, Job
from ackclock.results.usual import competing_at_all, competing_of
from ackclock.scenario import Overrides, named, override_pairs
from ackclock.scenario._renamed import warn
from ackclock.scenario._source import foreign
from ackclock.store.provenance import build
from ackclock.sweeps.sources import Reference, algorithms_of, references

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.results.result import Result
    from ackclock.scenario import Text
    from ackclock.sweeps.vary import Setting

__all__ = ["Keep", "Plan", "Point", "Run", "backend_of", "id_of", "key_of", "points_of"]


@dataclass(frozen=True, slots=True)
class Keep:
    """The parts of a run that a sweep keeps."""

    tables: tuple[str, ...] | None = None
    """These tables alone; None keeps all."""
    measure: Callable[[Result], Mapping[str, float]] | None = None
    """Numbers taken from each run, kept as the table ``measures``."""

    worker: Callable[..., Result] | None = None
    """The function that does a run, where that is not the engine alone."""

    def digest(self) -> list[Any]:
        """Values that identify the choice."""
        named = [None if one is None else _source(one) for one in (self.measure, self.worker)]
        return [self.tables, *named]


SIMPLE = (bool, int, float, str, bytes, tuple, frozenset, type(None))


def _source(function: Any) -> list[Any]:
    """A function by its name, a digest of the source of its module, and the plain values and functions bound to it."""
    if isinstance(function, functools.partial):
        return [_source(function.func), repr(function.args), repr(sorted(function.keywords.items()))]
    target = function if inspect.isroutine(function) else type(function)
    try:
        module = inspect.getmodule(target)
        source = inspect.getsource(target if module is None or module.__name__ == "__main__" else module)
    except (OSError, TypeError):
        raise ValueError(
            f"the source of {target.__qualname__} cannot be found, so that its numbers could not be told from "
            "another's; put it into a file"
        ) from None
    cells = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    cells += [getattr(function, "__defaults__", None), *(getattr(function, "__kwdefaults__", None) or {}).items()]
    bound: list[Any] = [repr(value) for value in cells if isinstance(value, SIMPLE)]
    bound += [_source(value) for value in cells if inspect.isfunction(value) or isinstance(value, functools.partial)]
    return [target.__qualname__, hashlib.sha256(source.encode()).hexdigest(), bound]


BACKEND = "backend"
"""The dimension of a sweep that is no path of a scenario."""


@dataclass(frozen=True, slots=True)
class Point:
    """A scenario with what it sets."""

    params: Mapping[str, object]
    scenario: Text
    overrides: tuple[tuple[str, str], ...]
    scenario_hash: str
    memory: float = 0.0
    """Bytes that a run of it is estimated to take."""
    backend: str = SIM
    """Backend of the point: the simulator, or a kernel by its exact name."""
    files: tuple[Reference, ...] = ()
    """The files that it names."""
    algorithms: tuple[str, ...] = ()
    """The congestion controls that it names."""
    foreign: bool = False
    """Whether it executes transports of libraries, which may crash or block."""
    weight: float | None = None
    """Its weight in a population, which is no part of its runs."""
    population: tuple[str, ...] = ()
    """The names over which the weights are."""
    flows: tuple[str, ...] = ()
    """The names of its flows."""
    links: tuple[str, ...] = ()
    """The names of its links in the network."""
    competing: tuple[tuple[str, ...], ...] = ()
    """The names of its flows whose goodputs are shares of the same capacity; see `competing_of`."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a plan."""

    key: str
    point: int
    job: Job
    keep: Keep


Done: TypeAlias = tuple[Run, bytes, bool]
"""A run, what came of it as a store keeps it, and whether it went well."""


def points_of(scenario: Text, settings: Sequence[Setting], overrides: Overrides | None = None) -> list[Point]:
    """The points of one scenario; `overrides` hold at every one of them.

    Raises
    ------
    ScenarioError
        With what is wrong at every point, before anything runs.
    """
    common = override_pairs(overrides)
    points: list[Point] = []
    wrong: dict[tuple[str, int | None, str], list[str]] = {}
    for number, setting in enumerate(settings, 1):
        own = dict(setting.overrides)
        backend = _exact(str(own.pop(BACKEND, SIM)))
        pairs = (*common, *override_pairs(own))
        try:
            with named(scenario):
                given = (scenario.text, scenario.format, list(pairs), scenario.folder, registry.algorithms())
                document, digest, memory = _core.read_scenario(*given)
                canonical = json.loads(document)
            if backend != SIM:
                _kernel_can(backend, scenario, pairs)
        except ScenarioError as error:
            told = ", ".join(f"{name}={value}" for name, value in setting.params.items())
            for one in error.problems:
                wrong.setdefault((one["path"], one["line"], one["message"]), []).append(f"point {number}, {told}")
        else:
            warn(scenario, pairs)
            algorithms = registry.named_in(canonical)
            named_files = tuple(references(canonical, scenario.folder))
            points.append(
                Point(
                    setting.params, scenario, pairs, digest, memory, backend, named_files, algorithms,
                    foreign(canonical), setting.weight, setting.population,
                    tuple(str(flow["name"]) for flow in canonical["flows"]),
                    ("bottleneck", *(str(link["name"]) for link in canonical.get("links", []))),
                    tuple(map(tuple, competing_of(canonical))),
                )
            )  # fmt: skip
    if wrong:
        problems = [
            Problem(path=path, line=line, message=message + _where(told, len(settings)))
            for (path, line, message), told in wrong.items()
        ]
        raise ScenarioError(problems, scenario.name)
    return points


def _exact(backend: str) -> str:
    """The name of a backend that means this kernel and no other; a source tree is built."""
    if backend == SIM:
        return backend
    return kernels.choose(backend).exact


def _kernel_can(backend: str, scenario: Text, pairs: tuple[tuple[str, str], ...]) -> None:
    """Refuses what a kernel cannot do."""
    kernels.check(scenario, kernels.choose(backend), list(pairs))


def _where(told: list[str], points: int) -> str:
    """Names the points with which something is wrong, or nothing if something is wrong with all of them."""
    if len(told) == points:
        return ""
    more = len(told) - 1
    return f" ({told[0]}{f', and {more} more' if more else ''})"


@dataclass
class Plan:
    """Points and seeds; more seeds may be added to a point."""

    points: Sequence[Point]
    name: str
    keep: Keep = field(default_factory=Keep)
    measures: Sequence[str] = ()
    """The measures that the sweep is about, which reports show first; they do not identify it."""
    terms: Mapping[str, Any] = field(default_factory=dict)
    """Further values that identify the sweep besides its first runs: the rule for more seeds."""
    request: Mapping[str, Any] | None = None
    """Request for the sweep, as `ackclock.sweeps.request` writes it; None if the points were made otherwise."""
    runs: list[Run] = field(default_factory=list)
    """Runs in the order in which they are stored."""

    def __post_init__(self) -> None:
        self._build = build()
        self._first: int | None = None

    def add(self, seeds: Sequence[int], points: Sequence[int] | None = None, keep: Keep | None = None) -> None:
        """Adds runs: every point (or those of these numbers) under one seed, then under the next.

        `keep` says what is kept of these runs, where it is not the plan's.
        """
        kept = self.keep if keep is None else keep
        digest = kept.digest()
        for seed in seeds:
            for number in range(len(self.points)) if points is None else points:
                point = self.points[number]
                job = Job(point.scenario, point.overrides, seed, backend=point.backend)
                kernel = None if point.backend == SIM else _kernel(point.backend)
                key = key_of(point.scenario_hash, seed, self._build, digest, kernel)
                self.runs.append(Run(key, number, job, kept))
        if self._first is None:
            self._first = len(self.runs)

    @property
    def id(self) -> str:
        """Twelve hexadecimal digits of what the sweep asks for: its first runs, what points are called, its terms."""
        first = [(run.key, run.point) for run in self.runs[: self._first]]
        return id_of([dict(point.params) for point in self.points], first, dict(self.terms))

    def document(self) -> dict[str, Any]:
        """The document of the plan in the store."""
        texts = list(dict.fromkeys(point.scenario for point in self.points))
        competing = competing_at_all([[list(names) for names in point.competing] for point in self.points])
        return {
            "id": self.id,
            "name": self.name,
            "version": self._build,
            "engine": _core.engine(),
            "keep": self.keep.digest(),
            "terms": dict(self.terms),
            "request": None if self.request is None else dict(self.request),
            **({"measures": list(self.measures)} if self.measures else {}),
            **({"competing": competing} if competing else {}),
            "algorithms": algorithms_of(self.points),
            "scenarios": [{"name": text.name, "format": text.format, "text": text.text} for text in texts],
            "points": [
                {
                    "params": dict(point.params),
                    "scenario": texts.index(point.scenario),
                    "overrides": [list(pair) for pair in point.overrides],
                    "scenario_hash": point.scenario_hash,
                }
                | ({"files": [[key, digest] for key, _, digest in point.files]} if point.files else {})
                | ({"backend": _kernel(point.backend)} if point.backend != SIM else {})
                | ({"weight": point.weight} if point.weight is not None else {})
                for point in self.points
            ],
            **({"population": list(self.points[0].population)} if self.points[0].population else {}),
            "runs": [[run.key, run.point, run.job.seed] for run in self.runs],
        }


def key_of(scenario_hash: str, seed: int, build: str, keep: Sequence[Any], kernel: str | None) -> str:
    """The key of a run: 16 hexadecimal digits of what decides its results, and of what is kept of them.

    `keep` is `Keep.digest`, and `kernel` names the kernel of a run that is not the simulator's.
    """
    return _digest([scenario_hash, seed, build, list(keep), *([] if kernel is None else [kernel])])


def id_of(params: Sequence[Mapping[str, object]], first: Sequence[Sequence[Any]], terms: Mapping[str, Any]) -> str:
    """The id of a sweep: 12 hexadecimal digits of what its points are called, its first runs, and its terms."""
    return _digest([list(params), [list(one) for one in first], dict(terms)])[:12]


def _kernel(backend: str) -> str:
    """A name of a kernel that is another for every other kernel: the running one may change with the machine."""
    return f"{backend}:{platform.release()}" if backend == "linux" else backend


def backend_of(kernel: str) -> str:
    """The backend that `_kernel` named. The exact name of a kernel of the cache is a digest, which has no dot."""
    kind, _, which = kernel.partition(":")
    return kind if "." in which else kernel


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()[:16]
