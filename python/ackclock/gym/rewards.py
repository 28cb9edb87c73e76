"""Rewards: functions of an interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock.cc.policy import Interval

__all__ = ["Reward", "log_power"]

Reward: TypeAlias = "Callable[[Interval], float]"


def log_power(interval: Interval, delta: float = 1.0) -> float:
    """The logarithm of the delivery rate, less `delta` times that of the delay, both to the base of 2.

    It is the objective of Winstein and Balakrishnan, "TCP ex Machina" (SIGCOMM 2013), for an interval: the rate is in
    Mbit/s, and the delay is the mean RTT over the smallest one of the connection. An interval that delivers less than a
    segment counts as one with a segment, so that its logarithm exists; an interval without an RTT sample has no delay.

    Parameters
    ----------
    interval
        The counts of the interval.
    delta
        Weight of the delay.
    """
    mean, smallest = interval.rtt_mean, interval.rtt_smallest
    delay = math.log2(mean / smallest) if mean and smallest else 0.0
    rate = interval.mbps(max(interval.delivered, interval.mss, 1))
    return (math.log2(rate) if rate > 0 else 0.0) - delta * delay
