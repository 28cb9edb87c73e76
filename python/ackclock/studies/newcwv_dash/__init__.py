"""newCWV for DASH: the effect of window validation and pacing on the segment rate of a DASH client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import Outcome, Reading, Study, command_of, hashes, job
from ackclock.studies.framework.setups.newcwv import NEWCWV, NEWRENO, VARIANTS, newcwv_off, pacing_off
from ackclock.studies.framework.setups.newcwv_2014 import both_forms, form_hashes, forms_sheet, of_2014
from ackclock.studies.newcwv_dash import measures, verdicts, window
from ackclock.studies.newcwv_dash.figures import figures
from ackclock.studies.newcwv_dash.readings import (
    MAIN,
    OTHER_DELAY,
    RETRACTED_VARIANTS,
    flaw_mended,
    idle_rules_off,
    readings,
    retracted_readings,
)

if TYPE_CHECKING:
    from ackclock.studies.framework import Lab

__all__ = ["STUDY"]

REPLICATIONS = 30
QUICK_REPLICATIONS = 5
TRACE_SEED = 1


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the study. With `quick`, every reading with fewer replications."""
    seeds = lab.seeds(REPLICATIONS, QUICK_REPLICATIONS)
    chosen, cells = readings(), retracted_readings()
    main = next(reading for reading in chosen if reading.name == MAIN)
    probed = Reading(MAIN, main.scenario, {**main.overrides, **measures.PROBES})

    grid = both_forms(lab.part(0, 0.4), chosen, VARIANTS, seeds, measures.session, (MAIN,))
    retracted = lab.part(0.4, 0.95).grid(cells, RETRACTED_VARIANTS, seeds, measures.clients)
    other = next(reading for reading in chosen if reading.name == OTHER_DELAY)
    beside = Reading(OTHER_DELAY, other.scenario, {**other.overrides, **measures.PROBES})
    traces = both_forms(lab.part(0.95, 0.98), [probed, beside], VARIANTS, seeds, measures.traced, (MAIN,))
    shown = window.readings()
    windows = both_forms(lab.part(0.98, 0.99), shown, (NEWRENO, NEWCWV), seeds, window.measure)
    theirs = [of_2014(variant) for variant in VARIANTS]
    drawn = lab.part(0.99, 1).run([job(probed, variant, TRACE_SEED) for variant in theirs])
    claims = verdicts.assess_claims(grid, traces, retracted, windows)
    commands = {variant.name: command_of(probed, variant, TRACE_SEED) for variant in theirs}
    return Outcome(
        claims=claims,
        seeds=seeds,
        findings=verdicts.findings(claims),
        sheets=[
            verdicts.delays_sheet(claims),
            forms_sheet(claims, verdicts.decides),
            verdicts.readings_sheet(grid, claims),
            verdicts.retracted_sheet(retracted),
        ],
        runs={"runs": grid, "retracted-runs": retracted, "window-runs": windows},
        figures=figures(grid, retracted, drawn, commands, study.command(lab)),
        hashes=hashes((*chosen, *cells, *shown), NEWRENO) | form_hashes((*chosen, *shown), NEWCWV),
    )


def run_live(study: Study, lab: Lab) -> Outcome:
    """Runs the study on the running kernel, whose programs only Linux has."""
    from ackclock.studies.newcwv_dash.live import run

    return run(study, lab)


STUDY = Study(
    slug="newcwv-dash",
    title="newCWV for DASH",
    summary="Window validation and pacing under a DASH client at 1 Mbit/s",
    source="Nazir et al., IETF 89 and NOSSDAV 2014; a retracted study, NOSSDAV 2022",
    package=__name__,
    run=run,
    scenarios=("scenario.toml", "retracted.toml", "limited.toml", "loss.toml"),
    live=run_live,
    nulls={
        "newCWV off": newcwv_off,
        "pacing off": pacing_off,
        "idle rules off": idle_rules_off,
        "flaw mended": flaw_mended,
    },
)
