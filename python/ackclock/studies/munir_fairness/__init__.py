"""Fairness of CUBIC, BIC, CTCP and NewReno: twenty flows of each over one fast and long link."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ackclock.report import Figure, Intervals, Plot, Row, Series, colour_of
from ackclock.scenario import Text
from ackclock.stats import Estimate
from ackclock.studies.grid import Grid, Reading, command_of, hash_of, job
from ackclock.studies.munir_fairness import measures, readings, verdicts
from ackclock.studies.study import StudyResult, command_for, page, runs_sheet

if TYPE_CHECKING:
    from ackclock.studies.lab import Lab

__all__ = ["SLUG", "SOURCE", "SUMMARY", "TITLE", "reproduce"]

SLUG = "munir-fairness"
TITLE = "Fairness of CUBIC, BIC, CTCP and NewReno"
SUMMARY = "Shares of twenty flows each of CUBIC, BIC, CTCP and NewReno at 1 Gbit/s and 104 ms"
SOURCE = "Munir, Welzl, Damjanovic, PFLDnet 2007"

REPLICATIONS = 3
QUICK_REPLICATIONS = 2
SHORT_S = 200
"""How long the readings beside the main one are run."""
QUICK_S = 20
"""How long everything is run in quick mode."""
DRAWN_S = 60
DRAWN_SEED = 1
STEP_S = 0.5
PUBLISHED_COLOUR = "var(--quiet)"


def reproduce(lab: Lab) -> StudyResult:
    """Runs the study. With `quick`, twenty seconds of it instead of twenty minutes, and few readings."""
    text = Text(page(__package__, "scenario.toml"), name="munir_fairness/scenario.toml")
    seeds = range(1, 1 + (QUICK_REPLICATIONS if lab.quick else REPLICATIONS))
    short = {"duration": f"{QUICK_S if lab.quick else SHORT_S}s"}
    choices = readings.QUICK_CHOICES if lab.quick else readings.CHOICES
    main = Reading(readings.MAIN, readings.MAIN, text, short if lab.quick else {})
    others = [Reading(name, name, text, {**short, **values}) for name, values in choices.items()]
    grids = [
        lab.part(0, 0.7).grid(
            [main],
            readings.SETS,
            seeds,
            measures.aggregates,
        ),
        lab.part(0.7, 0.98).grid(
            others,
            [readings.MAIN_SET],
            seeds,
            measures.aggregates,
        ),
    ]
    command = command_for(SLUG, quick=lab.quick)
    return StudyResult(
        slug=SLUG,
        title=TITLE,
        claims=verdicts.assess_claims(grids),
        seeds=list(seeds),
        command=command,
        quick=lab.quick,
        page=page(__package__, "README.md"),
        sheets=[
            verdicts.shares_sheet(grids),
            *(runs_sheet(f"runs-{n}", "Every run", one) for n, one in enumerate(grids, 1)),
        ],
        figures=[_shares(grids[0], command), _windows(main, lab.part(0.98, 1))],
        scenarios={f"{one.name}; {set_.name}": hash_of(one, set_) for one in [main] for set_ in readings.SETS}
        | {one.name: hash_of(one, readings.MAIN_SET) for one in others},
        files={"scenario.toml": text.text},
    )


def _shares(grid: Grid, command: str) -> Figure:
    """The published table as a figure: each row of it above what was measured of it."""
    rows = []
    for name, published in verdicts.published().items():
        label = readings.GROUPS[name]
        rows.append(Row(label, "published", Estimate(published, math.nan, math.nan, 0), PUBLISHED_COLOUR))
        for index, one in enumerate(readings.SETS):
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
