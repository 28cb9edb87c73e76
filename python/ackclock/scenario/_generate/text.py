"""The classes of a schema as Python."""

from __future__ import annotations

import json
import keyword
import re
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

from ackclock import _core
from ackclock.scenario import _source
from ackclock.scenario._generate.types import Class, Field, Module, Names, Schema, Types, camel, unions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["MARK", "formatted", "sources"]

MARK = "Written by ackclock.scenario._generate from the engine's schema; not to be edited."

WIDTH = 116
"""Width of the lines of a docstring, which are indented by four characters."""

ELSEWHERE = {
    "collections.abc": ("Mapping", "Sequence"),
    "dataclasses": ("dataclass",),
    "typing": ("ClassVar", "Generic", "Literal", "TypeAlias", "TypeVar"),
    "ackclock.scenario._record": ("FilePath", "Record"),
    "ackclock.scenario._source": ("Root",),
}
"""Names that modules import besides those of the schema, by their module."""


def sources() -> dict[str, str]:
    """The text of every module, by the name of its file."""
    types = Types(json.loads(_core.schema()), json.loads(_core.catalogue()))
    texts = {f"{module.name}.py": _module(module, types) for module in types.modules.values()}
    texts["__init__.py"] = _package(types)
    return {name: formatted(text) for name, text in texts.items()}


def formatted(text: str) -> str:
    """The text of a module in the project's form."""
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length", "120", "-"]
    return subprocess.run(command, input=text, capture_output=True, encoding="utf-8", check=True).stdout  # noqa: S603


def _module(module: Module, types: Types) -> str:
    parts = []
    if any(one.generic for one in module.classes.values()):
        parts.append('T = TypeVar("T", str, int)\n"""`str` for times and volumes, `int` for numbers of things."""')
    parts += [_names(name, one) for name, one in module.names.items()]
    parts += [_class(one, types) for one in module.classes.values()]
    if module.union:
        summary = f"Type of the fields that accept a table of the family *{module.name}*."
        parts.append(f'{camel(module.name)}: TypeAlias = {" | ".join(module.union)}\n"""{summary}"""')
    body = "\n\n".join(parts)
    title = f"Tables of the family *{module.name}*." if module.union else "Tables of a scenario."
    return f'"""{title}\n\n{MARK}\n"""\n\n{_imports(module, types, body)}\n\n{_all(_public(module))}\n\n{body}\n'


def _public(module: Module) -> list[str]:
    union = [camel(module.name)] if module.union else []
    return [*module.names, *module.classes, *union]


def _all(names: Iterable[str]) -> str:
    return f"__all__ = [{', '.join(json.dumps(name) for name in sorted(names))}]"


def _imports(module: Module, types: Types, body: str) -> str:
    """The imports of what stands outside of the strings of a module."""
    words = set(re.findall(r"\w+", re.sub(r'""".*?"""', "", body, flags=re.DOTALL)))
    places = {home: [name for name in names if name in words] for home, names in ELSEWHERE.items()}
    for name in words & types.homes.keys():
        if types.homes[name] != module.name and name not in _public(module):
            places.setdefault(f"ackclock.scenario.{types.homes[name]}", []).append(name)
    own = [place for place in places if place.startswith("ackclock")]
    foreign = [place for place in places if place not in own]
    blocks = (
        "\n".join(f"from {place} import {', '.join(sorted(places[place]))}" for place in sorted(block) if places[place])
        for block in (foreign, own)
    )
    return "from __future__ import annotations\n\n" + "\n\n".join(blocks)


def _names(name: str, names: Names) -> str:
    values = "".join(f"    {json.dumps(value)},\n" for value in names.meanings)
    lines = (_wrapped(f"- ``{value}``: {meaning}", 120, hanging=2) for value, meaning in names.meanings.items())
    return f'{name}: TypeAlias = Literal[\n{values}]\n"""{names.purpose}\n\n' + "\n".join(lines) + '\n"""'


def _class(one: Class, types: Types) -> str:
    base = "Root, Record" if one.name == "Scenario" else "Record, Generic[T]" if one.generic else "Record"
    paragraphs = _paragraphs(one.summary)
    if one.source:
        paragraphs.append(_wrapped(f"Source: {one.source}.", WIDTH))
    if one.fields:
        entries = (f"{_identifier(field.key)}\n{_description(field, types)}" for field in one.fields)
        paragraphs.append("Parameters\n----------\n" + "\n".join(entries))
    lines = ["@dataclass(frozen=True, kw_only=True, slots=True, repr=False)", f"class {one.name}({base}):"]
    # One paragraph ends beside its quotes.
    docstring = "\n\n".join(paragraphs) + ("\n" if len(paragraphs) > 1 else "")
    lines.append(textwrap.indent(f'"""{docstring}"""', "    "))
    if one.kind is not None:
        lines += ["", f"    kind: ClassVar = {json.dumps(one.kind)}"]
    lines += ["", *(f"    {_field(field)}" for field in one.fields)]
    return "\n".join(lines)


