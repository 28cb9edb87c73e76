"""Fairness of CUBIC, BIC, CTCP and NewReno: twenty flows of each over one fast and long link."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ackclock.report import Figure, Intervals, Plot, Row, Series, colour_of
from ackclock.stats import Estimate
from ackclock.studies.framework import Outcome, Reading, Study, command_of, hash_of, hashes, job
from ackclock.studies.framework.nulls import held
from ackclock.studies.munir_fairness import measures, readings, verdicts

if TYPE_CHECKING:
    from ackclock.studies.framework import Grid, Lab

__all__ = ["STUDY"]

REPLICATIONS = 10
QUICK_REPLICATIONS = 2
FEW_REPLICATIONS = 3
"""Replications of other versions and of the short readings."""
SHORT_S = 200
"""Duration of the readings beside the main one, in seconds of simulated time."""
QUICK_S = 20
"""Duration of every run in quick mode."""
DRAWN_S = 60
DRAWN_SEED = 1
STEP_S = 0.5
PUBLISHED_COLOUR = "var(--quiet)"


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the study. With `quick`, twenty seconds of it instead of twenty minutes, and few readings."""
    text = study.scenario()
    seeds = lab.seeds(REPLICATIONS, QUICK_REPLICATIONS)
    short = {"duration": f"{lab.pick(SHORT_S, QUICK_S)}s"}
    choices = lab.pick(readings.CHOICES, readings.QUICK_CHOICES)
    main = Reading(readings.MAIN, text, short if lab.quick else {})
    others = [Reading(name, text, {**short, **values}) for name, values in choices.items()]
    few = lab.seeds(FEW_REPLICATIONS, QUICK_REPLICATIONS)
    grids = [
        lab.part(0, 0.4).grid([main], [readings.MAIN_SET], seeds, measures.aggregates, (readings.MAIN,)),
        lab.part(0.4, 0.75).grid([main], readings.OTHER_SETS, few, measures.aggregates),
        lab.part(0.75, 0.98).grid(others, [readings.MAIN_SET], few, measures.aggregates),
    ]
    return Outcome(
        claims=verdicts.assess_claims(grids),
        seeds=seeds,
        sheets=[verdicts.shares_sheet(grids)],
        runs={f"runs-{number}": grid for number, grid in enumerate(grids, 1)},
        figures=[_shares(grids, study.command(lab)), _windows(main, lab.part(0.98, 1))],
        hashes={f"{main.name}; {set_.name}": hash_of(main, set_) for set_ in readings.SETS}
        | hashes(others, readings.MAIN_SET),
    )


def _shares(grids: list[Grid], command: str) -> Figure:
    """The published table as a figure: each row above the measured shares of the same kind."""
    rows = []
    for name, published in verdicts.published().items():
        label = readings.GROUPS[name]
        rows.append(Row(label, "published", Estimate(published, math.nan, math.nan, 0), PUBLISHED_COLOUR))
        for index, one in enumerate(readings.SETS):
            grid = grids[0] if one is readings.MAIN_SET else grids[1]
            rows.append(Row(label, one.name, grid.mean(readings.MAIN, one.name, f"{name}_mbps"), colour_of(index)))
    caption = "Twenty flows of each kind together, on the link. CTCP fixed: gamma is 30 segments; tuned: from 5 to 30."
    return Intervals("What each kind of flow got", "Mbit/s", rows, caption, command)


def _windows(main: Reading, lab: Lab) -> Figure:
    """The windows of each kind over the first minute."""
    probes = {"duration": f"{DRAWN_S}s", "probes.window": True, "probes.interval": f"{STEP_S}s"}
    (result,) = lab.run([job(main, readings.MAIN_SET, DRAWN_SEED, probes)])
    times, totals = measures.total_windows(result, STEP_S)
    series = [
        Series(label, times, totals[name], colour_of(index))
        for index, (name, label) in enumerate(readings.GROUPS.items())
    ]
    command = command_of(main, readings.MAIN_SET, DRAWN_SEED, probes)
    caption = "Twenty flows of each kind; the link and its queue together hold 17,334 packets."
    return Plot("Windows together", "time (s)", "cwnd (segments)", series, caption, command, DRAWN_SEED)


STUDY = Study(
    slug="munir-fairness",
    title="Fairness of CUBIC, BIC, CTCP and NewReno",
    summary="Shares of twenty flows each of CUBIC, BIC, CTCP and NewReno at 1 Gbit/s and 104 ms",
    source="Munir, Welzl, Damjanovic, PFLDnet 2007",
    package=__name__,
    run=run,
    compares=False,
    nulls={"every flow NewReno": held(readings.ALL_NEWRENO)},
)
