"""The schemes and networks as the authors' scripts have them, and the readings that depart from the scripts."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ackclock.learn import shipped
from ackclock.studies.framework import Reading, Variant
from ackclock.studies.remy import others_data

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.scenario import Text

__all__ = [
    "DELTAS",
    "MAIN",
    "RTT_SCHEMES",
    "SCHEMES",
    "SETTINGS",
    "Setting",
    "absent",
    "datacentre_schemes",
    "every_scheme_newreno",
    "over_differing_rtts",
    "own_tables",
    "present",
    "readings_of",
    "rules_of",
    "schemes_of",
    "with_cc",
]

DATA = Path(__file__).parents[4].parent / "shared" / "data"
"""Beside the project: RemyCC's tables, the flow sizes and the traces, which are others' and not part of it."""

MAIN = "as the authors' scripts ran"
CONNECTIONS = "a connection for each on period"
SHARED = "opportunities of 1500 bytes that packets share"
PAPER_OFF = "off for 0.2 s, as the paper says"

DELTAS = ("0.1", "1", "10")

F = "flows[0]."
NEWRENO = {f"{F}stack": "ns2-newreno", f"{F}rto_rule": "ns2-100us"}
TAHOE = {**NEWRENO, f"{F}recovery": "tahoe"}
LINUX = {f"{F}stack": "ns2-linux", f"{F}rto_rule": "ns2-linux"}
"""Agent/TCP/Linux, whose tick is 1 ms whatever the scripts set."""
SFQ_CODEL = {"kind": "sfq-codel", "limit": "1000 packets"}
XCP_QUEUE = {"kind": "xcp", "limit": "1000 packets"}
OFFSET, OFFSET_OF_RTTS = 16_384, 40
"""Added to the sizes of the Internet, bytes."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A network and the traffic on it."""

    name: str
    label: str
    senders: int
    less_ms: float
    """Time that the scripts subtract from RTTs for the queueing delay, in ms."""
    overrides: Mapping[str, object] = field(default_factory=dict)
    needs: str = ""
    """The file of others that it needs."""

    @property
    def has_trace(self) -> bool:
        """Whether the link delivers as a trace says."""
        return self.needs in (others_data.VERIZON, others_data.ATT)


SETTINGS = (
    Setting("n8", "15 Mbit/s, 150 ms, n = 8", 8, 149.5),
    Setting(
        "n12",
        "15 Mbit/s, 150 ms, n = 12, sizes of the Internet",
        12,
        149.5,
        {f"{F}count": 12},
        others_data.FLOW_SIZES,
    ),
    Setting("lte4", "Verizon LTE, 50 ms, n = 4", 4, 49.5, {f"{F}count": 4}, others_data.VERIZON),
    Setting("lte8", "Verizon LTE, 50 ms, n = 8", 8, 49.5, {f"{F}count": 8}, others_data.VERIZON),
    Setting("att4", "AT&T LTE, 50 ms, n = 4", 4, 49.5, {f"{F}count": 4}, others_data.ATT),
)

TRACED = {
    # The whole base RTT but for 2 ms of the access links is on the way back, over a plain link.
    "bottleneck.delay": "0ms",
    "bottleneck.reverse_delay": "49ms",
    "bottleneck.reverse_rate": "5.5Mbps",
    f"{F}app.tail": "52500us",
}

SCHEMES = (
    *(Variant(f"remy-{delta}", f"RemyCC, delta {delta}", TAHOE) for delta in DELTAS),
    Variant("cubic", "Cubic", {**LINUX, f"{F}cc": "cubic-2.1"}),
    Variant("compound", "Compound", {**LINUX, f"{F}cc": "compound"}),
    Variant("newreno", "NewReno", {**NEWRENO, f"{F}cc": "reno-ns2"}),
    Variant("vegas", "Vegas", {**LINUX, f"{F}cc": "vegas-2.6"}),
    Variant("cubic-sfqcodel", "Cubic/sfqCoDel", {**LINUX, f"{F}cc": "cubic-2.1", "bottleneck.queue": SFQ_CODEL}),
    Variant("xcp", "XCP", {**NEWRENO, f"{F}cc": "xcp", "bottleneck.queue": XCP_QUEUE}),
)
"""The nine schemes."""

RTT_SCHEMES = ("remy-0.1", "remy-1", "remy-10", "cubic", "newreno", "cubic-sfqcodel")
"""The schemes whose shares over differing round-trip times are listed."""


def absent() -> list[str]:
    """The files of others' data that are missing, as paths from `DATA`."""
    wanted = [others_data.table(delta) for delta in DELTAS] + [one.needs for one in SETTINGS if one.needs]
    wanted.append(others_data.DATACENTRE_TABLE)
    return [path for path in dict.fromkeys(wanted) if not (DATA / path).exists()]


def rules_of(delta: str) -> Path:
    """The table of RemyCC for a delta: the original one, or the one that comes with ackclock where that is absent."""
    original = DATA / others_data.table(delta)
    return original if original.exists() else shipped(delta)


def own_tables() -> list[str]:
    """The deltas whose original table is absent, so that the table that comes with ackclock is used."""
    return [delta for delta in DELTAS if not (DATA / others_data.table(delta)).exists()]


