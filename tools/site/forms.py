"""The part of an algorithm's page about its forms: the stacks that mean each form, and a figure of all forms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

import ackclock
from ackclock.plot.palette import COLOURS

if TYPE_CHECKING:
    from pathlib import Path

    from tools.site.algorithms import Algorithm

RATE_MBPS, RTT_MS, PACKETS, SECONDS, PAYLOAD = 20, 40, 67, 40, 1448
ECN = ("dctcp",)
"""Families that need marks: their queue marks every packet that has waited for longer than `MARKED_MS`."""
MARKED_MS = 5


def families() -> dict[str, dict[str, Any]]:
    """Entry of each name that means several forms, by name."""
    return {entry["name"]: entry for entry in ackclock.catalogue()["cc"] if "forms" in entry}


def family_of(name: str) -> str | None:
    """The family to which the form `name` belongs; None if the algorithm has one form."""
    return next((family for family, entry in families().items() if name in entry["forms"]), None)


def scenario(family: str, form: str) -> dict[str, Any]:
    """One flow of `form` alone on the stack `linux`."""
    queue: dict[str, Any] = {"kind": "drop-tail", "limit": f"{PACKETS} packets"}
    if family in ECN:
        # No packet waits for a second here, so that CoDel itself never acts.
        queue |= {"kind": "codel", "target": "1s", "interval": "10s", "ce_threshold": f"{MARKED_MS}ms"}
    flow: dict[str, Any] = {"name": "alone", "stack": "linux", "cc": form, "app": "bulk"}
    if family in ECN:
        flow["ecn"] = "dctcp"
    return {
        "name": "forms",
        "duration": f"{SECONDS}s",
        "bottleneck": {"rate": f"{RATE_MBPS}Mbps", "delay": f"{RTT_MS // 2}ms", "queue": queue},
        "flows": [flow],
        "probes": {"window": True, "interval": "20ms"},
    }


def section(algorithm: Algorithm, pages: dict[str, Algorithm]) -> str:
    """The section "Forms" of an algorithm's page; empty if it has one form. `pages` has all algorithms by name."""
    family = family_of(algorithm.name)
    if family is None:
        return ""
    entry = families()[family]
    others = ", ".join(f"[{name}]({pages[name].slug}.md)" for name in entry["forms"] if name != algorithm.name)
    queue = f"marks every packet that has waited for {MARKED_MS} ms" if family in ECN else "is drop-tail"
    return f"""## Forms

`{algorithm.name}` is a form of `{family}`. The other forms are {others}. The stack decides which form the name
`{family}` means: {entry["summary"]}. The section on deviations says how this form differs.

![The congestion windows of the forms of {family}, each alone]({picture(family)})

Each form of `{family}` runs alone on the stack `linux`, over {RATE_MBPS} Mbit/s with a round-trip time of {RTT_MS} ms
and a queue of {PACKETS} packets, which {queue}. The figure shows its window in segments. Only the form differs
between the panels."""


def picture(family: str) -> str:
    """The file name of the figure of a family."""
    return f"forms-{family}.png"


def draw(family: str, path: Path) -> None:
    """Runs the forms of a family and draws their windows below each other to `path`."""
    forms = families()[family]["forms"]
    figure = Figure(figsize=(8, 1.2 + 1.5 * len(forms)), layout="constrained", dpi=110)
    panels = figure.subplots(len(forms), sharex=True, sharey=True, squeeze=False)[:, 0]
    highest = 0.0
    for panel, form in zip(panels, forms, strict=True):
        window = ackclock.run(scenario(family, form)).window
        time, segments = window["time_s"], window["cwnd"] / PAYLOAD
        panel.step(time, segments, where="post", color=COLOURS["blue"], linewidth=1)
        panel.set_title(form, loc="left", fontsize=10)
        highest = max(highest, float(segments[time > 2].max()))
    # The burst of slow start may be much larger than all that follows.
    panels[0].set(xlim=(0, SECONDS), ylim=(0, 1.1 * highest))
    panels[-1].set(xlabel="time (s)")
    figure.supylabel("window (segments)", fontsize=10)
    figure.savefig(path)
