"""newCWV for FreeBSD: the transfer time of bursts with a window kept over pauses, by burst size and flows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.report import Figure, Plot, Series, colour_of
from ackclock.studies.framework import Outcome, Reading, Study, command_of, job, sweep
from ackclock.studies.freebsd_newcwv import measures, readings, verdicts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.results.result import Result
    from ackclock.studies.framework import Lab

__all__ = ["STUDY"]

REPLICATIONS = 10
QUICK_REPLICATIONS = 2
TRACE_SEED = 1
SHOWN_S = 8.0


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the study. With `quick`, every reading with fewer replications."""
    text = study.scenario()
    seeds = lab.seeds(REPLICATIONS, QUICK_REPLICATIONS)

    def swept(of: sweep.Sweep, assumptions: Sequence[sweep.Assumption], start: float, end: float) -> sweep.Swept:
        part = lab.part(start, end)
        return sweep.run_sweep(part, of, text, assumptions, readings.VARIANTS, seeds, measures.bursts)

    size = swept(readings.SIZE, readings.ASSUMPTIONS, 0, 0.5)
    flows = swept(readings.FLOWS, readings.FLOWS_ASSUMPTIONS, 0.5, 0.95)
    drawn = Reading(readings.MAIN, text, {"flows[0].app.size": "100kB", **measures.PROBES})
    pair = (readings.STOCK, readings.NEWCWV)
    traces = lab.part(1, 1).grid([drawn], pair, seeds, measures.window_left)
    shown = lab.part(1, 1).run([job(drawn, one, TRACE_SEED) for one in pair])
    repeat = "\n".join(command_of(drawn, one, TRACE_SEED) for one in pair)
    return sweep.outcome(
        [(size, "0.3 to 59.9 %, with PRR 0.3 to 60 %"), (flows, "0.4 to 38.6 %, with PRR 0.4 to 39 %")],
        (readings.NEWCWV, readings.PRR, readings.RFC),
        readings.STOCK.name,
        claims=verdicts.assess_claims(size, flows, traces),
        illustrations=_windows(shown, repeat),
        seeds=seeds,
        command=study.command(lab),
    )


def _windows(traces: Sequence[Result], command: str) -> list[Figure]:
    """The two illustrations: cwnd over time with newCWV off and on."""
    figures: list[Figure] = []
    for index, (what, trace) in enumerate(zip(("off", "on"), traces, strict=True)):
        window = trace.window
        seen = window["time_s"] <= SHOWN_S
        line = Series("cwnd", window["time_s"][seen], window["cwnd"][seen] / 1e3, colour_of(index), "step")
        caption = "One flow that sends a burst of 100 kB every second."
        title = f"Congestion window, newCWV {what}"
        figures.append(Plot(title, "time (s)", "cwnd (kB)", [line], caption, command, TRACE_SEED))
    return figures


def run_live(study: Study, lab: Lab) -> Outcome:
    """Runs a part of the study over the sockets of the running kernel."""
    from ackclock.studies.freebsd_newcwv.live import run

    return run(study, lab)


STUDY = Study(
    slug="freebsd-newcwv",
    title="newCWV for FreeBSD",
    summary="newCWV against the restart after idle by burst size and number of flows, with and without PRR",
    source="Angelogiannopoulos, Zimmermann, Eggert, IETF 89",
    package=__name__,
    run=run,
    live=run_live,
)
