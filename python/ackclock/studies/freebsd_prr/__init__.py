"""Proportional rate reduction for FreeBSD: the time of a transfer by size, by random loss and by round-trip time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import Outcome, Study, sweep
from ackclock.studies.framework.nulls import held
from ackclock.studies.freebsd_prr import readings, verdicts

if TYPE_CHECKING:
    from ackclock.results.result import Result
    from ackclock.studies.framework import Lab

__all__ = ["STUDY"]

REPLICATIONS = 100
QUICK_REPLICATIONS = 20
EXACT_REPLICATIONS = 2
"""Replications of the experiments without random loss, in which nothing is random."""


def seconds(result: Result) -> dict[str, float]:
    """The time of the transfer. A transfer that was given up has taken the whole run."""
    (row,) = result.transfers.rows()
    return {"time_s": row["duration_s"] or result.meta["duration_s"], "finished": float(row["end_s"] is not None)}


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the study. With `quick`, every reading with fewer replications."""
    text = study.scenario()
    seeds = lab.seeds(REPLICATIONS, QUICK_REPLICATIONS)

    def swept(of: sweep.Sweep, seeds: range, start: float, end: float) -> sweep.Swept:
        variants, assumptions = readings.VARIANTS, readings.ASSUMPTIONS
        return sweep.run_sweep(lab.part(start, end), of, text, assumptions, variants, seeds, seconds)

    exact = lab.seeds(EXACT_REPLICATIONS, EXACT_REPLICATIONS)
    size, rtt = swept(readings.SIZE, exact, 0, 0.05), swept(readings.RTT, exact, 0.05, 0.1)
    loss = swept(readings.LOSS, seeds, 0.1, 1)
    return sweep.outcome(
        [(size, "0 to 2.95 %"), (loss, "3 to 9 %"), (rtt, "0.1 to 1.9 %")],
        tuple(readings.PRR.values()),
        readings.STOCKS["FreeBSD's SACK"].name,
        claims=verdicts.assess_claims(size, loss, rtt),
        seeds=seeds,
        command=study.command(lab),
    )


STUDY = Study(
    slug="freebsd-prr",
    title="PRR for FreeBSD",
    summary="Proportional rate reduction against stock recovery by transfer size, random loss and RTT",
    source="Angelogiannopoulos, Zimmermann, Eggert, IETF 89",
    package=__name__,
    run=run,
    nulls={"PRR off": held(readings.STOCKS["FreeBSD's SACK"].overrides)},
)
