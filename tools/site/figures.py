"""The picture on the page of a congestion control: its window when it is alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import ackclock
from ackclock.plot.palette import COLOURS

RTT, PACKET, PAYLOAD = 0.040, 1500, 1460
RATE_MBPS = 100
TABLES = ("remycc", "remycc-ns2", "remycc-ns2-us")
"""Congestion controls that follow a table."""
RATES_MBPS = dict.fromkeys(TABLES, 10)
"""The rates of those that are not made for 100 Mbit/s: the table paces at 12 Mbit/s at most."""
CAPTION = (
    "A flow alone over {rate} Mbit/s with a round-trip time of 40 ms and a {queue} queue of one bandwidth-delay "
    "product, stack `rfc`: its window in segments and, below, its smoothed round-trip time. Between the dotted lines "
    "the queue fills. Where the window is one segment for a second or more, a retransmission was lost as well, which "
    "RFC 6675, by which this stack recovers, leaves to the timer to find."
)
QUEUES = {"xcp": "xcp"}
"""Queues of the congestion controls that are not made for drop-tail."""
TABLE = Path(__file__).parents[2] / "scenarios/remycc.dna"
GIVEN = {name: {"kind": name, "table": str(TABLE)} for name in TABLES}
"""Congestion controls with required parameters."""
MORE = dict.fromkeys(
    TABLES,
    " Its table is the small one made by hand beside `scenarios/remycc.toml`, not one that was found by optimisation.",
)
"""Sentences that are added to the caption of a figure."""


def caption(name: str) -> str:
    """The caption of the figure of the congestion control `name`."""
    return CAPTION.format(rate=rate_mbps(name), queue=QUEUES.get(name, "drop-tail")) + MORE.get(name, "")


def rate_mbps(name: str) -> int:
    """The rate of the link in the figure of the congestion control `name`, Mbit/s."""
    return RATES_MBPS.get(name, RATE_MBPS)


def scenario(name: str) -> dict[str, Any]:
    """One flow of the congestion control `name`."""
    queue = {"kind": QUEUES.get(name, "drop-tail"), "limit": "1bdp"}
    return {
        "name": "alone",
        "duration": "60s",
        "bottleneck": {"rate": f"{rate_mbps(name)}Mbps", "delay": "20ms", "queue": queue},
        "flows": [{"name": "alone", "stack": "rfc", "cc": GIVEN.get(name, name), "app": "bulk"}],
        "probes": {"window": True, "interval": "20ms"},
    }


def draw(name: str, path: Path) -> None:
    """Runs the scenario of a congestion control and draws its picture to `path`."""
    window = ackclock.run(scenario(name)).window
    product = rate_mbps(name) * 1e6 * RTT / 8 / PACKET
    figure = Figure(figsize=(8, 4.5), layout="constrained", dpi=110)
    above, below = figure.subplots(2, sharex=True, height_ratios=(2, 1))
    time = window["time_s"]
    above.step(time, window["cwnd"] / PAYLOAD, where="post", color=COLOURS["blue"])
    below.step(time, window["srtt_ms"], where="post", color=COLOURS["vermillion"])
    for lines, unit in ((above, product), (below, RTT * 1e3)):
        for bound in (unit, 2 * unit):
            lines.axhline(bound, color="grey", linestyle=":", linewidth=1)
    # The burst of slow start may be a hundred times the rest.
    settled = window["cwnd"][time > time[-1] / 10] / PAYLOAD
    above.set(ylabel="window (segments)", ylim=(0, 1.15 * max(float(np.max(settled)), 2 * product)), xlim=(0, 60))
    below.set(ylabel="SRTT (ms)", xlabel="time (s)", ylim=(0, None))
    figure.savefig(path)
