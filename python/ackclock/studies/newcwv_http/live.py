"""The study over the sockets of the running kernel: connection vectors, each connection a real one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import Outcome, Reading
from ackclock.studies.framework.live import Line, both, lateness, outcome
from ackclock.studies.framework.setups.http_vectors import vectors, vectors_folder, with_own_vectors
from ackclock.studies.framework.setups.newcwv import LIVE_NEWCWV, LIVE_NEWRENO, LIVE_PACED, LIVE_VARIANTS
from ackclock.studies.newcwv_http import measures
from ackclock.studies.newcwv_http.readings import MAIN, VECTORS, readings

if TYPE_CHECKING:
    from ackclock.results.result import Result
    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid, Lab, Study, Variant

__all__ = ["run"]

DURATION_S, QUICK_DURATION_S = 120, 60
REPLICATIONS, QUICK_REPLICATIONS = 3, 1


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the live part: three replications of 120 s; with `quick` one of 60 s."""
    seeds = lab.seeds(REPLICATIONS, QUICK_REPLICATIONS)
    duration_s = lab.pick(DURATION_S, QUICK_DURATION_S)
    files = vectors(seeds)
    with vectors_folder(files) as folder:
        main = next(one for one in readings(folder) if one.name == MAIN)
        reading = Reading(MAIN, main.scenario, {"duration": f"{duration_s}s", "flows[0].stack": "linux"})
        columns = both(
            lab, [reading], LIVE_VARIANTS, seeds, traffic, lambda worker: with_own_vectors(worker, VECTORS), at_once=4
        )
        return outcome(
            columns,
            LINES,
            seeds,
            study.live_command(lab),
            title="Published, simulated, and measured",
            caption=f"{len(seeds)} paired runs of {duration_s} s for each variant and column: the main reading.",
        )


def traffic(result: Result) -> dict[str, float]:
    """Losses and the mean time of exchanges after an idle period; short runs have too few for the bins by size."""
    found = measures.losses_and_times(result)
    return found | lateness(result)


def _mean(name: str, unit: str, variant: Variant, measure: str) -> Line:
    return Line(f"{name}, {variant.label}", unit, lambda grid: grid.mean(MAIN, variant.name, measure))


def _change(name: str, published: str, variant: Variant, measure: str) -> Line:
    def of(grid: Grid) -> Estimate:
        return grid.change(MAIN, variant.name, LIVE_NEWRENO.name, measure)

    return Line(f"{name}, {variant.label} against NewReno", "% of NewReno's", of, published)


LINES = (
    *(_mean("Loss", "% of the segments", one, "loss_percent") for one in LIVE_VARIANTS),
    _change("Loss", "6.6", LIVE_NEWCWV, "loss_percent"),
    _change("Loss", "-1.4", LIVE_PACED, "loss_percent"),
    *(_mean("Exchange after idle", "s", one, "all_s") for one in LIVE_VARIANTS),
    _change("Exchange after idle", "shorter", LIVE_NEWCWV, "all_s"),
    _change("Exchange after idle", "shorter", LIVE_PACED, "all_s"),
)
