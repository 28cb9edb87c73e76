"""Compares the claims with the measured numbers of every buffer, and makes the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock import stats
from ackclock.studies.framework import ClaimResult, Sheet, assess_all
from ackclock.studies.gcc_queues.cells import CHOICES, DROP_TAIL, MAIN, MAIN_MS, RATES, name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid, Kind
    from ackclock.studies.gcc_queues.cells import Cell

__all__ = ["assess_claims", "sheet"]

LEVELS: Mapping[str, tuple[str, str]] = {
    "alone-delay": ("alone", "queue_p95_ms"),
    "full-utilisation": ("alone", "used_percent"),
    "intra-fairness": ("two calls", "jain"),
    "inter-fairness": ("CUBIC", "jain"),
}
"""Claims on drop-tail: the traffic and the measure."""

DIFFERENCES: Mapping[str, tuple[str, str, str, str]] = {
    "alone-loss-codel": ("alone", "loss_percent", "codel", DROP_TAIL.name),
    "alone-loss-pie": ("alone", "loss_percent", "pie", DROP_TAIL.name),
    "tcp-delay-codel": ("CUBIC", "queue_mean_ms", "codel", DROP_TAIL.name),
    "tcp-delay-pie": ("CUBIC", "queue_mean_ms", "pie", DROP_TAIL.name),
    "tcp-loss-codel": ("CUBIC", "loss_percent", "codel", DROP_TAIL.name),
    "tcp-loss-pie": ("CUBIC", "loss_percent", "pie", DROP_TAIL.name),
    "flow-delay-fq-codel": ("CUBIC", "queue_mean_ms", "fq-codel", DROP_TAIL.name),
    "flow-loss-fq-codel": ("CUBIC", "loss_percent", "fq-codel", "codel"),
    "flow-delay-sfq": ("CUBIC", "queue_mean_ms", "sfq", DROP_TAIL.name),
    "flow-loss-sfq": ("CUBIC", "loss_percent", "sfq", "codel"),
}
"""Claims on two queues: the traffic, the measure, the queue and that which it is compared with."""


WITH_BBR = "BBR for CUBIC"


def kind_of(reading: str) -> Kind:
    """The kind of a reading: another buffer, rate or traffic is another cell."""
    return "assumption" if reading in (MAIN, *CHOICES) else "cell"


def assess_claims(grid: Grid, cells: Sequence[Cell]) -> list[ClaimResult]:
    """Every claim, as the mean over the rates of the link; and with other buffers, settings and traffic."""
    return assess_all(__package__, lambda claim: _of_claim(grid, cells, claim), MAIN, kind_of)


def _of_claim(grid: Grid, cells: Sequence[Cell], claim: str) -> dict[str, Estimate]:
    traffic = LEVELS[claim][0] if claim in LEVELS else DIFFERENCES[claim][0]
    found: dict[str, list[str]] = {}
    for one in cells:
        is_main = (one.buffer_ms, one.choice) == (MAIN_MS, MAIN)
        if one.traffic == traffic:
            found.setdefault(one.choice if one.buffer_ms == MAIN_MS else f"{one.buffer_ms} ms", []).append(name(one))
            if is_main:
                found[f"{one.rate:g} Mbit/s"] = [name(one)]
        elif (traffic, one.traffic) == ("CUBIC", "BBR"):
            found.setdefault(WITH_BBR, []).append(name(one))
    return {label: _estimate(grid, names, claim) for label, names in found.items()}


def _estimate(grid: Grid, names: Sequence[str], claim: str) -> Estimate:
    if claim in LEVELS:
        return stats.mean(grid.over(names, DROP_TAIL.name, LEVELS[claim][1]))
    _, measure, queue, against = DIFFERENCES[claim]
    return stats.paired_difference(grid.over(names, queue, measure), grid.over(names, against, measure))


MEASURES = ("call_mbps", "other_mbps", "queue_mean_ms", "queue_p95_ms", "loss_percent", "freezes", "played_percent")


def sheet(grid: Grid) -> Sheet:
    """Every measure of every cell over every queue."""
    rows: list[list[object]] = [
        [*one.name.split("; "), queue.label] + [grid.mean(one.name, queue.name, measure).value for measure in MEASURES]
        for one in grid.readings
        for queue in grid.variants
    ]
    columns = [
        "reading",
        "beside the call",
        "link",
        "buffer",
        "queue",
        "call Mbit/s",
        "other Mbit/s",
        "queueing ms",
        "95 %",
    ]
    columns += ["loss %", "freezes", "played %"]
    rates = f"{min(RATES):g} to {max(RATES):g} Mbit/s"
    caption = (
        f"Means over the replications, at {rates}. The buffer is that of drop-tail. Delays and losses are the call's."
    )
    return Sheet("measures", "A call over every queue", columns, rows, caption)
