"""newCWV for HTTP: the effect of window validation and pacing on losses and transfer times of web traffic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.report import Figure, Intervals, Row, colour_of
from ackclock.studies.framework import Outcome, Study, hashes
from ackclock.studies.framework.setups.http_vectors import (
    vectors,
    vectors_folder,
    vectors_name,
    with_own_vectors,
)
from ackclock.studies.framework.setups.newcwv import NEWCWV, NEWRENO, PACED, SPREAD, TEXTBOOK, newcwv_off
from ackclock.studies.framework.setups.newcwv_2014 import both_forms, form_hashes, forms_sheet, of_2014
from ackclock.studies.newcwv_http import authors, measures, places, verdicts
from ackclock.studies.newcwv_http.generator import generated
from ackclock.studies.newcwv_http.readings import CLOSED, KEPT, MAIN, VECTORS, every_object_its_own, pages, readings

if TYPE_CHECKING:
    from ackclock.studies.framework import Grid, Lab

__all__ = ["STUDY"]

REPLICATIONS = 30
QUICK_REPLICATIONS = 5
TRACED, QUICK_TRACED = 10, 1
"""Runs of the main reading whose event log says where segments are lost."""
COMPARED = (NEWRENO, NEWCWV, PACED, SPREAD, TEXTBOOK)
"""The variants of the newCWV studies, and pacing as the slides describe it."""

BINS = {
    "all_s": "all",
    "small_s": "up to 14.6 kB",
    "middle_s": "14.6 to 58.4 kB",
    "large_s": "above 58.4 kB",
}
"""Measure to its label."""


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the study. With `quick`, every reading with fewer replications."""
    seeds = lab.seeds(REPLICATIONS, QUICK_REPLICATIONS)
    files = vectors(lab.extended(seeds)) | generated(seeds)
    with vectors_folder(files) as folder:
        chosen, theirs = readings(folder), authors.readings(folder)
        own = lab.with_worker(with_own_vectors(lab.worker, VECTORS))
        grid = both_forms(own.part(0, 0.5), chosen, COMPARED, seeds, measures.traffic, (MAIN,))
        beside = own.part(0.5, 0.8).grid(theirs, authors.COMPARED, seeds, authors.exchanges)
        shown = pages()
        of_pages = both_forms(lab.part(0.8, 1), shown, (KEPT, CLOSED), seeds, measures.of_pages, (shown[0].name,))
        main = next(one for one in chosen if one.name == MAIN)
        traced = {seed: {VECTORS: vectors_name("", seed)} for seed in lab.seeds(TRACED, QUICK_TRACED)}
        lost = places.sheet(main, [of_2014(one) for one in COMPARED[:-1]], traced)
        hashed = hashes([*chosen, *theirs], NEWRENO) | form_hashes(chosen, NEWCWV)
    command = study.command(lab)
    claims = verdicts.assess_claims(grid, of_pages, beside)
    return Outcome(
        claims=claims,
        seeds=seeds,
        sheets=[
            verdicts.delays_sheet(claims),
            forms_sheet(claims, verdicts.decides),
            lost,
            verdicts.sizes_sheet(grid, BINS),
            authors.sheet(beside),
        ],
        runs={"runs": grid, "pages-runs": of_pages, "runs-authors": beside},
        figures=[_times(grid, command), _losses(grid, command)],
        files=files,
        hashes=hashed | form_hashes(shown, KEPT),
    )


def _times(grid: Grid, command: str) -> Figure:
    rows = [
        Row(name, variant.label, grid.geometric_change([MAIN], variant.name, NEWRENO.name, measure), colour_of(index))
        for measure, name in BINS.items()
        for index, variant in enumerate(COMPARED)
        if variant is not NEWRENO
    ]
    caption = "Exchanges after an idle period by the bytes of the answer, main reading, 95 % intervals."
    return Intervals("Change of the transfer time", "% against Linux's NewReno", rows, caption, command)


def _losses(grid: Grid, command: str) -> Figure:
    rows = [
        Row(reading.name, variant.label, grid.mean(reading.name, variant.name, "loss_percent"), colour_of(index))
        for reading in grid.readings
        for index, variant in enumerate(COMPARED)
    ]
    caption = "Segments dropped, 95 % intervals. Published: newCWV 6.6 % above NewReno, 1.4 % below with pacing."
    return Intervals("Segment loss", "% of the segments", rows, caption, command)


def run_live(study: Study, lab: Lab) -> Outcome:
    """Runs a part of the study over the sockets of the running kernel."""
    from ackclock.studies.newcwv_http.live import run

    return run(study, lab)


STUDY = Study(
    slug="newcwv-http",
    title="newCWV for HTTP",
    summary="Window validation and pacing under web traffic from connection vectors at 1 Mbit/s",
    source="Nazir et al., IETF 89 and NOSSDAV 2014",
    package=__name__,
    run=run,
    live=run_live,
    scenarios=("scenario.toml", "pages.toml"),
    nulls={"newCWV off": newcwv_off, "a connection for each object": every_object_its_own},
)
