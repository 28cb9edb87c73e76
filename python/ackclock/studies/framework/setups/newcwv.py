"""Variants of NewReno and newCWV that the newCWV studies compare, and a bitrate ladder of the later replications."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework.grid import Variant

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "KERNEL",
    "LADDER_700",
    "LIVE_AFTER_IDLE",
    "LIVE_NEWCWV",
    "LIVE_NEWRENO",
    "LIVE_PACED",
    "LIVE_VARIANTS",
    "NEWCWV",
    "NEWRENO",
    "ONE_WAY",
    "PACED",
    "PACINGS",
    "PRINTED",
    "ROUND_TRIP",
    "SPREAD",
    "TEXTBOOK",
    "VARIANTS",
    "newcwv_off",
    "pacing_off",
]

_VALIDATION, _PACING = "flows[0].validation", "flows[0].pacing"

FQ = {"kind": "fq", "slow_start_percent": 200, "avoidance_percent": 200}
"""FQ as Linux 3.12 had it: it always paces at twice cwnd/SRTT."""

NEWRENO = Variant("newreno", "NewReno (Linux)", {_VALIDATION: "rfc2861-linux", _PACING: "off"})
TEXTBOOK = Variant(
    "newreno-rfc5681",
    "NewReno (RFC 5681)",
    {_VALIDATION: "none", _PACING: "off", "flows[0].restart_after_idle": "rfc5681"},
)
NEWCWV = Variant("newcwv", "newCWV", {_VALIDATION: "newcwv", _PACING: "off"})
PACED = Variant("newcwv-pacing", "newCWV with pacing", {_VALIDATION: "newcwv", _PACING: FQ})
SPREAD = Variant(
    "newcwv-spread",
    "newCWV, paced over an SRTT",
    {_VALIDATION: "newcwv", _PACING: {"kind": "fq", "slow_start_percent": 100, "avoidance_percent": 100}},
)
"""Pacing as the slides print it: cwnd/RTT, which spreads a burst over the SRTT. FQ of Linux 3.12 takes half of that."""

PRINTED, KERNEL = "cwnd/RTT as printed", "FQ of Linux 3.12"
PACINGS = {PRINTED: SPREAD, KERNEL: PACED}
"""Both readings of the pacing. They have the same rank: the slides print cwnd/RTT, and name the FQ of a kernel whose
rate was twice that."""

ROUND_TRIP, ONE_WAY = "200 ms round trip", "200 ms one-way"
"""Both readings of the delay. The slides say "delay 200 ms" of the link and "a 200ms TCP flow" of the traffic over it.
A flow has a round-trip time and no one-way delay, so that the second wording can only be a round trip, and the first
can be either: the main reading of every study of these slides is the round trip."""

VARIANTS = (NEWRENO, NEWCWV, PACED, SPREAD, TEXTBOOK)

LADDER_700 = ["200kbps", "250kbps", "300kbps", "400kbps", "500kbps", "600kbps", "700kbps"]
"""The bitrates of the later replications."""

LIVE_NEWRENO = Variant("newreno", "NewReno", {"flows[0].cc": "reno", _VALIDATION: "linux", _PACING: "off"})
LIVE_NEWCWV = Variant("newcwv", "newCWV", {"flows[0].cc": "reno", _VALIDATION: "newcwv", _PACING: "off"})
LIVE_PACED = Variant("newcwv-pacing", "newCWV with pacing", {"flows[0].cc": "reno", _VALIDATION: "newcwv", _PACING: FQ})
LIVE_AFTER_IDLE = Variant(
    "newcwv-after-idle",
    "newCWV, paced after idle",
    {"flows[0].cc": "reno", _VALIDATION: "newcwv", _PACING: {"kind": "after-idle"}},
)
"""The variants as the running kernel has them: its own rules after idle for the control, and newCWV as BPF programs."""
LIVE_VARIANTS = (LIVE_NEWRENO, LIVE_NEWCWV, LIVE_PACED, LIVE_AFTER_IDLE)


def newcwv_off(overrides: Mapping[str, object]) -> dict[str, object]:
    """Takes newCWV, and the pacing that comes with it, from every flow of a run: what is left is Linux's NewReno.

    The authors' module comes without F-RTO, which its removal brings back.
    """
    control = {
        path: "rfc2861-linux"
        for path, value in overrides.items()
        if path.endswith(".validation") and str(value).startswith("newcwv")
    }
    return control | {path: True for path in overrides if path.endswith(".frto")} | pacing_off(overrides)


def pacing_off(overrides: Mapping[str, object]) -> dict[str, object]:
    """Takes the pacing from every flow of a run."""
    return {path: "off" for path in overrides if path.endswith(".pacing")}