def present() -> tuple[tuple[Setting, ...], tuple[Variant, ...]]:
    """The settings whose data is there, and the schemes."""
    settings = tuple(one for one in SETTINGS if not one.needs or (DATA / one.needs).exists())
    schemes = []
    for scheme in SCHEMES:
        delta = scheme.name.removeprefix("remy-")
        if delta == scheme.name:
            schemes.append(scheme)
        else:
            rules = {"kind": "remycc-ns2", "table": str(rules_of(delta))}
            schemes.append(Variant(scheme.name, scheme.label, {**scheme.overrides, f"{F}cc": rules}))
    return settings, tuple(schemes)


def schemes_of(setting: Setting, schemes: tuple[Variant, ...]) -> tuple[Variant, ...]:
    """The schemes in a setting: XCP's router holds a link of a trace to have the rate that the scripts give it."""
    if not setting.has_trace:
        return schemes
    told = {"bottleneck.queue": {**XCP_QUEUE, "capacity": 5.5e6}}
    return tuple(
        Variant(one.name, one.label, {**one.overrides, **told}) if one.name == "xcp" else one for one in schemes
    )


def readings_of(setting: Setting, text: Text, duration_s: float, folder: Path) -> tuple[Reading, tuple[Reading, ...]]:
    """The main reading of a setting, and the others. A trace that is made from counts is written to `folder`."""
    base: dict[str, object] = {"duration": f"{duration_s:g}s", **setting.overrides}
    others: dict[str, dict[str, object]] = {CONNECTIONS: {f"{F}app.persistent": False}}
    if setting.needs == others_data.FLOW_SIZES:
        base[f"{F}app.size"] = others_data.flow_sizes(DATA / setting.needs, OFFSET)
        others[PAPER_OFF] = {f"{F}app.off": {"kind": "exponential", "mean": "200ms"}}
    if setting.has_trace:
        path = DATA / setting.needs
        if setting.needs == others_data.VERIZON:
            path = folder / "verizon4g.down"
            others_data.trace_of_counts(DATA / setting.needs, duration_s + 1, path)
        base |= {**TRACED, "bottleneck.rate": {"kind": "packet-trace", "file": str(path)}}
        others[SHARED] = {"bottleneck.rate": {"kind": "trace", "file": str(path)}}
    return Reading(MAIN, text, base), tuple(Reading(name, text, {**base, **one}) for name, one in others.items())


def over_differing_rtts(text: Text, duration_s: float) -> Reading | None:
    """The reading of the differing round-trip times, if the flow sizes are there."""
    path = DATA / others_data.FLOW_SIZES
    if not path.exists():
        return None
    sizes = others_data.flow_sizes(path, OFFSET_OF_RTTS)
    return Reading(
        MAIN, text, {"duration": f"{duration_s:g}s"} | {f"flows[{index}].app.size": sizes for index in range(4)}
    )


def datacentre_schemes() -> tuple[Variant, ...]:
    """DCTCP as the scripts ran it, DCTCP with the marks that the scripts meant, and RemyCC if its table is there."""
    meant: dict[str, object] = {
        "kind": "red",
        "limit": "10000 packets",
        "q_weight": 1.0,
        "thresh": 65,
        "maxthresh": 66,  # more than thresh; the average is a whole number, so that nothing lies between
        "mean_pktsize": "1260B",
        "bytes": False,
        "gentle": False,
        "setbit": True,
        "mark_p": 1.0,
    }
    schemes = [
        Variant("dctcp", "DCTCP as it was run: NewReno over RED without marks"),
        Variant(
            "dctcp-marks",
            "DCTCP as it was meant: marks from 65 packets on",
            {f"{F}cc": "dctcp", f"{F}ecn": "dctcp", f"{F}stack": "ns2-sack", "bottleneck.queue": meant},
        ),
    ]
    table = DATA / others_data.DATACENTRE_TABLE
    if table.exists():
        rules = {"kind": "remycc-ns2-us", "table": str(table)}
        remy = {f"{F}cc": rules, f"{F}recovery": "tahoe", "bottleneck.queue": "10000 packets"}
        schemes.append(Variant("remycc", "RemyCC with the table made for it", remy))
    return tuple(schemes)


def every_scheme_newreno(overrides: Mapping[str, object]) -> dict[str, object]:
    """Puts NewReno over a drop-tail queue in the place of every scheme, with the same buffer.

    What the scripts ran as DCTCP is NewReno already, and keeps its queue.
    """
    newreno: dict[str, object] = {"cc": "reno-ns2", "recovery": "ns2-newreno", "ecn": "off", **_agent(NEWRENO)}
    flows = {path.partition(".")[0] for path in overrides if path.endswith(".cc")}
    removed = {f"{flow}.{name}": value for flow in flows for name, value in newreno.items()}
    queue = overrides.get("bottleneck.queue")
    if isinstance(queue, dict):
        removed["bottleneck.queue"] = queue["limit"]
    return removed


def _agent(overrides: Mapping[str, object]) -> dict[str, object]:
    """The settings of the first flow, by their names within it."""
    return {path.removeprefix(F): value for path, value in overrides.items()}


def with_cc(scheme: Variant, flows: int) -> Variant:
    """The scheme for a scenario of several kinds of flows: its overrides of the first hold for all."""
    overrides = {
        path.replace("flows[0]", f"flows[{index}]"): value
        for path, value in scheme.overrides.items()
        for index in range(flows)
    }
    return Variant(scheme.name, scheme.label, overrides)
