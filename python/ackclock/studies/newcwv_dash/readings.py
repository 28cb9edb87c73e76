"""The controls, the variants of the retracted study, and the readings of settings that the original leaves open."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from ackclock.scenario import Text
from ackclock.studies.framework import Reading, Variant, study_file
from ackclock.studies.framework.setups.newcwv import LADDER_700, NEWRENO, ONE_WAY, ROUND_TRIP, TEXTBOOK

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "CONTROLS",
    "CORRECTED",
    "FLAWED",
    "FLAWED_LOW",
    "MAIN",
    "MPD_BPS",
    "MPD_LADDER",
    "OTHER_DELAY",
    "RETRACTED_MAIN",
    "RETRACTED_VARIANTS",
    "flaw_mended",
    "idle_rules_off",
    "readings",
    "retracted_readings",
]

_RESTART = "flows[0].restart_after_idle"

CONTROLS = {"Linux's NewReno": NEWRENO, "RFC 5681's NewReno": TEXTBOOK}
"""Both readings of the control. The original ran Linux 3.12, whose NewReno decays an idle window by halves down to the
initial window, and one that is not filled towards its use; RFC 5681 knows the restart window after idle and no more."""

FLAWED = Variant("flawed", "New Reno, flawed: ssthresh infinite after idle", {_RESTART: "raises-ssthresh"})
FLAWED_LOW = Variant("flawed-low", "New Reno, flawed: ssthresh = cwnd after idle", {_RESTART: "lowers-ssthresh"})
CORRECTED = Variant("corrected", "New Reno, corrected", {_RESTART: "rfc5681"})
RETRACTED_VARIANTS = (FLAWED, FLAWED_LOW, CORRECTED, Variant("newcwv", "newCWV", {"flows[0].validation": "newcwv"}))

_LADDERS: list[tuple[str, dict[str, object]]] = [
    ("ITEC ladder", {}),
    ("ladder to 700", {"flows[0].app.ladder": LADDER_700}),
]
_SEGMENTS: list[tuple[str, dict[str, object]]] = [
    (f"{seconds}-s segments", {"flows[0].app.segment": f"{seconds}s"}) for seconds in (4, 2, 10)
]
_DELAYS: list[tuple[str, dict[str, object]]] = [
    (ROUND_TRIP, {"bottleneck.delay": "100ms"}),
    (ONE_WAY, {"bottleneck.delay": "200ms"}),
]
_QUEUES: list[tuple[str, dict[str, object]]] = [
    (f"{times} BDP", {"bottleneck.queue": f"{times}bdp"}) for times in ("1", "0.5", "2")
]

_LEVELS_4_S = (
    "45226 88783 128503 177437 217761 255865 323047 378355 509091 577751 782553 1008699 1207152 1473801 2087347"
)
_LEVELS_2_S = (
    "45652 89283 131087 178351 221600 262537 334349 396126 522286 595491 791182 1032682 1244778 1546902 2133691"
)
MPD_BPS = {4: [int(one) for one in _LEVELS_4_S.split()], 2: [int(one) for one in _LEVELS_2_S.split()]}
"""The bitrates, in bit/s, that the MPDs of ITEC's Big Buck Bunny of 2012 state, by the length of a segment in s.

They end at twice the rate of the link, and are below the round numbers of the set's folders, which the ITEC ladder has:
"900 kbit" is 782,553 and 791,182. The MPDs are among the examples of scootplayer, the DASH client of one of the slides'
authors (github.com/broadbent/scootplayer).
"""


def _of_mpd() -> list[Reading]:
    """The set's own levels, with the two segment lengths whose levels are known and every other unknown."""
    found = []
    for (seconds, levels), delay, queue in product(MPD_BPS.items(), _DELAYS, _QUEUES):
        overrides = {
            "flows[0].app.ladder": [f"{bps / 1e3:g}kbps" for bps in levels],
            "flows[0].app.segment": f"{seconds}s",
            **delay[1],
            **queue[1],
        }
        name = f"{MPD_LADDER}, {seconds}-s segments, {delay[0]}, {queue[0]}"
        found.append(Reading(name, _text(), overrides))
    return found


