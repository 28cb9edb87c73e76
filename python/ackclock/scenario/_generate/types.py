"""The classes of a schema: a table is a class.

Tables that a key ``kind`` tells apart, such as queues, share a module of the name that their family has in the
catalogue; those of no kind are in a module for each key of a scenario.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Class", "Field", "Module", "Names", "Schema", "Types", "camel", "unions"]

Schema = dict[str, Any]

SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
REGISTERED = ["str", "Mapping[str, str | float]"]
"""Type of the name of an algorithm that is registered in Python. The schema does not contain these names."""


@dataclass
class Field:
    """A field of a class."""

    key: str
    annotation: str
    required: bool
    schemas: list[Schema]
    """The schema of each table that the class stands for."""


@dataclass
class Class:
    """A class: a table, or tables that differ in nothing but the quantity that is drawn."""

    name: str
    kind: str | None
    summary: str
    source: str
    fields: list[Field]

    @property
    def generic(self) -> bool:
        """Whether it is over the quantity."""
        return any(re.search(r"\bT\b", one.annotation) for one in self.fields)


@dataclass
class Names:
    """Names of which a field accepts one, each with what it means."""

    purpose: str
    meanings: dict[str, str]


@dataclass
class Module:
    """The content of a module."""

    name: str
    names: dict[str, Names] = field(default_factory=dict)
    classes: dict[str, Class] = field(default_factory=dict)
    union: list[str] = field(default_factory=list)
    """The type of a field whose tables are these classes; empty in a module without a family."""


class Types:
    """The modules of a schema."""

    def __init__(self, schema: Schema, catalogue: dict[str, list[dict[str, Any]]]) -> None:
        self.catalogue = catalogue
        self.families = {frozenset(row["name"] for row in rows): name for name, rows in catalogue.items()}
        self.uses: dict[str, list[list[Schema]]] = {}
        """Values that every field of a family accepts, for each family of tables."""
        for choices in unions(schema):
            if (family := self.family_of(choices)) is not None:
                self.uses.setdefault(family, []).append(choices)
        self.modules: dict[str, Module] = {}
        self.homes: dict[str, str] = {camel(family): family for family in self.uses}
        """The modules of all names that one may import from another."""
        self.kinds: dict[str, set[str]] = {}
        """The classes of the kinds of a family."""
        self.shapes: dict[str, str] = {}
        """The class of a table, by what is in it."""
        for family in self.uses:
            self.add_family(family)
        self.add_class("_scenario", "Scenario", None, [schema])

    def module(self, name: str) -> Module:
        """The module of this name."""
        return self.modules.setdefault(name, Module(name))

    def family_of(self, choices: list[Schema]) -> str | None:
        """The family of the catalogue that has the kinds of these tables; None where they are of no kind."""
        tables = {kind for one in choices if (kind := _kind(one)) is not None}
        if not tables:
            return None
        kinds = tables | {one["const"] for one in choices if "const" in one}
        if frozenset(kinds) not in self.families:
            raise ValueError(f"no family of the catalogue has just the kinds {', '.join(sorted(kinds))}")
        return self.families[frozenset(kinds)]

    def add_family(self, name: str) -> None:
        """The module of a family: a class for each kind, and what a field takes of them."""
        uses = self.uses[name]
        module = self.module(name)
        if any("kind" not in one.get("required", ()) for one in _tables(uses[0])[1:]):
            raise ValueError(f"in a table of {name} the kind may be left out, which only the first may")
        self.kinds[name] = {camel(kind) for one in _tables(uses[0]) if (kind := _kind(one))}
        for tables in zip(*map(_tables, uses), strict=True):
            kind = _kind(tables[0])
            if kind is None:
                raise ValueError(f"a table of {name} is of no kind")
            self.add_class(name, camel(kind), kind, list(tables))
        meanings = {kind: _summary(one) for one in _tables(uses[0]) if (kind := _kind(one))}
        meanings |= {one["const"]: one["description"] for one in uses[0] if "const" in one}
        bare = [one["const"] for one in uses[0] if "const" in one]
        bare += [kind for one in uses[0] for kind in one.get("enum", ())]
        if bare:
            purpose = f"The names of the family *{name}* that need no values."
            module.names["Name"] = Names(purpose, {one: meanings[one] for one in bare})
            module.union.append("Name")
        module.union += ["T"] if self.generic(name) else _scalars(uses[0])
        module.union += [f"{one.name}[T]" if one.generic else one.name for one in module.classes.values() if one.kind]
        module.union += REGISTERED if name in ("cc", "abr") else []

    def generic(self, family: str) -> bool:
        """Whether the family is over the quantity that is drawn."""
        return len({tuple(_scalars(use)) for use in self.uses[family]}) > 1

    def add_class(self, module: str, name: str, kind: str | None, tables: list[Schema]) -> None:
        """The class of tables, and before it those of the tables within them."""
        if name in self.module(module).classes:
            raise ValueError(f"two tables would be the class {name} of {module}")
        fields = []
        # An object needs no format: it is of the present one.
        told = ("kind", "format")
        for key in (key for key in tables[0]["properties"] if key not in told):
            schemas = [table["properties"][key] for table in tables]
            within = f"_{key}" if module == "_scenario" else module
            annotations = {self.annotation(within, name, key, one) for one in schemas}
            if len(annotations) > 1:
                annotations = {re.sub(r"\b(str|int)\b", "T", one) for one in annotations}
            (annotation,) = annotations
            fields.append(Field(key, annotation, key in tables[0].get("required", ()), schemas))
        rows = self.catalogue.get(module, [])
        source = next((row["source"] for row in rows if row["name"] == kind), "")
        self.module(module).classes[name] = Class(name, kind, _summary(tables[0]), source, fields)

    def annotation(self, module: str, owner: str, key: str, schema: Schema) -> str:
        """The type of the field `key` of the class `owner`."""
        if schema.get("type") == "array":
            noun = re.search(r"at least one ([\w ]+),", schema.get("description", f"at least one {key},"))
            if noun is None:
                raise ValueError(f"the schema does not say what {owner}.{key} is a list of")
            return f"Sequence[{self.annotation(module, owner, noun[1], schema['items'])}]"
        if schema.get("type") == "object":
            # A table without fields has those of something that the schema does not know.
            return self.table(module, owner, key, schema) if "properties" in schema else REGISTERED[1]
        if "oneOf" not in schema:
            return "FilePath" if schema.get("title") == "path" else SCALARS[schema["type"]]
        choices = schema["oneOf"]
        family = self.family_of(choices)
        if family is not None:
            return f"{camel(family)}[{_scalars(choices)[0]}]" if self.generic(family) else camel(family)
        if all("const" in one for one in choices):
            name = camel(schema["title"])
            home = self.homes.setdefault(name, module)
            meanings = {one["const"]: one["description"] for one in choices}
            self.module(home).names.setdefault(name, Names(_summary(schema), meanings))
            return name
        return " | ".join(self.annotation(module, owner, key, one) for one in choices)

    def table(self, module: str, owner: str, key: str, schema: Schema) -> str:
        """The class of a table that is of no kind: called after its key, and after its owner where that is taken."""
        if _shape(schema) not in self.shapes:
            name = camel(key)
            name = owner + name if name in self.homes or name in self.kinds.get(module, ()) else name
            self.shapes[_shape(schema)], self.homes[name] = name, module
            self.add_class(module, name, None, [schema])
        return self.name_of(schema)

    def name_of(self, table: Schema) -> str:
        """The name of the class of a table that is of no kind."""
        return self.shapes[_shape(table)]


def _shape(table: Schema) -> str:
    return json.dumps([table["properties"], table.get("required")])


def unions(schema: Schema) -> Iterator[list[Schema]]:
    """Every choice in a schema."""
    if "oneOf" in schema:
        yield schema["oneOf"]
    within = [*schema.get("properties", {}).values(), *schema.get("oneOf", ())]
    for one in [*within, schema["items"]] if "items" in schema else within:
        yield from unions(one)


def _tables(choices: list[Schema]) -> list[Schema]:
    return [one for one in choices if one.get("type") == "object"]


def _scalars(choices: list[Schema]) -> list[str]:
    return [SCALARS[one["type"]] for one in choices if one.get("type") in SCALARS and "enum" not in one]


def _kind(table: Schema) -> str | None:
    kind: str | None = table.get("properties", {}).get("kind", {}).get("const")
    return kind


def _summary(schema: Schema) -> str:
    text: str = schema["description"].partition(" Accepted: ")[0]
    return text if text.endswith(".") else text + "."


def camel(words: str) -> str:
    """A name of the schema as that of a class: ``fq-codel`` is ``FqCodel``."""
    parts = re.findall(r"[A-Za-z0-9]+|\+", words)
    return "".join("Plus" if part == "+" else part[0].upper() + part[1:].lower() for part in parts)
