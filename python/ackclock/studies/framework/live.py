"""Columns of the running kernel beside the simulator's: the same scenarios, seeds and measures."""

from __future__ import annotations

import functools
import math
import platform
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ackclock.kernel.backends import HERE, backend
from ackclock.kernel.live import checked, run
from ackclock.kernel.modules import loaded_for
from ackclock.report import Intervals, Row, colour_of
from ackclock.scenario import override_pairs
from ackclock.studies.framework.grid import hashes
from ackclock.studies.framework.study import Outcome, Sheet

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock._core import Cancel
    from ackclock.base.progress import ProgressCallback
    from ackclock.engine.run import Job
    from ackclock.engine.threads import Worker
    from ackclock.report import Figure
    from ackclock.results.result import Result
    from ackclock.stats import Estimate
    from ackclock.studies.framework.grid import Grid, Reading, Variant
    from ackclock.studies.framework.lab import Lab

__all__ = [
    "SIMULATOR",
    "Line",
    "asked_of",
    "both",
    "figures",
    "kernel_name",
    "lateness",
    "outcome",
    "over_sockets",
    "sheet",
    "told",
]

SIMULATOR = "simulator"
"""The column of the simulator, whose stack is `linux`."""
PART = 0.05
"""The part of the work that the simulator's runs are."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table: a number that every column has."""

    name: str
    unit: str
    of: Callable[[Grid], Estimate]
    published: str = ""
    """The number that the source prints, or its words."""


def kernel_name() -> str:
    """The column of the running kernel: ``Linux`` and its release."""
    return f"Linux {platform.release().partition('-')[0]}"


def over_sockets() -> Worker[Job, Result]:
    """A worker that runs jobs over the sockets of the running kernel, whose release the store has with its numbers."""
    return functools.partial(_run, platform.release())


def _run(_: str, job: Job, cancel: Cancel, __: ProgressCallback) -> Result:
    return run(job.scenario, backend(HERE), job.overrides, seed=job.seed, cancel=cancel, alone=False)


def asked_of(readings: Sequence[Reading], variants: Sequence[Variant]) -> dict[tuple[str, str], dict[str, Any]]:
    """The questions for the kernel of each reading with each variant, by both names.

    Raises
    ------
    ScenarioError
        With what the kernel cannot do.
    """
    return {
        (reading.name, variant.name): checked(
            reading.scenario, backend(HERE), override_pairs({**reading.overrides, **variant.overrides})
        )[2]
        for reading in readings
        for variant in variants
    }


def lateness(result: Result) -> dict[str, float]:
    """Lateness of the emulator's packets, as the 99th percentile in ms, and whether the run is valid (1) or not (0)."""
    late = result.meta.get("lateness")
    return {"late_p99_ms": (late or {}).get("p99_ms") or 0.0, "valid": float(result.meta.get("valid", True))}


def both(
    lab: Lab,
    readings: Sequence[Reading],
    variants: Sequence[Variant],
    seeds: Sequence[int],
    measure: Callable[[Result], Mapping[str, float]],
    wrapped: Callable[[Worker[Job, Result]], Worker[Job, Result]] = lambda worker: worker,
    *,
    at_once: int = 1,
) -> dict[str, Grid]:
    """The grid in the simulator and over the kernel's sockets, by the name of the column.

    Parameters
    ----------
    lab
        The laboratory.
    readings, variants, seeds, measure
        As in `Lab.grid`; every scenario has the stack ``linux``.
    wrapped
        Changes the worker, for example so that each seed has connection vectors of its own.
    at_once
        Runs in real time at the same time. Each measures whether it was late.
    """
    asked = asked_of(readings, variants)
    modules = {flow["cc"] for one in asked.values() for flow in one["flows"]}
    here = lab.part(0, PART)
    sockets = replace(lab.part(PART, 1), threads=at_once)
    simulated = here.with_worker(wrapped(here.worker)).grid(readings, variants, seeds, measure)
    with loaded_for(sorted(modules)):
        measured = sockets.with_worker(wrapped(over_sockets())).grid(readings, variants, seeds, measure)
    return {SIMULATOR: simulated, kernel_name(): measured}


def told(estimate: Estimate) -> str:
    """A number with its half interval, where it has one."""
    if math.isnan(estimate.value):
        return "-"
    return f"{estimate.value:.4g}" + (f" ± {estimate.half_width:.2g}" if estimate.has_interval else "")


def sheet(columns: Mapping[str, Grid], lines: Sequence[Line], title: str, caption: str) -> Sheet:
    """The table: published, and a column for each grid."""
    rows = [
        [line.name, line.unit, line.published or "-", *(told(line.of(grid)) for grid in columns.values())]
        for line in lines
    ]
    return Sheet("columns", title, ["what", "unit", "published", *columns], rows, caption)


def figures(columns: Mapping[str, Grid], lines: Sequence[Line], command: str) -> list[Figure]:
    """A figure for each unit: every line with a row for each column."""
    by_unit: dict[str, list[Row]] = {}
    for line in lines:
        for place, (name, grid) in enumerate(columns.items()):
            estimate = line.of(grid)
            if not math.isnan(estimate.value):
                by_unit.setdefault(line.unit, []).append(Row(line.name, name, estimate, colour_of(place)))
    caption = "Means with 95 % intervals where there is more than one replication."
    return [Intervals(f"Side by side, {unit}", unit, rows, caption, command) for unit, rows in by_unit.items()]


def outcome(
    columns: Mapping[str, Grid],
    lines: Sequence[Line],
    seeds: Sequence[int],
    command: str,
    *,
    title: str,
    caption: str,
    others: Sequence[Sheet] = (),
    drawn: Sequence[Figure] = (),
) -> Outcome:
    """The outcome of a live part: the table, its figures, every number, and how late the emulator was."""
    kernel = columns[kernel_name()]
    cells = list(kernel.cells.values())
    late = max(float(cell["late_p99_ms"].max()) for cell in cells)
    runs, valid = (
        int(sum(number)) for number in zip(*((c["valid"].size, c["valid"].sum()) for c in cells), strict=True)
    )
    findings = (
        f"Of the {runs} runs over the kernel's sockets {valid} are valid: 99 % of the packets left the emulator no "
        "later than 2 % of the round-trip time after their time. The largest 99th percentile of the lateness is "
        f"{late:.3g} ms."
    )
    return Outcome(
        claims=(),
        seeds=seeds,
        hashes=hashes(kernel.readings, kernel.variants[0]),
        runs={f"runs-{number}-{_file(name)}": grid for number, (name, grid) in enumerate(columns.items())},
        sheets=[sheet(columns, lines, title, caption), *others],
        figures=[*drawn, *figures(columns, lines, command)],
        findings=findings,
    )


def _file(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in ".-" else "-" for letter in name.lower())