def _paragraphs(text: str) -> list[str]:
    """The first sentence in a line of its own, or its beginning where it is too long for that; then the rest."""
    first, _, rest = text.partition(". ")
    if len(first) > WIDTH - len('""".'):
        first, _, rest = re.split("(: |; )", text, maxsplit=1)
        rest = rest[0].upper() + rest[1:]
    return [f"{first.removesuffix('.')}.", *([_wrapped(rest, WIDTH)] if rest else [])]


def _identifier(key: str) -> str:
    return f"{key}_" if keyword.iskeyword(key) else key


def _field(field: Field) -> str:
    name = _identifier(field.key)
    return f"{name}: {field.annotation}" if field.required else f"{name}: {field.annotation} | None = None"


def _description(field: Field, types: Types) -> str:
    """The description of a field in the schema, without what its type already says."""
    text = " ".join(_sentences(field, types))
    return _wrapped(text, WIDTH, first=4, hanging=4)


def _sentences(field: Field, types: Types) -> Iterator[str]:
    schema = field.schemas[0]
    said, accepted, absent = _parts(schema)
    yield said if said.endswith(".") else f"{said}."
    # Where they differ, it is the quantity that is drawn which says what is accepted.
    if len({_parts(one)[1] for one in field.schemas}) == 1 and (shown := _accepted(accepted, schema, types)):
        yield f"Accepted: {shown}."
    if absent:
        yield f"Absent: {absent}."
    if schema.get("default") not in (None, {}):
        yield f"Default: {_literal(schema['default'])}."


def _parts(schema: Schema) -> tuple[str, str, str]:
    """The parts of a description: the sentence, the accepted values, and the meaning of absence."""
    rest, _, absent = schema["description"].partition(" Absent: ")
    said, _, accepted = rest.partition(" Accepted: ")
    if not accepted and "minimum" in schema:
        accepted = f"from {_literal(schema['minimum'])} to {_literal(schema['maximum'])}"
    return said, accepted.removesuffix("."), absent.removesuffix(".")


def _accepted(text: str, schema: Schema, types: Types) -> str:
    """The accepted values, with classes in place of tables; empty where the type says everything."""
    if schema.get("type") in ("object", "boolean"):
        return ""
    family = next(filter(None, map(types.family_of, unions(schema))), None)
    if family is not None:
        some = f"a class of `ackclock.scenario.{family}`"
        text = re.sub(r"a table with kind = one of [^ ,]+(, (?!or )[^ ,]+)*", some, text)
        registered = "the name of one in Python, or a dict of its kind and its parameters"
        text = text.replace("or a table of its kind and its parameters", f"{some}, {registered}")
    for table in filter(_is_table, [schema.get("items", {}), *schema.get("oneOf", ())]):
        name, keys = types.name_of(table), ", ".join(table["properties"])
        text = text.replace(f"each a table of {keys}", f"each of class `{name}`")
        text = text.replace(f"a table of {keys}", f"one of class `{name}`")
    return text


def _is_table(schema: Schema) -> bool:
    return schema.get("type") == "object" and "kind" not in schema.get("properties", ("kind",))


def _literal(value: object) -> str:
    """A value as Python has it, whole numbers without a point."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value) if isinstance(value, str) else repr(value)


def _wrapped(text: str, width: int, *, first: int = 0, hanging: int = 0) -> str:
    start, later = " " * first, " " * hanging
    return textwrap.fill(
        text, width, initial_indent=start, subsequent_indent=later, break_long_words=False, break_on_hyphens=False
    )


def _package(types: Types) -> str:
    """The package: the names of the modules that are no family's, imported at first use, and of the one by hand."""
    modules = {name: _public(module) for name, module in types.modules.items() if not module.union}
    by_hand = ", ".join(sorted(_source.__all__))
    imports = "\n".join(
        f"    from ackclock.scenario.{module} import {', '.join(sorted(names))}"
        for module, names in sorted(modules.items())
    )
    homes = {name: f"ackclock.scenario.{module}" for module, names in modules.items() for name in names}
    listed = "\n".join(f"    {json.dumps(name)}: {json.dumps(homes[name])}," for name in sorted(homes))
    families = ", ".join(sorted(types.uses))
    return f'''"""Scenarios: files, text and dicts, and typed objects whose classes follow from the engine's schema.

>>> from ackclock.scenario import Bottleneck, Flow, Scenario, app, queue
>>> short = queue.FqCodel(target="2ms")
>>> path = Bottleneck(rate="10Mbps", delay="20ms", queue=short)
>>> scenario = Scenario(duration="60s", bottleneck=path, flows=[Flow(cc="cubic", app=app.Bulk())])

What is not given is left out, and the engine's default holds. Tables that come in kinds are in modules of their own:
{families}.

{MARK}
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ackclock.scenario._source import {by_hand}

if TYPE_CHECKING:
{imports}

{_all([*_source.__all__, *homes])}

_HOMES = {{
{listed}
}}
"""Modules of the classes. A module is imported at first use, because imports take time."""


if not TYPE_CHECKING:  # A type checker that sees it takes every name for one of these.

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module {{__name__!r}} has no attribute {{name!r}}")
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
'''
