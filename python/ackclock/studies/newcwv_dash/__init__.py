"""newCWV for DASH: what window validation and pacing do to the segment rate of a DASH client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.grid import Reading, command_of, hash_of, job
from ackclock.studies.newcwv_dash import measures, verdicts
from ackclock.studies.newcwv_dash.figures import figures
from ackclock.studies.newcwv_dash.readings import (
    MAIN,
    NEWRENO,
    RETRACTED_VARIANTS,
    VARIANTS,
    page,
    readings,
    retracted_readings,
)
from ackclock.studies.study import StudyResult, command_for, runs_sheet

if TYPE_CHECKING:
    from ackclock.studies.lab import Lab

__all__ = ["SLUG", "SOURCE", "SUMMARY", "TITLE", "reproduce"]

SLUG = "newcwv-dash"
TITLE = "newCWV for DASH"
SUMMARY = "Window validation and pacing under a DASH client at 1 Mbit/s"
SOURCE = "Nazir et al., IETF 89 and NOSSDAV 2014; a retracted study, NOSSDAV 2022"

REPLICATIONS = 30
QUICK_REPLICATIONS = 5
TRACE_SEED = 1


def reproduce(lab: Lab) -> StudyResult:
    """Runs the study. With `quick`, every reading with fewer replications."""
    seeds = range(1, 1 + (QUICK_REPLICATIONS if lab.quick else REPLICATIONS))
    chosen, cells = readings(), retracted_readings()
    main = next(reading for reading in chosen if reading.name == MAIN)
    probed = Reading(MAIN, main.summary, main.scenario, {**main.overrides, **measures.PROBES})

    grid = lab.part(0, 0.4).grid(chosen, VARIANTS, seeds, measures.session)
    retracted = lab.part(0.4, 0.95).grid(cells, RETRACTED_VARIANTS, seeds, measures.clients)
    traces = lab.part(0.95, 0.99).grid([probed], VARIANTS, seeds, measures.traced)
    drawn = lab.part(0.99, 1).run([job(probed, variant, TRACE_SEED) for variant in VARIANTS])
    claims = verdicts.assess_claims(grid, traces, retracted)
    command = command_for(SLUG, quick=lab.quick)
    return StudyResult(
        slug=SLUG,
        title=TITLE,
        claims=claims,
        seeds=list(seeds),
        command=command,
        quick=lab.quick,
        findings=verdicts.findings(claims),
        page=page("README.md"),
        sheets=[
            verdicts.readings_sheet(grid, claims),
            verdicts.retracted_sheet(retracted),
            runs_sheet("runs", "Every run", grid),
            runs_sheet("retracted-runs", "Every run of the retracted study", retracted),
        ],
        figures=figures(grid, retracted, drawn, {v.name: command_of(probed, v, TRACE_SEED) for v in VARIANTS}, command),
        files={name: page(name) for name in ("scenario.toml", "retracted.toml")},
        scenarios={one.name: hash_of(one, NEWRENO) for one in (*chosen, *cells)},
    )
