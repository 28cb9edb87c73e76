"""The variants, both experiments, and every assumption about settings that the slides do not state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import Variant
from ackclock.studies.framework.sweep import Assumption, Sweep

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "ASSUMPTIONS",
    "DISPERSIONS",
    "FLOWS",
    "FLOWS_ASSUMPTIONS",
    "MAIN",
    "NEWCWV",
    "PRR",
    "RESTARTED",
    "RESTARTED_ASSUMPTIONS",
    "RESTARTED_VARIANTS",
    "RFC",
    "SIZE",
    "STOCK",
    "VARIANTS",
    "WITHOUT_NAGLE",
    "newcwv_off",
    "prr_off",
    "restarted",
]

_VALIDATION, _RECOVERY = "flows[*].validation", "flows[*].recovery"

STOCK = Variant("stock", "stock", {_VALIDATION: "none"})
NEWCWV = Variant("newcwv", "newCWV", {_VALIDATION: "newcwv-00"})
PRR = Variant("newcwv-prr", "newCWV + PRR", {_VALIDATION: "newcwv-00", _RECOVERY: "prr-ssrb"})
RFC = Variant("newcwv-rfc", "newCWV of RFC 7661", {_VALIDATION: "newcwv"})
RESTARTED = Variant(
    "stock-initial-window",
    "stock that restarts with its initial window",
    {_VALIDATION: "none", "flows[*].restart_after_idle": "rfc5681"},
)
"""The restart window of RFC 5681 is the initial window. FreeBSD 10 restarts with that of RFC 3390, 4,380 bytes."""
VARIANTS = (STOCK, NEWCWV, PRR, RFC)
"""The FreeBSD implementation followed draft -00. RFC 7661, which the draft became, is compared too."""

SIZE = Sweep(
    "burst size",
    "burst size (kB)",
    {
        kilobytes: {"flows[0].app.size": f"{kilobytes}kB"}
        for kilobytes in (10, 20, 40, 64, 100, 150, 200, 300, 400, 600, 800, 1000, 1200)
    },
)
FLOWS = Sweep(
    "number of flows",
    "flows",
    {flows: {"flows[0].count": flows} for flows in range(1, 11)},
    {"bottleneck.rate": "15Mbps"},
)

MAIN = "a burst a second"
WITHOUT_NAGLE = "without Nagle"
AT_ONCE = "all flows at once"
UNBOUNDED: dict[str, object] = {"flows[0].receive_buffer": "4MB"}
"""A window that the receive buffer never limits."""

ASSUMPTIONS = (
    Assumption(MAIN),
    Assumption(WITHOUT_NAGLE, {"flows[0].nagle": False}),
    Assumption("a receive buffer that never limits", UNBOUNDED),
    Assumption("without Nagle, a receive buffer that never limits", {"flows[0].nagle": False, **UNBOUNDED}),
    Assumption("a receive buffer of 64 KiB that does not grow", {"flows[0].receive_buffer": "64KiB"}),
    Assumption(
        "without Nagle, a receive buffer of 64 KiB that does not grow",
        {"flows[0].nagle": False, "flows[0].receive_buffer": "64KiB"},
    ),
    Assumption("recovery with SACK as in RFC 6675", {"flows[0].recovery": "sack"}),
    Assumption("a burst every 5 s", {"flows[0].app.interval": "5s", "duration": "45s"}),
    Assumption("a burst every 10 s", {"flows[0].app.interval": "10s", "duration": "80s"}),
    Assumption(AT_ONCE, {"flows[0].start_jitter": "0s"}),
    Assumption("every segment acknowledged", {"flows[0].delayed_ack": "0s"}),
    Assumption("an initial window of 3", {"flows[0].initial_window": 3}),
    Assumption("RTO of at least 1 s", {"flows[0].min_rto": "1s"}),
    Assumption("an unlimited queue", {"bottleneck.queue": "unlimited"}),
)

DISPERSED_MS = (650, 700, 750)
"""Times within which the flows start, besides none and a second: where the smallest benefit changes most."""


def _dispersed(ms: int, *, nagle: bool = True) -> Assumption:
    overrides: dict[str, object] = {"flows[0].start_jitter": f"{ms}ms"}
    if nagle:
        return Assumption(f"starts within {ms} ms", overrides)
    return Assumption(f"{WITHOUT_NAGLE}, starts within {ms} ms", overrides | {"flows[0].nagle": False})


FLOWS_ASSUMPTIONS = (
    *ASSUMPTIONS,
    *(_dispersed(ms) for ms in DISPERSED_MS),
    *(_dispersed(ms, nagle=False) for ms in (0, *DISPERSED_MS)),
    Assumption("32 kB every half second", {"flows[0].app.size": "32kB", "flows[0].app.interval": "500ms"}),
    Assumption("128 kB every two seconds", {"flows[0].app.size": "128kB", "flows[0].app.interval": "2s"}),
)
"""The slides state the rate of a flow, but not the size of its bursts, nor how far apart the flows start."""

DISPERSIONS = {
    nagle: {
        0: AT_ONCE if nagle else _dispersed(0, nagle=False).name,
        **{ms: _dispersed(ms, nagle=nagle).name for ms in DISPERSED_MS},
        1000: MAIN if nagle else WITHOUT_NAGLE,
    }
    for nagle in (True, False)
}
"""Time within which the flows start, in ms, to the name of the assumption; with and without Nagle."""

RESTARTED_VARIANTS = (RESTARTED, NEWCWV, PRR)
RESTARTED_ASSUMPTIONS = tuple(
    one for one in FLOWS_ASSUMPTIONS if one.name in {name for names in DISPERSIONS.values() for name in names.values()}
)
"""The assumptions under which the stock that restarts with its initial window is compared, too."""


def newcwv_off(_: Mapping[str, object]) -> dict[str, object]:
    """Takes newCWV from every flow, whose window then falls after a pause as the stock's does."""
    return {_VALIDATION: "none"}


def prr_off(overrides: Mapping[str, object]) -> dict[str, object]:
    """Takes PRR from every flow, too, whose recovery is then that of the stock it is compared with."""
    return {**newcwv_off(overrides), _RECOVERY: overrides.get("flows[0].recovery", "freebsd-sack")}


def restarted(assumption: str) -> str:
    """The name of an assumption with the stock that restarts with its initial window."""
    return f"{assumption}; restart with the initial window"
