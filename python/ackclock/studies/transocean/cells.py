"""The cells: nine variants over five buffers, alone and beside web pages, and the readings of unstated settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import Reading, Variant

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.results.result import Result
    from ackclock.scenario import Text

__all__ = [
    "BUFFERS",
    "CHOICES",
    "MAIN",
    "QUICK_BUFFERS",
    "QUICK_CHOICES",
    "RENO",
    "VARIANTS",
    "WEB_CHOICES",
    "name",
    "pages",
    "readings",
    "use",
]


def _variant(cc: str, label: str) -> Variant:
    return Variant(cc, label, {"flows[0].cc": cc})


RENO = _variant("reno", "NewReno")

VARIANTS = (
    RENO,
    _variant("highspeed", "HSTCP"),
    _variant("scalable", "Scalable"),
    _variant("bic", "BIC"),
    _variant("cubic", "CUBIC"),
    _variant("htcp", "H-TCP"),
    _variant("compound", "CTCP"),
    _variant("fast", "FAST"),
    _variant("illinois", "Illinois"),
)

BUFFERS = (10, 20, 50, 100, 200)
"""Buffers in per cent of a bandwidth-delay product."""
QUICK_BUFFERS = (10, 100)

MAIN = "main reading"

ALONE = "one flow"

CHOICES: Mapping[str, Mapping[str, object]] = {
    ALONE: {"flows[0].count": 1},
    "what the RFCs say": {"flows[0].stack": "rfc"},
    "RTO of at least 1 s": {"flows[0].min_rto": "1s"},
    "acknowledgments delayed": {"flows[0].delayed_ack": "100ms", "flows[0].ack_every": 2},
    "starts over 20 s": {"flows[0].start_jitter": "20s"},
}
"""Readings beside the main one."""
QUICK_CHOICES = (ALONE,)
"""Readings of a quick run beside the main one."""

WEB_CHOICES: Mapping[str, Mapping[str, object]] = {
    "200 sessions a second": {"flows[1].app.sessions_per_second": 200},
    "CUBIC pages": {"flows[1].cc": "cubic-2.1"},
}
"""Readings of the half about the WWW beside its main one."""


def name(buffer: int, choice: str = MAIN) -> str:
    """The reading of a buffer."""
    return f"{choice}; {buffer} %"


def readings(text: Text, buffers: tuple[int, ...], choices: Mapping[str, Mapping[str, object]]) -> list[Reading]:
    """Every buffer under every choice."""
    return [
        Reading(name(buffer, choice), text, {"bottleneck.queue": f"{buffer / 100:g}bdp", **values})
        for choice, values in choices.items()
        for buffer in buffers
    ]


def use(result: Result) -> dict[str, float]:
    """Utilisation, losses and queueing delay of the link over the whole run."""
    link = next(result.links.rows())
    return {
        "utilisation_percent": 100 * link["utilisation"],
        "drop_rate_percent": 100 * link["drop_rate"],
        "queue_delay_mean_ms": link["queue_delay_mean_ms"],
        "timeouts": float(result.flows["timeouts"].sum()),
    }


def pages(result: Result) -> dict[str, float]:
    """The response times of the pages, from the handshake to the last byte, and how the link was used."""
    times = next(row for row in result.completions.rows() if row["what"] == "page")
    return {
        "page_mean_ms": 1e3 * times["mean_s"],
        "page_p50_ms": 1e3 * times["p50_s"],
        "page_p95_ms": 1e3 * times["p95_s"],
        **use(result),
    }
