"""DCTCP: queues, throughput, fairness, two bottlenecks, incast and short answers beside long flows."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ackclock.studies.dctcp import cells, figures, measures, verdicts
from ackclock.studies.framework import Grid, Outcome, Reading, Study, command_of, hash_of, job

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.scenario import Text
    from ackclock.studies.framework import Lab

__all__ = ["STUDY"]

REPLICATIONS = 5
QUICK_REPLICATIONS = 2

SPACING_S, QUICK_SPACING_S = 30, 3
"""Seconds from one start to the next of the flows that start and stop."""
ROUNDS, QUICK_ROUNDS = 1000, 100
"""Queries of a run."""

QUEUE_CHOICES: Mapping[str, Mapping[str, object]] = {
    "twenty flows": {"flows[0].count": 20},
    "stack of Linux": cells.LINUX,
    "hosts of 1 Gbit/s": {"access.rate": "1Gbps"},
    "every segment acknowledged": {"flows[0].ack_every": 1},
}
MULTIHOP_CHOICES: Mapping[str, Mapping[str, object]] = {
    "stack of Linux": cells.LINUX,
    "K = 20 on both links": {"bottleneck.queue": cells.marking(20, "4MB")},
}
BUILDUP_CHOICES: Mapping[str, Mapping[str, object]] = {
    "one connection, its window kept": {"flows[1].app.persistent": True},
    "one connection, a pause before each query": {"flows[1].app.persistent": True, "flows[1].app.think": "20ms"},
    "stack of Linux": cells.LINUX,
}


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the study. With `quick`, shorter runs and fewer servers."""
    text = {name: study.scenario(f"{name}.toml") for name in ("queue", "convergence", "multihop", "incast", "buildup")}
    seeds = lab.seeds(REPLICATIONS, QUICK_REPLICATIONS)
    degrees = lab.pick(cells.DEGREES, cells.QUICK_DEGREES)
    spacing = lab.pick(SPACING_S, QUICK_SPACING_S)
    rounds = lab.pick(ROUNDS, QUICK_ROUNDS)
    one_port = {"bottleneck.queue": cells.marking(20)}
    two_ports: dict[str, object] = {
        "bottleneck.queue": cells.marking(cells.K_10G, "4MB"),
        "links[0].queue": cells.marking(20),
    }
    plain = cells.variants(1, one_port)
    main = [cells.MAIN]

    def choices(of: Mapping[str, Mapping[str, object]]) -> Mapping[str, Mapping[str, object]]:
        return lab.pick(of, {})

    queue = lab.part(0, 0.2).grid(
        cells.readings(text["queue"], 1, lab.pick({}, {"duration": "3s"}), choices(QUEUE_CHOICES)),
        plain, seeds, measures.queue, main,
    )  # fmt: skip
    shorter = lab.pick({}, _spaced(QUICK_SPACING_S))
    convergence = lab.part(0.2, 0.5).grid(
        [Reading(cells.MAIN, text["convergence"], shorter)],
        plain, seeds, partial(measures.convergence, spacing=spacing), main,
    )  # fmt: skip
    multihop = lab.part(0.5, 0.7).grid(
        cells.readings(text["multihop"], 3, two_ports | lab.pick({}, {"duration": "2s"}), choices(MULTIHOP_CHOICES)),
        cells.variants(3, {})[:1], seeds, measures.multihop, main,
    )  # fmt: skip
    incast = _incast(lab.part(0.7, 0.85), text["incast"], degrees, seeds, rounds)
    buildup = lab.part(0.85, 0.95).grid(
        cells.readings(text["buildup"], 2, {"flows[1].app.rounds": rounds, **cells.DELAYED}, choices(BUILDUP_CHOICES)),
        cells.variants(2, one_port), seeds, measures.buildup, main,
    )  # fmt: skip
    parts = verdicts.Parts(queue, convergence, multihop, incast, buildup)
    drawn = lab.part(0.95, 1).run(
        [job(grid.readings[0], one, 1) for grid in (queue, convergence) for one in grid.variants]
    )
    names = [one.name for one in plain]
    command = study.command(lab)
    return Outcome(
        claims=verdicts.assess_claims(parts),
        seeds=seeds,
        sheets=verdicts.sheets(parts),
        runs={f"runs-{name}": getattr(parts, name) for name in text},
        figures=[
            figures.queues(dict(zip(names, drawn[:2], strict=True)), _command("queue.toml", queue)),
            *figures.converging(dict(zip(names, drawn[2:], strict=True)), _command("convergence.toml", convergence)),
            *figures.incast(incast, degrees, command),
        ],
        hashes={
            f"{name}; {reading.name}; {variant.label}": hash_of(reading, variant)
            for name in text
            for grid in [getattr(parts, name)]
            for reading in grid.readings
            for variant in grid.variants
        },
    )


def _command(file: str, grid: Grid) -> str:
    """The command that repeats the first run of a grid."""
    return command_of(grid.readings[0], grid.variants[0], 1).replace("scenario.toml", file, 1)


def _spaced(seconds: int) -> dict[str, object]:
    """Five senders that start and stop so many seconds apart."""
    return {
        "duration": f"{300 + 9 * seconds}s",
        "flows[0].arrival.interval": f"{seconds}s",
        "flows[0].app.on": f"{5 * seconds}s",
    }


def _incast(lab: Lab, text: Text, degrees: Sequence[int], seeds: Sequence[int], rounds: int) -> Grid:
    """Queries to many servers. The queue depends on the variant and on the buffer: static ones first."""
    static = cells.incast_readings(text, degrees, lab.pick((cells.MAIN, cells.FAST_RTO), (cells.MAIN,)), rounds)
    dynamic = cells.incast_readings(text, degrees, (cells.DYNAMIC,), rounds)
    grids = []
    for readings, limit, part in ((static, "100 packets", lab.part(0, 0.6)), (dynamic, "700kB", lab.part(0.6, 1))):
        readings = [Reading(one.name, one.scenario, {"bottleneck.queue": limit, **one.overrides}) for one in readings]
        variants = cells.variants(1, {"bottleneck.queue": cells.marking(20, limit)})
        grids.append(part.grid(readings, variants, seeds, measures.incast, [one.name for one in readings]))
    # The grids differ in the queue of DCTCP's variant alone; its readings name it.
    return Grid(
        grids[0].readings + grids[1].readings,
        grids[0].variants,
        {**grids[0].seeds, **grids[1].seeds},
        {**grids[0].cells, **grids[1].cells},
    )


STUDY = Study(
    slug="dctcp",
    title="DCTCP",
    summary="DCTCP and TCP in a data centre: queue, throughput, fairness, two bottlenecks, incast, short answers",
    source="Alizadeh et al., Data Center TCP (DCTCP), SIGCOMM 2010",
    package=__name__,
    run=run,
    scenarios=("queue.toml", "convergence.toml", "multihop.toml", "incast.toml", "buildup.toml"),
)
