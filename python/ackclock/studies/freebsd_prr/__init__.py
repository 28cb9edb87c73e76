"""Proportional rate reduction for FreeBSD: the time of a transfer by size, by random loss and by round-trip time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.scenario import Text
from ackclock.studies import sweep
from ackclock.studies.freebsd_prr import readings, verdicts
from ackclock.studies.study import page

if TYPE_CHECKING:
    from ackclock.result import Result
    from ackclock.studies.lab import Lab
    from ackclock.studies.study import StudyResult

__all__ = ["SLUG", "SOURCE", "SUMMARY", "TITLE", "reproduce"]

SLUG = "freebsd-prr"
TITLE = "PRR for FreeBSD"
SUMMARY = "Proportional rate reduction against stock recovery by transfer size, random loss and RTT"
SOURCE = "Angelogiannopoulos, Zimmermann, Eggert, IETF 89"

REPLICATIONS = 100
QUICK_REPLICATIONS = 20
EXACT_REPLICATIONS = 2
"""Of the experiments without random loss: nothing in them is random."""


def seconds(result: Result) -> dict[str, float]:
    """The time of the transfer; one that was given up has taken the whole run."""
    (row,) = result.transfers.rows()
    return {"time_s": row["duration_s"] or result.meta["duration_s"], "finished": float(row["end_s"] is not None)}


def reproduce(lab: Lab) -> StudyResult:
    """Runs the study. With `quick`, every reading with fewer replications."""
    text = Text(page(__package__, "scenario.toml"), name="freebsd_prr/scenario.toml")
    seeds = range(1, 1 + (QUICK_REPLICATIONS if lab.quick else REPLICATIONS))

    def run(what: sweep.Sweep, seeds: range, start: float, end: float) -> sweep.Swept:
        variants, choices = readings.VARIANTS, readings.CHOICES
        return sweep.run_sweep(lab.part(start, end), what, text, choices, variants, seeds, seconds)

    exact = range(1, 1 + EXACT_REPLICATIONS)
    size, rtt = run(readings.SIZE, exact, 0, 0.05), run(readings.RTT, exact, 0.05, 0.1)
    loss = run(readings.LOSS, seeds, 0.1, 1)
    return sweep.result(
        SLUG,
        TITLE,
        __package__,
        [(size, "0 to 2.95 %"), (loss, "3 to 9 %"), (rtt, "0.1 to 1.9 %")],
        tuple(readings.PRR.values()),
        readings.STOCKS["NewReno with SACK"].name,
        claims=verdicts.assess_claims(size, loss, rtt),
        seeds=seeds,
        quick=lab.quick,
    )
