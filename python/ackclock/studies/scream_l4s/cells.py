"""The cells: SCReAM beside flows of Prague at several round-trip times, and SCReAM with L4S and without."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.studies.framework import Reading, Variant

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock.results.result import Result
    from ackclock.studies.framework import Study

__all__ = [
    "CHOICES",
    "COMPARED",
    "EVEN",
    "FRAMES",
    "HEADROOM",
    "KINDS",
    "L4S",
    "MAIN",
    "NONE",
    "OCTOBER",
    "RTTS",
    "TCPS",
    "VARYING",
    "Example",
    "Tested",
    "call_without_control",
    "call_without_l4s",
    "chosen",
    "example_readings",
    "examples",
    "fair_mbps",
    "measure_example",
    "measure_tested",
    "other_examples",
    "tested",
    "tested_readings",
]

RTTS = (5, 10, 25, 50)
"""Round-trip times of the test in ms."""
TCPS = (0, 1, 2, 3, 4)
"""Numbers of flows of Prague."""
RATE_MBPS = 100.0
FROM_S = 20.0
"""Time at which the probes begin, and from which on rates count."""
STEP_S = (50.0, 70.0)
"""Time in which the capacity is half."""
EXAMPLE_MS = 25.0
"""Round-trip time of the examples."""
FRAME_WAIT_MS = 1e3
"""Time after which the receiver gives a frame up: the delay where none is played."""
PACKET_BITS = 8 * 1400
ACCESS_BPS = 1e9

EVEN, VARYING, MODEL = "even frames", "varying frames", "RFC 8593's frames"


def _uniform(count: int) -> list[str]:
    """Frame sizes at 1 Mbit/s and 50 frames/s: uniform within 50 % of the mean, in an order that is always the same."""
    sizes = [2500 * (0.5 + (index + 0.5) / count) for index in range(count)]
    random.Random(1).shuffle(sizes)  # noqa: S311 -- no secret
    return [f"{size:.0f}B" for size in sizes]


FRAMES: Mapping[str, Mapping[str, object]] = {
    EVEN: {"size_scale": 0, "interval_scale": 0, "abrupt": 100, "burst_size": 1},
    VARYING: {"interval_scale": 0, "trace": [{"rate": "1Mbps", "sizes": _uniform(200)}]},
    MODEL: {},
}
"""Encoders: fields of the call. The test's options -rand 0 and -rand 50 are the first two."""

MAIN = "main reading"
HEADROOM = "pacing headroom of 10 %"
DRAFT = "constants of the draft"
TOOL: Mapping[str, object] = {
    "mss": 1400,
    "mul_increase_factor": 0.05,
    "bytes_in_flight_head_room": 2,
    "post_congestion_delay_rtt": 160,
    "l4s_avg_g_up": 0.03125,
    "l4s_avg_g_down": 0.03125,
    "inflection_scale": 1e6,
}
"""Constants of the code of 28 October 2024, which are those of the scenarios of the test."""


def _control(constants: Mapping[str, object]) -> dict[str, object]:
    return {"flows[0].app.control": {"kind": "scream2", **constants}}


CHOICES: Mapping[str, Mapping[str, object]] = {
    HEADROOM: _control({**TOOL, "packet_pacing_headroom": 1.1}),
    DRAFT: _control({"mss": 1400}),
    "RFC 9332's ramp": {"bottleneck.queue": "dualpi2"},
    "the encoder reacts after 200 ms": {"flows[0].app.reaction": "200ms"},
    "Prague without pacing": {"flows[1].pacing": "off"},
}
"""Choices that the test leaves open or states of another version.

The first is the experiment on the cause of the underuse.
"""


@dataclass(frozen=True, slots=True)
class Tested:
    """A cell of the test."""

    frames: str
    """`EVEN` or `VARYING`."""
    rtt: int
    """ms."""
    tcps: int
    choice: str = MAIN

    @property
    def name(self) -> str:
        """The name of the reading."""
        return f"{self.choice}; {self.frames}; {self.rtt} ms; {self.tcps} TCP"


