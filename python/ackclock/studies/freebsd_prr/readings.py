"""The variants, the three experiments, and every assumption about settings that the slides do not state."""

from __future__ import annotations

from ackclock.studies.framework import Variant
from ackclock.studies.framework.sweep import Assumption, Sweep

__all__ = ["ASSUMPTIONS", "LATER", "LOSS", "MAIN", "PRR", "RTT", "SIZE", "STOCKS", "VARIANTS"]


def _recovery(name: str, label: str) -> Variant:
    return Variant(name, label, {"flows[0].recovery": name})


STOCKS = {
    "FreeBSD's SACK": _recovery("freebsd-sack", "stock, FreeBSD's SACK"),
    "SACK of RFC 6675": _recovery("sack", "stock, SACK of RFC 6675"),
    "NewReno": _recovery("newreno", "stock, NewReno without SACK"),
}
"""The recovery of FreeBSD in 2014 with SACK, on by default; and two readings of the slides' word "NewReno"."""

LATER = "PRR of RFC 9937"

PRR = {
    "PRR-SSRB": _recovery("prr-ssrb", "PRR-SSRB (RFC 6937)"),
    "PRR-CRB": _recovery("prr-crb", "PRR-CRB (RFC 6937)"),
    LATER: _recovery("prr", "PRR (RFC 9937)"),
}
"""PRR as published then, with both of its bounds, and as it stands now."""

VARIANTS = (*STOCKS.values(), *PRR.values())

SIZE = Sweep(
    "size of the transfer",
    "size (kB)",
    {
        kilobytes: {"flows[0].app.size": f"{kilobytes}kB"}
        for kilobytes in (1, 10, 50, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000)
    },
)
LOSS = Sweep("random loss", "loss (%)", {percent: {"bottleneck.loss": f"{percent}%"} for percent in range(1, 11)})
RTT = Sweep(
    "round-trip time",
    "RTT (ms)",
    {milliseconds: {"bottleneck.delay": f"{milliseconds // 2}ms"} for milliseconds in range(10, 121, 10)},
    {"flows[0].app.size": "3MB"},
)

MAIN = "FreeBSD of 2014"

ASSUMPTIONS = (
    Assumption(MAIN),
    Assumption("without Nagle", {"flows[0].nagle": False}),
    Assumption("a receive buffer that never limits", {"flows[0].receive_buffer": "4MB"}),
    Assumption(
        "windows of at most 32 KiB", {"flows[0].receive_buffer": "32KiB", "flows[0].receive_buffer_max": "32KiB"}
    ),
    Assumption("every segment acknowledged", {"flows[0].delayed_ack": "0s"}),
    Assumption("RTO of at least 1 s", {"flows[0].min_rto": "1s"}),
    Assumption("a queue of two BDP", {"bottleneck.queue": "2bdp"}),
    Assumption("access links twice as fast as the bottleneck", {"access.rate": "2x"}),
)
