"""The cells: traffic beside a call, rates of the uplink and buffers; the variants are disciplines of the queue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.studies.framework import Reading, Variant

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.results.result import Result
    from ackclock.studies.framework import Study

__all__ = [
    "BUFFERS_MS",
    "CHOICES",
    "DROP_TAIL",
    "MAIN",
    "MAIN_MS",
    "QUEUES",
    "RATES",
    "TRAFFIC",
    "Cell",
    "call_without_control",
    "measure",
    "name",
    "queue_without_discipline",
    "readings",
    "wanted",
]

RATES = (0.5, 1, 2)
"""Rates of the uplink in Mbit/s, all below the largest rate of the call."""
MAIN_MS = 300
BUFFERS_MS = (MAIN_MS, 100, 600)
"""Buffers of drop-tail, as the time that they take at the rate of the link: the main one first."""
FROM_S = 60.0
"""Time at which the probes begin."""
ONE_WAY_MS = 25.0
PACKET_BITS = 8 * 1240
"""Bits of a full packet of video: 1,200 bytes of payload, RTP, UDP and IPv4."""

TRAFFIC: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "alone": ("alone", {}),
    "two calls": ("two", {}),
    "CUBIC": ("tcp", {}),
    "BBR": ("tcp", {"flows[1].cc": "bbr"}),
}
"""Traffic beside the call: the scenario's file, and its settings."""

MAIN = "main reading"
WEBRTC = "GCC of WebRTC"
EVEN = "even frames"


def _of_calls(traffic: str, settings: Mapping[str, object]) -> dict[str, object]:
    """These settings of each call of a cell."""
    calls = range(2 if traffic == "two calls" else 1)
    return {f"flows[{at}].app.{key}": value for at in calls for key, value in settings.items()}


CHOICES: Mapping[str, Mapping[str, object]] = {
    WEBRTC: {"control": "gcc"},
    EVEN: {"size_scale": 0, "interval_scale": 0},
}
"""Settings of the calls that the papers leave open, beside the main reading: the trendline filter that replaced the
Kalman filter of the papers, and an encoder that makes frames of equal sizes at equal times."""

DROP_TAIL = Variant("drop-tail", "drop-tail")
QUEUES = (
    DROP_TAIL,
    Variant("codel", "CoDel", {"bottleneck.queue": "codel"}),
    Variant("pie", "PIE", {"bottleneck.queue": "pie"}),
    Variant("sfq", "SFQ", {"bottleneck.queue": "sfq"}),
    Variant("fq-codel", "FQ-CoDel", {"bottleneck.queue": "fq-codel"}),
)


@dataclass(frozen=True, slots=True)
class Cell:
    """A link with traffic."""

    traffic: str
    """A name of `TRAFFIC`."""
    rate: float
    """Mbit/s."""
    buffer_ms: int = MAIN_MS
    choice: str = MAIN
    """`MAIN`, or a name of `CHOICES`."""


def name(cell: Cell) -> str:
    """The name of a cell's reading."""
    return f"{cell.choice}; {cell.traffic}; {cell.rate:g} Mbit/s; {cell.buffer_ms} ms"


def wanted(*, quick: bool) -> list[Cell]:
    """The cells of a run. Buffers beside the main one, and choices, are for claims, which have no BBR."""
    if quick:
        return [Cell(traffic, 1) for traffic in ("alone", "two calls", "CUBIC")]
    found = [Cell(traffic, rate) for traffic in TRAFFIC for rate in RATES]
    found += [
        Cell(traffic, rate, other) for traffic in ("alone", "CUBIC") for other in BUFFERS_MS[1:] for rate in RATES
    ]
    return found + [
        Cell(traffic, rate, choice=choice)
        for traffic in TRAFFIC
        if traffic != "BBR"
        for choice in CHOICES
        for rate in RATES
    ]


def _bytes(rate: float, buffer_ms: float) -> str:
    return f"{rate * buffer_ms * 125:.0f}B"


def readings(study: Study, cells: Sequence[Cell]) -> list[Reading]:
    """A reading for each cell. Its queue is drop-tail, which the variants replace."""
    found = []
    for cell in cells:
        file, settings = TRAFFIC[cell.traffic]
        link = {"bottleneck.rate": f"{cell.rate:g}Mbps", "bottleneck.queue": _bytes(cell.rate, cell.buffer_ms)}
        calls = _of_calls(cell.traffic, CHOICES.get(cell.choice, {}))
        found.append(Reading(name(cell), study.scenario(f"{file}.toml"), {**link, **settings, **calls}))
    return found


def queue_without_discipline(overrides: Mapping[str, object]) -> Mapping[str, object]:
    """Removes the discipline of the queue: the main buffer with drop-tail."""
    rate = float(str(overrides["bottleneck.rate"]).removesuffix("Mbps"))
    return {"bottleneck.queue": _bytes(rate, MAIN_MS)}


def call_without_control(overrides: Mapping[str, object]) -> Mapping[str, object]:  # noqa: ARG001 -- of any run
    """Removes GCC: the call sends at its largest rate."""
    return {"flows[0].app.control": "fixed", "flows[0].app.start_rate": "2.5Mbps"}


def measure(result: Result) -> dict[str, float]:
    """Rates and delays of the call and of the traffic beside it from 60 s on, and the losses of the whole call.

    The part of the link that is used is the call's, with all headers.
    A queueing delay is a packet's one-way delay without that of propagation and of its own transmission.
    """
    link = next(result.links.rows())
    rates = result.rates
    share = {
        flow: 8e-6 * float(np.asarray(rates["bytes_delivered"], dtype=np.float64)[rates["flow"] == flow].mean())
        for flow in result.flows["flow"]
    }
    base = ONE_WAY_MS + 1e3 * PACKET_BITS / link["rate_bps"]
    delays = next(row for row in result.delays.rows() if row["flow"] == "call")
    call = next(result.call.rows())
    samples = result.call_rates
    received = samples["received_bps"][(samples["flow"] == "call") & (samples["at_s"] > FROM_S)]
    return {
        "call_mbps": share["call"],
        "other_mbps": share.get("other", 0.0),
        "used_percent": 1e2 * float(received.mean()) / link["rate_bps"],
        "jain": stats.jain(list(share.values())),
        "queue_mean_ms": max(0.0, delays["mean_ms"] - base),
        "queue_p95_ms": max(0.0, delays["p95_ms"] - base),
        "loss_percent": 1e2 * (call["loss"] or 0.0),
        "freezes": float(call["freezes"]),
        "played_percent": 1e2 * call["played"] / call["frames"],
    }
