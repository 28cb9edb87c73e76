"""newCWV for FreeBSD: the transfer time of bursts with a window kept over pauses, by burst size and flows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ackclock.report import Figure, Plot, Series, colour_of
from ackclock.studies.framework import Outcome, Reading, Study, command_of, job, sweep
from ackclock.studies.freebsd_newcwv import figures, measures, readings, verdicts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.results.result import Result
    from ackclock.studies.framework import Lab, Variant

__all__ = ["STUDY"]

REPLICATIONS = 10
QUICK_REPLICATIONS = 2
TOPOLOGY_REPLICATIONS, QUICK_TOPOLOGY_REPLICATIONS = 5, 2
TRACE_SEED = 1
SHOWN_S = 8.0


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the study. With `quick`, every reading with fewer replications."""
    text = study.scenario()
    seeds = lab.seeds(REPLICATIONS, QUICK_REPLICATIONS)

    def swept(
        of: sweep.Sweep,
        assumptions: Sequence[sweep.Assumption],
        start: float,
        end: float,
        variants: Sequence[Variant] = readings.VARIANTS,
    ) -> sweep.Swept:
        return sweep.run_sweep(lab.part(start, end), of, text, assumptions, variants, seeds, measures.bursts)

    size = swept(readings.SIZE, readings.ASSUMPTIONS, 0, 0.4)
    flows = swept(readings.FLOWS, readings.FLOWS_ASSUMPTIONS, 0.4, 0.8)
    single = [one for one in readings.RESTARTED_ASSUMPTIONS if one.name in (readings.MAIN, readings.WITHOUT_NAGLE)]
    other_size = swept(readings.SIZE, single, 0.8, 0.85, readings.RESTARTED_VARIANTS)
    other_flows = swept(readings.FLOWS, readings.RESTARTED_ASSUMPTIONS, 0.85, 0.95, readings.RESTARTED_VARIANTS)
    drawn = Reading(readings.MAIN, text, {"flows[0].app.size": "100kB", **measures.PROBES})
    pair = (readings.STOCK, readings.NEWCWV)
    paths = lab.part(0.95, 1).grid(
        figures.topology_readings(text),
        (readings.STOCK, readings.NEWCWV, readings.PRR),
        lab.seeds(TOPOLOGY_REPLICATIONS, QUICK_TOPOLOGY_REPLICATIONS),
        measures.bursts,
    )
    traces = lab.part(1, 1).grid([drawn], pair, seeds, measures.window_left)
    shown = lab.part(1, 1).run([job(drawn, one, TRACE_SEED) for one in pair])
    repeat = "\n".join(command_of(drawn, one, TRACE_SEED) for one in pair)
    command = study.command(lab)
    found = sweep.outcome(
        [(size, "0.3 to 59.9 %, with PRR 0.3 to 60 %"), (flows, "0.4 to 38.6 %, with PRR 0.4 to 39 %")],
        (readings.NEWCWV, readings.PRR, readings.RFC),
        readings.STOCK.name,
        claims=verdicts.assess_claims(size, flows, other_size, other_flows, traces),
        illustrations=_windows(shown, repeat),
        seeds=seeds,
        command=command,
    )
    more = [figures.dispersion(flows, command), figures.topology(paths, command)]
    grids = {"runs-restarted-size": other_size.grid, "runs-restarted-flows": other_flows.grid, "runs-topology": paths}
    return replace(
        found,
        figures=[*found.figures, *more],
        sheets=[figures.dispersion_sheet(flows, other_flows), *found.sheets],
        runs={**found.runs, **grids},
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
    nulls={"newCWV off": readings.newcwv_off, "newCWV and PRR off": readings.prr_off},
)