def fair_mbps(tcps: int) -> float:
    """The fair share of each flow in Mbit/s, which the test record calls the expected bitrate."""
    return RATE_MBPS / (tcps + 1)


def tested(*, quick: bool) -> list[Tested]:
    """The cells of the main reading, and those alone with less headroom."""
    rtts, tcps = ((5, 50), (0, 1, 4)) if quick else (RTTS, TCPS)
    found = [Tested(frames, rtt, count) for frames in (EVEN, VARYING) for rtt in rtts for count in tcps]
    return found + [Tested(EVEN, rtt, 0, HEADROOM) for rtt in rtts]


def chosen() -> list[Tested]:
    """The cells of all other readings of the test."""
    return [
        Tested(frames, rtt, count, choice)
        for choice in CHOICES
        if choice != HEADROOM
        for frames in (EVEN, VARYING)
        for rtt in RTTS
        for count in TCPS
        if count > 0 or choice != "Prague without pacing"
    ]


def tested_readings(study: Study, cells: Sequence[Tested]) -> list[Reading]:
    """A reading for each cell of the test."""
    found = []
    for cell in cells:
        others = {"flows[1].count": cell.tcps} if cell.tcps else {}
        frames = {f"flows[0].app.{key}": value for key, value in FRAMES[cell.frames].items()}
        link = {"bottleneck.reverse_delay": f"{cell.rtt}ms"}
        file = "beside" if cell.tcps else "alone"
        settings = {**link, **others, **frames, **CHOICES.get(cell.choice, {})}
        found.append(Reading(cell.name, study.scenario(f"{file}.toml"), settings))
    return found


KINDS: Mapping[str, tuple[str, str, Mapping[str, object]]] = {
    "ramp": ("ramp", MODEL, {}),
    "DualPI2": (
        "ramp",
        EVEN,
        {"bottleneck.queue": {"kind": "dualpi2", "ramp_from": "1ms", "ramp_width": "0ms"}},
    ),
    "step": (
        "ramp",
        MODEL,
        {
            "bottleneck.rate": {
                "kind": "steps",
                "steps": [
                    {"at": "0s", "rate": "50Mbps"},
                    {"at": f"{STEP_S[0]:g}s", "rate": "25Mbps"},
                    {"at": f"{STEP_S[1]:g}s", "rate": "50Mbps"},
                ],
            }
        },
    ),
    "two calls": ("two", MODEL, {"flows[1].app.ecn": "ect1"}),
}
"""Examples of the README: the scenario's file, the main reading's frames, and settings."""

L4S = Variant("l4s", "with L4S")
NONE = Variant("none", "without L4S", {"flows[*].app.ecn": "off"})
FIRST = Variant("version 1", "version 1", {"flows[*].app.ecn": "off", "flows[*].app.control": "scream"})
COMPARED = (L4S, NONE, FIRST)

OCTOBER = "constants of October 2024"


@dataclass(frozen=True, slots=True)
class Example:
    """An example of the README."""

    kind: str
    """A name of `KINDS`."""
    choice: str = MAIN
    """`MAIN`, the name of another encoder, or `OCTOBER`."""

    @property
    def name(self) -> str:
        """The name of the reading."""
        return f"{self.choice}; {self.kind}"


def examples() -> list[Example]:
    """The examples of the main reading, and the one whose frames have smaller variations."""
    return [*(Example(kind) for kind in KINDS), Example("ramp", EVEN)]


def other_examples() -> list[Example]:
    """The examples with other encoders and with the constants of another version."""
    others = [Example(kind, choice) for kind, (_, main, _) in KINDS.items() for choice in FRAMES if choice != main]
    others += [Example(kind, OCTOBER) for kind in KINDS]
    return [one for one in others if one not in examples()]


