"""newCWV for HTTP: what window validation and pacing do to the losses and transfer times of web traffic."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ackclock.report import Figure, Intervals, Row, colour_of
from ackclock.studies.grid import hash_of
from ackclock.studies.newcwv_dash.readings import NEWRENO
from ackclock.studies.newcwv_http import measures, verdicts
from ackclock.studies.newcwv_http.readings import MAIN, VARIANTS, VECTORS, readings, vectors, with_own_vectors
from ackclock.studies.study import StudyResult, command_for, page, runs_sheet

if TYPE_CHECKING:
    from ackclock.studies.grid import Grid
    from ackclock.studies.lab import Lab

__all__ = ["SLUG", "SOURCE", "SUMMARY", "TITLE", "reproduce"]

SLUG = "newcwv-http"
TITLE = "newCWV for HTTP"
SUMMARY = "Window validation and pacing under web traffic from connection vectors at 1 Mbit/s"
SOURCE = "Nazir et al., IETF 89 and NOSSDAV 2014"

REPLICATIONS = 30
QUICK_REPLICATIONS = 5

BINS = {
    "all_s": "all",
    "small_s": "up to 14.6 kB",
    "middle_s": "14.6 to 58.4 kB",
    "large_s": "above 58.4 kB",
}
"""Measure to what it is called."""


def reproduce(lab: Lab) -> StudyResult:
    """Runs the study. With `quick`, every reading with fewer replications."""
    seeds = range(1, 1 + (QUICK_REPLICATIONS if lab.quick else REPLICATIONS))
    files = vectors(seeds)

    with TemporaryDirectory() as folder:
        for name, text in files.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        chosen = readings(folder)
        own = lab.of(with_own_vectors(lab.worker, VECTORS))
        grid = own.grid(chosen, VARIANTS, seeds, measures.traffic)
        hashes = {one.name: hash_of(one, NEWRENO) for one in chosen}
    command = command_for(SLUG, quick=lab.quick)
    return StudyResult(
        slug=SLUG,
        title=TITLE,
        claims=verdicts.assess_claims(grid),
        seeds=list(seeds),
        command=command,
        quick=lab.quick,
        page=page(__package__, "README.md"),
        sheets=[verdicts.sizes_sheet(grid, BINS), runs_sheet("runs", "Every run", grid)],
        figures=[_times(grid, command), _losses(grid, command)],
        files={"scenario.toml": page(__package__, "scenario.toml"), **files},
        scenarios=hashes,
    )


def _times(grid: Grid, command: str) -> Figure:
    rows = [
        Row(name, variant.label, grid.geometric_change([MAIN], variant.name, NEWRENO.name, measure), colour_of(index))
        for measure, name in BINS.items()
        for index, variant in enumerate(VARIANTS)
        if variant is not NEWRENO
    ]
    caption = "Exchanges after an idle period by the bytes of the answer, main reading, 95 % intervals."
    return Intervals("Change of the transfer time", "% against Linux's NewReno", rows, caption, command)


def _losses(grid: Grid, command: str) -> Figure:
    rows = [
        Row(reading.name, variant.label, grid.mean(reading.name, variant.name, "loss_percent"), colour_of(index))
        for reading in grid.readings
        for index, variant in enumerate(VARIANTS)
    ]
    caption = "Segments dropped, 95 % intervals. Published: newCWV 6.6 % above NewReno, 1.4 % below with pacing."
    return Intervals("Segment loss", "% of the segments", rows, caption, command)
