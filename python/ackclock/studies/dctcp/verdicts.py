"""Compares the claims with the measured numbers, and makes the tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.studies.dctcp.cells import DYNAMIC, FAST_RTO, MAIN, incast_name
from ackclock.studies.framework import ClaimResult, Sheet, assess_all

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid

__all__ = ["Parts", "assess_claims", "sheets"]

FEW = 10
MANY = 40
"""Numbers of servers of the claims on incast."""

INCAST: Mapping[str, tuple[str, int, str, str]] = {
    "incast-time": (MAIN, FEW, "dctcp", "completion_ms"),
    "incast-tcp": (MAIN, FEW, "tcp", "timeouts_percent"),
    "incast-converges": (MAIN, MANY, "dctcp", "timeouts_percent"),
    "incast-dynamic-dctcp": (DYNAMIC, MANY, "dctcp", "timeouts_percent"),
    "incast-dynamic-tcp": (DYNAMIC, MANY, "tcp", "timeouts_percent"),
}
"""The claims on incast: the choice of the main reading, the number of servers, the variant and the measure."""


LEAST: Mapping[str, float] = {"queue_spread": 1.0}
"""The least range of DCTCP's queue with which TCP's is compared, in packets: some readings have none at all."""

OTHERS: Mapping[str, tuple[str, str, str]] = {
    "throughput-dctcp": ("queue", "dctcp", "goodput_gbps"),
    "throughput-tcp": ("queue", "tcp", "goodput_gbps"),
    "queue-dctcp": ("queue", "dctcp", "queue_mean"),
    "queue-tcp": ("queue", "ratio", "queue_mean"),
    "queue-tcp-varies": ("queue", "ratio", "queue_spread"),
    "jain": ("convergence", "dctcp", "jain"),
    "varies": ("convergence", "ratio", "sd_mbps"),
    "multihop-s1": ("multihop", "dctcp", "s1_mbps"),
    "multihop-s2": ("multihop", "dctcp", "s2_mbps"),
    "multihop-s3": ("multihop", "dctcp", "s3_mbps"),
    "short-tcp": ("buildup", "tcp", "short_p50_ms"),
    "short-dctcp": ("buildup", "dctcp", "short_p50_ms"),
    "short-timeouts": ("buildup", "dctcp", "timeouts"),
}
"""The other claims: the part, the variant (or the ratio of TCP to DCTCP) and the measure."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The grids of the experiments."""

    queue: Grid
    convergence: Grid
    multihop: Grid
    incast: Grid
    buildup: Grid


def _means(grid: Grid, variant: str, measure: str) -> dict[str, Estimate]:
    return {one.name: grid.mean(one.name, variant, measure) for one in grid.readings}


def _times(grid: Grid, measure: str) -> dict[str, Estimate]:
    """TCP's number over DCTCP's, pair by pair."""

    def ratio(reading: str) -> NDArray[np.float64]:
        least = np.maximum(grid.values(reading, "dctcp", measure), LEAST.get(measure, 0.0))
        return grid.values(reading, "tcp", measure) / least

    return {one.name: stats.mean(ratio(one.name)) for one in grid.readings}


def _incast(grid: Grid, claim: str) -> dict[str, Estimate]:
    choice, servers, variant, measure = INCAST[claim]
    wanted = [choice, FAST_RTO] if choice == MAIN else [choice]
    names = {incast_name(one, servers): one for one in wanted}
    return {
        name: grid.mean(reading.name, variant, measure)
        for reading in grid.readings
        for name in [names.get(reading.name)]
        if name is not None
    }


def assess_claims(parts: Parts) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``."""
    return assess_all(
        __package__,
        lambda name: _incast(parts.incast, name) if name in INCAST else _measured(parts, name),
        lambda name: INCAST[name][0] if name in INCAST else MAIN,
    )


def _measured(parts: Parts, claim: str) -> dict[str, Estimate]:
    """A claim that is not about incast, under every reading."""
    part, what, measure = OTHERS[claim]
    grid: Grid = getattr(parts, part)
    return _times(grid, measure) if what == "ratio" else _means(grid, what, measure)


TITLES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "queue": (
        "Queue and throughput of long flows",
        {
            "goodput_gbps": "goodput Gbit/s",
            "utilisation_percent": "utilisation %",
            "queue_mean": "queue packets",
            "queue_spread": "5 % to 95 %",
            "queue_max": "longest",
        },
    ),
    "convergence": (
        "Five senders that start one after another",
        {"jain": "Jain's index", "jain_of_means": "of the means", "sd_mbps": "standard deviation Mbit/s"},
    ),
    "multihop": (
        "Two bottlenecks",
        {"s1_mbps": "S1 Mbit/s", "s2_mbps": "S2 Mbit/s", "s3_mbps": "S3 Mbit/s", "jain_least": "least Jain's index"},
    ),
    "incast": ("Queries to many servers", {"completion_ms": "mean ms", "timeouts_percent": "% with a timeout"}),
    "buildup": (
        "Answers of 20 kB beside two long flows",
        {"short_p50_ms": "median ms", "short_p95_ms": "95 % ms", "timeouts": "timeouts"},
    ),
}
"""The tables: the part to its title and its measures with their headings."""


def sheets(parts: Parts) -> list[Sheet]:
    """A table for each part: the means over the replications."""
    found = []
    for name, (title, columns) in TITLES.items():
        grid: Grid = getattr(parts, name)
        rows: list[list[object]] = [
            [reading.name, variant.label]
            + [grid.mean(reading.name, variant.name, measure).value for measure in columns]
            for reading in grid.readings
            for variant in grid.variants
        ]
        heads = ["reading", "variant", *columns.values()]
        found.append(Sheet(name, title, heads, rows, "Means over the replications."))
    return found
