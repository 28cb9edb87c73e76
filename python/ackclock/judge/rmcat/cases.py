"""The basic test cases of RFC 8867 section 5 as scenarios.

Settings without a remark are those of sections 4.2 and 4.3: a drop-tail queue of 300 ms, a propagation delay of 50 ms,
video from 150 kbit/s to 1.5 Mbit/s that starts at 150 kbit/s and reacts within 100 ms, and audio of 20 kbit/s. The
capacity changes by itself, not by background traffic.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ackclock._errors import RefusedError
from ackclock.base.near import suggestion

__all__ = ["CASES", "CONTROLS", "LEAST_BPS", "MOST_BPS", "Case", "Phase", "Variant", "chosen"]

CONTROLS = ("nada", "scream", "gcc")
"""Controls that the suite compares unless others are asked for."""

LEAST_BPS, MOST_BPS = 150e3, 1.5e6
"""Rate range of the video (section 4.3)."""

JITTER = {"kind": "normal", "mean": "0ms", "sd": "5ms"}
"""Jitter without reordering (RFC 8868 section 4.5.3: a standard deviation of 5 ms). RFC 8868 takes the absolute value
of a normal number and cuts it at 15 ms; here negative draws are zero, and one draw in 700 is above 15 ms."""


@dataclass(frozen=True)
class Phase:
    """A time in which neither the capacity nor the number of flows changes.

    Parameters
    ----------
    start_s, end_s
        The time.
    capacity_bps
        Capacity of the bottleneck in the forward direction.
    calls
        Names of the calls that send in the forward direction.
    """

    start_s: float
    end_s: float
    capacity_bps: float
    calls: tuple[str, ...]

    @property
    def expected_bps(self) -> float:
        """The rate that the calls can reach together: the capacity, or the sum of their largest rates."""
        return min(self.capacity_bps, MOST_BPS * len(self.calls))


@dataclass(frozen=True, eq=False)
class Variant:
    """A value of an attribute for which RFC 8867 asks for a test of its own, such as a propagation delay."""

    name: str
    settings: dict[str, Any]


@dataclass(frozen=True, eq=False)
class Case:
    """A test case.

    Parameters
    ----------
    number
        Section of RFC 8867.
    name
        Name on the command line.
    title
        Title of the section.
    expected
        Expected behaviour, in short.
    duration_s
        Duration of the test.
    bottleneck
        Fields of the bottleneck besides the usual ones.
    calls
        The calls: each a name with fields of the flow and, under ``app``, of the application.
    others
        Competing flows.
    phases
        Phases in the forward direction.
    variants
        Values for which the case is run one by one.
    """

    number: str
    name: str
    title: str
    expected: str
    duration_s: float
    bottleneck: dict[str, Any]
    calls: dict[str, dict[str, Any]]
    phases: tuple[Phase, ...]
    others: tuple[dict[str, Any], ...] = ()
    variants: tuple[Variant, ...] = field(default=(Variant("", {}),))

    def scenario(self, control: str, variant: Variant) -> dict[str, Any]:
        """The scenario of the case with a congestion control of media."""
        flows = []
        for name, fields in self.calls.items():
            own = {key: value for key, value in fields.items() if key != "app"}
            app = {
                "kind": "call", "control": control, "audio": "20kbps", "reaction": "100ms", "sample": "1s",
                "on": f"{self.duration_s - 1 - _seconds(own.get('start', '0s')):g}s",
            }  # fmt: skip
            flows.append({"name": name, "app": app | fields.get("app", {}), **own})
        bottleneck: dict[str, Any] = {"delay": "50ms", "queue": "300ms", "jitter": JITTER}
        return {
            "name": f"rmcat {self.name} {variant.name}".strip(),
            "duration": f"{self.duration_s:g}s",
            "bottleneck": bottleneck | self.bottleneck | variant.settings,
            "access": {"rate": "100Mbps", "source_delay": "0s", "sink_delay": "0s"},
            "flows": [*flows, *self.others],
            "probes": {"rates": True, "queues": True, "interval": "1s"},
        }


def _seconds(text: str) -> float:
    return float(text.removesuffix("s"))


def _steps(reference_mbps: float, ratios: dict[float, float]) -> dict[str, Any]:
    steps = [{"at": f"{at:g}s", "rate": f"{reference_mbps * ratio * 1e3:g}kbps"} for at, ratio in ratios.items()]
    return {"kind": "steps", "steps": steps}


def _phases(
    reference_mbps: float, ratios: dict[float, float], end_s: float, calls: tuple[str, ...]
) -> tuple[Phase, ...]:
    starts = [*ratios, end_s]
    return tuple(
        Phase(start, starts[index + 1], reference_mbps * ratio * 1e6, calls)
        for index, (start, ratio) in enumerate(ratios.items())
    )


def _queue(reference_mbps: float, milliseconds: float = 300) -> str:
    """A queue of this time at the reference capacity: a drop-tail queue has bytes, and the capacity varies."""
    return f"{reference_mbps * 1e6 / 8 * milliseconds / 1e3:.0f}B"


def _one(name: str) -> dict[str, dict[str, Any]]:
    return {name: {}}


_VARIABLE: dict[float, float] = {0: 1.0, 40: 2.5, 60: 0.6, 80: 1.0}
_MULTIPLE: dict[float, float] = {0: 2.0, 25: 1.0, 50: 1.75, 75: 0.5, 100: 1.0}
_FORWARD: dict[float, float] = {0: 2.0, 20: 1.0, 40: 0.5, 60: 2.0}
_BACKWARD: dict[float, float] = {0: 2.0, 35: 0.8, 70: 2.0}
_DELAYS_MS = (10, 25, 50, 100, 150)

CASES = (
    Case(
        "5.1", "variable-capacity", "Variable Available Capacity with a Single Flow",
        "The flow finds the capacity, follows its changes and does not oscillate.",
        100, {"rate": _steps(1, _VARIABLE), "queue": _queue(1)}, _one("S1"),
        _phases(1, _VARIABLE, 99, ("S1",)),
        variants=(Variant("50 ms", {}), Variant("100 ms", {"delay": "100ms", "reverse_delay": "50ms"})),
    ),
    Case(
        "5.2", "variable-capacity-two", "Variable Available Capacity with Multiple Flows",
        "Both flows follow the changes of the capacity, and ramp up when congestion is over.",
        125, {"rate": _steps(2, _MULTIPLE), "queue": _queue(2)}, {"S1": {}, "S2": {}},
        _phases(2, _MULTIPLE, 124, ("S1", "S2")),
    ),
    Case(
        "5.3", "congested-feedback", "Congested Feedback Link with Bi-directional Media Flows",
        "The forward flow copes with a congested feedback path.",
        100,
        {
            "rate": _steps(1, _FORWARD), "reverse_rate": _steps(1, _BACKWARD), "queue": _queue(1),
            "reverse_jitter": JITTER,
        },
        {"S1": {}, "S2": {"route": ["right", "left"], "return_route": ["left", "right"]}},
        _phases(1, _FORWARD, 99, ("S1",)),
    ),
    Case(
        "5.4", "competing-media", "Competing Media Flows with the Same Congestion Control Algorithm",
        "Three flows that start one after the other converge to equal rates.",
        120, {"rate": "3.5Mbps", "queue": _queue(3.5)}, {"S1": {}, "S2": {"start": "20s"}, "S3": {"start": "40s"}},
        (
            Phase(0, 20, 3.5e6, ("S1",)), Phase(20, 40, 3.5e6, ("S1", "S2")),
            Phase(40, 119, 3.5e6, ("S1", "S2", "S3")),
        ),
    ),
    Case(
        "5.5", "rtt-fairness", "Round Trip Time Fairness",
        "Five flows with delays of 10 to 150 ms converge to equal rates.",
        300, {"rate": "4Mbps", "queue": _queue(4), "delay": "10ms"},
        {
            f"S{index + 1}": {"start": f"{10 * index}s", "access": {"source_delay": f"{delay - 10}ms"}}
            for index, delay in enumerate(_DELAYS_MS)
        },
        (
            *(
                Phase(10 * index, 10 * (index + 1), 4e6, tuple(f"S{flow + 1}" for flow in range(index + 1)))
                for index in range(4)
            ),
            Phase(40, 299, 4e6, ("S1", "S2", "S3", "S4", "S5")),
        ),
    ),
    Case(
        "5.6", "long-tcp", "Media Flow Competing with a Long TCP Flow",
        "The media flow keeps at least its least rate beside a long TCP flow.",
        120, {"rate": "2Mbps", "queue": _queue(2)}, {"S1": {"start": "5s"}},
        (Phase(5, 119, 2e6, ("S1",)),),
        ({"name": "tcp", "app": {"kind": "bulk"}, "cc": "reno"},),
        (Variant("300 ms", {}), Variant("1000 ms", {"queue": _queue(2, 1000)})),
    ),
    Case(
        "5.7", "short-tcp", "Media Flow Competing with Short TCP Flows",
        "Two media flows keep at least their least rate beside ten flows that fetch small files.",
        300, {"rate": "2Mbps", "queue": _queue(2)}, {"S1": {"start": "5s"}, "S2": {"start": "5s"}},
        (Phase(5, 299, 2e6, ("S1", "S2")),),
        (
            *(
                {"name": f"{name}", "count": count, "start_jitter": jitter, "cc": "reno", "app": {
                    "kind": "onoff", "size": {"kind": "uniform", "min": "30kB", "max": "50kB"},
                    "off": {"kind": "exponential", "mean": "10s"},
                }}
                for name, count, jitter in (("tcp on", 2, "0s"), ("tcp off", 8, "20s"))
            ),
        ),
    ),
    Case(
        "5.8", "pause", "Media Pause and Resume",
        "The other flows take the capacity of a flow that pauses, and give it back.",
        120, {"rate": "3.5Mbps", "queue": _queue(3.5)},
        {"S1": {}, "S2": {"app": {"pauses": [{"at": "40s", "until": "60s"}]}}, "S3": {}},
        (
            Phase(0, 40, 3.5e6, ("S1", "S2", "S3")), Phase(40, 60, 3.5e6, ("S1", "S3")),
            Phase(60, 119, 3.5e6, ("S1", "S2", "S3")),
        ),
    ),
)  # fmt: skip
"""The basic cases, by their sections."""


def chosen(names: tuple[str, ...]) -> tuple[Case, ...]:
    """The cases with these names or sections; all without any.

    Raises
    ------
    RefusedError
        With every name that no case has.
    """
    known = [one.name for one in CASES] + [one.number for one in CASES]
    wrong = [name for name in dict.fromkeys(names) if name not in known]
    if wrong:
        lines = [f"{name}: RFC 8867 has no such case here{suggestion(name, known)}" for name in wrong]
        raise RefusedError("\n".join([*lines, f"accepted: {', '.join(known)}"]))
    return tuple(one for one in CASES if not names or one.name in names or one.number in names)
