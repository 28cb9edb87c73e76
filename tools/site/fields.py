"""The fields of scenarios, from the engine's JSON Schema, and what they may name, from its catalogue."""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import ackclock
from ackclock.base.markdown import cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    Node = dict[str, Any]

ELSEWHERE = {
    "cc": "congestion controls with their parameters: [congestion control](../congestion-control/index.md)",
    "queue": "kinds with their fields: [queues](../queues/index.md)",
    "reverse_queue": "as queue",
    "app": "kinds with their fields: [applications](applications.md)",
}
"""Fields whose kinds have pages of their own."""

NAMES = {
    "recovery": "Loss recovery",
    "validation": "Window validation",
    "slow-start": "Slow start",
    "abr": "Rate adaptation of DASH",
    "media": "Congestion control of media",
    "transport": "Transports",
}
"""Kinds of the catalogue that are names and nothing else, and what their tables are called."""

INTRODUCTION = """A scenario is a TOML file or a dict of the same shape; `ackclock schema` prints the JSON Schema that
this page is made of. Quantities are text with a unit, as `"10Mbps"`. A table that comes in kinds is written as its
name, or as a table with `kind`: `queue = "codel"`, `queue = { kind = "codel", target = "2ms" }`. Every field can be
set from outside by its path, `--set flows[0].cc=reno` or `--set 'flows[*].cc=reno'`, or by a flow's name, `--set
flows.video.cc=reno`."""

_LIST = re.compile(r"(^|each |or )a table of [\w, ]+")
"""The fields of a table that a field may be: they have a table of their own."""

_DESCRIPTION = re.compile(r"(?s)(?P<what>.*?)(?: Accepted: (?P<accepted>.*?))?(?: Absent: (?P<absent>.*))?")


@dataclass
class Section:
    """A table of a scenario: where it may stand, and its fields."""

    paths: list[str]
    node: Node
    others: list[str] = field(default_factory=list)
    """Further places with the same fields."""

    @property
    def kind(self) -> str | None:
        """The name of the kind, if the table comes in kinds."""
        kind = self.node["properties"].get("kind", {}).get("const")
        return None if kind is None else str(kind)


def tables(node: Node) -> Iterator[Node]:
    """The tables that a value may be, itself or in a list."""
    if "properties" in node:
        yield node
    for inner in [*node.get("oneOf", []), *([node["items"]] if "items" in node else [])]:
        yield from tables(inner)


def sections(schema: Node) -> list[Section]:
    """Every table of the schema, from the outside in, the same fields once."""
    found: dict[str, Section] = {}
    waiting: list[tuple[str, Node]] = [("", schema)]
    while waiting:
        path, node = waiting.pop(0)
        key = json.dumps([node.get("description"), _shape(node)])
        if key in found:
            if path not in found[key].paths:
                found[key].paths.append(path)
            continue
        found[key] = Section([path], node)
        for name, inner in node["properties"].items():
            if name not in ELSEWHERE:
                below = f"{path}.{name}" if path else name
                waiting += [(below + ("[]" if "items" in inner else ""), one) for one in tables(inner)]
    return list(found.values())


def _shape(node: Node) -> Any:
    """The names and types of the fields of a table, without units and defaults: equal for tables of one shape."""
    return [[name, _told(inner)["what"]] for name, inner in node["properties"].items()]


def _told(node: Node) -> dict[str, str]:
    match = _DESCRIPTION.fullmatch(node.get("description", ""))
    assert match is not None  # noqa: S101 -- every part of it may be missing
    return {name: text or "" for name, text in match.groupdict().items()}


def table(node: Node, prefix: str, *, skip: tuple[str, ...] = ("kind",)) -> str:
    """The fields of a table, one a row, each with an anchor: its path."""
    rows = ["| field | type | without it | what it is |", "|---|---|---|---|"]
    for name, inner in node["properties"].items():
        if name in skip:
            continue
        told = _told(inner)
        anchor = f'<a id="{prefix}.{name}"></a>' if prefix else f'<a id="{name}"></a>'
        accepted = ELSEWHERE.get(name) or _LIST.sub(r"\1a table, below", told["accepted"].removesuffix("."))
        what = told["what"] + (f"<br>*Accepted:* {_cell(accepted, name in ELSEWHERE)}." if accepted else "")
        cells = [f"{anchor}`{name}`", inner.get("title", "table"), _without(node, name, inner, told), what]
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows) if len(rows) > 2 else "No fields."