def example_readings(study: Study, cells: Sequence[Example]) -> list[Reading]:
    """A reading for each example."""
    found = []
    for cell in cells:
        file, main, settings = KINDS[cell.kind]
        calls = range(2 if file == "two" else 1)
        frames = FRAMES.get(cell.choice, FRAMES[main])
        own = {f"flows[{at}].app.{key}": value for at in calls for key, value in frames.items()}
        if cell.choice == OCTOBER:
            own |= {f"flows[{at}].app.control": {"kind": "scream2", **TOOL} for at in calls}
        found.append(Reading(cell.name, study.scenario(f"{file}.toml"), {**settings, **own}))
    return found


def call_without_l4s(overrides: Mapping[str, object]) -> Mapping[str, object]:
    """Removes L4S from all calls of a run."""
    calls = (0, 1) if "flows[1].app.ecn" in overrides else (0,)
    return {f"flows[{at}].app.ecn": "off" for at in calls}


def call_without_control(overrides: Mapping[str, object]) -> Mapping[str, object]:  # noqa: ARG001 -- of any run
    """Removes SCReAM: the first call sends at its largest rate."""
    return {"flows[0].app.control": "fixed", "flows[0].app.start_rate": "200Mbps"}


def _call(result: Result, one_way_ms: float) -> dict[str, float]:
    """Rates and queueing delays of the call from 20 s on, and the mean rate of the flows beside it."""
    link = next(result.links.rows())
    rates = result.rates
    share = {
        flow: 8e-6 * float(np.asarray(rates["bytes_delivered"], dtype=np.float64)[rates["flow"] == flow].mean())
        for flow in result.flows["flow"]
    }
    call = next(result.call.rows())
    at, received = (_of_call(result, name) for name in ("at_s", "received_bps"))
    mbps = 1e-6 * float(received[at > FROM_S].mean())
    row = next(one for one in result.delays.rows() if one["flow"] == "call")
    base = one_way_ms + 1e3 * PACKET_BITS * (1 / link["rate_bps"] + 2 / ACCESS_BPS)
    others = [value for flow, value in share.items() if flow != "call"]
    return {
        "call_mbps": mbps,
        "other_mbps": float(np.mean(others)) if others else 0.0,
        "jain": stats.jain(list(share.values())),
        "used_percent": min(100.0, 1e8 * mbps / link["rate_bps"]),
        "queue_mean_ms": max(0.0, row["mean_ms"] - base),
        "queue_p95_ms": max(0.0, row["p95_ms"] - base),
        "loss_percent": 1e2 * (call["loss"] or 0.0),
        "frame_p95_ms": FRAME_WAIT_MS if call["played"] == 0 else call["frame_delay_p95_ms"],
    }


def _of_call(result: Result, column: str) -> NDArray[np.float64]:
    samples = result.call_rates
    return np.asarray(samples[column][samples["flow"] == "call"], dtype=np.float64)


def measure_tested(result: Result) -> dict[str, float]:
    """Measures a run of the test, whose whole delay is on the way back.

    A queueing delay is a packet's one-way delay without that of propagation and of its own transmission.
    """
    return _call(result, 0.0)


def measure_example(result: Result) -> dict[str, float]:
    """Measures a run of an example: also marks over the whole run, and delays while the capacity is half.

    These delays are means over the intervals of 100 ms with packets; in a run with a constant capacity they are of the
    same time.
    """
    found = _call(result, EXAMPLE_MS / 2)
    at, delay = (_of_call(result, name) for name in ("at_s", "delay_ms"))
    half = delay[(at > STEP_S[0]) & (at <= STEP_S[1]) & np.isfinite(delay)]
    marked = next(result.call.rows())["marked"]
    return found | {
        "marks_per_rtt": marked * 1e-3 * (EXAMPLE_MS + found["queue_mean_ms"]) / float(at[-1]),
        "step_mean_ms": max(0.0, float(half.mean()) - EXAMPLE_MS / 2),
        "step_jitter_ms": float(half.std()),
    }
