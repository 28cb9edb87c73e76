"""Figures of one run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ackclock.plot import buffers, series
from ackclock.plot.canvas import INK, axes_or, from_zero, legend, logarithmic, panels, paper, round_ticks, words
from ackclock.plot.flows import looks, other_colours
from ackclock.plot.load import draw_load
from ackclock.plot.marks import mark
from ackclock.plot.palette import COLOURS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from ackclock.base.table import Table
    from ackclock.plot.flows import Look
    from ackclock.results.result import Result

__all__ = ["Plot"]

MANY = 20_000
"""Number of points from which a PDF contains them as pixels, to limit the size of the file."""


SHADE = 0.3
"""Opacity of the area between the mean and the longest sojourn time."""


STALLED = Line2D([], [], color=INK, marker="x", linestyle="", label="segment with a stall")
HATCHED: dict[str, Any] = {"hatch": "//////", "linewidth": 0.0, "alpha": 0.7, "zorder": 1}
ABOVE = Patch(facecolor="none", edgecolor=INK, label="arrived earlier, waited for a retransmission", hatch="//////")
"""Style of the data that is delivered beyond the capacity of a link, and the entry of a legend for this data."""

SHADED = Patch(color=INK, alpha=0.2, linewidth=0, label="stall")
"""The entries of legends for stalls."""


class Plot:
    """Figures of a `Result`, in matplotlib.

    Each method draws on `ax`, or in a new figure of a column's width, and returns the axes. Methods with several panels
    return the array of their axes, from the top. `flow` is a name, several names, or None for all flows.

    A flow has the colour of its algorithm (see `ackclock.plot.palette`), in shades if several flows use the
    same algorithm.
    """

    def __init__(self, result: Result) -> None:
        self._result = result

    def window(self, flow: str | Sequence[str] | None = None, *, events: bool = True) -> NDArray[Any]:
        """`cwnd` above `rtt`. Needs ``probes.window``."""
        flows = series.chosen(self._result.window, "flow", flow)
        with paper():
            above, below = axes = panels((1.9, 1.1))
            self.cwnd(flows, events=events, ax=above)
            self.rtt(flows, events=events, ax=below)
            return _joined(axes)

    def cwnd(self, flow: str | Sequence[str] | None = None, *, events: bool = True, ax: Axes | None = None) -> Axes:
        """Congestion window, bytes in flight (pale) and slow-start threshold (dotted) in kB over time.

        The bytes in flight are the sender's estimate of the data in the network (pipe, RFC 6675); without loss, these
        are all unacknowledged data. The threshold is not drawn while it is infinite. Needs ``probes.window``.

        With `events`, marks at the top show what the table ``events`` has of the flows: losses, reductions for marks or
        delay, timeouts, undone reductions and the ends of recoveries, at most a hundred of a kind. Outages of links are
        shaded.
        """
        table = self._result.window
        shown = self._looks(table, flow)
        with paper():
            axes = axes_or(ax)
            for name, look in shown.items():
                mine = table["flow"] == name
                time = table["time_s"][mine]
                line: dict[str, Any] = {"color": look.style.colour}
                columns = [table[column][mine] / 1e3 for column in ("pipe", "ssthresh", "cwnd")]
                axes.step(time, columns[0], where="post", label=f"_{name} in flight", alpha=0.4, linewidth=0.7, **line)
                axes.step(time, columns[1], where="post", label=f"_{name} ssthresh", linestyle=":", **line)
                axes.step(time, columns[2], where="post", label=_label(name, look), **line)
            axes.set(xlabel="time (s)", ylabel="window (kB)")
            from_zero(axes)
            kinds: dict[str, dict[str, Any]] = {
                "cwnd": {},
                "in flight": {"alpha": 0.4, "linewidth": 0.7},
                "ssthresh": {"linestyle": ":"},
            }
            more: list[Artist] = [Line2D([], [], color=INK, label=label, **line) for label, line in kinds.items()]
            legend(axes, more + (mark(axes, self._result, shown) if events else []))
        return axes

    def rtt(self, flow: str | Sequence[str] | None = None, *, events: bool = True, ax: Axes | None = None) -> Axes:
        """Smoothed round-trip time of the sender, in ms over time, with marks as in `cwnd`. Needs ``probes.window``."""
        table = self._result.window
        shown = self._looks(table, flow)
        with paper():
            axes = axes_or(ax)
            for name, look in shown.items():
                mine = table["flow"] == name
                self._step(axes, table["time_s"][mine], table["srtt_ms"][mine], name, look)
            axes.set(xlabel="time (s)", ylabel="SRTT (ms)")
            from_zero(axes)
            legend(axes, mark(axes, self._result, shown) if events else [])
        return axes

    def throughput(
        self,
        flow: str | Sequence[str] | None = None,
        *,
        link: str | None = None,
        interval_s: float | None = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Received rates of sinks in Mbit/s over time, with the capacity of a link: the bottleneck, or the named link.

        Rates are means over about `interval_s`, or over a hundredth of the recorded time. Rates exclude headers, and
        the capacity includes them. With ``probes.packets``, the rate is that of arriving payload, including duplicates.
        Otherwise, with ``probes.rates``, it is the goodput of applications. When a loss is repaired, applications get
        all data that waited behind the loss at once, so the goodput may exceed the capacity for a moment. The part
        above the capacity is hatched, and the legend says why it is there.

        With ``probes.queues``, the capacity of a link with a varying rate is drawn over the same intervals; otherwise
        as its mean. It is zero during outages.
        """
        binned = series.rates(self._result, interval_s)
        shown = self._looks(self._result.flows, flow)
        name, capacity = series.capacity_of(self._result, link, binned.edges)
        waited: list[Artist] = []
        with paper():
            axes = axes_or(ax)
            _capacity(axes, binned.edges, capacity / 1e6, f"capacity of {words(name)}")
            for one, look in shown.items():
                bps = binned.bps.get(one, np.zeros(len(binned.edges) - 1))
                self._step(axes, binned.edges, np.append(bps, bps[-1]) / 1e6, one, look)
                if binned.name == "goodput" and _above(axes, binned.edges, capacity / 1e6, bps / 1e6, look):
                    waited = [ABOVE]
            axes.set(xlabel="time (s)", ylabel=f"{binned.name} (Mbit/s)")
            from_zero(axes)
            legend(axes, waited)
        return axes

    def load(self, flow: str | Sequence[str] | None = None, *, interval_s: float | None = None) -> NDArray[Any]:
        """Rates of downloads above those of uploads above the round-trip time, as in flent's figures.

        A flow is a download or an upload by the beginning of its name. The round-trip times are those of the first flow
        of the application ``rpc``; a dot is a round, at its start. Intervals and probes are those of `throughput`.
        """
        flows = [flow] if isinstance(flow, str) else flow
        with paper():
            return draw_load(self._result, flows, interval_s)

    def jain(
        self, flow: str | Sequence[str] | None = None, *, interval_s: float | None = None, ax: Axes | None = None
    ) -> Axes:
        """Jain's fairness index of the rates of the flows over time, 1 if all are equal.

        In each interval, the index is over the active flows. A flow is active from its first byte to its last, also in
        intervals without bytes between them. There is a gap while fewer than two flows are active. Intervals and probes
        are those of `throughput`. A flow that starves permanently is no longer active;
        `ackclock.results.fairness.jain_over_time` counts it until the end.
        """
        binned = series.rates(self._result, interval_s)
        index = series.fairness(
            binned, [one for one in series.chosen(self._result.flows, "flow", flow) if one in binned.bps]
        )
        if np.isnan(index).all():
            raise ValueError("no two of the flows are active at the same time; Jain's index needs two")
        with paper():
            axes = axes_or(ax, 1.8)
            axes.step(binned.edges, np.append(index, index[-1]), where="post", color=INK)
            axes.set(xlabel="time (s)", ylabel="Jain's index", ylim=(0, 1.04))
            round_ticks(axes)
        return axes

    def queue(self, link: str | Sequence[str] | None = None) -> NDArray[Any]:
        """`occupancy` above `wait`. Needs ``probes.queues``."""
        links = self._links(link)
        with paper():
            above, below = axes = panels((1.6, 1.4))
            self.occupancy(links, ax=above)
            self.wait(links, ax=below)
            _joined(axes)
            legend(above, _of_sojourns())
            return axes

    def occupancy(self, link: str | Sequence[str] | None = None, *, ax: Axes | None = None) -> Axes:
        """Queue length of a link in packets over time: the bottleneck, or the named links. Needs ``probes.queues``."""
        table = self._result.queues
        with paper():
            axes = axes_or(ax, 1.8)
            for name, colour in self._colours(link).items():
                mine = table["link"] == name
                time, packets = table["time_s"][mine], table["packets"][mine]
                axes.plot(time, packets, color=colour, label=words(name), linewidth=0.9)
            axes.set(xlabel="time (s)", ylabel="queue (packets)")
            from_zero(axes)
            legend(axes)
        return axes

    def wait(self, link: str | Sequence[str] | None = None, *, ax: Axes | None = None) -> Axes:
        """Queueing delay of a link in ms over time: the mean, with the area up to the longest shaded.

        A sojourn time is the time from a packet's arrival to its first bit on the wire. It is drawn in the interval of
        the probes in which it ends. There is a gap while no packet leaves, as in an outage; the packets that waited
        follow after it. Dropped packets have no sojourn time. Needs ``probes.queues``.
        """
        table, shown = self._result.queues, self._colours(link)
        with paper():
            axes = axes_or(ax, 1.8)
            for name, colour in shown.items():
                edges, *columns = series.sojourns(table, name)
                if len(edges) < 2:
                    raise ValueError("the table 'queues' has a single time; a figure over time needs two")
                _shade(axes, edges, *columns, color=colour, alpha=SHADE)
                mean = np.append(columns[0], columns[0][-1])
                axes.step(edges, mean, where="post", color=colour, label=words(name), linewidth=0.9)
            axes.set(xlabel="time (s)", ylabel="sojourn time (ms)")
            from_zero(axes)
            legend(axes, _of_sojourns())
        return axes

    def _links(self, link: str | Sequence[str] | None) -> list[str]:
        """The named links, or the bottleneck."""
        links = series.chosen(self._result.queues, "link", link)
        return ["bottleneck"] if link is None and "bottleneck" in links else links

    def _colours(self, link: str | Sequence[str] | None) -> dict[str, str]:
        """The named links, or the bottleneck, each with its colour."""
        links = self._links(link)
        if len(links) > len(COLOURS):
            raise ValueError(f"a figure has {len(COLOURS)} colours; name at most as many links, not {len(links)}")
        # A single link has the colour of elements that belong to no flow.
        colours = [INK] if len(links) == 1 else other_colours(self._result, len(links))
        return dict(zip(links, colours, strict=True))

    def sequence(self, flow: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Stream offsets in kB of one flow over time: segments sent, retransmitted and dropped, and acknowledgments.

        A segment is drawn at its first byte. The line is the acknowledged offset when the acknowledgment arrives at the
        source. Each SACK block is a bar from its first byte to its last; D-SACK blocks, which report duplicates, are
        left out. Offsets of each connection begin at zero. Needs ``probes.packets``. Without `flow`, the first flow is
        drawn.
        """
        table = self._result.packets
        name = series.chosen(table, "flow", flow)[0]
        drawn = series.segments(table, name)
        time, offset = series.acknowledged(table, name)
        kinds = [
            ("sent", COLOURS["blue"], ".", 2.0),
            ("retransmitted", COLOURS["brown"], "^", 3.5),
            ("dropped", COLOURS["vermillion"], "x", 3.5),
        ]
        with paper():
            axes = axes_or(ax)
            axes.step(time, offset / 1e3, where="post", color=INK, linewidth=0.8, label="acknowledged")
            at, left, right = series.sacked(self._result, name)
            if len(at):
                bars = axes.vlines(at, left / 1e3, right / 1e3, color=COLOURS["purple"], linewidth=0.6, label="SACK")
                bars.set_rasterized(bool(len(at) > MANY))
            for label, colour, marker, size in kinds:
                x, y = drawn[label]
                dots = axes.plot(x, y / 1e3, marker, color=colour, label=label, markersize=size, markeredgewidth=0.8)[0]
                dots.set_rasterized(bool(len(x) > MANY))
            axes.set(xlabel="time (s)", ylabel=f"stream offset of {words(name)} (kB)")
            from_zero(axes)
            legend(axes)
        return axes

    def dash(self, flow: str | Sequence[str] | None = None) -> NDArray[Any]:
        """`dash_level` above `dash_buffer`."""
        flows = series.chosen(self._result.dash_segments, "flow", flow)
        with paper():
            above, below = axes = panels((1.6, 1.4))
            self.dash_level(flows, ax=above)
            self.dash_buffer(flows, ax=below)
            _joined(axes)
            if below.patches:
                legend(above, [STALLED, SHADED])
            return axes

    def dash_level(self, flow: str | Sequence[str] | None = None, *, ax: Axes | None = None) -> Axes:
        """Level of each DASH segment in kbit/s, from its request on. A cross marks a segment with a stall."""
        table = self._result.dash_segments
        shown = self._looks(table, flow)
        marks: list[Line2D] = []
        with paper():
            axes = axes_or(ax, 1.8)
            for name, look in shown.items():
                mine = table["flow"] == name
                time, level = table["request_s"][mine], table["level_bps"][mine] / 1e3
                self._step(axes, time, level, name, look)
                stalled = table["stall_s"][mine] > 0
                axes.plot(time[stalled], level[stalled], "x", color=look.style.colour, label=f"_{name} stalls")
                if stalled.any():
                    marks = [STALLED]
            axes.set(xlabel="time (s)", ylabel="level (kbit/s)")
            from_zero(axes)
            legend(axes, marks)
        return axes

    def dash_buffer(self, flow: str | Sequence[str] | None = None, *, ax: Axes | None = None) -> Axes:
        """Media in the player's buffer in seconds over time, which fall while it plays. Stalls are shaded."""
        table = self._result.dash_segments
        shown = self._looks(table, flow)
        with paper():
            axes = axes_or(ax, 1.8)
            stalled: list[Patch] = []
            for name, look in shown.items():
                for start, end in zip(*buffers.stalls_of(self._result, name), strict=True):
                    axes.axvspan(start, end, color=look.style.colour, alpha=0.2, linewidth=0)
                    stalled = [SHADED]
                time, buffer = buffers.buffer_of(self._result, name)
                axes.plot(time, buffer, linewidth=0.9, color=look.style.colour, label=_label(name, look))
            axes.set(xlabel="time (s)", ylabel="buffer (s)")
            from_zero(axes)
            legend(axes, stalled)
        return axes

    def completion_cdf(
        self,
        flow: str | Sequence[str] | None = None,
        *,
        what: str | None = None,
        log: bool = True,
        ax: Axes | None = None,
    ) -> Axes:
        """Completion times in seconds: the share of started items that were complete within each time.

        An item that was incomplete at the end of the run counts as longer than any time, so a curve may end below 1.
        `what` is one kind of item: transfer, burst, period, item, round, object, page, connection or epoch. The axis of
        the times is logarithmic, unless `log` is false.
        """
        found = series.completions(self._result, flow, what)
        kinds = {one.what for one in found}
        shown = looks(self._result, list(dict.fromkeys(one.flow for one in found)))
        with paper():
            axes = axes_or(ax)
            dashes = dict(zip(sorted(kinds), ("solid", "dashed", "dotted", "dashdot"), strict=False))
            for one in found:
                look = shown[one.flow]
                label = _label(one.flow, look)
                if len(kinds) > 1 and not label.startswith("_"):
                    label = f"{label}, {one.what}"
                x, y = np.append(one.seconds[:1], one.seconds), np.append(0.0, one.share)
                line: dict[str, Any] = {"color": look.style.colour, "linestyle": dashes.get(one.what, "solid")}
                axes.step(x, y, where="post", label=label, **line)
            items = f"{next(iter(kinds))}s" if len(kinds) == 1 else "items"
            axes.set(xlabel="completion time (s)", ylabel=f"share of {items}", ylim=(0, 1.02))
            logarithmic(axes) if log else round_ticks(axes)
            legend(axes)
        return axes

    def delay_cdf(self, flow: str | Sequence[str] | None = None, *, log: bool = False, ax: Axes | None = None) -> Axes:
        """One-way delays of the packets that sinks received: the share of packets within each delay in ms.

        Needs ``probes.delays``. `log` selects a logarithmic axis.
        """
        table = self._result.delay_cdf
        shown = self._looks(table, flow)
        with paper():
            axes = axes_or(ax)
            for name, look in shown.items():
                mine = table["flow"] == name
                line: dict[str, Any] = {"color": look.style.colour, "linestyle": look.style.linestyle}
                axes.plot(table["delay_ms"][mine], table["quantile"][mine], label=_label(name, look), **line)
            axes.set(xlabel="one-way delay (ms)", ylabel="share of packets", ylim=(0, 1.02))
            logarithmic(axes) if log else round_ticks(axes)
            legend(axes)
        return axes

    def _looks(self, table: Table, flow: str | Sequence[str] | None) -> dict[str, Look]:
        return looks(self._result, series.chosen(table, "flow", flow))

    def _step(self, axes: Axes, x: NDArray[Any], y: NDArray[Any], name: str, look: Look) -> None:
        line: dict[str, Any] = {"color": look.style.colour, "linestyle": look.style.linestyle}
        axes.step(x, y, where="post", label=_label(name, look), **line)


def _capacity(axes: Axes, edges: NDArray[Any], mbps: NDArray[Any], label: str) -> None:
    """Capacity of a link behind the rates: an area below steps, or below a line if the capacity is constant."""
    line: dict[str, Any] = {"color": "#909090", "zorder": 1, "label": label}
    if np.ptp(mbps) == 0:
        axes.axhspan(0, mbps[0], color="#f4f4f4", linewidth=0, zorder=0)
        axes.axhline(mbps[0], linewidth=0.8, **line)
    else:
        _shade(axes, edges, np.zeros(len(mbps)), mbps, color="#f4f4f4", zorder=0)
        axes.step(edges, np.append(mbps, mbps[-1]), where="post", linewidth=0.6, **line)


def _above(axes: Axes, edges: NDArray[Any], mbps: NDArray[Any], goodput: NDArray[Any], look: Look) -> bool:
    """Hatches what is delivered beyond the capacity of the link: it arrived before, and waited for a repair."""
    beyond = goodput > mbps
    if not beyond.any():
        return False
    high = np.where(beyond, goodput, np.nan)
    _shade(axes, edges, np.where(beyond, mbps, np.nan), high, facecolor="none", edgecolor=look.style.colour, **HATCHED)
    return True


def _shade(axes: Axes, edges: NDArray[Any], low: NDArray[Any], high: NDArray[Any], **area: Any) -> None:
    """Fills the area between two values in each interval; matplotlib's `step` omits the last interval before a gap."""
    low, high = np.repeat(low, 2), np.repeat(high, 2)
    look = {"linewidth": 0} | area
    axes.fill_between(np.repeat(edges, 2)[1:-1], low, high, where=np.isfinite(high), **look)


def _of_sojourns() -> list[Line2D]:
    """Legend entries for the drawing of sojourn times."""
    return [
        Line2D([], [], color=INK, linewidth=0.9, label="mean sojourn"),
        Line2D([], [], color=INK, linewidth=5, alpha=SHADE, label="up to the longest"),
    ]


def _label(name: str, look: Look) -> str:
    """Label of a flow in the legend; matplotlib omits labels that begin with an underscore."""
    return f"_{name}" if look.label is None else words(look.label)


def _joined(axes: NDArray[Any]) -> NDArray[Any]:
    """Joins panels: only the last labels the time axis, and only the first has a legend."""
    for upper in axes[:-1]:
        upper.set_xlabel("")
    for lower in axes[1:]:
        lower.get_legend().remove()
    axes[0].figure.align_ylabels(list(axes))
    return axes
