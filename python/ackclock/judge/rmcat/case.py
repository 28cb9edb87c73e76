"""A test case as data: its calls, the capacity in phases, and the scenario that follows from them.

Settings without a remark are those of RFC 8867 sections 4.2 and 4.3: a drop-tail queue of 300 ms, a propagation delay
of 50 ms, video from 150 kbit/s to 1.5 Mbit/s that starts at 150 kbit/s and reacts within 100 ms, and audio of 20
kbit/s.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["JITTER", "LEAST_BPS", "MOST_BPS", "Case", "Phase", "Variant", "cbr", "phases", "queue", "steps"]

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
        Capacity of the bottleneck in the forward direction; NaN if the run draws it, as that of a radio link.
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
    """A value of an attribute for which the RFC asks for a test of its own, such as a propagation delay.

    Parameters
    ----------
    name
        The value in words; empty for the only variant of a case.
    settings
        Fields of the bottleneck.
    app
        Fields of the calls.
    others
        Competing flows besides those of the case.
    controls
        The controls to which the variant applies; empty for all.
    """

    name: str
    settings: dict[str, Any]
    app: dict[str, Any] = field(default_factory=dict)
    others: tuple[dict[str, Any], ...] = ()
    controls: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The end of a file's name for the variant: a hyphen and its name, or nothing."""
        return f"-{self.name.replace(' ', '').replace(',', '-')}" if self.name else ""


@dataclass(frozen=True, eq=False)
class Case:
    """A test case.

    Parameters
    ----------
    document
        The RFC.
    number
        Section of the RFC.
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
    controls
        The controls to which the case applies; empty for all.
    parameters
        Parameters of the congestion control, by call.
    links
        Links besides the bottleneck.
    equal
        Whether the calls are equal, so that RFC 8868 bounds the ratio of their rates.
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
    document: str = "RFC 8867"
    controls: tuple[str, ...] = ()
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
    links: tuple[dict[str, Any], ...] = ()
    equal: bool = False

    def applies(self, control: str, variant: Variant) -> bool:
        """Whether the case and its variant apply to a congestion control of media."""
        return all(not known or control in known for known in (self.controls, variant.controls))

    def scenario(self, control: str, variant: Variant) -> dict[str, Any]:
        """The scenario of the case with a congestion control of media."""
        flows = []
        for name, fields in self.calls.items():
            own = {key: value for key, value in fields.items() if key != "app"}
            app = {
                "kind": "call", "control": self._control(control, name), "audio": "20kbps",
                "reaction": "100ms", "sample": "1s",
                "on": f"{self.duration_s - 1 - seconds_of(own.get('start', '0s')):g}s",
            }  # fmt: skip
            flows.append({"name": name, "app": app | variant.app | fields.get("app", {}), **own})
        bottleneck: dict[str, Any] = {"delay": "50ms", "queue": "300ms", "jitter": JITTER}
        links = {"links": [*self.links]} if self.links else {}
        return {
            "name": f"rmcat {self.name} {variant.name}".strip().replace(",", ""),
            "duration": f"{self.duration_s:g}s",
            "bottleneck": bottleneck | self.bottleneck | variant.settings,
            "access": {"rate": "100Mbps", "source_delay": "0s", "sink_delay": "0s"},
            "flows": [*flows, *self.others, *variant.others],
            "probes": {"rates": True, "queues": True, "interval": "1s"},
            **links,
        }

    def _control(self, control: str, call: str) -> dict[str, Any]:
        # A table, so that an override of a parameter finds its place.
        return {"kind": control, **self.parameters.get(call, {})}


def seconds_of(text: str) -> float:
    return float(text.removesuffix("s"))


def steps(reference_mbps: float, ratios: dict[float, float]) -> dict[str, Any]:
    """The capacity as a table of a scenario: ratios of a reference by the times from which on they hold."""
    steps = [{"at": f"{at:g}s", "rate": f"{reference_mbps * ratio * 1e3:g}kbps"} for at, ratio in ratios.items()]
    return {"kind": "steps", "steps": steps}


def phases(
    reference_mbps: float, ratios: dict[float, float], end_s: float, calls: tuple[str, ...]
) -> tuple[Phase, ...]:
    """The same as phases, in which all calls send."""
    starts = [*ratios, end_s]
    return tuple(
        Phase(start, starts[index + 1], reference_mbps * ratio * 1e6, calls)
        for index, (start, ratio) in enumerate(ratios.items())
    )


def queue(reference_mbps: float, milliseconds: float = 300) -> str:
    """A queue of this time at the reference capacity: a drop-tail queue has bytes, and the capacity varies."""
    return f"{reference_mbps * 1e6 / 8 * milliseconds / 1e3:.0f}B"


def cbr(name: str, mbps: float, start_s: float, end_s: float, **fields: Any) -> dict[str, Any]:
    """A flow of datagrams at a constant rate, which never reacts, from one time to another."""
    app = {"kind": "cbr", "rate": f"{mbps * 1e3:g}kbps", "packet_size": "1200B", "on": f"{end_s - start_s:g}s"}
    return {"name": name, "start": f"{start_s:g}s", "app": app, **fields}
