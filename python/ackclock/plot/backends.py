"""One scenario on several backends, drawn over each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ackclock.plot.canvas import from_zero, legend, panels, paper, words
from ackclock.plot.palette import colour_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ackclock.results.result import Replications

__all__ = ["overlay"]

LINES = ("-", "--", ":", "-.")
"""Styles of the flows; there is a colour for each backend."""


def overlay(runs: Mapping[str, Replications]) -> NDArray[Any]:
    """Congestion windows, smoothed RTTs and the bottleneck's queue over time, of the runs with the first seed.

    Of a scenario with many flows the first four are drawn. Needs ``probes.window`` and ``probes.queues``.
    """
    with paper():
        window, rtt, queue = axes = panels((1.9, 1.3, 1.3))
        for index, backend in enumerate(runs):
            run, colour = runs[backend][0], colour_of(index)
            table = run.tables["window"]
            flows = list(dict.fromkeys(str(name) for name in run.tables["flows"]["flow"]))[: len(LINES)]
            for flow, line in zip(flows, LINES, strict=False):
                mine = table["flow"] == flow
                style: dict[str, Any] = {"color": colour, "linestyle": line, "where": "post", "linewidth": 0.8}
                label = words(backend if len(flows) == 1 else f"{backend}: {flow}")
                window.step(table["time_s"][mine], table["cwnd"][mine] / 1e3, label=label, **style)
                rtt.step(table["time_s"][mine], table["srtt_ms"][mine], **style)
            queues = run.tables["queues"]
            ahead = queues["link"] == "bottleneck"
            queue.step(queues["time_s"][ahead], queues["packets"][ahead], color=colour, where="post", linewidth=0.8)
        window.set(ylabel="cwnd (kB)")
        rtt.set(ylabel="SRTT (ms)")
        queue.set(ylabel="queue (packets)", xlabel="time (s)")
        for one in axes:
            from_zero(one)
        legend(window)
    return axes
