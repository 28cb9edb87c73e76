"""Transfers of 100 MB by rate and round-trip time, as in figure 6: by how much BBR shortens them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.report import Choice, Figure, HeatMap
from ackclock.studies.bbr_when.cells import BBR, BUFFERS, CUBIC, cell, name, path_of
from ackclock.studies.framework import Reading, Sheet

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ackclock.results.result import Result
    from ackclock.scenario import Text
    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid

__all__ = ["TRANSFER", "change", "heat_maps", "measures", "readings", "sheet"]

TRANSFER = "100 MB"
"""The choice of these readings: what is sent."""


def readings(text: Text, cells: Iterable[tuple[str, int, int]]) -> list[Reading]:
    """The transfer over the path of every cell."""
    return [Reading(name(*one, TRANSFER), text, path_of(*one)) for one in cells]


def measures(result: Result) -> dict[str, float]:
    """Time of the transfer and retransmissions."""
    flow = next(result.flows.rows())
    return {
        "time_s": float(next(result.completions.rows())["mean_s"]),
        "resent_percent": 100 * flow["retransmits"] / flow["data_segments_sent"],
    }


def change(grid: Grid, reading: str) -> Estimate:
    """Relative change of the transfer time from CUBIC to BBR, in %; below 0, BBR's transfer takes less time."""
    return grid.change(reading, BBR.name, CUBIC.name, "time_s")


def heat_maps(grid: Grid, command: str) -> Figure:
    """The change of the time by rate and round-trip time, a map for each buffer."""
    maps = []
    for buffer in BUFFERS:
        have = [cell(one.name) for one in grid.readings if cell(one.name)[0] == buffer]
        rates, rtts = sorted({rate for _, rate, _ in have}), sorted({rtt for _, _, rtt in have})
        found = {
            (rtts.index(rtt), rates.index(rate)): change(grid, name(buffer, rate, rtt, TRANSFER))
            for _, rate, rtt in have
        }
        columns, rows = [str(rtt) for rtt in rtts], [str(rate) for rate in rates]
        maps.append(
            (buffer, HeatMap("round-trip time (ms)", "rate (Mbit/s)", columns, rows, found, "%", diverging=True))
        )
    caption = "Time of 100 MB with BBR above that with CUBIC, in per cent. Red: BBR is faster."
    return Choice("Time of a transfer of 100 MB", "buffer", maps, caption, command)


def sheet(grid: Grid) -> Sheet:
    """Time and losses of every transfer."""
    rows: list[list[object]] = []
    for reading in grid.readings:
        times = [grid.mean(reading.name, one.name, "time_s").value for one in (CUBIC, BBR)]
        losses = [grid.mean(reading.name, one.name, "resent_percent").value for one in (CUBIC, BBR)]
        rows.append([*cell(reading.name), *times, change(grid, reading.name).value, *losses])
    columns = ["buffer", "Mbit/s", "RTT ms", "CUBIC s", "BBR s", "change %"]
    columns += ["CUBIC retransmissions %", "BBR retransmissions %"]
    return Sheet("transfers", "Time of a transfer of 100 MB", columns, rows, "Means over the replications.")
