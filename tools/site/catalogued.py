"""A page for each queue discipline and one of the applications, from the comments that head their sources."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import ackclock
from ackclock import studies
from tools.site import fields, laboratory
from tools.site.algorithms import heading
from tools.site.pages import ROOT

if TYPE_CHECKING:
    from pathlib import Path

QUEUES = ROOT / "crates/ackclock-net/src/queue"
APPLICATIONS = ROOT / "crates/ackclock-app/src"

INTRODUCTION = (
    "What a flow does: `app` in a flow, as a name or as a table with `kind`. The *source* is the end whose data "
    "crosses the bottleneck in the forward direction, the *sink* the other."
)

_ENTRY = re.compile(r'Entry =\s*Entry \{\s*name: "([^"]+)"')
_LINE = re.compile(r'"([^"]+)" => \w+\((\w+)::Fields\),')
"""A line of the list of all applications: a name and the module that has its fields."""


OPEN = "Open three downloads over this queue in the laboratory"
"""The text of the links of queues."""


def queue_sources() -> dict[str, Path]:
    """The source of each queue discipline, in the order of the catalogue.

    Raises
    ------
    LookupError
        If the source of one is not found.
    """
    files = sorted(QUEUES.rglob("*.rs"))
    return _all("queue", {name: path for path in files for name in _ENTRY.findall(path.read_text(encoding="utf-8"))})


def application_sources() -> dict[str, Path]:
    """The source of each application, in the order of the catalogue.

    Raises
    ------
    LookupError
        If the source of one is not found.
    """
    lines = _LINE.findall((APPLICATIONS / "lib.rs").read_text(encoding="utf-8"))
    places = {name: (APPLICATIONS / f"{module}.rs", APPLICATIONS / module / "mod.rs") for name, module in lines}
    return _all("app", {name: path for name, paths in places.items() for path in paths if path.exists()})


def _all(kind: str, found: dict[str, Path]) -> dict[str, Path]:
    names = [entry["name"] for entry in ackclock.catalogue()[kind]]
    missing = [name for name in names if name not in found]
    if missing:
        raise LookupError(f"no source of {', '.join(missing)}, kind {kind}")
    return {name: found[name] for name in names}


def queue_pages() -> dict[str, str]:
    """Page of each queue discipline, by name."""
    nodes, entries = fields.kinds("queue"), {entry["name"]: entry for entry in ackclock.catalogue()["queue"]}
    pages = {}
    for name, source in queue_sources().items():
        entry, node = entries[name], nodes[name]
        told = node["properties"]
        first = next((one for one in told if "default" in told[one] and one not in ("kind", "limit")), None)
        example = f'{{ kind = "{name}", {first} = {_toml(told[first]["default"])} }}' if first else f'"{name}"'
        introduction, *rest = re.split(r"(?m)^(?=## )", heading(source))
        parts = [
            f"# {name}",
            introduction.strip(),
            f"`queue = {example}` in a scenario. Source: {entry['source']}. Its code: `{source.relative_to(ROOT)}`.",
            *filter(None, [laboratory.link(laboratory.queue(example), OPEN)]),
            *(one.strip() for one in rest),
            "## Fields",
            fields.table(node, ""),
        ]
        pages[name] = "\n\n".join(parts) + "\n"
    return pages


def queue_index() -> str:
    """The table of all queues."""
    rows = fields.entries(ackclock.catalogue()["queue"], "[{name}]({name}.md)")
    return f"# Queues\n\n`ackclock list queue` prints this table.\n\n{rows}\n"


def study_index() -> str:
    """The table of all studies."""
    rows = fields.entries(studies.catalogue(), "[{name}]({name}.md)")
    return (
        "# Studies\n\n`ackclock list study` prints this table; `ackclock reproduce NAME` runs one, and "
        f"[its verdicts](../how-to/verdicts.md) are computed.\n\n{rows}\n"
    )


def applications_page() -> str:
    """The page of all applications."""
    entries = ackclock.catalogue()["app"]
    nodes, files = fields.kinds("app"), application_sources()
    parts = [
        "# Applications",
        INTRODUCTION,
        fields.entries(entries, "[{name}](#{name})"),
    ]
    for entry in entries:
        name = entry["name"]
        inner = fields.nested(nodes[name], name)
        parts += [
            f"## {name}",
            heading(files[name]).strip(),
            fields.table(nodes[name], name),
            *([inner] if inner else []),
        ]
    return "\n\n".join(parts) + "\n"


def _toml(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()
