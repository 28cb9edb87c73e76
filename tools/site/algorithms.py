"""A page for each congestion control, from the comment that heads its source, the catalogue, and a run of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import ackclock
from tools.site.pages import ROOT

if TYPE_CHECKING:
    from pathlib import Path

SOURCES = ROOT / "crates/ackclock-tcp/src/cc"
SECTIONS = ("Equations", "Constants", "Deviations", "Validated against")

_ENTRY = re.compile(r'(?:(?:Entry = Entry|Form) \{\s*name: |NAME: &str = )"([^"]+)"')
_LINK = re.compile(r"\[(`[^`]+`)\](?:\([\w:]+\)|(?!\())")


@dataclass(frozen=True)
class Algorithm:
    """An entry of the catalogue with the file that it is from."""

    entry: dict[str, Any]
    source: Path

    @property
    def name(self) -> str:
        """The name in scenarios."""
        return str(self.entry["name"])

    @property
    def slug(self) -> str:
        """Its name in addresses."""
        return self.name.replace("+", "p").replace(".", "-")


def algorithms() -> list[Algorithm]:
    """Every congestion control of the catalogue; names that mean a form on each stack are no algorithms.

    Raises
    ------
    LookupError
        If the source of one is not found.
    """
    files = {}
    for path in sorted(SOURCES.rglob("*.rs")):
        for name in _ENTRY.findall(path.read_text(encoding="utf-8")):
            files[name] = path
    entries = [entry for entry in ackclock.catalogue()["cc"] if "forms" not in entry]
    missing = [entry["name"] for entry in entries if entry["name"] not in files]
    if missing:
        raise LookupError(f"no file under {SOURCES.relative_to(ROOT)} has the entry of {', '.join(missing)}")
    return [Algorithm(entry, files[entry["name"]]) for entry in entries]


def comment(source: Path) -> str:
    """The comment that heads a source file, as Markdown; see `heading`.

    Raises
    ------
    LookupError
        If it lacks one of the `SECTIONS`.
    """
    text = heading(source)
    missing = [section for section in SECTIONS if f"## {section}" not in text.splitlines()]
    if missing:
        raise LookupError(f"{source.relative_to(ROOT)}: its comment has no section {', '.join(missing)}")
    return text


def heading(source: Path) -> str:
    """The comment that heads a source file: its sections one level down, links to items without the link."""
    lines = []
    for line in source.read_text(encoding="utf-8").splitlines():
        if not line.startswith("//!"):
            break
        lines.append(line[3:].removeprefix(" "))
    text = "\n".join(f"#{line}" if line.startswith("# ") else line for line in lines)
    return _LINK.sub(r"\1", text)


def page(algorithm: Algorithm, picture: str, caption: str, section: str = "", link: str = "") -> str:
    """The page of one algorithm, in Markdown.

    `picture` is the address of its figure, `link` opens the figure's run, and `section` tells of its forms.
    """
    entry = algorithm.entry
    introduction, *sections = re.split(r"(?m)^(?=## )", comment(algorithm.source))
    parts = [
        f"# {algorithm.name}",
        introduction.strip(),
        f'`cc = "{algorithm.name}"` in a scenario: {entry["summary"]}.',
        f"Source: {entry['source']}. Its code: `{algorithm.source.relative_to(ROOT)}`.",
        f"![The congestion window of a flow of {algorithm.name} that is alone]({picture})",
        caption,
        *filter(None, [link]),
        *(part.strip() for part in sections),
        *([section] if section else []),
        "## Parameters",
        parameters(algorithm),
    ]
    return "\n\n".join(parts) + "\n"


def parameters(algorithm: Algorithm) -> str:
    """The table of what a scenario may set."""
    if not algorithm.entry["parameters"]:
        return "None."
    first = algorithm.entry["parameters"][0]
    rows = ["| parameter | default | accepted | what it is |", "|---|---|---|---|"]
    rows += [
        f"| `{item['name']}` | {shown(item)} | {bounds(item)} | {item['summary']} |"
        for item in algorithm.entry["parameters"]
    ]
    value = f'"{first["name"]}.dna"' if first["default"] is None else shown(first)
    example = f'cc = {{ kind = "{algorithm.name}", {first["name"]} = {value} }}'
    return "\n".join([*rows, "", f"    {example}"])


def shown(item: dict[str, Any]) -> str:
    """The default of a parameter; that of a file has none."""
    return "must be given" if item["default"] is None else f"{item['default']:.6g}"


def bounds(item: dict[str, Any]) -> str:
    """The accepted values of a parameter: a range of numbers, or a file."""
    return "a path" if item["default"] is None else f"{item['least']:g} to {item['most']:g}"


def index(pages: list[Algorithm]) -> str:
    """The table of all."""
    rows = ["# Congestion control", "", "`ackclock list cc` prints this table.", ""]
    rows += ["| name | what it is | source |", "|---|---|---|"]
    for algorithm in pages:
        entry = algorithm.entry
        rows.append(f"| [{algorithm.name}]({algorithm.slug}.md) | {entry['summary']} | {entry['source']} |")
    return "\n".join(rows) + "\n"
