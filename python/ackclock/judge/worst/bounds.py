"""The bounds of a search, and how the numbers of its vectors become a case."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ackclock._errors import RefusedError
from ackclock.judge.worst.case import PACKET_BITS, Burst, Case, Dip, Fade, Step

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["DIGITS", "Bounds", "span"]

DIGITS = 3
"""Significant digits of the numbers of a case: more would not be read."""


def span(text: str, option: str, least: float, most: float) -> tuple[float, float]:
    """The range of a text such as ``10..100``, or of a single number.

    Raises
    ------
    RefusedError
        If it is none, or reaches beyond what is accepted.
    """
    low, dots, high = text.partition("..")
    try:
        found = float(low), float(high if dots else low)
    except ValueError:
        found = math.nan, math.nan
    if not least <= found[0] <= found[1] <= most:
        raise RefusedError(
            f"{option} {text}: expected a number or LOW..HIGH, from {least:g} to {most:g}, for example {option} "
            f"{least:g}..{most:g}"
        )
    return found


@dataclass(frozen=True)
class Bounds:
    """Ranges of the path, and how much may happen on it."""

    rate_mbps: tuple[float, float] = (10.0, 50.0)
    rtt_ms: tuple[float, float] = (20.0, 100.0)
    buffer_bdp: tuple[float, float] = (0.5, 4.0)
    losses: int = 0
    """Number of single packets of the attacked flow that are lost."""
    fades: int = 0
    """Number of times in which it loses every packet."""
    fade_ms: float = 100.0
    """Longest such time."""
    jitter_ms: float = 0.0
    """Largest extra delay of the attacked flow's packets, and of its acknowledgments."""
    steps: int = 0
    """Number of changes of the bottleneck's rate."""
    least_share: float = 0.2
    """Smallest rate after a change, as a share of the rate at the start, which is the largest."""
    bursts: int = 0
    """Number of bursts of datagrams."""
    duration_s: float = 30.0

    @property
    def last_event_s(self) -> float:
        """Everything begins before this time: the rest of the run shows what comes of it."""
        return self.duration_s * 2 / 3

    @property
    def has_events(self) -> bool:
        """Whether anything may happen on the path."""
        return bool(self.losses or self.fades or self.jitter_ms or self.steps or self.bursts)

    @property
    def size(self) -> int:
        """Number of dimensions of the search."""
        return sum(1 for _ in self._genes(None))

    def case(self, vector: Sequence[float]) -> Case:
        """The case of a vector of numbers from 0 to 1, with numbers of `DIGITS` digits."""
        found = dict(self._genes(iter(vector)))
        packets = found["rate"] * 1e6 * self.duration_s / PACKET_BITS
        losses = {max(1, round(packets ** found[f"loss{number}"])) for number in range(self.losses)}
        hold, slot, reverse = (found.get(name, 0.0) for name in ("hold", "slot", "reverse_slot"))
        # The sum of two sources of delay on the same way stays within the bound.
        if hold + slot > self.jitter_ms:
            hold, slot = (_rounded(one * self.jitter_ms / (hold + slot)) for one in (hold, slot))
        return Case(
            rate_mbps=found["rate"],
            rtt_ms=found["rtt"],
            buffer_bdp=found["buffer"],
            losses=tuple(sorted(losses)),
            fades=_apart([Fade(found[f"fade{n}_at"], found[f"fade{n}_length"]) for n in range(self.fades)]),
            hold_ms=hold,
            dip=self._dip(found) if hold else None,
            slot_ms=slot,
            reverse_slot_ms=reverse,
            steps=_distinct([Step(found[f"step{n}_at"], found[f"step{n}_share"]) for n in range(self.steps)]),
            bursts=tuple(
                Burst(found[f"burst{n}_at"], found[f"burst{n}_length"], found[f"burst{n}_share"])
                for n in range(self.bursts)
            ),
        )

    def _dip(self, found: dict[str, float]) -> Dip:
        """The dip of the extra delay. A dip in the first hundredth of the run begins with it."""
        at, length, every = found["dip_at"], found["dip_length"], found["dip_every"]
        at = 0.0 if at < self.duration_s / 100 else at
        # A period beyond a third of the run stands for a single dip.
        if every >= self.duration_s / 3:
            return Dip(at, length, 0.0)
        return Dip(_rounded(min(at, every / 4)), min(length, _rounded(every / 4)), every)

    def _genes(self, vector: Iterator[float] | None) -> Iterator[tuple[str, float]]:
        """The numbers of a vector by name, in their ranges."""

        def gene(name: str, low: float, high: float, *, log: bool = False) -> tuple[str, float]:
            x = 0.5 if vector is None else min(1.0, max(0.0, float(next(vector))))
            value = low * (high / low) ** x if log else low + (high - low) * x
            return name, _rounded(value)

        yield gene("rate", *self.rate_mbps, log=True)
        yield gene("rtt", *self.rtt_ms, log=True)
        yield gene("buffer", *self.buffer_bdp, log=True)
        for number in range(self.losses):
            # An exponent: the logarithm of a packet's number over that of the number of all.
            yield gene(f"loss{number}", 0.0, 1.0)
        for number in range(self.fades):
            yield gene(f"fade{number}_at", 0.05, self.last_event_s)
            yield gene(f"fade{number}_length", self.fade_ms / 1e3 / 20, self.fade_ms / 1e3, log=True)
        if self.jitter_ms:
            yield gene("hold", 0.0, self.jitter_ms)
            yield gene("slot", 0.0, self.jitter_ms)
            yield gene("reverse_slot", 0.0, self.jitter_ms)
            yield gene("dip_at", 0.0, self.last_event_s)
            yield gene("dip_length", 0.002, 0.5, log=True)
            yield gene("dip_every", 1.0, self.duration_s, log=True)
        for number in range(self.steps):
            yield gene(f"step{number}_at", 0.1, self.last_event_s)
            yield gene(f"step{number}_share", self.least_share, 1.0)
        for number in range(self.bursts):
            yield gene(f"burst{number}_at", 0.0, self.last_event_s)
            yield gene(f"burst{number}_length", 0.02, self.duration_s / 3, log=True)
            yield gene(f"burst{number}_share", 0.1, 1.0)

    def told(self) -> list[str]:
        """The bounds as sentences."""
        path = (
            f"Rate {_range(self.rate_mbps)} Mbit/s, base RTT {_range(self.rtt_ms)} ms, buffer "
            f"{_range(self.buffer_bdp)} BDP; runs of {self.duration_s:g} s, in which everything begins before "
            f"{self.last_event_s:g} s."
        )
        lines = [path]
        if self.losses:
            lines.append(f"Single packets of the flow that are lost: {self.losses}.")
        if self.fades:
            lines.append(f"Times of at most {self.fade_ms:g} ms in which the flow loses every packet: {self.fades}.")
        if self.jitter_ms:
            lines.append(
                f"Extra delay of the flow's packets, and of its acknowledgments, of at most {self.jitter_ms:g} ms: "
                "constant except in dips, or slots in which those that wait go on together."
            )
        if self.steps:
            lines.append(
                f"Changes of the bottleneck's rate, down to {100 * self.least_share:g} % of the first: {self.steps}."
            )
        if self.bursts:
            lines.append(f"Bursts of datagrams of at most the bottleneck's rate: {self.bursts}.")
        return lines


def _range(ends: tuple[float, float]) -> str:
    return f"{ends[0]:g}" if ends[0] == ends[1] else f"{ends[0]:g} to {ends[1]:g}"


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _apart(fades: list[Fade]) -> tuple[Fade, ...]:
    """Fades in the order of time; those that overlap are one."""
    found: list[Fade] = []
    for one in sorted(fades, key=lambda one: one.at_s):
        if found and one.at_s <= found[-1].at_s + found[-1].length_s:
            end = max(found[-1].at_s + found[-1].length_s, one.at_s + one.length_s)
            found[-1] = Fade(found[-1].at_s, _rounded(end - found[-1].at_s))
        else:
            found.append(one)
    return tuple(found)


def _distinct(steps: list[Step]) -> tuple[Step, ...]:
    """Steps in the order of time; the last of those at the same time counts."""
    return tuple({one.at_s: one for one in sorted(steps, key=lambda one: one.at_s)}.values())