def _text() -> Text:
    return Text(study_file(__package__, "scenario.toml"), name="newcwv_dash/scenario.toml")


MPD_LADDER = "ITEC's own levels"
"""The beginning of the names of the readings with the bitrates of the MPDs."""

STANDARDS: dict[str, object] = {
    "flows[0].stack": "rfc",
    "flows[0].min_rto": "200ms",
    "flows[0].max_rto": "120s",
    "flows[0].delayed_ack": "40ms",
    "flows[0].quick_acks": 16,
}
"""RFC 6675's recovery with Linux's timers and quick acknowledgments."""

MAIN = f"ITEC ladder, 4-s segments, {ROUND_TRIP}, 1 BDP"
"""The reading that the documents favour: the delay by the wording of the slides, the one known ladder that reaches the
published mean, and the middle of each other range. The page says how far it was chosen blindly."""

OTHER_DELAY = f"ITEC ladder, 4-s segments, {ONE_WAY}, 1 BDP"

RETRACTED_MAIN = "10 Mbit/s, 3 clients, hybrid"


def readings() -> list[Reading]:
    """The main reading first; every combination of the four unknowns; and one change of the main reading at a time."""
    text = _text()
    combined = []
    for parts in product(_LADDERS, _SEGMENTS, _DELAYS, _QUEUES):
        name = ", ".join(label for label, _ in parts)
        overrides = {path: value for _, change in parts for path, value in change.items()}
        combined.append(Reading(name, text, overrides))
    single: list[tuple[str, dict[str, object]]] = [
        ("the stack of the RFCs", {"flows[0].stack": "rfc"}),
        ("the stack of the RFCs with Linux's timers", STANDARDS),
        ("the same with Linux's RTO", {**STANDARDS, "flows[0].rto_rule": "linux"}),
        ("Linux 3.12 with the RTO of RFC 6298", {"flows[0].rto_rule": "rfc6298"}),
        ("a queue of 100 packets", {"bottleneck.queue": "100 packets"}),
        ("a player's buffer of 12 s", {"flows[0].app.buffer": "12s"}),
        ("estimate from the last segment", {"flows[0].app.estimator": "last"}),
        ("hybrid rate adaptation", {"flows[0].app.abr": "hybrid"}),
        ("segments of one size", {"flows[0].app.size_cv": 0.0}),
        ("RTO of at least 1 s", {"flows[0].min_rto": "1s"}),
        ("no SACK", {"flows[0].sack": False}),
        ("CUBIC", {"flows[0].cc": "cubic"}),
    ]
    singles = [Reading(f"main, {name}", text, overrides) for name, overrides in single]
    return combined + _of_mpd() + singles


def retracted_readings() -> list[Reading]:
    """The cells of the retracted study: rate, clients, rate adaptation."""
    text = Text(study_file(__package__, "retracted.toml"), name="newcwv_dash/retracted.toml")
    # With one client at 10 Mbit/s, and with any number at 145, nothing differs; the contended cells carry both rules.
    cells = [(10, 3, "hybrid"), (10, 3, "throughput"), (10, 5, "hybrid"), (10, 1, "hybrid")]
    cells += [(50, 3, "throughput"), (145, 1, "hybrid")]
    return [
        Reading(
            f"{rate} Mbit/s, {clients} client{'s' if clients > 1 else ''}, {abr}",
            text,
            {"bottleneck.rate": f"{rate}Mbps", "flows[0].count": clients, "flows[0].app.abr": abr},
        )
        for rate, clients, abr in cells
    ]


def idle_rules_off(overrides: Mapping[str, object]) -> dict[str, object]:
    """Takes from the controls what they do with their window over a pause."""
    validated = str(overrides.get("flows[0].validation")).startswith("newcwv")
    return {} if validated else {"flows[0].validation": "none", _RESTART: "off"}


def flaw_mended(overrides: Mapping[str, object]) -> dict[str, object]:
    """Mends the control of the retracted study, whose flaw is the mechanism there."""
    return {_RESTART: "rfc5681"} if _RESTART in overrides else {}
