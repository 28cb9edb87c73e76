"""What is compared: nine variants over five buffers, under every reading of what is not known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.grid import Reading, Variant
from ackclock.studies.study import page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.result import Result
    from ackclock.scenario import Text

__all__ = [
    "BUFFERS",
    "CHOICES",
    "MAIN",
    "QUICK_BUFFERS",
    "QUICK_CHOICES",
    "RENO",
    "VARIANTS",
    "name",
    "readings",
    "scenario",
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
    "RTO of at least 200 ms": {"flows[0].min_rto": "200ms"},
    "every segment acknowledged": {"flows[0].delayed_ack": "0s"},
    "starts over 20 s": {"flows[0].start_jitter": "20s"},
}
"""Readings beside the main one."""
QUICK_CHOICES = (ALONE,)
"""Those of a quick run."""


def name(buffer: int, choice: str = MAIN) -> str:
    """The reading of a buffer."""
    return f"{choice}; {buffer} %"


def scenario() -> str:
    """The text of the scenario: the flows whose link it is. Other traffic beside them would be added here."""
    return page(__package__, "scenario.toml")


def readings(text: Text, buffers: tuple[int, ...], choices: Mapping[str, Mapping[str, object]]) -> list[Reading]:
    """Every buffer under every choice."""
    return [
        Reading(
            name(buffer, choice), name(buffer, choice), text, {"bottleneck.queue": f"{buffer / 100:g}bdp", **values}
        )
        for choice, values in choices.items()
        for buffer in buffers
    ]


def use(result: Result) -> dict[str, float]:
    """How the link was used over the whole run."""
    link = next(result.links.rows())
    return {
        "utilisation_percent": 100 * link["utilisation"],
        "drop_rate_percent": 100 * link["drop_rate"],
        "queue_delay_mean_ms": link["queue_delay_mean_ms"],
        "timeouts": float(result.flows["timeouts"].sum()),
    }
