"""Each rule of RFC 7661 as a scenario whose trace shows whether it is obeyed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock.results.result import Result

__all__ = ["RULES", "Outcome", "Rule", "scenario_of"]

MSS = 1448
IDLE_S = 4.0
"""Time after which the path has been empty for long, in s: above any timeout and above the sampling period."""
OPENING = "400kB"
"""Volume of data that opens the window without a loss."""
AFTER = 3 + -(-400_000 // MSS)
"""Number of the first packet after the opening, the two of the handshake included."""

Item = dict[str, str]


@dataclass(frozen=True)
class Outcome:
    """Outcome of a rule in a trace."""

    obeyed: bool
    shown: str


@dataclass(frozen=True)
class Rule:
    """A rule, the scenario that shows it, and how its trace is read."""

    name: str
    section: str
    text: str
    items: tuple[Item, ...]
    read: Callable[[Result], Outcome]
    duration_s: float = 6.0
    bottleneck: tuple[tuple[str, Any], ...] = ()
    pacing: str = "off"


def _at(result: Result, column: str, time_s: float) -> float:
    """A column of the window in segments, as it stood at a time."""
    window = result.tables["window"]
    values = np.asarray(window[column], dtype=float)
    row = int(np.searchsorted(np.asarray(window["time_s"], dtype=float), time_s, side="right")) - 1
    return float(values[row]) / MSS


def _whole(value: float) -> str:
    return "infinite" if np.isnan(value) else f"{value:.0f}"


def _kept(until_s: float) -> Callable[[Result], Outcome]:
    def read(result: Result) -> Outcome:
        before, after = _at(result, "cwnd", IDLE_S - 0.1), _at(result, "cwnd", until_s)
        # The ACK that ends the idle time may let the window grow by a segment before the kernel tells of it.
        return Outcome(0 <= round(after) - round(before) <= 1, f"cwnd {_whole(before)}, then {_whole(after)}")

    return read


def _grows(result: Result) -> Outcome:
    before, after = _at(result, "cwnd", IDLE_S - 0.1), _at(result, "cwnd", 5.9)
    return Outcome(after > before + 10, f"cwnd {_whole(before)}, then {_whole(after)}")


def _halved(used: int, lost: int) -> Callable[[Result], Outcome]:
    """After a loss cwnd is half of what was used, less what was sent again."""

    def read(result: Result) -> Outcome:
        after = _at(result, "cwnd", 4.58)
        return Outcome(
            abs(after - (used - lost) / 2) <= 1, f"cwnd {_whole(_at(result, 'cwnd', 3.9))}, then {after:.0f}"
        )

    return read


def _timeout(used: int) -> Callable[[Result], Outcome]:
    def read(result: Result) -> Outcome:
        ssthresh = _at(result, "ssthresh", 7.9)
        return Outcome(abs(ssthresh - used / 2) <= 1, f"ssthresh {_whole(ssthresh)}")

    return read


def _five_minutes(result: Result) -> Outcome:
    before, after = _at(result, "cwnd", 300), _at(result, "cwnd", 311.9)
    ssthresh = _at(result, "ssthresh", 311.9)
    obeyed = before // 2 <= after <= before // 2 + 1 and not ssthresh < before * 3 // 4
    return Outcome(obeyed, f"cwnd {_whole(before)}, then {_whole(after)}; ssthresh {_whole(ssthresh)}")


def _drops(least: int, most: int) -> Callable[[Result], Outcome]:
    def read(result: Result) -> Outcome:
        row = next(iter(result.tables["links"].rows()))
        return Outcome(least <= row["drops"] <= most, f"{row['drops']} drops")

    return read


def _every(step_s: float, size: str, count: int) -> tuple[Item, ...]:
    times = (IDLE_S + step_s * number for number in range(count))
    return tuple({"at": f"{round(time_s * 1000)}ms", "size": size} for time_s in times)


BEGIN: Item = {"at": "0s", "size": OPENING}
FORTY = f"{40 * MSS}B"
LATER = _every(0.2, FORTY, 8)


def _losing(*numbers: int) -> tuple[tuple[str, Any], ...]:
    """Loses packets of the third burst after the idle time."""
    first = AFTER + 80
    return (("loss", {"kind": "list", "packets": [first + number for number in numbers]}),)


RULES = (
    Rule("idle", "4.3", "The window is kept over an idle time longer than the timeout.",
         (BEGIN, {"at": "4s", "size": "1448B"}), _kept(5.9)),
    Rule("no-growth", "4.4", "In the non-validated phase a sender that its window does not limit leaves it as it is.",
         (BEGIN, *_every(0.1, f"{10 * MSS}B", 15)), _kept(5.9)),
    Rule("growth", "4.4", "A sender that uses its window increases it, also after an idle time.",
         (BEGIN, {"at": "4s", "size": "1500kB"}), _grows),
    Rule("loss", "4.4.1", "After a loss the window is half of max(pipeACK, FlightSize), less what was sent again.",
         (BEGIN, *LATER), _halved(40, 1), bottleneck=_losing(20)),
    Rule("losses", "4.4.1", "The same with ten losses in one window.",
         (BEGIN, *LATER), _halved(40, 10), bottleneck=_losing(*range(10, 30, 2))),
    Rule("timeout", "4.4", "After a timeout ssthresh is half of FlightSize, as in RFC 5681.",
         (BEGIN, {"at": "4s", "size": FORTY}), _timeout(40), duration_s=8.0,
         bottleneck=(("outages", [{"from": "3900ms", "to": "4800ms", "packets": "lost"}]),)),
    Rule("burst", "4.4.2", "A burst after an idle time is paced, so that a queue of 40 packets holds it.",
         ({"at": "0s", "size": "150kB"}, {"at": "4s", "size": f"{100 * MSS}B"}), _drops(0, 0),
         bottleneck=(("queue", {"kind": "drop-tail", "limit": "40 packets"}),), pacing="after-idle"),
    Rule("burst-unpaced", "4.4.2", "Without pacing the same burst overflows that queue.",
         ({"at": "0s", "size": "150kB"}, {"at": "4s", "size": f"{100 * MSS}B"}), _drops(30, 70),
         bottleneck=(("queue", {"kind": "drop-tail", "limit": "40 packets"}),)),
    Rule("five-minutes", "4.4.3", "After five minutes the window is halved, and ssthresh is at least 3/4 of it.",
         (BEGIN, {"at": "310s", "size": "1448B"}), _five_minutes, duration_s=312.0),
)  # fmt: skip


def scenario_of(rule: Rule, cc: str, validation: str) -> dict[str, Any]:
    """The scenario of a rule for a congestion control of the stack `linux`."""
    network = {"rate": "20Mbps", "delay": "20ms", "queue": {"kind": "drop-tail", "limit": "1000 packets"}}
    flow: dict[str, Any] = {
        "name": "sender",
        "stack": "linux",
        "cc": cc,
        "validation": validation,
        "app": {"kind": "list", "persistent": True, "items": list(rule.items)},
    }
    if rule.pacing != "off" and validation == "newcwv":
        flow["pacing"] = {"kind": rule.pacing}
    return {
        "name": rule.name,
        "duration": f"{rule.duration_s:g}s",
        "bottleneck": network | dict(rule.bottleneck),
        "flows": [flow],
        "probes": {"window": True, "interval": "10us"},
    }
