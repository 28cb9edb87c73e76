"""The order of the site's pages, for somebody who is new."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

HOW_TO = (
    "runs", "topologies", "multipath", "home-router", "buffers", "misbehaviour", "sweeps", "packs", "cluster", "sql",
    "report", "serve", "seeds", "compare", "figures", "lab", "wireshark", "traces", "kernel", "virtual-kernel",
    "backends", "kernel-patch", "gate", "card", "tcpeval", "matrix", "worst", "learn", "gym", "newcwv-linux",
    "test-bed", "emulate", "extend", "own-transport", "verify", "verdicts",
)  # fmt: skip
GALLERY = (
    "bufferbloat", "aqm", "l4s", "buffer-sizing", "fairness-rtt", "parking-lot", "coupled-paths", "ack-congestion",
    "incast", "link-failure", "satellite", "cellular", "abr-dash", "live-video", "media-over-quic", "video-call",
)  # fmt: skip
COMING_FROM = ("ns-3", "ns-2", "mininet", "mahimahi", "netem", "flent")
BELIEVED = (
    "validation", "residuals", "residuals-of-queues", "cards", "matrix", "worst", "newcwv-conformance",
    "bbr-conformance", "rmcat", "side-by-side", "known-answers", "coverage", "faults", "sizes", "lab-measured",
    "limits", "packs", "cases", "verdicts", "sentences-of-the-decks", "bounds-that-changed", "learned-tables",
    "compliance", "drill", "drill-scripts", "performance", "design", "history", "changelog",
)  # fmt: skip
REFERENCE = ("scenario", "applications", "names", "tables", "measures", "command-line", "python")


@dataclass(frozen=True)
class Group:
    """Pages under a common title, and groups."""

    title: str
    inside: Sequence[str | Group]

    def pages(self) -> Iterator[str]:
        """The addresses of all pages in it."""
        for one in self.inside:
            if isinstance(one, Group):
                yield from one.pages()
            else:
                yield one


def navigation(pages: Path) -> list[Group]:
    """Every page of a folder, in order.

    Raises
    ------
    LookupError
        If a page of the folder has no place.
    """
    how_to = [f"how-to/{name}.md" for name in HOW_TO]
    how_to[-2:-2] = ["your-own-congestion-control.md", "your-own-abr.md", "your-first-change.md"]
    reference: list[str | Group] = [f"reference/{name}.md" for name in REFERENCE]
    reference[1:1] = [
        Group("Congestion control", _listed(pages, "congestion-control")),
        Group("Congestion control of media", _listed(pages, "media")),
        Group("Queues", _listed(pages, "queues")),
    ]
    believed: list[str | Group] = [f"{name}.md" for name in BELIEVED]
    believed[5:5] = [Group("Studies", _listed(pages, "studies"))]
    found = [
        Group("Start", ["index.md", "tutorial.md", "inventory.md", "demo.md", "pages.md"]),
        Group("Gallery", ["gallery/index.md", *(f"gallery/{name}.md" for name in GALLERY)]),
        Group("How to", how_to),
        Group("Coming from", [f"coming-from/{name}.md" for name in COMING_FROM]),
        Group("Reference", reference),
        Group("Can it be believed?", believed),
    ]
    known = [page for group in found for page in group.pages()]
    there = {path.relative_to(pages).as_posix() for path in pages.rglob("*.md")}
    astray = there ^ {*known}
    if astray or len(known) > len(there):
        raise LookupError(f"pages without a place in the navigation, or not there: {', '.join(sorted(astray))}")
    return found


def _listed(pages: Path, folder: str) -> list[str]:
    """The pages of a folder by name, its index first."""
    found = sorted((path.stem for path in (pages / folder).glob("*.md")), key=lambda name: (name != "index", name))
    return [f"{folder}/{name}.md" for name in found]


def title(page: Path) -> str:
    """The first heading of a page, without its marks."""
    text = page.read_text(encoding="utf-8")
    if page.name == "index.md":
        return "Overview"
    heading = re.search(r"(?m)^# (.+)$", text)
    if heading is None:
        raise LookupError(f"{page}: no heading")
    return heading[1].replace("`", "")


def as_yaml(groups: Sequence[Group], pages: Path) -> str:
    """The navigation as mkdocs.yml has it."""
    return "nav:\n" + "".join(_lines(group, pages, "  ") for group in groups)


def _lines(group: Group, pages: Path, indent: str) -> str:
    lines = f"{indent}- {_quoted(group.title)}:\n"
    for one in group.inside:
        if isinstance(one, Group):
            lines += _lines(one, pages, indent + "    ")
        else:
            lines += f"{indent}    - {_quoted(title(pages / one))}: {one}\n"
    return lines


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
