"""Rates in both directions above the round-trip time: what load does to a path, in the order of flent's figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.plot import series
from ackclock.plot.canvas import INK, from_zero, legend, panels, paper, words
from ackclock.plot.flows import looks, other_colours
from ackclock.plot.measured import MeasurementError
from ackclock.plot.reference import sum_of
from ackclock.results.bufferbloat import pings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from ackclock.plot.measured import Reference
    from ackclock.plot.series import Binned
    from ackclock.results.result import Result

__all__ = ["DIRECTIONS", "Beside", "directions", "draw_load", "draw_measured"]

DIRECTIONS = ("download", "upload")
"""The beginnings of the names of flows in either direction."""


@dataclass(frozen=True, slots=True)
class Beside:
    """A quantity of a run beside that of a measurement: means over the time under load that both have."""

    what: str
    """``download``, ``upload`` or the name of the flow with the round-trip times."""
    unit: str
    ours: float
    measured: float


def directions(result: Result, flows: Sequence[str] | None = None) -> dict[str, list[str]]:
    """The flows of each direction, by the beginnings of their names; directions without flows are left out.

    Raises
    ------
    ValueError
        If no flow has such a name.
    """
    chosen = series.chosen(result.flows, "flow", flows)
    found = {name: [flow for flow in chosen if flow.startswith(name)] for name in DIRECTIONS}
    if not any(found.values()):
        told = " or ".join(DIRECTIONS)
        raise ValueError(f"no flow has a name that begins with {told}; there are {', '.join(chosen)}")
    return {name: members for name, members in found.items() if members}


def draw_load(result: Result, flows: Sequence[str] | None, interval_s: float | None) -> NDArray[Any]:
    """The panels from the top: the rates of each direction, and the round-trip time."""
    shown = directions(result, flows)
    ping, start, rtt = pings(result)
    binned = series.rates(result, interval_s)
    axes = panels([1.5] * len(shown) + [1.3])
    for one, (direction, members) in zip(axes, shown.items(), strict=False):
        _rates(one, result, binned, direction, members)
    below = axes[-1]
    below.plot(start, rtt, ".", color=INK, markersize=2.5, label=f"_{ping}")
    below.set(xlabel="time (s)", ylabel=f"round-trip time\nof {words(ping)} (ms)")
    from_zero(below)
    axes[0].figure.align_ylabels(list(axes))
    return axes


def _rates(axes: Axes, result: Result, binned: Binned, direction: str, members: Sequence[str]) -> None:
    """The rates of some flows, and their sum in ink if they are several."""
    total = np.zeros(len(binned.edges) - 1)
    for name, look in looks(result, members).items():
        bps = binned.bps.get(name, np.zeros_like(total))
        total += bps
        label = f"_{name}" if look.label is None else words(look.label)
        line: dict[str, Any] = {"color": look.style.colour, "linewidth": 0.8, "label": label}
        axes.step(binned.edges, np.append(bps, bps[-1]) / 1e6, where="post", **line)
    if len(members) > 1:
        axes.step(binned.edges, np.append(total, total[-1]) / 1e6, where="post", color=INK, label="sum")
    axes.set_ylabel(f"{direction},\n{binned.name} (Mbit/s)")
    from_zero(axes)
    legend(axes)


def draw_measured(
    axes: NDArray[Any], result: Result, reference: Reference, flows: Sequence[str] | None = None, offset_s: float = 0.0
) -> list[Beside]:
    """Draws a measurement of flent over the panels: the sum of each direction, and every ping.

    The clock of the measurement begins with that of the run, plus `offset_s`. Returns the means beside one another.

    Raises
    ------
    MeasurementError
        If the measurement has no direction and no ping of the figure.
    """
    shown = directions(result, flows)
    loads = [float(result.flows["start_s"][result.flows["flow"] == name][0]) for own in shown.values() for name in own]
    # A colour that no flow has.
    colour = other_colours(result, 1)[0]
    with paper():
        found = _measured_rates(axes, result, reference, shown, min(loads), offset_s, colour)
        found += _measured_pings(axes[-1], result, reference, min(loads), offset_s, colour)
    if not found:
        raise MeasurementError(
            f"{reference.path}: has nothing that the figure shows; accepted: a file of flent with TCP upload, TCP "
            "download or Ping, over the time of the run"
        )
    axes[-1].set_xlim(0, float(result.meta["duration_s"]))
    return found


def _measured_rates(
    axes: NDArray[Any],
    result: Result,
    reference: Reference,
    shown: Mapping[str, Sequence[str]],
    begin: float,
    offset_s: float,
    colour: str,
) -> list[Beside]:
    binned = series.rates(result)
    found = []
    for one, (direction, members) in zip(axes, shown.items(), strict=False):
        own = [stream for stream in reference.streams if stream.name.startswith(f"TCP {direction}")]
        own = [stream for stream in own if "goodput_bps" in stream.series]
        if not own:
            continue
        total = own[0] if len(own) == 1 else sum_of(own)
        measured = total.series["goodput_bps"].shifted(offset_s)
        x, y = np.append(measured.start_s, measured.end_s[-1:]), np.append(measured.value, measured.value[-1:]) / 1e6
        label = f"measured ({reference.kind})"
        one.step(x, y, where="post", color=colour, linewidth=0.9, label=label, zorder=5)
        from_zero(one)
        legend(one)
        ours = np.sum([binned.bps[name] for name in members if name in binned.bps], axis=0)
        end = min(float(binned.edges[-1]), float(measured.end_s[-1])) + 1e-9
        mine = (binned.edges[:-1] >= begin) & (binned.edges[1:] <= end)
        theirs = (measured.start_s >= begin) & (measured.end_s <= end)
        if mine.any() and theirs.any():
            means = float(np.mean(ours[mine])) / 1e6, float(np.mean(measured.value[theirs])) / 1e6
            found.append(Beside(direction, "Mbit/s", *means))
    return found


def _measured_pings(
    axes: Axes, result: Result, reference: Reference, begin: float, offset_s: float, colour: str
) -> list[Beside]:
    name, start, rtt = pings(result)
    found = []
    for stream in reference.streams:
        if "ping_ms" not in stream.series:
            continue
        one = stream.series["ping_ms"].shifted(offset_s)
        axes.plot(one.start_s, one.value, ".", color=colour, markersize=2.0, label=f"_{stream.name}", zorder=5)
        from_zero(axes)
        end = min(float(start[-1]), float(one.start_s[-1]))
        mine, theirs = ((at >= begin) & (at <= end) for at in (start, one.start_s))
        if mine.any() and theirs.any():
            means = float(rtt[mine].mean()), float(one.value[theirs].mean())
            found.append(Beside(f"{name}, {stream.name}", "ms", *means))
    return found
