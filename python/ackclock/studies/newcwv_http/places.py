"""Places of losses: the drops of a run by the state of the sending connection, from the log of events."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.base.workplace import temporary
from ackclock.engine.trace import EVENTS_FILE, trace
from ackclock.studies.framework import Sheet
from ackclock.studies.newcwv_http.measures import IDLE_S

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ackclock.studies.framework import Reading, Variant

__all__ = ["PLACES", "places_of", "sheet"]

FIRST_RTT_S = 0.22
"""A segment belongs to the first round trip of a burst if it is dropped so soon after the burst's first segment."""

PLACES = (
    "first round trip after idle",
    "first round trip of a connection",
    "first slow start",
    "later slow start",
    "congestion avoidance",
    "recovery",
)
"""The places of drops, in the order of the table."""


@dataclass(slots=True)
class _Sender:
    """The state of a connection's server that the events have told so far. Times are in seconds."""

    last_s: float | None = None
    burst_s: float = 0.0
    is_first_burst: bool = True
    cwnd: int = 0
    ssthresh: int | None = None
    in_recovery: bool = False

    def sends(self, now_s: float) -> None:
        if self.last_s is None or now_s - self.last_s >= IDLE_S:
            self.burst_s, self.is_first_burst = now_s, self.last_s is None
        self.last_s = now_s

    def place(self, now_s: float) -> str:
        if self.in_recovery:
            return "recovery"
        if now_s - self.burst_s < FIRST_RTT_S:
            return PLACES[1] if self.is_first_burst else PLACES[0]
        if self.ssthresh is None:
            return "first slow start"
        return "later slow start" if self.cwnd < self.ssthresh else "congestion avoidance"


def places_of(events: Iterable[Mapping[str, Any]]) -> Counter[str]:
    """The number of data segments of servers that the bottleneck dropped, by place, from the events of a run."""
    senders: dict[int, _Sender] = {}
    places: Counter[str] = Counter()
    for event in events:
        if event.get("side") != "source":
            continue
        sender = senders.setdefault(event["conn"], _Sender())
        now_s, kind = event["time_ns"] / 1e9, event["event"]
        if kind == "segment_sent" and event["len"]:
            sender.sends(now_s)
        elif kind == "window_updated":
            sender.cwnd, sender.ssthresh, sender.in_recovery = event["cwnd"], event["ssthresh"], event["in_recovery"]
        elif kind in ("recovery_started", "recovery_ended"):
            sender.in_recovery = kind == "recovery_started"
        elif kind == "dropped" and event["len"] and event["link"] == "bottleneck":
            places[sender.place(now_s)] += 1
    return places


def sheet(reading: Reading, variants: Sequence[Variant], overrides_of: Mapping[int, Mapping[str, object]]) -> Sheet:
    """The drops a run by place and variant; `overrides_of` has the overrides of each seed, such as its vectors."""
    found = {one.name: [_traced(reading, one, seed, own) for seed, own in overrides_of.items()] for one in variants}
    rows: list[list[object]] = [
        [place, *(float(np.mean([run[place] for run in found[one.name]])) for one in variants)] for place in PLACES
    ]
    rows.append(["all", *(float(np.mean([run.total() for run in found[one.name]])) for one in variants)])
    caption = (
        f"Data segments of the servers that the bottleneck dropped: means over {len(overrides_of)} runs of the main "
        f"reading. A burst comes after idle if its connection sent nothing for {IDLE_S:g} s."
    )
    return Sheet("places", "Where segments are lost", ["place", *(one.label for one in variants)], rows, caption)


def _traced(reading: Reading, variant: Variant, seed: int, own: Mapping[str, object]) -> Counter[str]:
    with temporary("places") as folder:
        overrides = {**reading.overrides, **variant.overrides, **own}
        trace(reading.scenario, folder, events=True, seed=seed, overrides=overrides)
        with (folder / EVENTS_FILE).open(encoding="utf-8") as lines:
            next(lines)
            return places_of(map(json.loads, lines))
