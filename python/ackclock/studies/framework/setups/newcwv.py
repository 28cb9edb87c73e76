"""Variants of NewReno and newCWV that the newCWV studies compare, and a bitrate ladder of the later replications."""

from __future__ import annotations

from ackclock.studies.framework.grid import Variant

__all__ = [
    "LADDER_700",
    "LIVE_AFTER_IDLE",
    "LIVE_NEWCWV",
    "LIVE_NEWRENO",
    "LIVE_PACED",
    "LIVE_VARIANTS",
    "NEWCWV",
    "NEWRENO",
    "PACED",
    "SPREAD",
    "TEXTBOOK",
    "VARIANTS",
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
"""Pacing as the slides describe it: a burst is spread over the SRTT. FQ of Linux 3.12 takes half of that."""
VARIANTS = (NEWRENO, NEWCWV, PACED, TEXTBOOK)

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
