"""Congestion controls that follow a policy: a function from an observation of an interval to a window or a rate.

A policy learned in `ackclock.gym` runs in any scenario as a class of `PolicyControl`. The environment and the class
share this module, so that the same policy does the same in both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np

from ackclock._errors import RefusedError
from ackclock.cc import CongestionControl, Scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ackclock.cc import Ack, Congestion, Context, Delivery, Lost, Window

__all__ = ["RATIOS", "UNITS", "Interval", "Perceptron", "PolicyControl", "Steering"]

Actions = Literal["window", "rate", "window-factor", "rate-factor"]
Observations = Literal["units", "ratios"]

NS_PER_MS = 1_000_000
LEAST_ROUND_NS = NS_PER_MS
"""Shortest interval of a round trip, so that a path without delay has decisions that can be counted."""
UNKNOWN_ROUND_NS = 100 * NS_PER_MS
"""Interval of a round trip before the first RTT sample."""
UNLIMITED = 1 << 40
"""A window in bytes that never limits a rate."""
RANGES = {"window": (2.0, 10_000.0), "rate": (0.05, 1000.0)}
"""Least and greatest window in segments, and rate in Mbit/s, when none are given."""
MOST = {"window": 1e6, "rate": 1e5}
"""The largest window and rate that may be given."""


class Field(NamedTuple):
    """A number of an observation."""

    name: str
    unit: str
    least: float
    most: float
    text: str


UNITS = (
    Field("interval", "ms", 0, math.inf, "length of the interval"),
    Field("sent", "Mbit/s", 0, math.inf, "payload sent, retransmissions included"),
    Field("delivered", "Mbit/s", 0, math.inf, "payload newly known to have arrived"),
    Field("lost", "Mbit/s", 0, math.inf, "payload newly deemed lost"),
    Field("marked", "Mbit/s", 0, math.inf, "payload newly reported as received with a mark (ECN)"),
    Field("rtt_mean", "ms", 0, math.inf, "mean of the RTT samples; 0 without a sample"),
    Field("rtt_min", "ms", 0, math.inf, "smallest RTT sample; 0 without a sample"),
    Field("rtt_smallest", "ms", 0, math.inf, "smallest RTT sample of the connection so far"),
    Field("in_flight", "segments", 0, math.inf, "data in the network, by the sender's estimate"),
    Field("setting", "segments or Mbit/s", 0, math.inf, "the window or the rate in force"),
)
"""The numbers of the observation ``units``."""

RATIOS = (
    Field("queue_mean", "1", 0, 10, "mean RTT over the connection's smallest RTT, less 1; 0 without a sample"),
    Field("queue_min", "1", 0, 10, "smallest RTT over the connection's smallest RTT, less 1; 0 without a sample"),
    Field("lost", "1", 0, 1, "lost over sent payload"),
    Field("marked", "1", 0, 1, "marked over delivered payload"),
    Field("kept", "1", -1, 1, "delivered over sent payload, less 1"),
    Field("size", "1", 0, 2, "a tenth of the logarithm to the base of 2 of the segments in flight and one more"),
)
"""The numbers of the observation ``ratios``, which a small policy can use without scaling. Each is cut to its range."""


class Interval(NamedTuple):
    """The counts of a sender in an interval. Volumes are in bytes of payload, times in nanoseconds."""

    duration: int
    """Length of the interval."""
    sent: int = 0
    """Bytes sent, retransmissions included; each segment counts as a full one."""
    delivered: int = 0
    """Bytes newly known to have arrived."""
    lost: int = 0
    """Bytes newly deemed lost."""
    marked: int = 0
    """Bytes newly reported as received with a mark."""
    rtt_sum: int = 0
    """Sum of the RTT samples."""
    rtt_samples: int = 0
    """Number of RTT samples."""
    rtt_min: int | None = None
    """Smallest RTT sample."""
    rtt_smallest: int | None = None
    """Smallest RTT sample of the connection so far."""
    srtt: int | None = None
    """Smoothed RTT at the last event."""
    in_flight: int = 0
    """Bytes in the network at the last event, by the sender's estimate."""
    mss: int = 0
    """Bytes of payload in a full segment."""
    setting: float = 0.0
    """The window in segments or the rate in Mbit/s that was in force."""

    @property
    def rtt_mean(self) -> float | None:
        """Mean of the RTT samples in nanoseconds; None without a sample."""
        return self.rtt_sum / self.rtt_samples if self.rtt_samples else None

    def mbps(self, volume: int) -> float:
        """A volume of the interval in bytes as a rate in Mbit/s."""
        return volume * 8e3 / self.duration if self.duration else 0.0

    def units(self) -> NDArray[np.float32]:
        """The observation with units: `UNITS`."""
        row = (
            self.duration / NS_PER_MS,
            self.mbps(self.sent),
            self.mbps(self.delivered),
            self.mbps(self.lost),
            self.mbps(self.marked),
            (self.rtt_mean or 0.0) / NS_PER_MS,
            (self.rtt_min or 0) / NS_PER_MS,
            (self.rtt_smallest or 0) / NS_PER_MS,
            self.in_flight / self.mss if self.mss else 0.0,
            self.setting,
        )
        return np.array(row, np.float32)

    def ratios(self) -> NDArray[np.float32]:
        """The observation without units: `RATIOS`."""
        smallest, mean, least = self.rtt_smallest, self.rtt_mean, self.rtt_min
        in_flight = self.in_flight / self.mss if self.mss else 0.0
        row = (
            min(mean / smallest - 1, 10.0) if mean and smallest else 0.0,
            min(least / smallest - 1, 10.0) if least and smallest else 0.0,
            min(self.lost / self.sent, 1.0) if self.sent else 0.0,
            min(self.marked / self.delivered, 1.0) if self.delivered else 0.0,
            min(self.delivered / self.sent - 1, 1.0) if self.sent else 0.0,
            min(math.log2(1 + in_flight) / 10, 2.0),
        )
        return np.array(row, np.float32)


