"""A video call with GCC beside a DASH client with newCWV, with and without pacing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.call_newcwv import cells, figures, verdicts
from ackclock.studies.framework import Outcome, Study, Variant, hash_of, job
from ackclock.studies.framework.setups.newcwv import NEWCWV, NEWRENO, SPREAD, newcwv_off, pacing_off

if TYPE_CHECKING:
    from ackclock.studies.framework import Lab

__all__ = ["STUDY"]

REPLICATIONS = 10
QUICK_REPLICATIONS = 2

AS_IT_IS = Variant("call", "call")


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the study. With `quick`, the senders and queues that claims need, without readings."""
    seeds = lab.seeds(REPLICATIONS, QUICK_REPLICATIONS)
    wanted, besides = cells.wanted(quick=lab.quick), cells.beside(quick=lab.quick)
    readings, of_others = cells.readings(study, wanted), cells.beside_readings(study, besides)
    senders = cells.senders(quick=lab.quick)
    decides = (cells.MAIN_BUFFER, cells.LIMITED)
    deciding = [one.name for one in wanted if one.choice == cells.MAIN and one.buffer in decides]
    videos = lab.part(0, 0.8).grid(readings, senders, seeds, cells.measure, deciding)
    deciding = [one.name for one in besides if one.choice == cells.MAIN]
    others = lab.part(0.8, 0.98).grid(of_others, [AS_IT_IS], seeds, cells.measure, deciding)
    shown = (NEWRENO, NEWCWV, SPREAD)
    drawn = next(one for one in readings if one.name == cells.Cell(cells.LINKS[1]).name)
    finer = {"flows[1].app.sample": "200ms"}
    runs = lab.part(0.98, 1).run([job(drawn, one, seeds[0], finer) for one in shown])
    command = study.command(lab)
    return Outcome(
        claims=verdicts.assess_claims(videos, wanted, others, besides),
        seeds=seeds,
        sheets=[verdicts.videos_sheet(videos), verdicts.beside_sheet(others)],
        runs={"runs-videos": videos, "runs-others": others},
        figures=[
            figures.jitter(videos, command),
            figures.losses(videos, command),
            figures.over_time(dict(zip([one.label for one in shown], runs, strict=True)), seeds[0], command),
        ],
        hashes={f"{one.name}; {sender.label}": hash_of(one, sender) for one in readings for sender in senders}
        | {one.name: hash_of(one, AS_IT_IS) for one in of_others},
    )


STUDY = Study(
    slug="call-newcwv",
    title="A video call beside newCWV",
    summary="A call with GCC beside DASH with newCWV, NewReno and CUBIC, with and without pacing",
    source="RFC 7661; slides on newCWV, NOSSDAV 2014; Jarvinen et al., PAM 2013; Stewart et al., MMSys 2011",
    package=__name__,
    run=run,
    scenarios=("video.toml", "file.toml", "alone.toml"),
    compares=False,
    most_times=4,
    nulls={
        "newCWV off": newcwv_off,
        "pacing off": pacing_off,
        "no video": cells.video_off,
        "IW3": cells.iw3_everywhere,
        "no CUBIC": cells.reno_for_cubic,
    },
)
