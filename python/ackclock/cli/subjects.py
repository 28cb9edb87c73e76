"""The names that `ackclock help` explains: those of commands, of scenarios, of results and of studies."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from ackclock.cc import registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Node = dict[str, Any]

__all__ = ["KINDS", "Subject", "named", "names"]


@dataclass(frozen=True, slots=True)
class Subject:
    """One thing that a name may mean."""

    kind: str
    """The kind of thing, with its article: ``a congestion control``."""
    name: str
    about: str
    facts: dict[str, str] = field(default_factory=dict)
    """Further facts, each under a word of its own."""
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    """A table of its parts: parameters, fields, columns."""

    def document(self) -> dict[str, Any]:
        """Returns the subject as plain data."""
        parts = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        return {"kind": self.kind, "name": self.name, "about": self.about, **self.facts, "parts": parts}


CATALOGUE = {
    "cc": "a congestion control",
    "recovery": "a loss recovery",
    "validation": "a window validation",
    "slow-start": "a slow start",
    "stack": "a stack",
    "transport": "a transport",
    "abr": "a rate adaptation of DASH",
    "media": "a congestion control of media",
    "queue": "a queue",
    "preset": "a preset of a link",
    "app": "an application",
    "arrival": "a kind of arrival",
    "distribution": "a distribution",
    "rate": "a kind of rate",
    "jitter": "a kind of jitter",
    "policer": "a policer",
    "delay_table": "a distribution of netem's delays",
    "netem_loss": "a loss of netem",
    "slot": "slots of netem",
    "loss": "a kind of loss",
    "pacing": "a pacing",
}
"""Kinds of the engine's catalogue in words."""

PLACES = {"netem_loss": "loss", "delay_table": "distribution", "distribution": "size"}
"""The field of a scenario whose kinds are those of a kind of the catalogue, where its name is another."""

MOST_PLACES = 6
"""Paths of a field that are named; the others are counted."""


def named(name: str) -> list[Subject]:
    """Everything that has this name; empty if nothing has."""
    return [subject for find in KINDS.values() for subject in find(name.strip())]


def names() -> list[str]:
    """Every name that can be asked for, for suggestions."""
    from ackclock import scenario, studies
    from ackclock.base.codes import codes
    from ackclock.cli.parser import app
    from ackclock.results.declared import TABLES

    found = [name for name in app if not name.startswith("-")]
    found += [entry["name"] for entries in scenario.catalogue().values() for entry in entries]
    found += [path for path, _, _ in _fields()] + [path.rpartition(".")[2] for path, _, _ in _fields()]
    found += [*TABLES, *(f"{table}.{column['name']}" for table, one in TABLES.items() for column in one["columns"])]
    found += [column["name"] for one in TABLES.values() for column in one["columns"]]
    return list(dict.fromkeys([*found, *studies.names(), *codes()]))


def _commands(name: str) -> Iterator[Subject]:
    from ackclock.cli.listed import COMMANDS
    from ackclock.cli.parser import app, command

    group, words = app, name.split()
    if words and words[0] in COMMANDS:
        command(words[0])
    for word in words:
        if word.startswith("-") or word not in group:
            return
        group = group[word]
    if words:
        told = " ".join((group.help or "").split())
        facts = {"options": f"ackclock {' '.join(words)} --help"}
        yield Subject("a command", f"ackclock {' '.join(words)}", told.partition(" Parameters ----")[0], facts)


def _catalogued(name: str) -> Iterator[Subject]:
    from ackclock import scenario
    from ackclock.cli.commands import parameter_cells

    for kind, entries in scenario.catalogue().items():
        for entry in entries:
            if entry["name"] != name:
                continue
            facts = {"source": entry["source"]} if entry["source"] else {}
            facts["all of them"] = f"ackclock list {kind}"
            if kind == "stack":
                rows = [[row["field"], row["value"], row["source"]] for row in entry["fields"]]
                yield Subject(CATALOGUE[kind], name, entry["summary"], facts, ("field", "value", "source"), rows)
                continue
            parts = [parameter_cells(row) for row in entry.get("parameters", [])] or _parts(kind, name)
            columns = ("field", "default", "accepted", "what it is") if parts else ()
            yield Subject(CATALOGUE.get(kind, f"a {kind}"), name, entry["summary"], facts, columns, parts)


def _parts(kind: str, name: str) -> list[list[str]]:
    """The fields of a table of this kind, at the first place of a scenario that has it."""
    place = PLACES.get(kind, kind)
    for path, node, owner in _fields():
        if path.endswith(f"{place}.kind") and node.get("const") == name:
            return [
                [part, _default(inner), _told(inner)["accepted"], _told(inner)["about"]]
                for part, inner in owner["properties"].items()
                if part != "kind"
            ]
    return []


def _scenario_fields(name: str) -> Iterator[Subject]:
    """Fields by path, with or without numbers and names of flows in brackets, or by the last name of the path."""
    wanted = re.sub(r"\[[^\]]*\]", "", name)
    found: dict[str, tuple[Node, list[str], list[str]]] = {}
    for path, node, owner in _fields():
        plain = re.sub(r"\[[^\]]*\]", "", path)
        if plain == wanted or ("." not in wanted and plain.rpartition(".")[2] == wanted and wanted != "kind"):
            _, paths, kinds = found.setdefault(node.get("description", ""), (node, [], []))
            if path not in paths:
                paths.append(path)
            of = owner["properties"].get("kind", {}).get("const")
            if of is not None and of not in kinds:
                kinds.append(of)
    for node, paths, kinds in found.values():
        told = _told(node)
        more = f" and {len(paths) - MOST_PLACES} more" if len(paths) > MOST_PLACES else ""
        facts = {"path": ", ".join(paths[:MOST_PLACES]) + more}
        facts |= {"of kind": ", ".join(kinds)} if kinds else {}
        facts |= {key: told[key] for key in ("accepted", "absent") if told[key]}
        facts |= {"default": _default(node)} if "default" in node else {}
        yield Subject("a field of a scenario", paths[0].rpartition(".")[2], told["about"], facts)