@dataclass(frozen=True, slots=True)
class Steering:
    """Times at which a policy decides, quantities that it sets, and quantities that it sees.

    Raises
    ------
    RefusedError
        If a value is not accepted.
    """

    action: Actions = "window-factor"
    """The number that the policy gives. ``window`` is the window in segments, and ``rate`` the pacing rate in Mbit/s
    with 40 bytes of headers for each segment. ``window-factor`` and ``rate-factor`` are from -1 to 1 and multiply the
    present window or rate by 2 to the power of the number. A rate has no window beside it that limits."""
    observation: Observations = "ratios"
    """The observation: ``units`` has the numbers of `UNITS`, ``ratios`` those of `RATIOS`."""
    interval_ms: float | None = None
    """Time between two decisions in milliseconds, counted from the start of the run. None means one smoothed RTT,
    at least 1 ms, from each decision to the next."""
    least: float | None = None
    """Smallest window in segments, by default 2, or rate in Mbit/s, by default 0.05."""
    most: float | None = None
    """Largest window in segments, by default 10,000, or rate in Mbit/s, by default 1000."""

    def __post_init__(self) -> None:
        if self.action not in get_args(Actions):
            raise RefusedError(f"action {self.action!r}: accepted: {', '.join(get_args(Actions))}")
        if self.observation not in get_args(Observations):
            raise RefusedError(f"observation {self.observation!r}: accepted: {', '.join(get_args(Observations))}")
        if self.interval_ms is not None and not 0.01 <= self.interval_ms <= 1e6:
            raise RefusedError(f"interval_ms {self.interval_ms}: accepted: 0.01 to 1,000,000, or None for an RTT")
        least, most = self.range
        low = 1.0 if self.quantity == "window" else 0.001
        if not low <= least < most <= MOST[self.quantity]:
            raise RefusedError(
                f"a {self.quantity} from {least:g} to {most:g}: accepted: a least value below the largest one, from "
                f"{low:g} to {MOST[self.quantity]:g} {'segments' if self.quantity == 'window' else 'Mbit/s'}"
            )

    @property
    def quantity(self) -> Literal["window", "rate"]:
        """The quantity that an action sets."""
        return "window" if self.action.startswith("window") else "rate"

    @property
    def relative(self) -> bool:
        """Whether an action multiplies the present window or rate."""
        return self.action.endswith("factor")

    @property
    def range(self) -> tuple[float, float]:
        """Smallest and largest window in segments, or rate in Mbit/s."""
        usual = RANGES[self.quantity]
        return (usual[0] if self.least is None else self.least, usual[1] if self.most is None else self.most)

    @property
    def scope(self) -> Scope:
        """The tasks of a `PolicyControl`."""
        return Scope(slow_start=True, window=True, paces=self.quantity == "rate")

    def fields(self) -> tuple[Field, ...]:
        """The numbers of the observation."""
        return UNITS if self.observation == "units" else RATIOS

    def observed(self, interval: Interval) -> NDArray[np.float32]:
        """The observation of an interval."""
        return interval.units() if self.observation == "units" else interval.ratios()

    def next(self, now: int, srtt: int | None) -> int:
        """The time of the first decision after the time `now`, both in nanoseconds."""
        if self.interval_ms is None:
            return now + (UNKNOWN_ROUND_NS if srtt is None else max(srtt, LEAST_ROUND_NS))
        step = round(self.interval_ms * NS_PER_MS)
        return (now // step + 1) * step

    def first(self, window: int, mss: int, srtt: int | None) -> float:
        """The setting of a flow that sends its initial window, in bytes, each smoothed RTT."""
        if self.quantity == "window":
            return window / mss
        return window * 8e3 / (srtt or UNKNOWN_ROUND_NS)

    def changed(self, setting: float, action: float) -> float:
        """The setting after an action, cut to the range.

        Raises
        ------
        RefusedError
            If the action is not a number.
        """
        if math.isnan(action):
            raise RefusedError("an action is not a number: the policy has diverged")
        wanted = setting * 2.0 ** min(max(action, -1.0), 1.0) if self.relative else action
        least, most = self.range
        return min(max(wanted, least), most)

    def target(self, setting: float, mss: int) -> tuple[int, int | None]:
        """The congestion window in bytes and the pacing rate in bytes per second of a setting."""
        if self.quantity == "window":
            return max(mss, round(setting * mss)), None
        return UNLIMITED, max(1, round(setting * 1e6 / 8))


class PolicyControl(CongestionControl):
    """A congestion control whose window or rate is set by the method `act`, once in an interval.

    It answers no loss and no mark by itself: what it does follows from the observations. An action applies from the
    next event of the sender on. The first interval has the initial window.
    """

    steering: ClassVar[Steering] = Steering()
    """Times at which the policy decides, quantities that it sets, and quantities that it sees."""

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        cls.scope = cls.steering.scope

    def __init__(self) -> None:
        self._next: int | None = None
        self._began = self._mss = self._window = self._in_flight = 0
        self._rtt_min: int | None = None
        self._smallest: int | None = None
        self._srtt: int | None = None
        self._setting = 0.0
        self._target: tuple[int, int | None] | None = None
        self._clear()

    def act(self, observation: NDArray[np.float32]) -> float:
        """The action for an observation, both as `steering` has them."""
        raise NotImplementedError

    def told(self, interval: Interval) -> None:
        """Is called with each interval before `act`; does nothing by default."""

    def on_ack(self, window: Window, ack: Ack, acked: int) -> None:
        """Does nothing."""

    def on_congestion(self, window: Window, event: Congestion) -> None:
        """Does nothing."""

    def on_timeout(self, window: Window, event: Congestion, first: bool) -> None:  # noqa: ARG002 - a callback's signature
        """Applies the action."""
        self._turn(window, event.ctx)

    def on_undo(self, window: Window, before: Window) -> None:
        """Does nothing."""

    def on_delivery(self, window: Window, delivery: Delivery) -> None:
        """Counts a delivery."""
        ack = delivery.ack
        self._turn(window, ack.ctx)
        self._delivered += delivery.newly
        self._marked += ack.marked
        rtt = ack.rtt
        if rtt is not None:
            self._rtt_sum += rtt
            self._rtt_samples += 1
            self._rtt_min = rtt if self._rtt_min is None else min(self._rtt_min, rtt)

    def on_lost(self, window: Window, lost: Lost) -> None:
        """Counts a loss."""
        self._turn(window, lost.ctx)
        self._lost += lost.len

    def on_sent(self, window: Window, ctx: Context) -> None:
        """Counts a segment; the first one begins the first interval."""
        self._turn(window, ctx)
        if self._next is None:
            self._began, self._mss = ctx.now, ctx.mss
            self._next = self.steering.next(ctx.now, ctx.srtt)
            self._window = window.cwnd
        self._sent += ctx.mss

    def _clear(self) -> None:
        self._sent = self._delivered = self._lost = self._marked = self._rtt_sum = self._rtt_samples = 0
        self._rtt_min = None

    def _turn(self, window: Window, ctx: Context) -> None:
        """Ends the intervals that are over, applies the setting, and notes the state."""
        while self._next is not None and ctx.now >= self._next:
            self._decide(self._next)
        if self._target is not None:
            window.cwnd, window.pacing_rate = self._target
        self._smallest, self._srtt, self._in_flight = ctx.min_rtt, ctx.srtt, ctx.pipe

    def _decide(self, now: int) -> None:
        """Ends the interval at the time `now`."""
        if self._target is None:
            self._setting = self.steering.first(self._window, self._mss, self._srtt)
        interval = Interval(
            now - self._began,
            self._sent,
            self._delivered,
            self._lost,
            self._marked,
            self._rtt_sum,
            self._rtt_samples,
            self._rtt_min,
            self._smallest,
            self._srtt,
            self._in_flight,
            self._mss,
            self._setting,
        )
        self.told(interval)
        self._setting = self.steering.changed(self._setting, float(self.act(self.steering.observed(interval))))
        self._target = self.steering.target(self._setting, self._mss)
        self._began, self._next = now, self.steering.next(now, self._srtt)
        self._clear()


class Perceptron(PolicyControl):
    """A policy as layers of neurons: tanh in all layers but the last one, which gives the action."""

    layers: ClassVar[Sequence[tuple[Sequence[Sequence[float]], Sequence[float]]]] = ()
    """The weights, a row for each neuron, and the biases of each layer."""

    def __init__(self) -> None:
        super().__init__()
        self._arrays = [(np.array(weights, float), np.array(biases, float)) for weights, biases in self.layers]

    def act(self, observation: NDArray[np.float32]) -> float:
        """The output of the layers."""
        values = observation.astype(float)
        for weights, biases in self._arrays[:-1]:
            values = np.tanh(weights @ values + biases)
        weights, biases = self._arrays[-1]
        return float((weights @ values + biases)[0])
