"""The order of the site's pages, for somebody who is new."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

HOW_TO = (
    "sweeps", "cluster", "sql", "seeds", "compare", "figures", "wireshark", "traces", "extend", "verdicts",
)  # fmt: skip
REFERENCE = ("scenario", "applications", "names", "tables", "measures", "command-line", "python")


def navigation(pages: Path) -> list[dict[str, Any]]:
    """Every page of a folder, in order.

    Raises
    ------
    LookupError
        If a page of the folder has no place.
    """
    how_to = [f"how-to/{name}.md" for name in HOW_TO]
    how_to[-2:-2] = ["your-own-congestion-control.md"]
    places: list[tuple[str, list[str]]] = [
        ("Start", ["index.md", "tutorial.md"]),
        ("How to", how_to),
        ("Coming from", [f"coming-from/{name}.md" for name in ("ns-3", "ns-2", "mahimahi", "flent")]),
        (
            "Can it be believed?",
            ["validation.md", "limits.md", "drill.md", "drill-scripts.md", "design.md", "changelog.md"],
        ),
        ("Reference", [f"reference/{name}.md" for name in REFERENCE]),
        ("Congestion control", _listed(pages, "congestion-control")),
        ("Queues", _listed(pages, "queues")),
        ("Studies", _listed(pages, "studies")),
    ]
    known = [page for _, listed in places for page in listed]
    there = {PurePosixPath(path.relative_to(pages).as_posix()) for path in pages.rglob("*.md")}
    astray = there ^ {PurePosixPath(page) for page in known}
    if astray or len(known) > len(there):
        raise LookupError(
            f"pages without a place in the navigation, or not there: {', '.join(map(str, sorted(astray)))}"
        )
    return [{section: [{title(pages / page): page} for page in listed]} for section, listed in places]


def _listed(pages: Path, folder: str) -> list[str]:
    """The pages of a folder by name, its index first."""
    found = sorted(path.name for path in (pages / folder).glob("*.md"))
    return [f"{folder}/{name}" for name in sorted(found, key=lambda name: (name != "index.md", name))]


def title(page: Path) -> str:
    """What the first heading of a page says, without its marks."""
    text = page.read_text(encoding="utf-8")
    if page.name == "index.md":
        return "Overview"
    heading = re.search(r"(?m)^# (.+)$", text)
    if heading is None:
        raise LookupError(f"{page}: no heading")
    return heading[1].replace("`", "")


def as_yaml(sections: list[dict[str, Any]]) -> str:
    """The navigation as mkdocs.yml has it."""
    lines = ["nav:"]
    for section in sections:
        for name, listed in section.items():
            lines.append(f"  - {_quoted(name)}:")
            lines += [f"      - {_quoted(text)}: {page}" for entry in listed for text, page in entry.items()]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