_DESCRIPTION = re.compile(r"(?s)(?P<about>.*?)(?: Accepted: (?P<accepted>.*?))?(?: Absent: (?P<absent>.*))?")


def _told(node: Node) -> dict[str, str]:
    found = _DESCRIPTION.fullmatch(node.get("description", ""))
    return {key: text or "" for key, text in found.groupdict().items()} if found else {}


def _default(node: Node) -> str:
    """The default as a scenario writes it; empty if there is none."""
    value = node.get("default", "")
    return str(value).lower() if isinstance(value, bool) else str(value)


def _fields() -> list[tuple[str, Node, Node]]:
    """Every field of a scenario: its path, its description, and the table that it is in."""
    return _walked(tuple(row["name"] for row in registry.rows()))


@lru_cache(1)
def _walked(_algorithms: tuple[str, ...]) -> list[tuple[str, Node, Node]]:
    """The same; the schema depends on the algorithms of the user."""
    from ackclock.scenario import schema

    def tables(node: Node, brackets: str = "") -> Iterator[tuple[Node, str]]:
        if "properties" in node:
            yield node, brackets
        for inner in node.get("oneOf", []):
            yield from tables(inner, brackets)
        if "items" in node:
            yield from tables(node["items"], brackets + "[0]")

    def walk(node: Node, path: str) -> Iterator[tuple[str, Node, Node]]:
        for name, inner in node["properties"].items():
            own = f"{path}.{name}" if path else name
            yield own, inner, node
            for table, brackets in tables(inner):
                yield from walk(table, own + brackets)

    return list(walk(schema(), ""))


def _tables(name: str) -> Iterator[Subject]:
    from ackclock.results.declared import TABLES

    if name in TABLES:
        one = TABLES[name]
        facts = {"in a scenario": one["asked"]} if one["asked"] else {}
        rows = [[column["name"], column["unit"], column["about"]] for column in one["columns"]]
        yield Subject("a table of results", name, one["about"], facts, ("column", "unit", "what it is"), rows)


def _columns(name: str) -> Iterator[Subject]:
    from ackclock.results.declared import TABLES
    from ackclock.results.names import column_name

    found: dict[tuple[str, str], list[str]] = {}
    for table, one in TABLES.items():
        for column in one["columns"]:
            if name in (column["name"], f"{table}.{column['name']}"):
                found.setdefault((column["about"], column["unit"]), []).append(f"{table}.{column['name']}")
    for (about, unit), places in found.items():
        table, _, own = places[0].partition(".")
        facts = {"column": ", ".join(places)} | ({"unit": unit} if unit else {})
        words = column_name(table, own)
        facts |= {"in figures": words} if words else {}
        yield Subject("a column of results", own, about, facts)


def _measures(name: str) -> Iterator[Subject]:
    """A measure, unless it is a column alone, which `_columns` tells."""
    from ackclock.results.declared import TABLES
    from ackclock.results.measure import Measure, MeasureError
    from ackclock.results.names import measure_name, unit_of

    try:
        one = Measure.parse(name)
    except MeasureError:
        return
    every = TABLES[one.table]["columns"] if one.table in TABLES else []
    columns = {column["name"]: column for column in every if column["type"] != "text"}
    if one.column not in columns or name == f"{one.table}.{one.column}":
        return
    unit = unit_of(one, [])[0]
    facts = {"of the column": f"{one.table}.{one.column}: {columns[one.column]['about']}"}
    facts |= {"shown in": unit} if unit else {}
    yield Subject("a measure", str(one), f"{measure_name(one)}.", facts)


def _studies(name: str) -> Iterator[Subject]:
    from ackclock import studies

    for entry in studies.catalogue():
        if entry["name"] == name:
            facts = {"source": entry["source"], "run": f"ackclock reproduce {name} --quick"}
            yield Subject("a study", name, entry["summary"], facts)


def _figures(name: str) -> Iterator[Subject]:
    from ackclock.cli.plot import FIGURES

    if name in FIGURES:
        told = " ".join(_docstring("run.py", name).partition("\n\n")[0].split())
        yield Subject("a figure", name, told, {"draw": f"ackclock plot SCENARIO {name}"})


def _docstring(file: str, method: str) -> str:
    """The docstring of a method of a file of `ackclock.plot`, read without matplotlib."""
    tree = ast.parse(resources.files("ackclock.plot").joinpath(file).read_text(encoding="utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == method]
    return ast.get_docstring(found[0]) or ""


def _codes(name: str) -> Iterator[Subject]:
    from ackclock.base.codes import codes

    one = codes().get(name.upper())
    if one is not None:
        facts = {"example": one.example, "what to do": one.remedy}
        yield Subject("a code of an error", f"{one.code}, {one.name}", one.means, facts)


KINDS: dict[str, Callable[[str], Iterator[Subject]]] = {
    "a command": _commands,
    "an algorithm, a queue, an application or another name of a scenario": _catalogued,
    "a field of a scenario": _scenario_fields,
    "a table": _tables,
    "a column": _columns,
    "a measure": _measures,
    "a figure": _figures,
    "a study": _studies,
    "a code of an error": _codes,
}
"""The kinds of names that can be asked for, and the function that finds each kind."""
