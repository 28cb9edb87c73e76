"""The schemes, the networks, and the readings of the settings that the original leaves open."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ackclock.studies.framework import Reading, Variant

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.scenario import Text

__all__ = [
    "DCTCP",
    "DELTAS",
    "HANDSHAKE",
    "MAIN",
    "RTT_SCHEMES",
    "SCHEMES",
    "SETTINGS",
    "Setting",
    "absent",
    "present",
    "readings_of",
    "with_cc",
]

DATA = Path(__file__).parents[4].parent / "shared" / "data"
"""Beside the project: the Remy project's tables and the delivery traces, which are others' and not part of this one."""

MAIN = "time on from the first segment to the last acknowledgment"
HANDSHAKE = "time on with the handshake"
LARGER = "packets of 1500 bytes"
BOUNDED = "no flow above 10 MB"

DELTAS = ("0.1", "1", "10")

NO_SACK = {"flows[0].sack": False, "flows[0].recovery": "newreno"}
"""The authors' scripts have selective acknowledgments with ns-2's Linux agents only."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A network and the traffic on it."""

    name: str
    label: str
    senders: int
    delay_ms: float
    """Propagation, one way."""
    overrides: Mapping[str, object] = field(default_factory=dict)
    trace: str = ""
    """The delivery trace it needs, of those in ../shared/data/traces."""


def _internet(cap: str) -> dict[str, object]:
    """The flow sizes of Allman's traces as the paper models them."""
    return {"kind": "shifted-pareto", "shape": 0.5, "scale": "147B", "shift": "40B", "plus": "16kB", "cap": cap}


LARGEST = "3.3GB"
"""The largest of the 100,000 sizes that the authors' scripts draw from; the model itself has no mean."""

SETTINGS = (
    Setting("n8", "15 Mbit/s, 150 ms, n = 8", 8, 75),
    Setting(
        "n12",
        "15 Mbit/s, 150 ms, n = 12, sizes of the Internet",
        12,
        75,
        {
            "flows[0].count": 12,
            "flows[0].app.size": _internet(LARGEST),
            "flows[0].app.off": {"kind": "exponential", "mean": "200ms"},
        },
    ),
    Setting("lte4", "Verizon LTE, 50 ms, n = 4", 4, 25, {"flows[0].count": 4}, "Verizon-LTE-short.down"),
    Setting("lte8", "Verizon LTE, 50 ms, n = 8", 8, 25, {"flows[0].count": 8}, "Verizon-LTE-short.down"),
    Setting("att4", "AT&T LTE, 50 ms, n = 4", 4, 25, {"flows[0].count": 4}, "ATT-LTE-driving-2016.down"),
)

SCHEMES = (
    *(Variant(f"remy-{delta}", f"RemyCC, delta {delta}", NO_SACK) for delta in DELTAS),
    Variant("cubic", "Cubic", {"flows[0].cc": "cubic"}),
    Variant("compound", "Compound", {"flows[0].cc": "compound"}),
    Variant("newreno", "NewReno", {"flows[0].cc": "reno", **NO_SACK}),
    Variant("vegas", "Vegas", {"flows[0].cc": "vegas", **NO_SACK}),
    Variant(
        "cubic-sfqcodel",
        "Cubic/sfqCoDel",
        {"flows[0].cc": "cubic", "bottleneck.queue": {"kind": "sfq-codel", "limit": "1000 packets"}},
    ),
    Variant(
        "xcp",
        "XCP",
        {"flows[0].cc": "xcp", "bottleneck.queue": {"kind": "xcp", "limit": "1000 packets"}, **NO_SACK},
    ),
)

RTT_SCHEMES = ("remy-0.1", "remy-1", "remy-10", "cubic", "newreno", "cubic-sfqcodel")
"""The schemes whose shares over differing round-trip times are listed."""

DCTCP = Variant("dctcp", "DCTCP")


def _table(delta: str) -> Path:
    return DATA / "remycc" / f"RemyCC-2013-delta{delta}.dna"


def _trace(setting: Setting) -> Path:
    return DATA / "traces" / setting.trace


def absent() -> list[str]:
    """The files of others' data that are missing, as paths from `DATA`."""
    wanted = [_table(delta) for delta in DELTAS] + [_trace(one) for one in SETTINGS if one.trace]
    return [str(path.relative_to(DATA)) for path in dict.fromkeys(wanted) if not path.exists()]


def present() -> tuple[tuple[Setting, ...], tuple[Variant, ...]]:
    """The settings and schemes whose data is there."""
    settings = tuple(one for one in SETTINGS if not one.trace or _trace(one).exists())
    schemes = []
    for scheme in SCHEMES:
        delta = scheme.name.removeprefix("remy-")
        if delta == scheme.name:
            schemes.append(scheme)
        elif _table(delta).exists():
            rules = {"kind": "remycc", "table": str(_table(delta))}
            schemes.append(Variant(scheme.name, scheme.label, {**scheme.overrides, "flows[0].cc": rules}))
    return settings, tuple(schemes)


def readings_of(setting: Setting, text: Text, duration_s: float) -> tuple[Reading, tuple[Reading, ...]]:
    """The main reading of a setting, and the others that need runs of their own."""
    base: dict[str, object] = {"duration": f"{duration_s:g}s", **setting.overrides}
    if setting.trace:
        # The scripts' link back is a plain one of 5.5 Mbit/s.
        rate = {"kind": "trace", "file": str(_trace(setting))}
        base |= {"bottleneck.rate": rate, "bottleneck.reverse_rate": "5.5Mbps", "bottleneck.delay": "24ms"}
    others = [Reading(LARGER, text, {**base, "packet_size": "1500B"})]
    if setting.name == "n12":
        others.append(Reading(BOUNDED, text, {**base, "flows[0].app.size": _internet("10MB")}))
    return Reading(MAIN, text, base), tuple(others)


def with_cc(scheme: Variant, flows: int) -> Variant:
    """The scheme for a scenario of several kinds of flows: its overrides of the first hold for all."""
    overrides = {
        path.replace("flows[0]", f"flows[{index}]"): value
        for path, value in scheme.overrides.items()
        for index in range(flows)
    }
    return Variant(scheme.name, scheme.label, overrides)
