"""The command line and the Python names, from their own help and docstrings."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from functools import cache
from pathlib import Path
from typing import Any

import docstring_parser

import ackclock
from ackclock.cli.listed import COMMANDS
from ackclock.cli.parser import app, command

MODULES = (
    "ackclock",
    "ackclock.cc",
    "ackclock.abr",
    "ackclock.plot",
    "ackclock.stats",
    "ackclock.stats.ranks",
    "ackclock.fairness",
    "ackclock.learn",
    "ackclock.gate",
    "ackclock.conform",
    "ackclock.card",
    "ackclock.matrix",
    "ackclock.worst",
    "ackclock.names",
    "ackclock.tmix",
    "ackclock.captures",
    "ackclock.mpd",
    "ackclock.ladder",
    "ackclock.quality",
    "ackclock.bufferbloat",
    "ackclock.reference",
)
"""Modules whose public names are listed, in this order."""

_SECTION = re.compile(r"(?m)^(Parameters|Returns|Raises|Notes)\n-+\n")
_ITEM = re.compile(r"(?m)^(?P<names>\S[^\n]*)\n(?P<text>(?:(?: {4}[^\n]*)?\n?)+)")


def command_line() -> str:
    """The page of all commands, as `--help` has them."""
    for name in COMMANDS:
        command(name)
    text = str(app.generate_docs())
    head, body = text.split("## Table of Contents", 1)
    body = body[body.index("## ackclock ") :]
    body = re.sub(r" \*\[default: (\(\)|False)\]\*", "", body)
    body = (
        body.replace("**Arguments**:", "Arguments:")
        .replace("**Parameters**:", "Options:")
        .replace("```console", "```text")
    )
    first = head.split("```")[-1].strip()
    status = (inspect.getdoc(importlib.import_module("ackclock.cli")) or "").split("\n\n", 1)[1].replace("``", "`")
    return f"# Command line\n\n{first}\n\n{status}\n\n{body.strip()}\n"


def python() -> str:
    """The page of all public names of `MODULES`."""
    parts = ["# Python", "Every public name, with its docstring."]
    for name in MODULES:
        module = importlib.import_module(name)
        document = markdown(inspect.getdoc(module) or "")
        parts += [f"## {name}", document]
        for public in module.__all__:
            value = getattr(module, public)
            if public in own_names(name) and not inspect.ismodule(value):
                parts += told(f"{name}.{public}", value)
    return "\n\n".join(part for part in parts if part) + "\n"


def told(name: str, value: Any) -> list[str]:
    """The heading, the signature and the docstring of a name; of a class its public members too."""
    heading = f"### {name} {{ #{name} }}"
    if not (inspect.isclass(value) or inspect.isroutine(value)):
        shown = repr(value)
        return [heading, f"`{shown}`" if len(shown) < 60 else f"A {type(value).__name__}."]
    parts = [heading, signature(name.rsplit(".", 1)[-1], value), markdown(inspect.getdoc(value) or "")]
    if inspect.isclass(value) and not issubclass(value, BaseException):
        told_of = fields(value)
        for member, inner in sorted(members(value).items()):
            document = markdown(told_of.get(member) or inspect.getdoc(inner) or "")
            if not inspect.isroutine(inner):
                parts += [f"**{member}**", document]
            else:
                parts += [f"**{member}**", signature(member, inner), document]
    return parts


def fields(value: type) -> dict[str, str]:
    """The docstrings of fields, which stand below them in the source, by their names."""
    found: dict[str, str] = {}
    for owner in reversed(value.__mro__):
        if owner.__module__ == "ackclock._core":
            found |= stubs().get(owner.__name__, {})
        elif owner.__module__.startswith("ackclock"):
            of_fields = [one for one in docstring_parser.parse_from_object(owner).params if one.args[0] == "attribute"]
            found |= {one.arg_name: one.description or "" for one in of_fields}
    return found


@cache
def stubs() -> dict[str, dict[str, str]]:
    """The docstrings of the extension's properties, by the names of their classes."""
    tree = ast.parse(Path(ackclock.__file__).with_name("_core.pyi").read_text(encoding="utf-8"))
    return {
        one.name: {
            inner.name: document
            for inner in one.body
            if isinstance(inner, ast.FunctionDef) and (document := ast.get_docstring(inner))
        }
        for one in tree.body
        if isinstance(one, ast.ClassDef)
    }


