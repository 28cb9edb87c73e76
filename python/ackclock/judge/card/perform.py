"""The runs of a card: which there are, and the numbers that their rows read from them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ackclock._errors import ScenarioError, TransportError
from ackclock.base.quantities import TIMES, quantity
from ackclock.cc import registry
from ackclock.engine import kernels
from ackclock.engine.run import SIM, Job, run_job
from ackclock.engine.threads import default_threads, execute
from ackclock.engine.watched import pool_for
from ackclock.judge.card.candidate import BESIDE, CANDIDATE, Candidate
from ackclock.judge.card.measures import value_of
from ackclock.judge.card.section import Scenario
from ackclock.judge.conform.evidence import Unreadable
from ackclock.kernel.source import KernelError
from ackclock.results.result import lateness_of
from ackclock.scenario import Text, check
from ackclock.scenario._source import foreign

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ackclock._core import Cancel
    from ackclock.base.progress import ProgressCallback
    from ackclock.judge.card.section import Point, Row, Section

__all__ = ["Cell", "Numbers", "Plan", "measured", "planned", "scenario_of"]


@dataclass(frozen=True)
class Cell:
    """A point of a scenario of a section: the runs whose numbers stand beside each other."""

    section: Section
    scenario: Scenario
    point: Point


@dataclass(frozen=True)
class Asked:
    """One scenario as text with its overrides and the numbers that are read from each of its runs."""

    text: Text
    overrides: tuple[tuple[str, str], ...]
    measures: tuple[tuple[str, str], ...]
    """Measures and their arguments as JSON."""


@dataclass(frozen=True)
class Task:
    """A run and the numbers that are read from it."""

    job: Job
    measures: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Plan:
    """The cells of a card and the runs for them. Equal runs are made once."""

    cells: tuple[Cell, ...]
    asked: tuple[Asked, ...]
    seeds: tuple[int, ...]
    wanted: int
    """Number of runs that the rows ask for, equal ones included."""
    seconds: float
    """Simulated time of all runs, s."""
    names: tuple[str, ...]
    """Congestion controls that the runs name."""
    foreign: bool
    """Whether the runs execute a transport of a library."""
    refused: dict[tuple[str, str, str, str], str]
    """Section, scenario, point and place (candidate, cubic or reno) of runs that cannot be made, with the reasons."""

    @property
    def runs(self) -> int:
        """Number of runs."""
        return len(self.asked) * len(self.seeds)


@dataclass(frozen=True)
class Numbers:
    """The numbers of all runs of a card, by seed."""

    plan: Plan
    candidate: Candidate
    found: dict[tuple[str, tuple[tuple[str, str], ...], str, str], tuple[float | str, ...]]
    """Text, overrides, measure and arguments to the numbers by seed; a text is the reason why there is none."""

    def of(self, cell: Cell, row: Row, who: str, without: tuple[str, ...] = ()) -> list[float] | str:
        """The numbers of a row under all seeds with the candidate, CUBIC or Reno; or the reason why there are none."""
        problem = self.plan.refused.get((cell.section.number, cell.scenario.name, cell.point.name, who))
        if problem is not None:
            return problem
        text, overrides = scenario_of(cell, self.candidate, who, without)
        values = self.found[text.text, overrides, *_measure(row)]
        reasons = [one for one in values if isinstance(one, str)]
        return reasons[0] if reasons else [float(one) for one in values]


def scenario_of(
    cell: Cell, candidate: Candidate, who: str, without: tuple[str, ...] = ()
) -> tuple[Text, tuple[tuple[str, str], ...]]:
    """A scenario with the candidate, CUBIC or Reno in its place, and its overrides."""
    scenario = cell.scenario
    network = scenario.network
    if candidate.backend != SIM and "probes" in network:
        # A kernel records no packets; the rows that need them say so.
        network = network | {"probes": {name: one for name, one in network["probes"].items() if name != "packets"}}
    document = {"name": scenario.name} | network | {"flows": candidate.flows(scenario, who, without)}
    place = f"section {cell.section.number}, scenario {scenario.name}"
    text = Text(json.dumps(document, ensure_ascii=False, allow_nan=False), "json", place)
    return text, cell.point.settings + candidate.overrides(scenario, who, without)


def planned(chosen: Sequence[Section], candidate: Candidate, seeds: Sequence[int], *, quick: bool) -> Plan:
    """The runs of a card, all of them checked.

    Raises
    ------
    ScenarioError
        If the simulator, or the kernel, does not accept the candidate.
    """
    cells = tuple(
        Cell(section, scenario, point)
        for section in chosen
        for scenario in section.scenarios
        for point in scenario.points
        if point.quick or not quick
    )
    wanted: dict[tuple[Text, tuple[tuple[str, str], ...]], dict[tuple[str, str], None]] = {}
    refused: dict[tuple[str, str, str, str], str] = {}
    names: dict[str, None] = {}
    strange = False
    total = 0
    durations_ns: dict[tuple[Text, tuple[tuple[str, str], ...]], int] = {}
    kernel = None if candidate.backend == SIM else kernels.choose(candidate.backend)
    _check_candidate(candidate, kernel)
    for cell in cells:
        for who in (CANDIDATE, *BESIDE):
            key = (cell.section.number, cell.scenario.name, cell.point.name, who)
            if cell.scenario.tcp and candidate.transport is not None and who == CANDIDATE:
                refused[key] = f"the scenario needs settings of TCP, which {candidate.transport} does not have"
                continue
            total += len(seeds) * len({without for without, _ in _variants(cell.scenario)})
            for without, row in _variants(cell.scenario):
                text, overrides = scenario_of(cell, candidate, who, without)
                if (text, overrides) not in wanted:
                    try:
                        canonical = check(text, overrides)
                        if kernel is not None:
                            kernels.check(text, kernel, list(overrides))
                    except ScenarioError as error:
                        # A transport may need larger packets, for example, than a path has.
                        own = candidate.transport if who == CANDIDATE else None
                        runner = candidate.backend if kernel is not None else own
                        if runner is None:
                            raise
                        refused[key] = f"{runner} cannot run it: {'; '.join(error.lines())}"
                        break
                    wanted[text, overrides] = {}
                    names |= dict.fromkeys(registry.named_in(canonical))
                    strange = strange or foreign(canonical)
                    durations_ns[text, overrides] = quantity(canonical["duration"], TIMES)
                wanted[text, overrides][_measure(row)] = None
    asked = tuple(Asked(*key, tuple(measures)) for key, measures in wanted.items())
    seconds = len(seeds) * sum(durations_ns.values()) / 1e9
    return Plan(cells, asked, tuple(seeds), total, seconds, tuple(names), strange, refused)


REFUSAL = "create"
"""Function of the interface in which a transport refuses a path, such as one whose packets are too small for it."""

ALONE = Scenario(
    name="candidate",
    summary="The candidate alone.",
    network={"duration": "1s", "bottleneck": {"rate": "10Mbps", "delay": "10ms"}},
    flows=({"name": "flow", "role": "candidate", "app": "bulk"},),
    rows=(),
    points=(),
)
"""A scenario in which nothing but the candidate can be wrong."""


def _check_candidate(candidate: Candidate, kernel: kernels.Kernel | None) -> None:
    """Refuses a candidate that the backend does not accept, in whatever scenario."""
    document = {"name": ALONE.name} | ALONE.network | {"flows": candidate.flows(ALONE, CANDIDATE)}
    text = Text(json.dumps(document, ensure_ascii=False), "json", f"the candidate {candidate.name}")
    overrides = candidate.overrides(ALONE, CANDIDATE)
    check(text, overrides)
    if kernel is not None:
        kernels.check(text, kernel, list(overrides))


def _variants(scenario: Scenario) -> Iterator[tuple[tuple[str, ...], Row]]:
    """The rows of a scenario, each with all flows, and with those that a harm leaves out."""
    for row in scenario.rows:
        yield (), row
        if row.harm:
            yield row.harm, row


def _measure(row: Row) -> tuple[str, str]:
    return row.measure, json.dumps(row.args, sort_keys=True)


def measured(
    plan: Plan, candidate: Candidate, *, threads: int | None = None, progress: ProgressCallback | None = None
) -> Numbers:
    """Makes all runs and reads the numbers of the rows.

    Raises
    ------
    AlgorithmError, TransportError, ProcessError
        As of `ackclock.run`.
    """
    tasks = [
        Task(Job(one.text, one.overrides, seed, backend=candidate.backend), one.measures)
        for one in plan.asked
        for seed in plan.seeds
    ]
    at_once = min(len(tasks), threads or default_threads())
    with pool_for(plan.names, at_once, [_perform], foreign=plan.foreign) as processes:
        worker = _perform if processes is None else processes.worker(_perform)
        done = execute(tasks, worker, threads=threads, progress=progress)
    found: dict[tuple[str, tuple[tuple[str, str], ...], str, str], tuple[float | str, ...]] = {}
    for place, one in enumerate(plan.asked):
        runs = done[place * len(plan.seeds) : (place + 1) * len(plan.seeds)]
        for number, (measure, args) in enumerate(one.measures):
            found[one.text.text, one.overrides, measure, args] = tuple(run[number] for run in runs)
    return Numbers(plan, candidate, found)


def _perform(task: Task, cancel: Cancel, progress: ProgressCallback) -> tuple[float | str, ...]:
    """Makes a run and reads its numbers. A number that cannot be read is the reason as a text.

    All numbers of a run are such texts if a kernel fails in it, or if the transport of a library refuses the path: the
    other rows of the card do not depend on this run.
    """
    try:
        run = run_job(task.job, cancel, progress)
    except KernelError as error:
        return (str(error).splitlines()[0],) * len(task.measures)
    except TransportError as error:
        if error.call != REFUSAL:
            raise
        return (f"{error.transport} cannot run it: {error.what}",) * len(task.measures)
    late = lateness_of(run.meta)
    values: list[float | str] = []
    for measure, args in task.measures:
        try:
            values.append(value_of(run, measure, json.loads(args)) if late is None else late)
        except Unreadable as error:
            values.append(str(error))
    return tuple(values)
