"""Congestion controls of your own, in Python.

There are two levels. `WindowRules` is five rules about a window in segments, each with a default that is Reno's: most
algorithms are five to ten lines of it. `CongestionControl` has every callback of the engine's own algorithms and full
control over window and pacing. A class of either becomes a congestion control by its registration, and is then named
in scenarios, sweeps and studies like those of the catalogue:

>>> @ackclock.congestion_control("gentle")
... class Gentle(ackclock.WindowRules):
...     '''Reno that gives up less at a loss.'''
...
...     kept = ackclock.parameter(0.8, 0.5, 0.95, "part of the window kept at a loss")
...
...     def reduction(self, flow):
...         return self.kept
>>> ackclock.run("scenario.toml", overrides={"flows[0].cc": {"kind": "gentle", "kept": 0.9}})

Each end of each connection has an object of the class. The objects that callbacks are given are the same each time,
filled anew: take from them what is to be kept, not them. An exception ends the run as `AlgorithmError`. Results are
the same again as long as the class uses no clock, no random numbers but those that start from `seed`, and nothing
that connections share.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock._core import Ack, Congestion, Context, Delivery, Lost, RecoveryEnd, Situation, Window

__all__ = ["CongestionControl", "Parameter", "Scope", "WindowRules", "congestion_control", "parameter"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number that scenarios may set; made by `parameter`."""

    default: float
    least: float
    most: float
    summary: str

    def __get__(self, instance: object, owner: type | None = None) -> float:
        return self.default


def parameter(default: float, least: float, most: float, summary: str = "") -> float:
    """A class attribute that scenarios may set, as in ``cc = { kind = "gentle", kept = 0.9 }``: a float.

    Parameters
    ----------
    default
        The value where the scenario gives none.
    least, most
        What is accepted, both included.
    summary
        One line on what it is, with its unit.

    Raises
    ------
    ValueError
        If the default is not from `least` to `most`.
    """
    if not least <= default <= most:
        raise ValueError(f"the default {default} is not from {least} to {most}")
    return cast("float", Parameter(float(default), float(least), float(most), summary))


@dataclass(frozen=True, slots=True)
class Scope:
    """What a `CongestionControl` does itself that the sender does for others."""

    slow_start: bool = False
    """It grows the window below ssthresh, too."""
    window: bool = False
    """The window is as it says in every phase: recoveries, timeouts and restarts after idle move it no further."""
    gap: bool = False
    """Its pacing rate is a gap since the last segment: a delivery that changes it changes the wait of the next."""
    proportional: bool = False
    """It answers a mark by less than a loss: a loss in the window of data that a mark has reduced is answered, too."""


class WindowRules:
    """A congestion control as five rules about its window; slow start, recovery and timeouts are the sender's.

    Windows are in segments and times in seconds. Each rule is given the situation of the flow
    (`ackclock._core.Situation`): ``cwnd``, ``ssthresh``, ``acked``, ``flight_size``, ``pipe``, ``initial_window`` in
    segments; ``now``, ``rtt``, ``srtt``, ``min_rtt``, ``idle`` in seconds, None where there was no sample; ``mss`` in
    bytes; ``cause``, "loss", "ecn", "timeout" or None; ``abe``.
    """

    def seed(self, seed: int) -> None:
        """The initial sequence number, which distinguishes the connection: where random numbers start."""

    def start(self, flow: Situation) -> float:
        """The first window, segments, from 1. By default the initial window of the scenario."""
        return flow.cwnd

    def increase(self, flow: Situation) -> float:
        """By how many segments the window grows while one window is acknowledged: in a round trip. By default 1.

        Asked at every acknowledgment above ssthresh and outside recovery. The window follows in whole segments; it
        grows no faster than in slow start. A negative number shrinks it, to two segments at least.
        """
        return 1.0

    def reduction(self, flow: Situation) -> float:
        """The part, from 0 to 1, of what is in flight that the window becomes after a loss or mark: 1/2 by default.

        What is in flight (FlightSize) counts as far as the window goes; two segments are left at least. A mark with ABE
        (RFC 8511) leaves 0.8 by default.
        """
        return 0.8 if flow.abe and flow.cause == "ecn" else 0.5

    def timeout(self, flow: Situation) -> float:
        """The part of what is in flight that ssthresh becomes after a timeout. By default what `reduction` says.

        The window itself is one segment then, as after every timeout.
        """
        return self.reduction(flow)

    def idle(self, flow: Situation) -> float:
        """The part of the window, from 0 to 1, that is left when sending resumes. By default 1.

        Asked where nothing is in flight and the last segment was sent longer than the retransmission timeout ago,
        ``flow.idle`` seconds (RFC 5681 section 4.1). What the scenario says of restarts after idle and of window
        validation comes after it.
        """
        return 1.0


