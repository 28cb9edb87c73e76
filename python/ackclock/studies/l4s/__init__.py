"""L4S: Prague and CUBIC over DualPI2 and over queues that are not L4S."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import Outcome, Study, hash_of
from ackclock.studies.l4s import cells, figures, verdicts

if TYPE_CHECKING:
    from ackclock.studies.framework import Lab

__all__ = ["STUDY"]

REPLICATIONS = 5
QUICK_REPLICATIONS = 2

QUICK_TESTED = tuple(one for one in cells.TESTED if one.rtt == 20)
QUICK_RATES, QUICK_RTTS = (4, 40), (5, 50)
CHOSEN = tuple(one for one in cells.TESTED if one.queue == "dualpi2")
"""The cells that run under other readings as well."""
RANGE_S, QUICK_S = 60, 30
"""Seconds of a run of the range, and of all runs with `quick`."""


def _length(seconds: int) -> dict[str, object]:
    """A run of so many seconds, recorded from its first third on."""
    return {"duration": f"{seconds}s", "probes.from": f"{seconds // 3}s"}


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the study. With `quick`, shorter runs of some cells."""
    text = study.scenario()
    seeds = lab.seeds(REPLICATIONS, QUICK_REPLICATIONS)
    tested = lab.pick(cells.TESTED, QUICK_TESTED)
    short = lab.pick({}, _length(QUICK_S))
    span = [
        cells.Cell(queue, rate, rtt)
        for queue in ("dualpi2", "pie")
        for rtt in lab.pick(cells.RTTS, QUICK_RTTS)
        for rate in lab.pick(cells.RATES, QUICK_RATES)
    ]
    pairs = lab.pick(cells.PAIRS, (cells.MIXED,))
    readings = cells.readings(text, tested, short)
    deciding = [one.name for one in readings]
    tests = lab.part(0, 0.5).grid(readings, pairs, seeds, cells.measure, deciding)
    choices = None
    if not lab.quick:
        choices = lab.part(0.5, 0.7).grid(cells.readings(text, CHOSEN, {}), cells.choices(), seeds, cells.measure, ())
    readings = cells.readings(text, span, _length(lab.pick(RANGE_S, QUICK_S)))
    deciding = [one.name for one in readings]
    ranged = lab.part(0.7, 1).grid(readings, cells.PAIRS[:2], seeds, cells.measure, deciding)
    command = study.command(lab)
    grids = {"tests": tests, "range": ranged} | ({} if choices is None else {"choices": choices})
    return Outcome(
        claims=verdicts.assess_claims(tests, choices, ranged, tested, span),
        seeds=seeds,
        sheets=[verdicts.tests_sheet(tests), verdicts.range_sheet(ranged)],
        runs={f"runs-{name}": grid for name, grid in grids.items()},
        figures=[
            figures.shares(tests, command),
            figures.ratios(ranged, span, command),
            *figures.delays(ranged, span, command),
        ],
        hashes={
            f"{name}; {reading.name}; {pair.label}": hash_of(reading, pair)
            for name, grid in grids.items()
            for reading in grid.readings
            for pair in grid.variants
        },
    )


STUDY = Study(
    slug="l4s",
    title="L4S beside CUBIC",
    summary="Prague and CUBIC over DualPI2, FIFO, FQ-CoDel and PIE: shares and queueing delays",
    source="Heist, Morton, Tests of L4S, 2020; RFC 9332 sections 1 and 1.1; draft-ietf-tsvwg-l4sops",
    package=__name__,
    run=run,
    most_times=2,
)