def _without(node: Node, name: str, inner: Node, told: dict[str, str]) -> str:
    if name in node.get("required", []):
        return "must be given"
    if "default" in inner:
        value = inner["default"]
        return f"`{value}`" if isinstance(value, str) else f"`{json.dumps(value)}`"
    return told["absent"].rstrip(".") or "none"


def _cell(text: str, markdown: bool) -> str:
    text = cell(text)
    return text if markdown else html.escape(text, quote=False).replace("*", "\\*").replace("_", "\\_")


def scenario_page() -> str:
    """The page of all fields but those of kinds with pages of their own."""
    parts = [
        "# Every field of a scenario",
        INTRODUCTION,
    ]
    for section in sections(ackclock.schema()):
        path, *others = section.paths
        title = f"`{path}`" if path else "The scenario"
        if section.kind:
            title = f"`{path}`: {section.kind}"
        level = "##" if "." not in path and section.kind is None else "###"
        parts.append(f"{level} {title}")
        parts.append(_told(section.node)["what"])
        if others:
            parts.append("The same at " + ", ".join(f"`{other}`" for other in others) + ", in the unit of each.")
        prefix = path.replace("[]", "") + (f".{section.kind}" if section.kind else "")
        parts.append(table(section.node, prefix))
    return "\n\n".join(parts) + "\n"


def kinds(name: str) -> dict[str, Node]:
    """The tables of the field `queue` or `app`, by kind."""
    schema = ackclock.schema()["properties"]
    holder = schema["bottleneck"] if name == "queue" else schema["flows"]["items"]
    found = {node["properties"]["kind"]["const"]: node for node in tables(holder["properties"][name])}
    return {entry["name"]: found[entry["name"]] for entry in ackclock.catalogue()[name]}


def nested(node: Node, prefix: str) -> str:
    """The tables inside a table, each with its fields."""
    parts = []
    for section in sections(node)[1:]:
        title = section.paths[0] + (f' = {{ kind = "{section.kind}" }}' if section.kind else "")
        others = ", ".join(f"`{other}`" for other in section.paths[1:])
        parts.append(f"**`{title}`** {_told(section.node)['what']}" + (f" The same at {others}." if others else ""))
        inner = f"{prefix}.{section.paths[0].replace('[]', '')}" + (f".{section.kind}" if section.kind else "")
        parts.append(table(section.node, inner))
    return "\n\n".join(parts)


def names_page() -> str:
    """Presets, stacks, and what is a name and nothing else."""
    catalogue = ackclock.catalogue()
    parts = ["# Presets, stacks and other names", "`ackclock list` prints these tables.", "## Presets"]
    parts.append(
        "`bottleneck.preset` and `links[].preset` name a link, whose rate, delay and queue hold where none are given."
    )
    parts.append(entries(catalogue["preset"]))
    for kind, title in NAMES.items():
        parts += [f"## {title}", entries(catalogue[kind])]
    parts += ["## Stacks", "`flows[].stack` chooses all of a TCP at once; each field of a flow may then differ."]
    standard = catalogue["stack"][0]["fields"]
    for stack in catalogue["stack"]:
        own = (
            stack["fields"] if stack["fields"] is standard else [row for row in stack["fields"] if row not in standard]
        )
        source = f" Source: {stack['source']}." if stack["source"] else ""
        parts += [f"### {stack['name']}", f"{stack['summary'][0].upper()}{stack['summary'][1:].rstrip('.')}.{source}"]
        if stack["fields"] is not standard:
            parts.append(f"Where it is not as `{catalogue['stack'][0]['name']}`:")
        rows = ["| field | value | source |", "|---|---|---|"]
        rows += [
            f"| {_cell(row['field'], False)} | {_cell(str(row['value']), False)} | {_cell(row['source'], False)} |"
            for row in own
        ]
        parts.append("\n".join(rows))
    return "\n\n".join(parts) + "\n"


def entries(listed: list[dict[str, Any]], link: str = "{name}") -> str:
    """A table of entries of the catalogue."""
    sourced = any(entry["source"] for entry in listed)
    rows = ["| name | what it is |" + (" source |" if sourced else ""), "|---|---|" + ("---|" if sourced else "")]
    for entry in listed:
        name = link.format(name=entry["name"]) if link != "{name}" else f"`{entry['name']}`"
        rows.append(f"| {name} | {entry['summary'].rstrip('.')} |" + (f" {entry['source']} |" if sourced else ""))
    return "\n".join(rows)
