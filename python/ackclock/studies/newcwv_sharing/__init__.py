"""Sharing a bottleneck: DASH with newCWV against FTP with NewReno, and against HTTP with newCWV."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ackclock.studies.grid import hash_of, job
from ackclock.studies.newcwv_http.readings import vectors, with_own_vectors
from ackclock.studies.newcwv_sharing import measures, verdicts
from ackclock.studies.newcwv_sharing.figures import figures
from ackclock.studies.newcwv_sharing.readings import FTP, HTTP, MAIN, VECTORS, readings, variants
from ackclock.studies.study import StudyResult, command_for, page, runs_sheet

if TYPE_CHECKING:
    from ackclock.studies.lab import Lab

__all__ = ["SLUG", "SOURCE", "SUMMARY", "TITLE", "reproduce"]

SLUG = "newcwv-sharing"
TITLE = "newCWV shares a bottleneck"
SUMMARY = "DASH with newCWV against FTP and against HTTP at 1 Mbit/s: shares, starvation, losses"
SOURCE = "Nazir et al., IETF 89 and NOSSDAV 2014"

REPLICATIONS = 15
QUICK_REPLICATIONS = 3
TRACE_SEED = 1


def reproduce(lab: Lab) -> StudyResult:
    """Runs the study. With `quick`, every reading with fewer replications."""
    seeds = range(1, 1 + (QUICK_REPLICATIONS if lab.quick else REPLICATIONS))
    files = vectors(seeds)
    labs = {FTP: lab.part(0, 0.5), HTTP: lab.part(0.5, 1).of(with_own_vectors(lab.worker, VECTORS))}
    with TemporaryDirectory() as folder:
        for name, text in files.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        chosen = {rival: readings(rival, folder) for rival in labs}
        grids = {
            rival: labs[rival].grid(some, variants(rival), seeds, measures.sharing) for rival, some in chosen.items()
        }
        traces = {}
        for rival, some in chosen.items():
            main = next(reading for reading in some if reading.name == MAIN)
            drawn = variants(rival)[:2]
            runs = labs[rival].part(1, 1).run([job(main, one, TRACE_SEED) for one in drawn])
            traces[rival] = list(zip(drawn, runs, strict=True))
        hashes = {
            f"{rival}; {one.name}": hash_of(one, variants(rival)[0]) for rival, some in chosen.items() for one in some
        }
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
            *verdicts.sheets(grids),
            *(runs_sheet(f"runs-{rival}", "Every run", grid) for rival, grid in grids.items()),
        ],
        figures=figures(grids, traces, command),
        files={**{f"{rival}.toml": page(__package__, f"{rival}.toml") for rival in labs}, **files},
        scenarios=hashes,
    )
