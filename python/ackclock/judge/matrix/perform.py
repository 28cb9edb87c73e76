"""The runs of a matrix, made in a store: a matrix that was stopped goes on where it was."""

from __future__ import annotations

import json
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from ackclock._errors import RefusedError
from ackclock.base.progress import sweep_reporter
from ackclock.base.workplace import temporary
from ackclock.judge.matrix.contestants import label_of
from ackclock.judge.matrix.matrix import Matrix
from ackclock.judge.matrix.numbers import numbers
from ackclock.scenario import Text
from ackclock.store.reader import open_store
from ackclock.sweeps import backend_of, carry_out
from ackclock.sweeps.plan import Keep, Plan, points_of
from ackclock.sweeps.vary import Setting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from ackclock.judge.card.candidate import Candidate
    from ackclock.judge.matrix.networks import Network
    from ackclock.store import Store
    from ackclock.sweeps.plan import Point

__all__ = ["DURATION_S", "SEEDS", "WARM_UP_S", "make", "planned", "scenario_of"]

DURATION_S, WARM_UP_S = 300, 60
"""Seconds of a run, and its first seconds, which do not count. Reno beside itself on 50 Mbit/s, 50 ms and 4 BDP needs
some 50 s from one loss to the next, so that shorter runs show the start and not the long term."""
SEEDS = 3
"""Number of seeds when none are given."""
FIRST, SECOND = "a", "b"
"""Names of the flows."""
START_JITTER = "1s"


def scenario_of(
    network: Network, contestants: Sequence[Candidate], duration_s: float
) -> tuple[Text, list[tuple[str, str]]]:
    """The scenario of one contestant alone or of two beside each other, and its overrides."""
    flows = [
        one.placed({"name": name, "app": "bulk", "start_jitter": START_JITTER})
        for name, one in zip((FIRST, SECOND), contestants, strict=False)
    ]
    document = {
        "name": "matrix",
        "duration": f"{duration_s:g}s",
        **network.tables(),
        "probes": {"rates": True, "queues": True, "interval": "500ms"},
        "flows": flows,
    }
    overrides = [
        (f"flows[{place}].{name}", value) for place, one in enumerate(contestants) for name, value in one.fields
    ]
    place = f"network {network.name}, {' beside '.join(label_of(one) for one in contestants)}"
    return Text(json.dumps(document, ensure_ascii=False), "json", place), overrides


def pairs_of(
    contestants: Sequence[Candidate], against: Sequence[Candidate]
) -> Iterator[tuple[Candidate] | tuple[Candidate, Candidate]]:
    """Everyone alone; then every pair, a contestant beside itself included. With `against`, the pairs with one of it.

    A contestant of `against` is beside itself, too, and so is each of the others, with which it is compared.
    """
    everyone = [*contestants, *(one for one in against if one not in contestants)]
    yield from ((one,) for one in everyone)
    for place, one in enumerate(everyone):
        for other in everyone[place:]:
            if not against or one is other or one in against or other in against:
                yield one, other


def planned(
    networks: Sequence[Network],
    contestants: Sequence[Candidate],
    against: Sequence[Candidate],
    seeds: Sequence[int],
    duration_s: float,
    warm_up_s: float,
) -> Plan:
    """The plan of a matrix, all of its scenarios checked.

    Raises
    ------
    RefusedError
        If the times leave nothing to measure, or two contestants have the same label.
    ScenarioError
        With what is wrong with a network or a contestant.
    """
    if not 0 <= warm_up_s < duration_s:
        raise RefusedError(f"{warm_up_s:g} s of {duration_s:g} s do not count, which leaves nothing to measure")
    labels = [label_of(one) for one in (*contestants, *against) if one not in contestants or one not in against]
    twice = next((one for one in labels if labels.count(one) > 1), None)
    if twice is not None:
        raise RefusedError(f"{twice}: the matrix has two contestants of this name; give each once")
    points: list[Point] = []
    for network in networks:
        for pair in pairs_of(contestants, against):
            text, overrides = scenario_of(network, pair, duration_s)
            params = {"network": network.name, "first": label_of(pair[0])}
            params["second"] = label_of(pair[1]) if len(pair) > 1 else ""
            points += points_of(text, [Setting(params, dict(overrides))])
    plan = Plan(points, "matrix", Keep((), partial(numbers, from_s=warm_up_s)))
    plan.add(seeds)
    return plan


def make(
    networks: Sequence[Network],
    contestants: Sequence[Candidate],
    *,
    against: Sequence[Candidate] = (),
    seeds: Sequence[int],
    duration_s: float = DURATION_S,
    warm_up_s: float = WARM_UP_S,
    out: Path | None = None,
    threads: int | None = None,
    cluster: str | None = None,
    progress: bool | Callable[[float], object] = False,
    begin: Callable[[Plan], object] = lambda _: None,
) -> Matrix:
    """Makes a matrix.

    Parameters
    ----------
    networks
        The networks, such as `NETWORKS`.
    contestants
        The congestion controls: the rows and columns.
    against
        Contestants of your own. If there are any, only the pairs with one of them run, and everyone beside itself.
    seeds
        The seeds of every run.
    duration_s, warm_up_s
        Seconds of a run, and the first of them that do not count.
    out
        Folder of the store. Runs that it has are not made again. Without it, the runs are not kept.
    threads
        Runs at the same time; as many as there are cores when not given. It does not change the matrix.
    cluster
        Address of a Dask scheduler that does the runs.
    progress
        True for a bar on standard error, or a function called with the part done, from 0 to 1.
    begin
        Called with the plan before the first run.

    Raises
    ------
    RefusedError, ScenarioError
        As `planned`.
    StoreError, SweepError
        As `ackclock.sweep`.
    """
    plan = planned(networks, contestants, against, seeds, duration_s, warm_up_s)
    begin(plan)
    with _store(out) as root, backend_of(threads, cluster) as backend:
        with sweep_reporter(progress, plan.name) as report:
            carry_out(plan, root, backend, report)
        with open_store(root, sweep=plan.id) as store:
            values, failures = _read(store)
    everyone = dict.fromkeys(label_of(one) for one in (*contestants, *against))
    mine = tuple(dict.fromkeys(label_of(one) for one in against))
    return Matrix(tuple(networks), tuple(everyone), mine, tuple(seeds), duration_s, warm_up_s, values, failures)


def _read(store: Store) -> tuple[dict[tuple[str, str, str], dict[int, dict[str, float]]], list[str]]:
    """The numbers of the runs by network, first and second contestant and seed; and the runs that failed."""
    points = store.sweeps[0].points
    query = "SELECT point AS _point, runs.seed AS _seed, measures.* EXCLUDE (run) FROM runs JOIN measures USING (run)"
    values: dict[tuple[str, str, str], dict[int, dict[str, float]]] = {}
    for row in store.sql(f"{query} ORDER BY _point, _seed").rows():
        params = points[row.pop("_point")]
        key = str(params["network"]), str(params["first"]), str(params["second"])
        seed = int(row.pop("_seed"))
        # A run alone has no numbers of a second flow.
        values.setdefault(key, {})[seed] = {name: float(one) for name, one in row.items() if one is not None}
    failures = [
        f"{params['network']}, {params['first']}"
        + (f" beside {params['second']}" if params["second"] else " alone")
        + f", seed {row['seed']}: {row['error']}"
        for row in store.failures.rows()
        for params in [points[row["point"]]]
    ]
    return values, failures


@contextmanager
def _store(out: Path | None) -> Iterator[Path]:
    if out is not None:
        yield out
        return
    with temporary("matrix") as folder:
        yield folder / "runs"
