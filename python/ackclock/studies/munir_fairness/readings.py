"""The kinds of flows, and every reading of the settings that the paper and its tool's defaults leave open."""

from __future__ import annotations

from ackclock.studies.framework import Variant

__all__ = ["ALL_NEWRENO", "CHOICES", "GROUPS", "MAIN", "MAIN_SET", "OTHER_SETS", "QUICK_CHOICES", "SETS", "SHORT"]

GROUPS = {"cubic": "CUBIC", "bic": "BIC", "ctcp": "CTCP", "newreno": "NewReno"}
"""The four kinds of flows by the names of the scenario, in its order."""


def _every(name: str, value: object) -> dict[str, object]:
    return {f"flows[{index}].{name}": value for index in range(len(GROUPS))}


RFC, TUNED = {"flows[0].cc": "cubic"}, {"flows[2].cc": "compound-tuned"}

ALL_NEWRENO = _every("cc", "reno")
"""The null reading: eighty flows of one kind."""

SETS = (
    Variant("CUBIC 2.0, CTCP fixed", "CUBIC 2.0, CTCP with gamma 30"),
    Variant("CUBIC 9438, CTCP fixed", "CUBIC of RFC 9438, CTCP with gamma 30", RFC),
    Variant("CUBIC 2.0, CTCP tuned", "CUBIC 2.0, CTCP with gamma tuned", TUNED),
    Variant("CUBIC 9438, CTCP tuned", "CUBIC of RFC 9438, CTCP with gamma tuned", {**RFC, **TUNED}),
    Variant("TCP/Linux", "CUBIC 2.0, CTCP with gamma 30, all on ns-2's TCP/Linux", _every("stack", "ns2-linux")),
)
"""The versions that may stand for the two rows: those of then and those of today; and the other agent of ns-2."""

MAIN_SET, *OTHER_SETS = SETS

MAIN = "main reading"
SHORT = "main reading, short"

CHOICES: dict[str, dict[str, object]] = {
    SHORT: {},
    "timer as RFC 6298 has it": _every("rto_rule", "rfc6298"),
    "RTO of at least 1 s": _every("min_rto", "1s"),
    "what the RFCs say": {**_every("stack", "rfc"), **_every("start_jitter", "10s")},
    "acknowledgments delayed": {**_every("delayed_ack", "100ms"), **_every("ack_every", 2)},
    "NewReno on the agent without SACK": {"flows[3].stack": "ns2-newreno"},
    "all on the agent without SACK": _every("stack", "ns2-newreno"),
    "BIC as Linux has it": {"flows[1].cc": "bic-linux"},
    "all start at once": _every("start_jitter", "0s"),
    "starts over 100 s": _every("start_jitter", "100s"),
    "windows of at most 1000 packets": _every("receive_buffer", "1460000B"),
    "windows of at most 20 packets": _every("receive_buffer", "29200B"),
}
"""Readings of the unstated settings. Their runs are shorter than those of the main reading."""

QUICK_CHOICES = {name: CHOICES[name] for name in (SHORT, "timer as RFC 6298 has it")}
"""Readings of a quick run beside the main one."""
