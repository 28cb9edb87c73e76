"""Figures: the distribution of the queue, the flows that start and stop, and queries to many servers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.report import Figure, Plot, Series, colour_of
from ackclock.studies.dctcp.cells import DYNAMIC, MAIN, incast_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.results.result import Result
    from ackclock.studies.framework import Grid

__all__ = ["converging", "incast", "queues"]

LABELS = {"dctcp": "DCTCP", "tcp": "TCP"}


def queues(results: Mapping[str, Result], command: str) -> Figure:
    """The distribution of the queue's length with two flows, as figure 13 of the paper draws it."""
    series = []
    for index, (name, result) in enumerate(results.items()):
        table = result.queues
        packets = np.sort(np.asarray(table["packets"], dtype=np.float64)[table["link"] == "bottleneck"])
        length, last = np.unique(packets, return_index=True)
        share = np.append(last[1:], len(packets)) / len(packets)
        series.append(Series(LABELS[name], length, share, colour_of(index), "step"))
    caption = (
        "Two long flows over 1 Gbit/s, a sample each millisecond. Published: about 20 packets; TCP ten times that."
    )
    return Plot("Length of the queue", "queue (packets)", "share of the time", series, caption, command, 1)


def converging(results: Mapping[str, Result], command: str) -> list[Figure]:
    """The throughput of each of the five senders over time, as figure 16 of the paper draws it."""
    figures: list[Figure] = []
    for name, result in results.items():
        table = result.rates
        series = []
        for index, flow in enumerate(dict.fromkeys(table["flow"].tolist())):
            mine = table["flow"] == flow
            rate = np.asarray(table["bytes_delivered"], dtype=np.float64)[mine] * 8 / 1e6
            series.append(Series(flow, table["time_s"][mine] - 300.0, rate, colour_of(index), "step"))
        title = f"Five {LABELS[name]} flows that start and stop one after another"
        caption = "Goodput in each second, from the start of the first flow."
        figures.append(Plot(title, "time (s)", "goodput (Mbit/s)", series, caption, command, 1))
    return figures


def incast(grid: Grid, degrees: Sequence[int], command: str) -> list[Figure]:
    """Mean completion time and share of queries with a timeout, over the number of servers (figures 18 and 19)."""
    figures: list[Figure] = []
    for measure, title, unit in (
        ("completion_ms", "Completion time of a query", "mean (ms)"),
        ("timeouts_percent", "Queries with a timeout", "share (%)"),
    ):
        series = []
        shown = [(choice, variant) for choice in (MAIN, DYNAMIC) for variant in LABELS]
        for index, (choice, variant) in enumerate(shown):
            means = [grid.mean(incast_name(choice, one), variant, measure) for one in degrees]
            low, high = [one.low for one in means], [one.high for one in means]
            label = f"{LABELS[variant]}, {'static' if choice == MAIN else 'dynamic'} buffer"
            value = [one.value for one in means]
            series.append(Series(label, degrees, value, colour_of(index), "interval", low, high))
        caption = "1 MB from all servers together, a least RTO of 300 ms; 95 % intervals over replications."
        figures.append(Plot(title, "servers", unit, series, caption, command))
    return figures
