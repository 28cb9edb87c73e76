"""One path, with everything that happens on it, as plain numbers and as a scenario."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ATTACKED", "Burst", "Case", "Dip", "Fade", "Step"]

ATTACKED = "flow"
"""The flow that has losses and delays of its own."""
PACKET_BITS = 12_000
"""Size of a packet of 1500 bytes, by which queues are counted."""
WIDE = 10
"""Rate of the attacked flow's own link over that of the bottleneck: it holds no queue."""


@dataclass(frozen=True)
class Fade:
    """A time in which the attacked flow loses every packet."""

    at_s: float
    length_s: float


@dataclass(frozen=True)
class Dip:
    """Times in which the extra delay of the attacked flow is zero."""

    at_s: float
    length_s: float
    every_s: float
    """Period of the dips; zero for a single one."""


@dataclass(frozen=True)
class Step:
    """A rate of the bottleneck that holds from a time on, as a share of its rate at the start."""

    at_s: float
    share: float


@dataclass(frozen=True)
class Burst:
    """Datagrams that cross the bottleneck."""

    at_s: float
    length_s: float
    share: float
    """Their rate over that of the bottleneck at the start."""


@dataclass(frozen=True)
class Case:
    """A path and what happens on it."""

    rate_mbps: float
    rtt_ms: float
    buffer_bdp: float
    losses: tuple[int, ...] = ()
    """Numbers of the attacked flow's packets that are lost, from one; retransmissions count as packets."""
    fades: tuple[Fade, ...] = ()
    hold_ms: float = 0.0
    """Extra delay of the attacked flow, one way, except in dips."""
    dip: Dip | None = None
    slot_ms: float = 0.0
    """Distance of the slots in which the attacked flow's packets go on; zero for none."""
    reverse_slot_ms: float = 0.0
    """The same for its acknowledgments."""
    steps: tuple[Step, ...] = ()
    bursts: tuple[Burst, ...] = ()

    def document(self, flows: list[dict[str, Any]], duration_s: float, interval: str) -> dict[str, Any]:
        """The scenario with these flows; the one that is named `ATTACKED` is on the attacked path."""
        rate = f"{self.rate_mbps:g}Mbps"
        packets = max(2, round(self.buffer_bdp * self.rate_mbps * 1e3 * self.rtt_ms / PACKET_BITS))
        bottleneck: dict[str, Any] = {
            "rate": rate,
            "delay": f"{self.rtt_ms / 2:g}ms",
            "queue": f"{packets} packets",
        }
        if self.steps:
            rates = [{"at": "0s", "rate": rate}]
            rates += [{"at": f"{one.at_s:g}s", "rate": f"{self.rate_mbps * one.share:g}Mbps"} for one in self.steps]
            bottleneck |= {"rate": {"kind": "steps", "steps": rates}, "reverse_rate": rate}
        own = self._own()
        document: dict[str, Any] = {"name": "worst", "duration": f"{duration_s:g}s", "bottleneck": bottleneck}
        if own:
            document["links"] = [{"name": "own", "ends": ["own", "left"]} | own]
            flows = [one | {"route": ["own", "left", "right"]} if one["name"] == ATTACKED else one for one in flows]
        document["probes"] = {"rates": True, "queues": True, "window": True, "interval": interval}
        document["flows"] = [*flows, *self._datagrams()]
        return document

    def _own(self) -> dict[str, Any]:
        """The link of the attacked flow before the bottleneck; empty if nothing happens on it."""
        found: dict[str, Any] = {}
        if self.losses:
            found["loss"] = {"kind": "list", "packets": list(self.losses)}
        if self.fades:
            steps = [{"at": "0s", "probability": "0%"}]
            for one in self.fades:
                steps.append({"at": f"{one.at_s:g}s", "probability": "100%"})
                steps.append({"at": f"{one.at_s + one.length_s:g}s", "probability": "0%"})
            found["corruption"] = {"kind": "steps", "steps": steps}
        if self.hold_ms:
            found["delay"] = self._delay() if self.dip is not None else f"{self.hold_ms:g}ms"
        if self.slot_ms:
            found["netem"] = {"limit": 1_000_000, "slot": f"{self.slot_ms:g}ms"}
        if self.reverse_slot_ms:
            found["reverse_netem"] = {"limit": 1_000_000, "slot": f"{self.reverse_slot_ms:g}ms"}
        if not found:
            return {}
        wide = {"rate": f"{WIDE * self.rate_mbps:g}Mbps", "queue": "unlimited"}
        return wide | {"delay": "0ms", "reverse_delay": "0ms"} | found

    def _delay(self) -> dict[str, Any]:
        """The extra delay with its dips."""
        assert self.dip is not None  # noqa: S101 -- for the type checker
        hold = f"{self.hold_ms:g}ms"
        steps = [{"at": "0s", "delay": hold}] if self.dip.at_s > 0 else []
        steps.append({"at": f"{self.dip.at_s:g}s", "delay": "0ms"})
        steps.append({"at": f"{self.dip.at_s + self.dip.length_s:g}s", "delay": hold})
        return {"steps": steps} | ({"repeat_every": f"{self.dip.every_s:g}s"} if self.dip.every_s else {})

    def _datagrams(self) -> list[dict[str, Any]]:
        return [
            {
                "name": f"burst{number}",
                "app": {"kind": "cbr", "rate": f"{self.rate_mbps * one.share:.6g}Mbps", "on": f"{one.length_s:g}s"},
                "start": f"{one.at_s:g}s",
            }
            for number, one in enumerate(self.bursts)
        ]

    def capacity(self, from_s: float, to_s: float) -> float:
        """Mean rate that the bottleneck has for the flows within a time, Mbit/s: datagrams are subtracted."""
        edges = {from_s, to_s}
        for begin, end in [(one.at_s, one.at_s) for one in self.steps] + [
            (one.at_s, one.at_s + one.length_s) for one in self.bursts
        ]:
            edges |= {edge for edge in (begin, end) if from_s < edge < to_s}
        times = sorted(edges)
        total = 0.0
        for begin, end in pairwise(times):
            middle = (begin + end) / 2
            share = next((one.share for one in reversed(self.steps) if one.at_s <= middle), 1.0)
            taken = sum(one.share for one in self.bursts if one.at_s <= middle < one.at_s + one.length_s)
            total += max(0.0, share - taken) * (end - begin)
        return self.rate_mbps * total / (to_s - from_s)

    @property
    def events(self) -> int:
        """Number of things that happen on the path."""
        jitter = sum(bool(one) for one in (self.hold_ms, self.dip, self.slot_ms, self.reverse_slot_ms))
        return len(self.losses) + len(self.fades) + jitter + len(self.steps) + len(self.bursts)

    @property
    def plain(self) -> Case:
        """The same path with nothing happening."""
        return Case(self.rate_mbps, self.rtt_ms, self.buffer_bdp)

    def without_one(self) -> Iterator[Case]:
        """The cases in which one thing less happens."""
        for name in ("bursts", "steps", "fades", "losses"):
            these = getattr(self, name)
            for place in range(len(these)):
                yield replace(self, **{name: these[:place] + these[place + 1 :]})
        if self.dip is not None:
            yield replace(self, dip=None)
        if self.hold_ms:
            yield replace(self, hold_ms=0.0, dip=None)
        if self.slot_ms:
            yield replace(self, slot_ms=0.0)
        if self.reverse_slot_ms:
            yield replace(self, reverse_slot_ms=0.0)

    def told(self) -> list[str]:
        """The path and what happens on it, as sentences."""
        path = (
            f"The bottleneck has {self.rate_mbps:g} Mbit/s, a base RTT of {self.rtt_ms:g} ms and a queue of "
            f"{self.buffer_bdp:g} BDP."
        )
        lines = [path]
        if self.losses:
            lines.append(f"Packets number {', '.join(map(str, self.losses))} of the flow are lost.")
        lines += [
            f"All packets of the flow are lost for {1e3 * one.length_s:g} ms from {one.at_s:g} s." for one in self.fades
        ]
        if self.hold_ms and self.dip is None:
            lines.append(f"The flow has an extra delay of {self.hold_ms:g} ms.")
        if self.hold_ms and self.dip is not None:
            again = f", again every {self.dip.every_s:g} s" if self.dip.every_s else ""
            lines.append(
                f"The flow has an extra delay of {self.hold_ms:g} ms, except for {1e3 * self.dip.length_s:g} ms from "
                f"{self.dip.at_s:g} s{again}."
            )
        if self.slot_ms:
            lines.append(f"Packets of the flow go on every {self.slot_ms:g} ms, all that wait together.")
        if self.reverse_slot_ms:
            lines.append(
                f"Acknowledgments of the flow go on every {self.reverse_slot_ms:g} ms, all that wait together."
            )
        lines += [
            f"The bottleneck has {self.rate_mbps * one.share:g} Mbit/s from {one.at_s:g} s." for one in self.steps
        ]
        lines += [
            f"Datagrams of {self.rate_mbps * one.share:.4g} Mbit/s cross for {one.length_s:g} s from {one.at_s:g} s."
            for one in self.bursts
        ]
        return lines
