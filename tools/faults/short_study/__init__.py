"""A study of a few short runs: the studies of ackclock take a minute each, and the campaign ends hundreds of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import Outcome, Reading, Study, Variant, assess

if TYPE_CHECKING:
    from ackclock.results.result import Result
    from ackclock.studies.framework import Lab

__all__ = ["STUDY"]

RENO, CUBIC = Variant("reno", "Reno", {"flows[0].cc": "reno"}), Variant("cubic", "CUBIC", {"flows[0].cc": "cubic"})


def seconds(result: Result) -> dict[str, float]:
    """The time of the transfer."""
    (row,) = result.transfers.rows()
    return {"time_s": row["duration_s"]}


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the study, which is the same with `quick`."""
    seeds = lab.seeds(6, 6)
    grid = lab.grid([Reading("main", study.scenario())], [RENO, CUBIC], seeds, seconds)
    change = grid.change("main", "cubic", "reno", "time_s")
    return Outcome(
        claims=[assess(claim, {"main": change}, "main") for claim in study.claims.values()],
        seeds=seeds,
        hashes={},
        runs={"runs": grid},
    )


STUDY = Study(
    slug="short-study",
    title="A short study",
    summary="Time of a short transfer with Reno and with CUBIC",
    source="None: the study stands for others in the campaign of faults",
    package=__name__,
    run=run,
)
