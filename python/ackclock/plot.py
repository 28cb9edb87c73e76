"""Figures in matplotlib of one run. Every function draws on `ax`, or on a new figure, and returns the axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.palette import OKABE_ITO

if TYPE_CHECKING:
    from typing import Any

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from ackclock.result import Result
    from ackclock.table import Table

__all__ = ["Plot"]


class Plot:
    """The figures of a `Result`."""

    def __init__(self, result: Result) -> None:
        self._result = result

    def window(self, flow: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Congestion window (solid) and slow-start threshold (dotted) in kB over time, of one flow or of all.

        Needs ``probes.window`` in the scenario.
        """
        table = self._result.window
        axes = _axes(ax)
        for index, name in enumerate(_flows(table, flow)):
            mine = table["flow"] == name
            time, colour = table["time_s"][mine], _colour(index)
            axes.step(time, table["cwnd"][mine] / 1e3, where="post", color=colour, label=f"{name} cwnd")
            ssthresh = table["ssthresh"][mine] / 1e3
            axes.step(time, ssthresh, where="post", color=colour, linestyle=":", label=f"{name} ssthresh")
        axes.set(xlabel="time (s)", ylabel="window (kB)", ylim=(0, None))
        axes.legend()
        return axes

    def sequence(self, flow: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Stream offset in kB of the data segments of one flow over time: sent, sent again, dropped.

        Needs ``probes.packets`` in the scenario. Without `flow`, the first one is drawn.
        """
        table = self._result.packets
        name = _flows(table, flow)[0]
        data = (table["flow"] == name) & (table["side"] == "source") & (table["len"] > 0)
        sent, again = data & (table["event"] == "sent"), table["retransmission"].astype(bool)
        axes = _axes(ax)
        kinds: list[tuple[str, NDArray[Any], str, str]] = [
            ("sent", sent & ~again, OKABE_ITO["blue"], "."),
            ("sent again", sent & again, OKABE_ITO["orange"], "^"),
            ("dropped", data & (table["event"] == "dropped"), OKABE_ITO["vermillion"], "x"),
        ]
        for label, mask, colour, marker in kinds:
            axes.plot(table["time_s"][mask], table["seq"][mask] / 1e3, marker, color=colour, label=label, markersize=4)
        axes.set(xlabel="time (s)", ylabel=f"stream offset of {name} (kB)")
        axes.legend()
        return axes

    def dash(self, flow: str | None = None, *, ax: Axes | None = None) -> Axes:
        """The level of each DASH segment in kbit/s over the time of its request, of one client or of all.

        A cross marks a segment that the player had to stall for.
        """
        table = self._result.dash_segments
        axes = _axes(ax)
        for index, name in enumerate(_flows(table, flow)):
            mine = table["flow"] == name
            time, level, colour = table["request_s"][mine], table["level_bps"][mine] / 1e3, _colour(index)
            axes.step(time, level, where="post", color=colour, label=name)
            stalled = table["stall_s"][mine] > 0
            axes.plot(time[stalled], level[stalled], "x", color=colour)
        axes.set(xlabel="time (s)", ylabel="level (kbit/s)", ylim=(0, None))
        axes.legend()
        return axes


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    from matplotlib import pyplot as plt

    _, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    return axes


def _colour(index: int) -> str:
    colours = list(OKABE_ITO.values())
    return colours[index % len(colours)]


def _flows(table: Table, flow: str | None) -> list[str]:
    """The flow asked for, or all of them in order of appearance."""
    names: list[str] = list(dict.fromkeys(np.asarray(table["flow"]).tolist()))
    if flow is None:
        if not names:
            raise ValueError("the table is empty: there is nothing to draw")
        return names
    if flow not in names:
        raise ValueError(f"no flow {flow!r}; there are {', '.join(names) or 'none'}")
    return [flow]
