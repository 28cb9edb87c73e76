"""newCWV for FreeBSD: what a window kept over pauses does to the time of bursts, by their size and by flows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.report import Figure, Plot, Series, colour_of
from ackclock.scenario import Text
from ackclock.studies import sweep
from ackclock.studies.freebsd_newcwv import measures, readings, verdicts
from ackclock.studies.grid import Reading, command_of, job
from ackclock.studies.study import page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.result import Result
    from ackclock.studies.lab import Lab
    from ackclock.studies.study import StudyResult

__all__ = ["SLUG", "SOURCE", "SUMMARY", "TITLE", "reproduce"]

SLUG = "freebsd-newcwv"
TITLE = "newCWV for FreeBSD"
SUMMARY = "newCWV against the restart after idle by burst size and number of flows, with and without PRR"
SOURCE = "Angelogiannopoulos, Zimmermann, Eggert, IETF 89"

REPLICATIONS = 30
QUICK_REPLICATIONS = 2
TRACE_SEED = 1
SHOWN_S = 8.0


def reproduce(lab: Lab) -> StudyResult:
    """Runs the study. With `quick`, every reading with fewer replications."""
    text = Text(page(__package__, "scenario.toml"), name="freebsd_newcwv/scenario.toml")
    seeds = range(1, 1 + (QUICK_REPLICATIONS if lab.quick else REPLICATIONS))

    def run(what: sweep.Sweep, choices: Sequence[sweep.Choice], start: float, end: float) -> sweep.Swept:
        part = lab.part(start, end)
        return sweep.run_sweep(part, what, text, choices, readings.VARIANTS, seeds, measures.bursts)

    size, flows = run(readings.SIZE, readings.CHOICES, 0, 0.5), run(readings.FLOWS, readings.FLOWS_CHOICES, 0.5, 0.95)
    drawn = Reading(readings.MAIN, readings.MAIN, text, {"flows[0].app.size": "100kB", **measures.PROBES})
    pair = (readings.STOCK, readings.NEWCWV)
    traces = lab.part(1, 1).grid([drawn], pair, seeds, measures.window_left)
    shown = lab.part(1, 1).run([job(drawn, one, TRACE_SEED) for one in pair])
    repeat = "\n".join(command_of(drawn, one, TRACE_SEED) for one in pair)
    return sweep.result(
        SLUG,
        TITLE,
        __package__,
        [(size, "0.3 to 59.9 %, with PRR 0.3 to 60 %"), (flows, "0.4 to 38.6 %, with PRR 0.4 to 39 %")],
        (readings.NEWCWV, readings.PRR, readings.RFC),
        readings.STOCK.name,
        claims=verdicts.assess_claims(size, flows, traces),
        illustrations=_windows(shown, repeat),
        seeds=seeds,
        quick=lab.quick,
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
