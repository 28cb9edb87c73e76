"""``ackclock help`` and ``ackclock explain``: what a name means, and what a code of an error means."""

from __future__ import annotations

import shutil
import sys
import textwrap
from pathlib import Path  # noqa: TC003 -- Cyclopts reads the annotations
from typing import TYPE_CHECKING, Any

from ackclock.cli.commands import load_files
from ackclock.cli.output import DONE, UsageError, did_you_mean, print_json, print_table, say

if TYPE_CHECKING:
    from ackclock.cli.subjects import Subject

__all__ = ["explain", "help_"]

EXAMPLES = {
    "sweep": "a command",
    "flows[0].cc": "a field of a scenario, by its path or its last name",
    "cubic": "a congestion control; queues, applications, stacks and all other names of `ackclock list`",
    "flows": "a table of results, with its columns and units",
    "goodput_bps": "a column",
    "p95(flows.srtt_ms)": "a measure",
    "window": "a figure, and whatever else has this name",
    "iw10": "a study",
    "ACK010": "a code of an error",
}


def help_(*name: str, load: tuple[Path, ...] = (), json: bool = False) -> int:
    """Say what a name means: a command, field, algorithm, queue, table, column, measure, study or code of an error.

    Parameters
    ----------
    name
        The name, such as run, bottleneck.queue, fq-codel or flows.goodput_bps. A name may mean several things, and all
        of them are told. Without a name, examples are listed.
    load
        Your own congestion controls and rate adaptations: a Python file, a library, or the folder of a crate. Can be
        repeated.
    json
        Print one JSON document: a list with what the name means.
    """
    from ackclock.cli.subjects import KINDS, named, names

    load_files(load)
    if not name:
        if json:
            print_json([{"example": one, "what it is": told} for one, told in EXAMPLES.items()])
        else:
            print_table("ackclock help NAME", ["for example", "what it is"], [list(row) for row in EXAMPLES.items()])
        return DONE
    wanted = " ".join(name)
    found = named(wanted)
    if not found:
        near = did_you_mean(wanted, names())
        raise UsageError(f"nothing is named {wanted}; accepted: the name of {', '.join(KINDS)}{near}")
    if json:
        print_json([one.document() for one in found])
        return DONE
    for place, one in enumerate(found):
        if place:
            say("")
        _show(one)
    return DONE


def _show(one: Subject) -> None:
    if one.kind == "a command":
        from ackclock.cli.parser import app, command

        words = one.name.split()[1:]
        command(words[0])
        app.help_print(words)
        return
    _paragraph(f"{one.name}: {one.kind}", "")
    _paragraph(one.about)
    for word, fact in one.facts.items():
        _paragraph(f"{word}: {fact}")
    if one.rows:
        print_table("", list(one.columns), one.rows)


def _paragraph(text: str, indent: str = "  ") -> None:
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 100
    options: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
    say(textwrap.fill(text, width, initial_indent=indent, subsequent_indent=indent and indent + "  ", **options))


def explain(code: str | None = None, /, *, json: bool = False) -> int:
    """Explain the code of an error: what it means, an example, and what to do.

    Codes do not change from version to version. In Python, an exception of ackclock has its code as the attribute
    `code`.

    Parameters
    ----------
    code
        The code, such as ACK010. Without one, all codes are listed.
    json
        Print one JSON document: the code or the list of codes.
    """
    from ackclock.base.codes import codes

    every = codes()
    if code is None:
        if json:
            print_json([_document(one) for one in every])
        else:
            print_table("", ["code", "kind of error"], [[one.code, one.name] for one in every.values()])
        return DONE
    number = code.upper().removeprefix("ACK")
    wanted = f"ACK{number:0>3}"
    if wanted not in every:
        raise UsageError(f"no code {code}; accepted: {', '.join(every)}{did_you_mean(wanted, every)}")
    if json:
        print_json(_document(wanted))
        return DONE
    one = every[wanted]
    _paragraph(f"{one.code}: {one.name}", "")
    for text in (one.means, f"Example: {one.example}", f"What to do: {one.remedy}"):
        _paragraph(text)
    return DONE


def _document(code: str) -> dict[str, str]:
    from ackclock.base.codes import codes

    one = codes()[code]
    return {"code": one.code, "name": one.name, "means": one.means, "example": one.example, "remedy": one.remedy}
