"""A page for each congestion control of media, from the comment that heads its source and the catalogue."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import ackclock
from tools.site import fields
from tools.site.algorithms import SECTIONS, bounds, heading, shown
from tools.site.pages import ROOT

if TYPE_CHECKING:
    from pathlib import Path

SOURCES = ROOT / "crates/ackclock-media/src"

_ENTRY = re.compile(r'Entry =\s*Entry \{\s*name: "([^"]+)"')


def sources() -> dict[str, Path]:
    """The source of each control, in the order of the catalogue.

    Raises
    ------
    LookupError
        If the source of one is not found, or its comment lacks a section.
    """
    found: dict[str, Path] = {}
    for path in sorted(SOURCES.rglob("*.rs")):
        found |= dict.fromkeys(_ENTRY.findall(path.read_text(encoding="utf-8")), path)
    names = [entry["name"] for entry in ackclock.catalogue()["media"]]
    missing = [name for name in names if name not in found]
    for name in set(names) - {*missing}:
        lines = heading(found[name]).splitlines()
        missing += [f"{name}: {section}" for section in SECTIONS if f"## {section}" not in lines]
    if missing:
        raise LookupError(f"no source, or no section in its comment: {', '.join(missing)}")
    return {name: found[name] for name in names}


def pages() -> dict[str, str]:
    """Page of each control, by name."""
    entries = {entry["name"]: entry for entry in ackclock.catalogue()["media"]}
    return {name: _page(entries[name], source) for name, source in sources().items()}


def _page(entry: dict[str, Any], source: Path) -> str:
    introduction, *rest = re.split(r"(?m)^(?=## )", heading(source))
    rows = ["| parameter | default | accepted | what it is |", "|---|---|---|---|"]
    rows += [f"| `{one['name']}` | {shown(one)} | {bounds(one)} | {one['summary']} |" for one in entry["parameters"]]
    first = entry["parameters"][0]
    example = f'app = {{ kind = "call", control = {{ kind = "{entry["name"]}", {first["name"]} = {shown(first)} }} }}'
    parts = [
        f"# {entry['name']}",
        introduction.strip(),
        f'`control = "{entry["name"]}"` in a call: {entry["summary"]}.',
        f"Source: {entry['source']}. Its code: `{source.relative_to(ROOT)}`.",
        *(one.strip() for one in rest),
        "## Parameters",
        "\n".join([*rows, "", f"    {example}"]),
    ]
    return "\n\n".join(parts) + "\n"


def index() -> str:
    """The table of all."""
    rows = fields.entries(ackclock.catalogue()["media"], "[{name}]({name}.md)")
    return (
        "# Congestion control of media\n\n`ackclock list media` prints this table; "
        "[the test cases of rmcat](../rmcat.md) compare the controls.\n\n" + f"{rows}\n"
    )
