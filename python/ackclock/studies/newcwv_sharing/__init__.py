"""Sharing a bottleneck: DASH with newCWV against FTP with NewReno, and against HTTP with newCWV."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import Outcome, Study, job
from ackclock.studies.framework.setups.http_vectors import vectors, vectors_folder, with_own_vectors
from ackclock.studies.framework.setups.newcwv import newcwv_off, pacing_off
from ackclock.studies.framework.setups.newcwv_2014 import both_forms, form_hashes, forms_sheet, of_2014
from ackclock.studies.newcwv_sharing import measures, verdicts
from ackclock.studies.newcwv_sharing.figures import figures
from ackclock.studies.newcwv_sharing.readings import FTP, HTTP, MAIN, VECTORS, readings, variants

if TYPE_CHECKING:
    from ackclock.studies.framework import Lab

__all__ = ["STUDY"]

REPLICATIONS = 15
QUICK_REPLICATIONS = 3
TRACE_SEED = 1


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the study. With `quick`, every reading with fewer replications."""
    seeds = lab.seeds(REPLICATIONS, QUICK_REPLICATIONS)
    files = vectors(lab.extended(seeds))
    labs = {FTP: lab.part(0, 0.5), HTTP: lab.part(0.5, 1).with_worker(with_own_vectors(lab.worker, VECTORS))}
    with vectors_folder(files) as folder:
        chosen = {rival: readings(rival, folder) for rival in labs}
        grids = {
            rival: both_forms(labs[rival], some, variants(rival), seeds, measures.sharing, (MAIN,))
            for rival, some in chosen.items()
        }
        traces = {}
        for rival, some in chosen.items():
            main = next(reading for reading in some if reading.name == MAIN)
            drawn = [of_2014(one) for one in variants(rival)[:2]]
            runs = labs[rival].part(1, 1).run([job(main, one, TRACE_SEED) for one in drawn])
            traces[rival] = list(zip(drawn, runs, strict=True))
        hashed = {
            f"{rival}; {name}": hashed
            for rival, some in chosen.items()
            for name, hashed in form_hashes(some, variants(rival)[0]).items()
        }
    claims = verdicts.assess_claims(grids)
    return Outcome(
        claims=claims,
        seeds=seeds,
        sheets=[verdicts.delays_sheet(claims), forms_sheet(claims, verdicts.decides), *verdicts.sheets(grids)],
        runs={f"runs-{rival}": grid for rival, grid in grids.items()},
        figures=figures(grids, traces, study.command(lab)),
        files=files,
        hashes=hashed,
    )


def run_live(study: Study, lab: Lab) -> Outcome:
    """Runs a part of the study over the sockets of the running kernel."""
    from ackclock.studies.newcwv_sharing.live import run

    return run(study, lab)


STUDY = Study(
    slug="newcwv-sharing",
    title="newCWV shares a bottleneck",
    summary="DASH with newCWV against FTP and against HTTP at 1 Mbit/s: shares, starvation, losses",
    source="Nazir et al., IETF 89 and NOSSDAV 2014",
    package=__name__,
    run=run,
    live=run_live,
    scenarios=("ftp.toml", "http.toml"),
    nulls={"newCWV off": newcwv_off, "pacing off": pacing_off},
)
