"""Data of others beside the project, read in place: RemyCC's tables, flow sizes and delivery traces."""

from __future__ import annotations

import csv
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ATT", "DATACENTRE_TABLE", "FLOW_SIZES", "VERIZON", "flow_sizes", "table", "trace_of_counts"]

VERIZON = "remy/verizon4g-100ms.csv"
ATT = "traces/ATT-LTE-driving.down"
FLOW_SIZES = "remy/flow-sizes.csv"
DATACENTRE_TABLE = "remycc/RemyCC-2013-datacenter.dna"

INTERVAL_MS = 100
PACKET, PAYLOAD = 1210, 1208
"""Bytes of a packet that carry data in the scripts, and here, where timestamps take 12 bytes and not 10."""
RESOLUTION = 1e-9
"""A step of the distribution of sizes is this wide, in probability; the sizes have probabilities of 1e-5 and more."""


def table(delta: str) -> str:
    """The file of RemyCC's table for a delta."""
    return f"remycc/RemyCC-2013-delta{delta}.dna"


def flow_sizes(path: Path, offset: int) -> dict[str, object]:
    """The distribution of a list of sizes with their cumulative probabilities, each size `offset` bytes larger.

    The scripts send whole packets of 1210 bytes. The engine interpolates between points; here each size is a step.
    """
    upto: dict[int, float] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            packets = math.ceil((int(row["bytes"]) + offset) / PACKET)
            upto[packets] = min(float(row["probability"]), 1.0)
    values: list[int] = []
    probabilities: list[float] = []
    for packets, probability in upto.items():
        size = packets * PAYLOAD
        if values:
            values.append(size - 1)
            probabilities.append(probabilities[-1] + RESOLUTION)
        values.append(size)
        probabilities.append(probability)
    return {"kind": "empirical", "values": [f"{value}B" for value in values], "probabilities": probabilities}


def trace_of_counts(path: Path, upto_s: float, to: Path) -> None:
    """Writes the trace whose packets are spread evenly in each interval of a table of counts, up to a time."""
    times: list[int] = []
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            start, count = round(1000 * float(row["time_s"])), int(row["packets"])
            if start >= 1000 * upto_s:
                break
            times += [start + int((index + 0.5) * INTERVAL_MS / count) for index in range(count)]
    to.write_text("".join(f"{time}\n" for time in times), encoding="utf-8")
