"""A few cells of the study over the sockets of the running kernel, where the route says the initial window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import Outcome, Reading, Variant
from ackclock.studies.framework.live import Line, both, lateness, outcome
from ackclock.studies.framework.setups.wireless_bursts import cells, measures

if TYPE_CHECKING:
    from ackclock.results.result import Result
    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid, Lab, Study

__all__ = ["run"]

CELLS = tuple(
    one
    for one in cells.CELLS
    if one.network.name in ("HSPA", "LTE") and one.buffer == "1 BDP" and one.flows in (1, 6, 18)
)
QUICK_CELLS = tuple(one for one in CELLS if one.network.name == "HSPA" and one.flows != 6)
DURATIONS_S = {"HSPA": 20, "LTE": 8}
"""A run ends when its scenario does, however early its transfers are complete."""
REPLICATIONS, QUICK_REPLICATIONS = 5, 1
IW3, IW10 = (
    Variant(f"iw{window}", f"an initial window of {window}", {"flows[*].initial_window": window}) for window in (3, 10)
)


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the live part: six cells with five replications; with `quick` two cells with one."""
    seeds = lab.seeds(REPLICATIONS, QUICK_REPLICATIONS)
    chosen = lab.pick(CELLS, QUICK_CELLS)
    text = study.scenario("linux.toml")
    readings = [
        Reading(one.name, text, one.overrides() | {"duration": f"{DURATIONS_S[one.network.name]}s"}) for one in chosen
    ]
    columns = both(lab, readings, (IW3, IW10), seeds, transfers, at_once=2)
    lines = [
        *(_time(one.name, variant) for one in chosen for variant in (IW3, IW10)),
        *(_change(one.name) for one in chosen),
    ]
    return outcome(
        columns,
        lines,
        seeds,
        study.live_command(lab),
        title="Simulated and measured",
        caption=f"{len(seeds)} paired runs for each cell, initial window and column. Published: faster with few flows, "
        "slower with 18+18.",
    )


def transfers(result: Result) -> dict[str, float]:
    """Elapsed times of the transfers, and what the bottleneck dropped."""
    found = measures.transfers(result)
    return {name: found[name] for name in ("mean_s", "later_over_first", "fairness", "unfinished", "drops")} | lateness(
        result
    )


def _time(cell: str, variant: Variant) -> Line:
    def of(grid: Grid) -> Estimate:
        return grid.mean(cell, variant.name, "mean_s")

    return Line(f"{cell}: elapsed time, {variant.label}", "s", of)


def _change(cell: str) -> Line:
    def of(grid: Grid) -> Estimate:
        return grid.change(cell, IW10.name, IW3.name, "mean_s")

    return Line(f"{cell}: IW10 against IW3", "% of elapsed time", of)
