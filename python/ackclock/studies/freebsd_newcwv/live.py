"""The study's bursts over the sockets of the running kernel, whose stack is Linux's and not FreeBSD's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import Outcome, Reading
from ackclock.studies.framework.live import Line, both, lateness, outcome
from ackclock.studies.framework.setups.newcwv import LIVE_AFTER_IDLE, LIVE_NEWCWV, LIVE_NEWRENO
from ackclock.studies.freebsd_newcwv import measures

if TYPE_CHECKING:
    from ackclock.results.result import Result
    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid, Lab, Study, Variant

__all__ = ["run"]

SIZES_KB, QUICK_SIZES_KB = (20, 64, 100, 200, 400, 800), (64, 200)
REPLICATIONS, QUICK_REPLICATIONS = 3, 1
VARIANTS = (LIVE_NEWRENO, LIVE_NEWCWV, LIVE_AFTER_IDLE)


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the live part: six sizes of bursts with three replications; with `quick` two sizes with one."""
    seeds = lab.seeds(REPLICATIONS, QUICK_REPLICATIONS)
    sizes = lab.pick(SIZES_KB, QUICK_SIZES_KB)
    chosen = [
        Reading(_name(size), study.scenario(), {"flows[0].stack": "linux", "flows[0].app.size": f"{size}kB"})
        for size in sizes
    ]
    lines = [
        *(_time(size, variant) for size in sizes for variant in VARIANTS),
        *(_benefit(size, variant) for variant in VARIANTS[1:] for size in sizes),
    ]
    columns = both(lab, chosen, VARIANTS, seeds, bursts, at_once=2)
    return outcome(
        columns,
        lines,
        seeds,
        study.live_command(lab),
        title="Simulated and measured",
        caption=f"{len(seeds)} paired runs of 12 s for each size, variant and column: a burst every second over "
        "20 Mbit/s and 40 ms. The published range of benefits over all sizes, of FreeBSD's stack, is 0.3 to 59.9 %.",
    )


def bursts(result: Result) -> dict[str, float]:
    """The mean time of a burst after the first of its flow, and drops."""
    return measures.bursts(result) | lateness(result)


def _name(size_kb: int) -> str:
    return f"{size_kb} kB"


def _time(size_kb: int, variant: Variant) -> Line:
    def of(grid: Grid) -> Estimate:
        return grid.mean(_name(size_kb), variant.name, "time_s").scaled(1e3)

    return Line(f"Burst of {size_kb} kB, {variant.label}", "ms", of)


def _benefit(size_kb: int, variant: Variant) -> Line:
    def of(grid: Grid) -> Estimate:
        return grid.change(_name(size_kb), variant.name, LIVE_NEWRENO.name, "time_s").scaled(-1)

    return Line(f"Benefit of {variant.label}, {size_kb} kB", "% of NewReno's time", of)
