"""RED and Adaptive RED as their papers and ns-2's manual describe them, one packet after the other."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.engine.stream import Packet

SECOND = 1e9


@dataclass
class Settings:
    """Names and defaults of ns-2.35, without the underscores at their ends; `max_p` is 1/linterm. Times in seconds."""

    bandwidth: float
    limit: tuple[str, int]
    mean_pktsize: float = 1500
    q_weight: float = -1
    rtt: float = 0.1
    thresh: float = 0
    maxthresh: float = 0
    target_delay: float = 0.005
    max_p: float = 0.1
    queue_in_bytes: bool = True
    bytes: bool = True
    wait: bool = True
    gentle: bool = True
    setbit: bool = False
    use_mark_p: bool = True
    mark_p: float = 0.1
    drop_rand: bool = False
    adaptive: bool = False
    alpha: float = 0.01
    beta: float = 0.9
    top: float = 0.5
    bottom: float = 0
    interval: float = 0.5


@dataclass
class Red:
    settings: Settings
    drop: Callable[[Packet, str], None]
    uniform: Callable[[], float]
    waiting: list[Packet] = field(default_factory=list)
    average: float = 0
    idle_from: int | None = 0
    since_drop: list[int] | None = None
    """Sizes of the packets since the last drop; None while early drops are not considered."""
    last_change: float = 0
    averages: list[float] = field(default_factory=list)
    max_ps: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        s = self.settings
        self.packets_per_second = s.bandwidth / 8 / s.mean_pktsize
        pps = self.packets_per_second
        constants = {0: pps, -1: 10 * s.rtt * pps, -2: pps / 10}
        self.weight = 1 - math.exp(-1 / constants[s.q_weight]) if s.q_weight in constants else s.q_weight
        low = s.thresh or max(5, s.target_delay * pps / 2)
        high = s.maxthresh or 3 * low
        scale = s.mean_pktsize if s.queue_in_bytes else 1
        self.low, self.high = low * scale, high * scale
        self.max_p = s.max_p
        self.bottom = s.bottom or min(0.01, 80_000 / s.bandwidth)

    def length(self) -> int:
        return sum(p.size for p in self.waiting) if self.settings.queue_in_bytes else len(self.waiting)

    def over_limit(self, packets: list[Packet]) -> bool:
        unit, limit = self.settings.limit
        return (len(packets) if unit == "packets" else sum(p.size for p in packets)) > limit

    def update_average(self, now: int) -> None:
        if self.idle_from is not None:
            for _ in range(int((now - self.idle_from) / SECOND * self.packets_per_second)):
                self.average *= 1 - self.weight
                if self.average < 1e-300:
                    break
            self.idle_from = None
        self.average = (1 - self.weight) * self.average + self.weight * self.length()
        if self.settings.adaptive:
            self.adapt(now / SECOND)
        self.averages.append(self.average)
        self.max_ps.append(self.max_p)

    def adapt(self, now: float) -> None:
        s = self.settings
        if now <= self.last_change + s.interval:
            return
        margin = 0.4 * (self.high - self.low)
        if self.average < self.low + margin and self.max_p > self.bottom:
            self.max_p *= s.beta
        elif self.average > self.high - margin and self.max_p < s.top:
            self.max_p += min(s.alpha, self.max_p / 4)
        else:
            return
        self.last_change = now

    def base_probability(self) -> float:
        if self.average < self.high:
            return self.max_p * (self.average - self.low) / (self.high - self.low)
        if not self.settings.gentle:
            return 1
        return min(1, self.max_p + (1 - self.max_p) * (self.average / self.high - 1))

    def final_probability(self, base: float, size: int) -> float:
        s = self.settings
        assert self.since_drop is not None
        passed = int(sum(self.since_drop) / s.mean_pktsize) if s.bytes else len(self.since_drop)
        product = passed * base
        if s.wait:
            final = 0 if product < 1 else 1 if product >= 2 else base / (2 - product)
        else:
            final = 1 if product >= 1 else base / (1 - product)
        return min(1, final * size / s.mean_pktsize) if s.bytes and final < 1 else final

    def forget(self) -> None:
        if self.since_drop is not None:
            self.since_drop = []

    def enqueue(self, now: int, packet: Packet) -> None:
        s = self.settings
        self.update_average(now)
        fate = "accept"
        if self.average < self.low or self.length() <= 1:
            self.since_drop = None
        elif not s.use_mark_p and self.average >= self.high * (2 if s.gentle else 1):
            fate = "forced"
            self.forget()
        elif self.since_drop is None:
            self.since_drop = [packet.size]
        else:
            self.since_drop.append(packet.size)
            base = self.base_probability()
            if self.uniform() < self.final_probability(base, packet.size):
                self.since_drop = []
                if s.setbit and packet.ecn != 0 and (base <= s.mark_p or not s.use_mark_p):
                    packet.ecn = 3
                else:
                    fate = "early"
        if self.over_limit([*self.waiting, packet]):
            fate = "full"
            self.forget()
        if fate == "early":
            self.drop(packet, "aqm")
            return
        self.waiting.append(packet)
        if fate == "accept":
            return
        while True:
            victim = int(self.uniform() * len(self.waiting)) if s.drop_rand else -1
            self.drop(self.waiting.pop(victim), "queue" if fate == "full" else "aqm")
            if not self.over_limit(self.waiting):
                break

    def dequeue(self, now: int) -> Packet | None:
        if self.waiting:
            return self.waiting.pop(0)
        if self.idle_from is None:
            self.idle_from = now
        return None