def members(value: type) -> dict[str, Any]:
    """Methods and properties that are documented here and not inherited from elsewhere."""
    found = {}
    for owner in reversed(value.__mro__):
        if owner.__module__.startswith("ackclock"):
            for name, inner in vars(owner).items():
                plain = inner.__func__ if isinstance(inner, (classmethod, staticmethod)) else inner
                if not name.startswith("_") and (inspect.isroutine(plain) or inspect.isdatadescriptor(plain)):
                    found[name] = plain
    return found


def signature(name: str, value: Any) -> str:
    """The signature of a function or class, as code."""
    try:
        called = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    own = [one for one in called.parameters.values() if one.name not in ("self", "cls")]
    own = [one.replace(default=_LONG) if is_long(one.default) else one for one in own]
    parameters = called.replace(parameters=own, return_annotation=called.return_annotation)
    text = f"{name}{parameters}"
    if len(as_written(text)) > 88:
        text = wrapped(name, own, text)
    return f"```python\n{as_written(text)}\n```"


class _Long:
    """Placeholder of a default that is left out."""

    def __repr__(self) -> str:
        return "..."


_LONG = _Long()


def is_long(value: object) -> bool:
    """Whether a default is left out of a signature: a long one, and a function, which has no text."""
    return inspect.isfunction(value) or len(repr(value)) > 60


def as_written(code: str) -> str:
    """A signature as it stands in the source: annotations without quotes, and paths of no system."""
    code = re.sub(r"ForwardRef\(('[^']+')\)", r"\1", code)
    code = re.sub(r"(?<=: |> )'([^']+)'", r"\1", code)
    return re.sub(r"\b(?:Posix|Windows)Path\(", "Path(", code)


def wrapped(name: str, parameters: list[inspect.Parameter], text: str) -> str:
    """A long signature, a parameter on each line."""
    lines, star = [], False
    for one in parameters:
        if one.kind is inspect.Parameter.KEYWORD_ONLY and not star:
            lines.append("    *,")
            star = True
        star = star or one.kind is inspect.Parameter.VAR_POSITIONAL
        lines.append(f"    {one},")
    tail = text.rsplit(") ->", 1)
    return f"{name}(\n" + "\n".join(lines) + "\n)" + (f" ->{tail[1]}" if len(tail) == 2 else "")


def markdown(document: str) -> str:
    """A docstring in numpy's form, as Markdown."""
    first, *sections = _SECTION.split(document)
    parts = [prose(first)]
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        parts.append(f"*{title}*")
        if title in ("Parameters", "Raises"):
            items = [
                f"- `{match['names']}`: {' '.join(match['text'].split())}"
                for match in _ITEM.finditer(body.strip("\n") + "\n")
            ]
            parts.append("\n".join(items).replace("``", "`"))
        else:
            parts.append(prose(inspect.cleandoc(body)))
    return "\n\n".join(part for part in parts if part)


def prose(text: str) -> str:
    """Paragraphs; examples as code."""
    parts = []
    for part in text.strip().split("\n\n"):
        lines = part.splitlines()
        if lines and all(line.startswith((">>>", "...", "    ")) for line in lines):
            parts.append("```python\n" + "\n".join(line[4:] for line in lines) + "\n```")
        elif lines and lines[0].startswith("===") and lines[-1].startswith("==="):
            parts.append("```text\n" + part + "\n```")
        else:
            parts.append(part.replace("``", "`"))
    return "\n\n".join(parts)


def names() -> list[str]:
    """The headings of the page of Python."""
    found = []
    for name in MODULES:
        found += [f"{name}.{one}" for one in own_names(name)]
    return found


def own_names(name: str) -> list[str]:
    """The public names of a module without those that `ackclock` itself has."""
    public = [one for one in importlib.import_module(name).__all__ if not one.startswith("__")]
    return public if name == "ackclock" else [one for one in public if one not in ackclock.__all__]
