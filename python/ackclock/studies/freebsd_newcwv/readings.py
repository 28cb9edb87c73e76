"""What is compared, both experiments, and every reading of what the slides leave open."""

from __future__ import annotations

from ackclock.studies.grid import Variant
from ackclock.studies.sweep import Choice, Sweep

__all__ = ["CHOICES", "FLOWS", "FLOWS_CHOICES", "MAIN", "NEWCWV", "PRR", "RFC", "SIZE", "STOCK", "VARIANTS"]

_VALIDATION, _RECOVERY = "flows[*].validation", "flows[*].recovery"

STOCK = Variant("stock", "stock", {_VALIDATION: "none"})
NEWCWV = Variant("newcwv", "newCWV", {_VALIDATION: "newcwv-00"})
PRR = Variant("newcwv-prr", "newCWV and PRR", {_VALIDATION: "newcwv-00", _RECOVERY: "prr-ssrb"})
RFC = Variant("newcwv-rfc", "newCWV of RFC 7661", {_VALIDATION: "newcwv"})
VARIANTS = (STOCK, NEWCWV, PRR, RFC)
"""That work followed draft -00; what became of it is beside it."""

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

CHOICES = (
    Choice(MAIN),
    Choice("a burst every 5 s", {"flows[0].app.interval": "5s", "duration": "45s"}),
    Choice("a burst every 10 s", {"flows[0].app.interval": "10s", "duration": "80s"}),
    Choice("all flows at once", {"flows[0].start_jitter": "0s"}),
    Choice("every segment acknowledged", {"flows[0].delayed_ack": "0s"}),
    Choice("an initial window of 3", {"flows[0].initial_window": 3}),
    Choice("RTO of at least 1 s", {"flows[0].min_rto": "1s"}),
    Choice("an unlimited queue", {"bottleneck.queue": "unlimited"}),
)

FLOWS_CHOICES = (
    *CHOICES,
    Choice("32 kB every half second", {"flows[0].app.size": "32kB", "flows[0].app.interval": "500ms"}),
    Choice("128 kB every two seconds", {"flows[0].app.size": "128kB", "flows[0].app.interval": "2s"}),
)
"""The rate of a flow is published, and not by bursts of which size."""
