"""Figures: throughput over the loss rate, as in figure 8, and CUBIC's beside the response function of RFC 9438."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ackclock.report import Figure, Plot, Series, colour_of
from ackclock.studies.bbr_loss.cells import CUBIC, LINK_MBPS, LOSSES, REPLICATED, VARIANTS, name, possible_mbps

if TYPE_CHECKING:
    from ackclock.studies.framework import Grid

__all__ = ["response_mbps", "small_rates", "throughput"]

AXIS = "random loss (%)"
RTT_S = 0.1
PACKET_BITS = 12_000
QUIET = "#777777"


def throughput(grid: Grid, command: str) -> Figure:
    """Throughput of every variant over the loss rate, with the maximum possible and the replication."""
    series = []
    for index, one in enumerate(VARIANTS):
        means = [grid.mean(name(loss), one.name, "throughput_mbps") for loss in LOSSES]
        low, high = [mean.low for mean in means], [mean.high for mean in means]
        values = [mean.value for mean in means]
        series.append(Series(one.label, LOSSES, values, colour_of(index), "interval", low, high))
        if one.name in REPLICATED:
            label = f"{one.label}, replication of 2017"
            series.append(Series(label, LOSSES, REPLICATED[one.name], colour_of(index), "points"))
    series.append(Series("maximum possible", LOSSES, [possible_mbps(loss) for loss in LOSSES], QUIET, dashed=True))
    caption = (
        "100 Mbit/s, 100 ms, 60 s; 95 % intervals. Published: CUBIC falls tenfold at 0.1 %; BBR meets the maximum up "
        "to 5 % of loss and is close to it up to 15 %. Replication: Hsiao and Muindi, one run each."
    )
    return Plot("Throughput under random loss", AXIS, "throughput (Mbit/s)", series, caption, command, x_log=True)


def response_mbps(loss: float) -> float:
    """CUBIC's throughput by RFC 9438: equation 6 with C = 0.4, or Reno's window (table 1) where that is larger."""
    p = loss / 100
    window = max(1.2 / math.sqrt(p), 1.054 * (RTT_S / p) ** 0.75)
    return float(min(LINK_MBPS, window * PACKET_BITS / RTT_S / 1e6))


def small_rates(grid: Grid, command: str) -> Figure:
    """The powers of ten of all throughputs, where small ones can be told apart, with CUBIC's response function."""
    series = []
    for index, one in enumerate(VARIANTS):
        values = [math.log10(grid.mean(name(loss), one.name, "throughput_mbps").value) for loss in LOSSES]
        series.append(Series(one.label, LOSSES, values, colour_of(index)))
        if one.name in REPLICATED:
            logs = [math.log10(value) for value in REPLICATED[one.name]]
            series.append(Series(f"{one.label}, replication of 2017", LOSSES, logs, colour_of(index), "points"))
    told = [loss for loss in LOSSES if loss <= 1]
    response = [math.log10(response_mbps(loss)) for loss in told]
    series.append(Series(f"{CUBIC.label}, RFC 9438", told, response, QUIET, dashed=True))
    caption = "Powers of ten on both axes. RFC 9438 section 5.1 gives CUBIC's window up to a loss rate of 1 %."
    label = "log10 of the throughput (Mbit/s)"
    return Plot("Small throughputs", AXIS, label, series, caption, command, x_log=True, from_zero=False)
