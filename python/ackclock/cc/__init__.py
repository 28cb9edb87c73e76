"""Custom congestion controls in Python.

There are two levels. `WindowRules` has five rules about a window in segments, each with Reno's rule as its default;
most algorithms need five to ten lines. `CongestionControl` has all callbacks of the engine's own algorithms, with full
control over window and pacing. A registered class of either level is named in scenarios, sweeps and studies like the
algorithms of the catalogue:

>>> @ackclock.congestion_control("gentle")
... class Gentle(ackclock.WindowRules):
...     '''Reno with a smaller decrease on loss.'''
...
...     kept = ackclock.parameter(0.8, 0.5, 0.95, "share of the window kept on loss")
...
...     def reduction(self, flow):
...         return self.kept
>>> ackclock.run("scenario.toml", overrides={"flows[0].cc": {"kind": "gentle", "kept": 0.9}})

Each end of each connection has its own object of the class. Callbacks get the same argument objects each time, with new
values: copy values from them, and do not keep the objects. An exception ends the run as `AlgorithmError`. Results are
reproducible if the class uses no clock, no random numbers other than those from `seed`, and no state shared between
connections.

The arguments of the callbacks have the types `Window`, `Context`, `Ack`, `Congestion`, `RecoveryEnd`, `Delivery`,
`RateSample`, `Lost` and `Situation` of this module, for annotations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

from ackclock._core import Ack, Congestion, Context, Delivery, Lost, RateSample, RecoveryEnd, Situation, Window

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "Ack",
    "Congestion",
    "CongestionControl",
    "Context",
    "Delivery",
    "Lost",
    "Parameter",
    "RateSample",
    "RecoveryEnd",
    "Scope",
    "Situation",
    "Window",
    "WindowRules",
    "congestion_control",
    "parameter",
]


class Parameter(NamedTuple):
    """A number that scenarios may set; created by `parameter`."""

    default: float
    """Value where a scenario sets none."""
    least: float
    """Least value that a scenario may set."""
    most: float
    """Greatest value that a scenario may set."""
    summary: str
    """Its meaning and unit, for lists and pages."""

    def __get__(self, instance: object, owner: type | None = None) -> float:
        return self.default


def parameter(default: float, least: float, most: float, summary: str = "") -> float:
    """A class attribute of type float that scenarios may set, as in ``cc = { kind = "gentle", kept = 0.9 }``.

    Parameters
    ----------
    default
        Value if the scenario gives none.
    least, most
        Range of accepted values, both included.
    summary
        Short description, with the unit.

    Raises
    ------
    ValueError
        If the default is not from `least` to `most`.
    """
    if not least <= default <= most:
        raise ValueError(f"the default must be from {least} to {most}, not {default}")
    return cast("float", Parameter(float(default), float(least), float(most), summary))


class Scope(NamedTuple):
    """Tasks that a `CongestionControl` performs itself instead of the sender."""

    slow_start: bool = False
    """The algorithm also grows the window below ssthresh."""
    window: bool = False
    """The algorithm sets the window in every phase; recoveries, timeouts and restarts after idle do not change it."""
    paces: bool = False
    """The algorithm sets the pacing rate of the window; tables then have ``cc`` as the pacing of its flows."""
    gap: bool = False
    """The pacing rate is a gap since the last segment: a delivery that changes it also changes the time of the next
    segment."""
    proportional: bool = False
    """The response to a mark is smaller than that to a loss: a loss in the window of data in which a mark was answered
    is answered too."""


class WindowRules:
    """A congestion control as five rules about its window; the sender performs slow start, recovery and timeouts.

    Windows are in segments and times in seconds. Each rule gets the situation of the flow (`ackclock._core.Situation`):

    - ``cwnd``, ``ssthresh``, ``acked``, ``flight_size``, ``pipe``, ``initial_window`` in segments;
    - ``now``, ``rtt``, ``srtt``, ``min_rtt``, ``idle`` in seconds, None if there was no sample;
    - ``mss`` in bytes;
    - ``cause``: "loss", "ecn", "timeout" or None;
    - ``abe``.
    """

    def seed(self, seed: int) -> None:
        """Seed for random numbers: the initial sequence number, which differs between connections."""

    def start(self, flow: Situation) -> float:
        """The first window, in segments, at least 1. Default: the initial window of the scenario."""
        return flow.cwnd

    def increase(self, flow: Situation) -> float:
        """Growth of the window in segments while one window is acknowledged, which is a round trip. Default: 1.

        Called at every acknowledgment above ssthresh and outside recovery. The window changes in whole segments and
        grows no faster than in slow start. A negative number reduces the window, to no less than two segments.
        """
        return 1.0

    def reduction(self, flow: Situation) -> float:
        """Share of the data in flight, from 0 to 1, to which a loss or mark reduces the window. Default: 1/2.

        The data in flight (FlightSize) are bounded by the window, and at least two segments remain. A mark with ABE
        (RFC 8511) leaves 0.8 by default.
        """
        return 0.8 if flow.abe and flow.cause == "ecn" else 0.5

    def timeout(self, flow: Situation) -> float:
        """Share of the data in flight to which a timeout sets ssthresh. Default: the share of `reduction`.

        The window itself becomes one segment, as after every timeout.
        """
        return self.reduction(flow)

    def idle(self, flow: Situation) -> float:
        """Share of the window, from 0 to 1, that remains when sending resumes. Default: 1.

        Called if no data are in flight and the last segment was sent ``flow.idle`` seconds ago, longer than the
        retransmission timeout (RFC 5681 section 4.1). The scenario's rules for restarts after idle and for window
        validation are applied after this one.
        """
        return 1.0

    def state_name(self) -> str | None:
        """Name of the present state, for the column ``cc_state`` of the table ``window``. Default: None.

        Called only in runs that record windows or events; it must not change the object.
        """
        return None


class CongestionControl:
    """A congestion control with all callbacks; `on_ack`, `on_congestion` and `on_timeout` are required.

    Volumes are in bytes and times in nanoseconds, both as integers. The window may be set to any number of at least one
    segment, which is rounded down to an integer. Callbacks that are not overridden cost nothing. `on_delivery`,
    `on_lost` and `on_sent` are called if they are overridden.
    """

    scope = Scope()
    """Tasks that the algorithm performs itself instead of the sender."""

    def seed(self, seed: int) -> None:
        """Seed for random numbers: the initial sequence number, which differs between connections."""

    def on_start(self, window: Window, ctx: Context) -> None:
        """The connection is established; ``window.cwnd`` is the initial window."""

    def on_ack(self, window: Window, ack: Ack, acked: int) -> None:
        """New data was acknowledged outside recovery, and the window may grow.

        `acked` is the part of ``ack.acked`` that slow start has not used.
        """
        raise NotImplementedError

    def on_congestion(self, window: Window, event: Congestion) -> None:
        """Congestion other than a timeout: set ssthresh, and set cwnd to its value after the response."""
        raise NotImplementedError

    def on_timeout(self, window: Window, event: Congestion, first: bool) -> None:
        """The retransmission timer expired: set ssthresh. The sender then sets cwnd to one segment.

        `first` is False when the same segment times out again; RFC 5681 then keeps ssthresh.
        """
        raise NotImplementedError

    def on_undo(self, window: Window, before: Window) -> None:
        """The last reduction responded to a loss that proved spurious; `before` is the window before that reduction.

        By default, cwnd and ssthresh are restored where they are now smaller.
        """
        window.cwnd = max(window.cwnd, before.cwnd)
        window.ssthresh = max(window.ssthresh, before.ssthresh)

    def on_recovery_end(self, window: Window, end: RecoveryEnd) -> None:
        """Fast recovery has ended."""

    def on_idle_end(self, window: Window, ctx: Context, idle: int) -> None:
        """Sending resumes with nothing outstanding; the last segment was sent `idle` nanoseconds ago."""

    def on_delivery(self, window: Window, delivery: Delivery) -> None:
        """An acknowledgment reported deliveries, in any phase; called before losses found by it are answered."""

    def on_lost(self, window: Window, lost: Lost) -> None:
        """A segment is deemed lost."""

    def on_sent(self, window: Window, ctx: Context) -> None:
        """A segment with payload was sent, as new data or as a retransmission; `ctx` is the state after sending."""

    def state_name(self) -> str | None:
        """Name of the present state, for the column ``cc_state`` of the table ``window``. Default: None.

        Called only in runs that record windows or events; it must not change the object.
        """
        return None


C = TypeVar("C", bound="type[WindowRules] | type[CongestionControl]")


def congestion_control(name: str) -> Callable[[C], C]:
    """Registers a class of `WindowRules` or `CongestionControl` under a name for scenarios.

    A class of the same name from the same file is replaced, for example when a notebook cell runs again. The scenario's
    canonical form and its hash contain a digest of the class's source: its file and those of its bases, or its methods
    and attributes if there is no file. Modules that these import are not part of the digest.

    Raises
    ------
    ValueError
        If the name is not valid or already belongs to the catalogue or to another class, or if the source is not found.
    TypeError
        If the class is of neither level, lacks a required callback or has an unknown one.
    """
    from ackclock.cc import registry

    def register(cls: C) -> C:
        registry.register(name, cls)
        return cls

    return register
