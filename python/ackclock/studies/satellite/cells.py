"""The cells: variants over queues, and the readings of unstated settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.studies.framework import Reading, Variant

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.results.result import Result
    from ackclock.scenario import Text

__all__ = [
    "CHOICES",
    "CLAIMED",
    "HSTCP",
    "LARGE",
    "LONGER",
    "MAIN",
    "MODERATE",
    "MODERATE_QUEUE",
    "NEWRENO",
    "PLAYOUTS",
    "QUEUES",
    "QUICK_CHOICES",
    "QUICK_QUEUES",
    "QUICK_VARIANTS",
    "SMALL",
    "VARIANTS",
    "measures",
    "mos_of",
    "name",
    "readings",
]

FTP_FLOWS = 4


def _variant(cc: str, label: str) -> Variant:
    return Variant(cc, label, {"flows[0].cc": cc})


HSTCP = _variant("highspeed", "HSTCP")
NEWRENO = _variant("reno", "NewReno")
"""The control in whose place the others are put: harm is measured against it."""

VARIANTS = (
    NEWRENO,
    HSTCP,
    _variant("scalable", "Scalable"),
    _variant("bic", "BIC"),
    _variant("cubic", "CUBIC"),
    _variant("htcp", "H-TCP"),
    _variant("compound", "CTCP"),
    _variant("illinois", "Illinois"),
)
CLAIMED = ("cubic", "htcp", "compound")
"""The variants that the paper advises against."""
QUICK_VARIANTS = (HSTCP, NEWRENO, *(one for one in VARIANTS if one.name in CLAIMED))

QUEUES = (10, 20, 50, 100, 200)
"""Queues in per cent of a bandwidth-delay product."""
QUICK_QUEUES = (10, 50, 200)
MODERATE = 50
"""The queue that claims about variants are judged with."""
MODERATE_QUEUE = {"bottleneck.queue": f"{MODERATE / 100:g}bdp"}
"""The null reading of claims about queues: all have the moderate size."""
SMALL, LARGE = 10, 200
"""Queues that the moderate one is compared with, per cent of a bandwidth-delay product."""

PLAYOUTS = ("50 ms", "100 ms", "200 ms", "400 ms", "800 ms", "1600 ms")
"""The play-out times of the calls."""

MAIN = "main reading"
LONGER = "500 ms one way"
TCP_FLOWS = range(6)
"""The places of the flows in the scenario that are TCP; the calls come after them."""

CHOICES: Mapping[str, Mapping[str, object]] = {
    "what the RFCs say": {f"flows[{flow}].stack": "rfc" for flow in TCP_FLOWS},
    "modules of today: Linux 6.12 for the four": {"flows[0].stack": "linux"},
    LONGER: {"bottleneck.delay": "500ms"},
    "objects of exponential size": {
        f"flows[{flow}].app.object_size": "{ kind = 'exponential', mean = '2500B' }" for flow in (3, 4)
    },
    "4 Mbit/s back, a tenth of the sessions": {
        "bottleneck.reverse_rate": "4Mbps",
        "flows[3].app.sessions_per_second": 10,
        "flows[4].app.sessions_per_second": 10,
    },
}
"""Readings beside the main one."""
QUICK_CHOICES = (LONGER,)
"""Readings of a quick run beside the main one."""


def name(queue: int, choice: str = MAIN) -> str:
    """The reading of a queue."""
    return f"{choice}; {queue} %"


def mos_of(playout: str) -> str:
    """The measure of the call with a play-out time."""
    return f"mos_{playout.replace(' ', '')}"


def readings(text: Text, queues: tuple[int, ...], choices: Mapping[str, Mapping[str, object]]) -> list[Reading]:
    """Every queue under every choice."""
    return [
        Reading(name(queue, choice), text, {"bottleneck.queue": f"{queue / 100:g}bdp", **values})
        for choice, values in choices.items()
        for queue in queues
    ]


def measures(result: Result) -> dict[str, float]:
    """Measures of the four transfers, the pages, the call with its best play-out time, and the link."""
    goodput = result.flows["goodput_bps"]
    names = result.flows["flow"]
    sent, resent = (result.flows[column][:FTP_FLOWS] for column in ("data_segments_sent", "retransmits"))
    pages = {row["flow"]: row for row in result.completions.rows() if row["what"] == "page"}
    web = [row for flow, row in pages.items() if flow.startswith("web")]
    link = next(result.links.rows())
    rows = {row["flow"]: row for row in result.voip.rows()}
    calls = {playout: rows[f"voip-{playout.replace(' ', '')}"] for playout in PLAYOUTS}
    best = max(PLAYOUTS, key=lambda playout: calls[playout]["mos"])
    return {
        "ftp_mbps": float(goodput[:FTP_FLOWS].sum()) / 1e6,
        "hftp_mbps": float(goodput[list(names).index("hftp")]) / 1e6,
        "ftp64_mbps": float(goodput[list(names).index("ftp64")]) / 1e6,
        "ftp_resent_percent": 100 * float(resent.sum() / sent.sum()),
        "ftp_timeouts": float(result.flows["timeouts"][:FTP_FLOWS].sum()),
        "utilisation_percent": 100 * link["utilisation"],
        "drop_rate_percent": 100 * link["drop_rate"],
        "web_s": float(np.mean([row["p50_s"] for row in web])),
        "http_s": pages["http"]["p50_s"],
        "web_mean_s": float(np.average([row["mean_s"] for row in web], weights=[row["count"] for row in web])),
        "http_mean_s": pages["http"]["mean_s"],
        "http_open_percent": 100 * pages["http"]["open"] / (pages["http"]["open"] + pages["http"]["count"]),
        "mos": calls[best]["mos"],
        "call_loss_percent": 100 * calls[best]["loss"],
        "mouth_to_ear_ms": calls[best]["mouth_to_ear_ms"],
        "queue_delay_mean_ms": link["queue_delay_mean_ms"],
        **{mos_of(playout): calls[playout]["mos"] for playout in PLAYOUTS},
    }
