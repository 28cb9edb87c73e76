"""Figures: the gains over rate and round-trip time, published and measured; shares and retransmissions of the mix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.report import Choice, Figure, HeatMap, Plot, Series, colour_of
from ackclock.stats import Estimate
from ackclock.studies.bbr_when.cells import BUFFERS, OTHER_BUFFERS, TABLE, cell, mix_name, name, powers
from ackclock.studies.bbr_when.published import gains
from ackclock.studies.bbr_when.verdicts import gain

if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock.studies.framework import Grid

__all__ = ["heat_maps", "mix_retransmissions", "mix_shares", "other_heat_maps"]

GAIN_CAPTION = "Goodput of BBR above that of CUBIC, in per cent. Blue: BBR has more."
BUFFER_AXIS = "buffer (kB)"
PUBLISHED = {10: 94.0, 5_000: 50.0, 10_000: 25.0}
"""Buffer in kB to BBR's share of both flows in the text of the paper, per cent."""


def heat_maps(grid: Grid, command: str) -> list[Figure]:
    """Measured and published gains, for each buffer of figure 5."""
    told = gains().gain_percent
    found: list[Figure] = []
    for buffer in BUFFERS:
        measured = _map(grid, buffer, lambda where: gain(grid, name(*where)))
        published = _map(grid, buffer, lambda where: _number(told[where]))
        maps = [("measured", measured), ("published (figure 5)", published)]
        title = f"Gain of BBR over CUBIC with a buffer of {buffer}"
        found.append(Choice(title, "numbers", maps, GAIN_CAPTION, command))
    return found


def other_heat_maps(grid: Grid, command: str) -> Figure:
    """The measured gains with the buffers that the paper prints no heat-map of."""
    maps = [(buffer, _map(grid, buffer, lambda where: gain(grid, name(*where)))) for buffer in OTHER_BUFFERS]
    return Choice("Gain of BBR over CUBIC with other buffers", "buffer", maps, GAIN_CAPTION, command)


def _map(grid: Grid, buffer: str, value: Callable[[tuple[str, int, int]], Estimate]) -> HeatMap:
    """The heat-map of a buffer over the cells that the grid has."""
    have = [cell(one.name) for one in grid.readings if cell(one.name)[0] == buffer]
    rates, rtts = sorted({rate for _, rate, _ in have}), sorted({rtt for _, _, rtt in have})
    cells = {(rtts.index(where[2]), rates.index(where[1])): value(where) for where in have}
    columns, rows = [str(rtt) for rtt in rtts], [str(rate) for rate in rates]
    return HeatMap("round-trip time (ms)", "rate (Mbit/s)", columns, rows, cells, "%", diverging=True)


def _number(value: float) -> Estimate:
    return Estimate(value, float("nan"), float("nan"), 5)


def _sizes(grid: Grid) -> list[int]:
    return [int(one.name.split("; ")[1].split()[0]) for one in grid.readings]


def mix_shares(grid: Grid, command: str) -> Figure:
    """BBR's share of both flows over the buffer."""
    sizes = _sizes(grid)
    means = [grid.mean(mix_name(size), "", "bbr_percent") for size in sizes]
    kilobytes = [size / 1000 for size in sizes]
    low, high = [mean.low for mean in means], [mean.high for mean in means]
    series = [
        Series("measured", kilobytes, [mean.value for mean in means], colour_of(0), "interval", low, high),
        Series("published", list(PUBLISHED), list(PUBLISHED.values()), colour_of(1), "points"),
    ]
    caption = "A BBR flow and a CUBIC flow over 1 Gbit/s and 20 ms; 95 % intervals over replications."
    return Plot("BBR's share beside CUBIC", BUFFER_AXIS, "share of both (%)", series, caption, command, x_log=True)


def mix_retransmissions(grid: Grid, command: str) -> Figure:
    """The retransmissions of table 1, published and measured, as powers of ten."""
    sizes = _sizes(grid)
    kilobytes = [size / 1000 for size in sizes]
    series = []
    for index, (who, label) in enumerate((("bbr", "BBR"), ("cubic", "CUBIC"))):
        values = [grid.mean(mix_name(size), "", f"{who}_resent_powers").value for size in sizes]
        told = [powers(TABLE[size][index]) for size in sizes]
        series.append(Series(f"{label}, measured", kilobytes, values, colour_of(index)))
        series.append(Series(f"{label}, table 1", kilobytes, told, colour_of(index), "points"))
    caption = "Powers of ten on both axes; none counts as one. One BDP is 2,500 kB."
    label = "log10 of the retransmissions in 60 s"
    return Plot("Retransmissions of both flows together", BUFFER_AXIS, label, series, caption, command, x_log=True)
