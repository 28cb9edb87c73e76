"""Proportional rate reduction for FreeBSD: the time of a transfer by size, by random loss and by round-trip time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock._run import Job, run_job
from ackclock.scenario import Text
from ackclock.studies import sweep
from ackclock.studies.freebsd_prr import readings, verdicts
from ackclock.studies.grid import hash_of, portion
from ackclock.studies.study import StudyResult, page, runs_sheet

if TYPE_CHECKING:
    from ackclock._runner import Progress, Worker
    from ackclock.result import Result

__all__ = ["SLUG", "SOURCE", "SUMMARY", "TITLE", "reproduce"]

SLUG = "freebsd-prr"
TITLE = "PRR for FreeBSD"
SUMMARY = "Proportional rate reduction against stock recovery by transfer size, random loss and RTT"
SOURCE = "Angelogiannopoulos, Zimmermann, Eggert, IETF 89"

REPLICATIONS = 100
QUICK_REPLICATIONS = 20
EXACT_REPLICATIONS = 2
"""Of the experiments without random loss: nothing in them is random."""

PUBLISHED = {readings.SIZE.name: "0 to 2.95 %", readings.LOSS.name: "3 to 9 %", readings.RTT.name: "0.1 to 1.9 %"}


def seconds(result: Result) -> dict[str, float]:
    """The time of the transfer; one that was given up has taken the whole run."""
    (row,) = result.transfers.rows()
    return {"time_s": row["duration_s"] or result.meta["duration_s"], "finished": float(row["end_s"] is not None)}


def reproduce(
    *,
    quick: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
    worker: Worker[Job, Result] = run_job,
) -> StudyResult:
    """Runs the study. With `quick`, every reading with fewer replications."""
    text = Text(page(__package__, "scenario.toml"), name="freebsd_prr/scenario.toml")
    seeds = range(1, 1 + (QUICK_REPLICATIONS if quick else REPLICATIONS))

    def run(what: sweep.Sweep, seeds: range, start: float, end: float) -> sweep.Swept:
        stage = portion(progress, start, end)
        variants, choices = readings.VARIANTS, readings.CHOICES
        return sweep.run_sweep(
            what, text, choices, variants, seeds, seconds, threads=threads, progress=stage, worker=worker
        )

    exact = range(1, 1 + EXACT_REPLICATIONS)
    size, rtt = run(readings.SIZE, exact, 0, 0.05), run(readings.RTT, exact, 0.05, 0.1)
    loss = run(readings.LOSS, seeds, 0.1, 1)
    all_swept, treated = (size, loss, rtt), tuple(readings.PRR.values())
    control = readings.STOCKS["NewReno with SACK"].name
    command = f"ackclock reproduce {SLUG}" + (" --quick" if quick else "")
    return StudyResult(
        slug=SLUG,
        title=TITLE,
        claims=verdicts.assess_claims(size, loss, rtt),
        seeds=list(seeds),
        command=command,
        quick=quick,
        page=page(__package__, "README.md"),
        sheets=[
            *(sweep.sheet(one, treated, control) for one in all_swept),
            *(runs_sheet(f"runs-{one.sweep.name.replace(' ', '-')}", "Every run", one.grid) for one in all_swept),
        ],
        figures=[
            sweep.figure(one, readings.MAIN, treated, control, PUBLISHED[one.sweep.name], command) for one in all_swept
        ],
        files={"scenario.toml": page(__package__, "scenario.toml")},
        scenarios={one.name: hash_of(one, readings.VARIANTS[0]) for s in all_swept for one in s.grid.readings},
    )
