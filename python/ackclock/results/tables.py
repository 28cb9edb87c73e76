"""Tables of results. Written by ackclock.scenario._generate from the declarations; not to be edited."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ackclock.base.table import Table

__all__ = ["NamedTables"]


class NamedTables(ABC):
    """A property for each table that a run may give."""

    @abstractmethod
    def _table(self, name: str) -> Table:
        """The table with a name."""

    @property
    def flows(self) -> Table:
        """One row a flow: goodput, segments, retransmissions, timeouts, round-trip times."""
        return self._table("flows")

    @property
    def paths(self) -> Table:
        """One row a path of a flow with ``paths``: what its subflows carried."""
        return self._table("paths")

    @property
    def links(self) -> Table:
        """One row a link: utilisation, drops, queueing delay."""
        return self._table("links")

    @property
    def dash(self) -> Table:
        """One row a DASH client: mean level, switches, stalls."""
        return self._table("dash")

    @property
    def live(self) -> Table:
        """One row a client of live video at low latency: latency, stalls, levels, playback rate.

        The latency is the time from an event to its playback. It is taken every 100 ms from the start of playback,
        and in stalls as well, in which it grows.
        """
        return self._table("live")

    @property
    def moq(self) -> Table:
        """One row a sink of live video over streams: latency, stalls, groups and frames that were dropped or skipped.

        The latency is the time from an event to its playback. It is taken every 100 ms from the start of playback,
        and in stalls as well, in which it grows.
        """
        return self._table("moq")

    @property
    def web(self) -> Table:
        """One row a flow of web sessions: sessions, pages, objects, connections."""
        return self._table("web")

    @property
    def cbr(self) -> Table:
        """One row a flow of datagrams at a constant rate: loss, reordering, delay, jitter."""
        return self._table("cbr")

    @property
    def breakers(self) -> Table:
        """One row a flow of datagrams with a circuit breaker (RFC 8084): whether and when it has ended the flow."""
        return self._table("breakers")

    @property
    def voip(self) -> Table:
        """One row a direction of a call: what was lost or late, the delay, and the E-model's R and MOS."""
        return self._table("voip")

    @property
    def call(self) -> Table:
        """One row a direction of a video call: frames, freezes, delays, losses, rates and feedback.

        A freeze is an interval between frames of at least max(3 * mean, mean + 150 ms), where the mean is that of
        the last 30 intervals (freezeCount of WebRTC's statistics). Rates have all headers, and are over the time of
        sending.
        """
        return self._table("call")

    @property
    def time_on(self) -> Table:
        """One row a flow of on periods: the time on, and the throughput over it."""
        return self._table("time_on")

    @property
    def completions(self) -> Table:
        """One row a flow and what it delivers: quantiles of completion times and slowdowns.

        A slowdown is the completion time over the least time that the path allows: the bytes at the rate of the
        slowest link, and the propagation delay from source to sink, or the base round-trip time for an answer to a
        request. A handshake is no part of it.
        """
        return self._table("completions")

    @property
    def completion_bins(self) -> Table:
        """Completion times in bins that add up over flows and runs; see ``ackclock.stats.quantile_of_bins``."""
        return self._table("completion_bins")

    @property
    def transfers(self) -> Table:
        """One row a transfer of a fixed size; the end is empty when the run ended first."""
        return self._table("transfers")

    @property
    def bursts(self) -> Table:
        """One row a burst over a connection that stays open; the end is empty when the run ended first."""
        return self._table("bursts")

    @property
    def items(self) -> Table:
        """One row an item of a list whose time has come; the end is empty when the run ended first."""
        return self._table("items")

    @property
    def rounds(self) -> Table:
        """One row a round of requests to several servers; the end is empty when the run ended first."""
        return self._table("rounds")

    @property
    def onoff(self) -> Table:
        """One row an on period: its bytes, start and end; the end is empty when the run ended first."""
        return self._table("onoff")

    @property
    def dash_segments(self) -> Table:
        """One row a DASH segment: level, size, download time, buffer, stall."""
        return self._table("dash_segments")

    @property
    def live_segments(self) -> Table:
        """One row a segment of live video: level, size, what the rate adaptation heard, buffer, latency, stall."""
        return self._table("live_segments")

    @property
    def live_samples(self) -> Table:
        """One row an interval of a client of live video; needs ``sample`` in the application."""
        return self._table("live_samples")

    @property
    def moq_groups(self) -> Table:
        """One row a group of live video over streams: size, frames that arrived, were shown and were skipped, reset."""
        return self._table("moq_groups")

    @property
    def moq_samples(self) -> Table:
        """One row an interval of a sink of live video over streams; needs ``sample`` in the application."""
        return self._table("moq_samples")

    @property
    def call_frames(self) -> Table:
        """One row a frame of a call; needs ``frames = true`` in the application."""
        return self._table("call_frames")

    @property
    def call_rates(self) -> Table:
        """One row an interval of a call; needs ``sample`` in the application."""
        return self._table("call_rates")

    @property
    def web_objects(self) -> Table:
        """One row an object of a page that has arrived; needs ``records = true`` in the application."""
        return self._table("web_objects")

    @property
    def web_pages(self) -> Table:
        """One row a page that is complete; needs ``records = true`` in the application."""
        return self._table("web_pages")

    @property
    def tmix(self) -> Table:
        """One row a flow of connection vectors: its connections."""
        return self._table("tmix")

    @property
    def tmix_connections(self) -> Table:
        """One row a connection whose data has arrived; needs ``records = true`` in the application."""
        return self._table("tmix_connections")

    @property
    def tmix_epochs(self) -> Table:
        """One row an exchange that is complete; needs ``records = true`` in the application."""
        return self._table("tmix_epochs")

    @property
    def window(self) -> Table:
        """The congestion window over time; needs ``probes.window``."""
        return self._table("window")

    @property
    def events(self) -> Table:
        """Losses, timeouts, reductions of the window and outages over time; needs ``probes.window``.

        ``recovery_started`` marks a detected loss, with which fast retransmit and fast recovery begin.
        ``ecn_reduction`` marks the start of a reduction of the window because of a mark, and ``delay_reduction``
        the start of one that the congestion control asked for. ``recovery_ended`` marks the end of a recovery or
        reduction. ``timeout`` marks an expiry of the retransmission timer, and ``undone`` a timeout or recovery
        that proved spurious, so that the window is restored. ``probe_sent`` marks a tail loss probe, and
        ``reordering_timeout`` an expiry of RACK's reordering timer (RFC 8985). ``outage_started`` and
        ``outage_ended`` mark the outages of links.
        """
        return self._table("events")

    @property
    def packets(self) -> Table:
        """Every segment and datagram sent, dropped and delivered; needs ``probes.packets``."""
        return self._table("packets")

    @property
    def sack_blocks(self) -> Table:
        """One row a SACK block of the segments in ``packets``; needs ``probes.packets``.

        ``left`` and ``right`` are the offsets of its first byte and of the one after its last, in the stream that
        the end ``side`` receives and acknowledges. A D-SACK block, which tells of what came twice (RFC 2883), is
        marked as ``duplicate``.
        """
        return self._table("sack_blocks")

    @property
    def timeouts(self) -> Table:
        """Every expiry of a retransmission timer, and whether it was spurious; needs ``probes.timeouts``."""
        return self._table("timeouts")

    @property
    def queues(self) -> Table:
        """Packets and bytes that wait before each link, at the probes' interval; needs ``probes.queues``.

        Of the packets that have left for the wire since the row before, and were not lost there, ``sent`` is the
        number, ``sojourn_ms`` the mean and ``sojourn_max_ms`` the longest time from arrival at the queue to the
        first bit on the wire; empty where there are none. Weighted by ``sent``, the means are that of ``links``.

        ``capacity_bps`` is the mean rate at which the link could have sent since the row before, and empty in a
        link's first row: its rate, where that is fixed; what the server had to offer where it varies, or where
        outages hold the packets back. A link that loses them in an outage sends all the while.
        """
        return self._table("queues")

    @property
    def rates(self) -> Table:
        """Bytes that each flow's sink receives in each interval of the probes; needs ``probes.rates``."""
        return self._table("rates")

    @property
    def limits(self) -> Table:
        """One row a flow: for how long its senders were limited, and by what; needs ``probes.limits``.

        At each moment one limit counts. The times are summed over the flow's connections, from the end of the
        handshake. ``busy_s``, ``rwnd_limited_s`` and ``sndbuf_limited_s`` have the meaning that ``ss -i`` gives
        them; a kernel knows only these.
        """
        return self._table("limits")

    @property
    def delays(self) -> Table:
        """One row a flow: one-way delays of the packets that its sinks received; needs ``probes.delays``."""
        return self._table("delays")

    @property
    def delay_cdf(self) -> Table:
        """Quantiles of one-way delays by flow; needs ``probes.delays``."""
        return self._table("delay_cdf")