class CongestionControl:
    """A congestion control with every callback; `on_ack`, `on_congestion` and `on_timeout` have to be there.

    Volumes are in bytes and times in nanoseconds, both whole numbers; the window may be set to any number from one
    segment on, which is cut to a whole one. Callbacks that are not overridden cost nothing. `on_delivery`, `on_lost`
    and `on_sent` are called as soon as they are overridden.
    """

    scope = Scope()
    """What it does itself that the sender does for others."""

    def seed(self, seed: int) -> None:
        """The initial sequence number, which distinguishes the connection: where random numbers start."""

    def on_start(self, window: Window, ctx: Context) -> None:
        """The connection is established: ``window.cwnd`` is the initial window."""

    def on_ack(self, window: Window, ack: Ack, acked: int) -> None:
        """New data was acknowledged outside recovery, and the window may grow.

        `acked` is the part of ``ack.acked`` that slow start has not used.
        """
        raise NotImplementedError

    def on_congestion(self, window: Window, event: Congestion) -> None:
        """Congestion other than a timeout: set ssthresh, and cwnd to where it is to be when that has been answered."""
        raise NotImplementedError

    def on_timeout(self, window: Window, event: Congestion, first: bool) -> None:
        """The retransmission timer expired: set ssthresh. The sender then sets cwnd to one segment.

        `first` is False when the same segment times out again, where RFC 5681 keeps ssthresh.
        """
        raise NotImplementedError

    def on_undo(self, window: Window, before: Window) -> None:
        """The last reduction was for a loss that did not happen: `before` is the window that it found.

        By default that window is restored, as far as the present one is not larger.
        """
        window.cwnd = max(window.cwnd, before.cwnd)
        window.ssthresh = max(window.ssthresh, before.ssthresh)

    def on_recovery_end(self, window: Window, end: RecoveryEnd) -> None:
        """Fast recovery has ended."""

    def on_idle_end(self, window: Window, ctx: Context, idle: int) -> None:
        """Sending resumes with nothing outstanding; the last segment was sent `idle` nanoseconds ago."""

    def on_delivery(self, window: Window, delivery: Delivery) -> None:
        """An acknowledgment told of deliveries, in whatever phase, before what else it shows is answered."""

    def on_lost(self, window: Window, lost: Lost) -> None:
        """A segment is deemed lost."""

    def on_sent(self, window: Window, ctx: Context) -> None:
        """A segment with payload was sent, for the first time or again; `ctx` is the state after."""


C = TypeVar("C", bound="type[WindowRules] | type[CongestionControl]")


def congestion_control(name: str) -> Callable[[C], C]:
    """Registers a class of `WindowRules` or `CongestionControl` under the name that scenarios will use.

    What was registered before by a class of the same name in the same file is replaced, as by running a notebook's
    cell again. The scenario's canonical form and its hash contain a digest of the class's source: of its file and
    those of its bases, or, where there is no file, of its methods and attributes. What these import is not in it.

    Raises
    ------
    ValueError
        If the name is not one, is the catalogue's or another class's, or the source cannot be found.
    TypeError
        If the class is of neither level, lacks a callback or has one that there is not.
    """
    from ackclock import _registry

    def register(cls: C) -> C:
        _registry.register(name, cls)
        return cls

    return register
