"""The search: a spread of cases, CMA-ES from the worst of them, and what is found made small."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock import _core
from ackclock._errors import RefusedError
from ackclock.base import extras
from ackclock.cc import registry
from ackclock.engine.run import Job
from ackclock.judge.card.candidate import BESIDE, CANDIDATE
from ackclock.judge.worst.perform import place_for
from ackclock.judge.worst.shrink import smaller
from ackclock.scenario import Text, check
from ackclock.scenario._source import foreign

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from ackclock.base.progress import ProgressCallback
    from ackclock.judge.card.candidate import Candidate
    from ackclock.judge.worst.bounds import Bounds
    from ackclock.judge.worst.case import Case
    from ackclock.judge.worst.goals import Goal
    from ackclock.judge.worst.perform import Damages

__all__ = ["BUDGET", "Found", "scenarios_of", "search"]

BUDGET = 600
"""Cases that a search tries when no number is given; making the worst one small comes on top."""
SPREAD = 1 / 3
"""Part of the budget for the spread of cases over the bounds, among which CMA-ES starts."""
SIGMA = 0.2
"""Initial standard deviation of CMA-ES; a dimension has the width 1."""
POPULATION = 16
"""Cases of a generation, at least; the default of CMA-ES is too few where most of the space is flat."""
SEEDS_AFTER = 8
"""Seeds under which the case is repeated when it has been found."""
MOST_SEED = 4_000_000_000
"""CMA-ES takes seeds below 2^32, and each of its starts has one of its own: this one, and the cases tried before."""
INTERVAL = "100ms"


@dataclass(frozen=True)
class Found:
    """The worst case that a search found, made small."""

    candidate: Candidate
    goal: Goal
    bounds: Bounds
    case: Case
    damage: float
    """Its damage in the unit of the goal, under the seed of the search."""
    raw: Case
    """The case before it was made small."""
    raw_damage: float
    plain_damage: float
    """The damage on the same path with nothing happening."""
    again: tuple[float, ...]
    """The damage under other seeds."""
    beside: dict[str, float]
    """The damage with CUBIC and Reno in the place of the candidate."""
    history: tuple[float, ...]
    """The damage of each case that was tried, in order, beyond that of its path with nothing happening."""
    seed: int
    tried: int
    """Number of cases, those of making it small included."""

    def document(self) -> dict[str, Any]:
        """Everything for JSON, without the scenario."""
        return {
            "version": _core.version(),
            "engine": _core.engine()[:8],
            "candidate": self.candidate.title,
            "goal": self.goal.name,
            "damage_is": self.goal.text,
            "unit": self.goal.unit,
            "seed": self.seed,
            "tried": self.tried,
            "bounds": self.bounds.told(),
            "case": self.case.told(),
            "damage": self.damage,
            "damage_before_it_was_made_small": self.raw_damage,
            "damage_with_nothing_happening": self.plain_damage,
            "damage_under_other_seeds": list(self.again),
            "damage_of_others_in_its_place": dict(self.beside),
            "history": list(self.history),
        }


@dataclass
class Bench:
    """Runs cases, and remembers those that it has run."""

    candidate: Candidate
    goal: Goal
    bounds: Bounds
    place: Damages
    """Place at which the cases run."""
    known: dict[tuple[Case, int, str], float] = field(default_factory=dict)
    history: list[float] = field(default_factory=list)
    """Damage that the events of each case added, in the order of the calls of `added`."""

    def damages(self, cases: Sequence[Case], seed: int = 1, who: str = CANDIDATE) -> list[float]:
        """The damage of each case."""
        new = [one for one in dict.fromkeys(cases) if (one, seed, who) not in self.known]
        texts = [scenarios_of(one, self.candidate, self.goal, self.bounds, who) for one in new]
        jobs = [[Job(text, overrides, seed) for text, overrides in these] for these in texts]
        found = self.place.of(self.goal, list(zip(new, jobs, strict=True)), self.bounds.duration_s)
        self.known |= {(one, seed, who): value for one, value in zip(new, found, strict=True)}
        return [self.known[one, seed, who] for one in cases]

    def added(self, cases: Sequence[Case], seed: int) -> list[float]:
        """Returns the damage that the events of each case add, or the whole damage if the bounds have no events.

        A path that hurts with nothing happening would otherwise be found instead of an event that hurts.
        """
        if not self.bounds.has_events:
            found = self.damages(cases, seed)
        else:
            damages = self.damages([*cases, *(one.plain for one in cases)], seed)
            whole, plain = damages[: len(cases)], damages[len(cases) :]
            found = [one - other for one, other in zip(whole, plain, strict=True)]
        self.history += found
        return found


def scenarios_of(
    case: Case, candidate: Candidate, goal: Goal, bounds: Bounds, who: str = CANDIDATE
) -> list[tuple[Text, tuple[tuple[str, str], ...]]]:
    """The scenario of each run of a case, and its overrides."""
    found = []
    for flows in goal.flows(candidate, who):
        document = case.document(flows, bounds.duration_s, INTERVAL)
        text = Text(json.dumps(document, ensure_ascii=False), "json", f"the case of {candidate.name}")
        places = [place for place, one in enumerate(document["flows"]) if _is_mine(one, goal)]
        overrides = [(f"flows[{place}].{name}", value) for place in places for name, value in candidate.fields]
        found.append((text, tuple(overrides) if who == CANDIDATE else ()))
    return found


def _is_mine(flow: dict[str, Any], goal: Goal) -> bool:
    """Whether a flow has the candidate."""
    return flow["name"] == "flow" or (flow["name"] == "other" and goal.beside == "equal")


def search(
    candidate: Candidate,
    goal: Goal,
    bounds: Bounds,
    *,
    seed: int = 1,
    budget: int = BUDGET,
    threads: int | None = None,
    cluster: str | None = None,
    progress: ProgressCallback | None = None,
) -> Found:
    """Searches the bounds for the case that hurts a candidate most.

    The same candidate, bounds, seed and budget give the same case, whatever the number of threads and machines.

    Parameters
    ----------
    candidate
        The congestion control.
    goal
        The kind of damage.
    bounds
        What may happen.
    seed
        Seed of the search and of every run, at most four thousand million.
    budget
        Number of cases that are tried before the worst one is made small.
    threads
        Runs at the same time; as many as there are cores when not given.
    cluster
        Address of a Dask scheduler whose workers do the runs: ``tcp://HOST:PORT``, or ``file:PATH`` of a scheduler
        file.
    progress
        Called with the part of the budget that is spent.

    Raises
    ------
    ClusterError
        If the scheduler does not answer, or its workers die.
    ExtraError
        If cmaes is not installed.
    ScenarioError
        If the simulator does not accept the candidate.
    RefusedError
        If the budget is too small, or the seed is none of this search.
    """
    extras.require("cmaes", "searches for the worst case")
    if budget < 2 * POPULATION:
        raise RefusedError(f"a budget of {budget} cases: expected at least {2 * POPULATION}")
    if not 0 <= seed <= MOST_SEED:
        raise RefusedError(f"seed {seed}: accepted: a whole number from 0 to {MOST_SEED}")
    first = bounds.case([0.5] * bounds.size)
    canonical = [check(text, overrides) for text, overrides in scenarios_of(first, candidate, goal, bounds)]
    names = tuple(dict.fromkeys(name for one in canonical for name in registry.named_in(one)))
    with place_for(names, threads, cluster, foreign=any(map(foreign, canonical))) as place:
        bench = Bench(candidate, goal, bounds, place)
        best = _tried(bench, seed, budget, progress or (lambda _: None))
        raw = bounds.case(list(best))
        raw_damage = bench.damages([raw], seed)[0]
        history = tuple(bench.history)
        plain_damage = bench.damages([raw.plain], seed)[0]
        case = smaller(raw, bounds, lambda cases: bench.damages(cases, seed), plain_damage)
        damage = bench.damages([case], seed)[0]
        tried = len(bench.known)
        again = tuple(bench.damages([case], seed + later)[0] for later in range(1, SEEDS_AFTER + 1))
        beside = {who: bench.damages([case], seed, who)[0] for who in BESIDE}
    return Found(
        candidate, goal, bounds, case, damage, raw, raw_damage, plain_damage, again, beside, history, seed, tried
    )


def _tried(bench: Bench, seed: int, budget: int, progress: ProgressCallback) -> NDArray[np.float64]:
    """The vector of the worst case within the budget."""
    from cmaes import CMA

    size = bench.bounds.size
    vectors = _spread(np.random.default_rng([seed, size]), size, max(POPULATION, int(SPREAD * budget)))
    damages = _damages(bench, vectors, seed, progress, 0, budget)
    order = sorted(range(len(vectors)), key=lambda place: -damages[place])
    best, most = vectors[order[0]], damages[order[0]]
    spent, starts = len(vectors), iter(order)
    population = max(POPULATION, 4 + int(3 * math.log(size)))
    while spent < budget:
        start = vectors[next(starts, order[0])]
        optimizer = CMA(
            mean=np.clip(start, 0.02, 0.98),
            sigma=SIGMA,
            bounds=np.tile([0.0, 1.0], (size, 1)),
            seed=seed + spent,
            population_size=population,
        )
        stale = 0
        highest = -math.inf
        # A start that brings nothing for some generations gives way to the next worst case of the spread.
        while spent < budget and not optimizer.should_stop() and stale < 8:
            asked = [optimizer.ask() for _ in range(population)]
            values = _damages(bench, asked, seed, progress, spent, budget)
            spent += len(asked)
            optimizer.tell([(one, -value) for one, value in zip(asked, values, strict=True)])
            top = max(range(len(values)), key=lambda place: values[place])
            stale = 0 if values[top] > highest + 1e-9 else stale + 1
            highest = max(highest, values[top])
            if values[top] > most:
                best, most = asked[top], values[top]
    return best


def _spread(random: np.random.Generator, size: int, count: int) -> list[NDArray[np.float64]]:
    """A Latin hypercube: in each dimension, every one of `count` strata has one vector (McKay, Beckman, Conover)."""
    columns = [(random.permutation(count) + random.random(count)) / count for _ in range(size)]
    return list(np.array(columns).T)


def _damages(
    bench: Bench,
    vectors: Sequence[NDArray[np.float64]],
    seed: int,
    progress: ProgressCallback,
    spent: int,
    budget: int,
) -> list[float]:
    found: list[float] = []
    for part in _parts(vectors):
        found += bench.added([bench.bounds.case(list(one)) for one in part], seed)
        progress(min(1.0, (spent + len(found)) / budget))
    return found


def _parts(vectors: Sequence[NDArray[np.float64]]) -> Iterator[Sequence[NDArray[np.float64]]]:
    for place in range(0, len(vectors), POPULATION):
        yield vectors[place : place + POPULATION]
