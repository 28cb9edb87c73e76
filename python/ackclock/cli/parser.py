"""The command line as Cyclopts reads it, with its help, and the messages about a line that is wrong.

`ackclock.cli.plain` calls a command without this module where a line needs no more than that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cyclopts import (
    App,
    CoercionError,
    CycloptsError,
    MissingArgumentError,
    Parameter,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
)

from ackclock.base import build
from ackclock.base.codes import ARGUMENTS, SYNTAX, UNKNOWN_COMMAND, UNKNOWN_OPTION, VALUE
from ackclock.base.console import PipeConsole
from ackclock.cli.listed import COMMANDS, NAME, SUMMARY, option_of
from ackclock.cli.output import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["app", "call", "command"]

app = App(
    name=NAME,
    help=SUMMARY,
    version=build.described,
    console=PipeConsole(),
    print_error=False,
    exit_on_error=False,
    suppress_keyboard_interrupt=False,
    result_action="return_value",
    # The list of commands has no markup, and a reader of markup takes a third of the time to print it.
    help_format="plaintext",
    # A truth value is set by its option, and a list is given or not: there is no --no-json and no --empty-load.
    default_parameter=Parameter(negative="", name_transform=option_of),
)
for _name, (_place, _summary) in COMMANDS.items():
    app.command(f"ackclock.cli.{_place}", name=_name, help=_summary)


def command(name: str) -> App:
    """Imports a command of `COMMANDS`, and gives it the whole help of its docstring instead of the first line."""
    found = app[name]
    found.help_format = "markdown"
    if not COMMANDS[name][0].endswith(":app"):
        found.help = None
    return found


def call(words: Sequence[str]) -> object:
    """Calls the command of a line, or prints help, and returns what the command returns.

    Raises
    ------
    UsageError
        If the line is wrong.
    """
    if words and words[0] in COMMANDS:
        command(words[0])
    try:
        return app(words)
    except CycloptsError as error:
        raise UsageError(_misread(error), _KINDS.get(type(error), SYNTAX)) from error


_KINDS: dict[type[CycloptsError], str] = {
    UnknownOptionError: UNKNOWN_OPTION,
    UnknownCommandError: UNKNOWN_COMMAND,
    CoercionError: VALUE,
    UnusedCliTokensError: ARGUMENTS,
    MissingArgumentError: ARGUMENTS,
}
"""The codes of mistakes in a command line; all others are of syntax."""


def _misread(error: CycloptsError) -> str:
    """The message about a command line that is wrong."""
    if isinstance(error, UnknownOptionError):
        options = sorted({name for argument in error.argument_collection for name in argument.names})
        accepted = [option for option in options if option.startswith("--")] + ["--help"]
        given = error.token.keyword or error.token.value
        return f"unknown option {given}; accepted: {', '.join(accepted)}{did_you_mean(given, accepted)}"
    if isinstance(error, UnknownCommandError):
        return _unknown_command(error)
    if isinstance(error, CoercionError):
        return _no_number(error) or str(error)
    if isinstance(error, UnusedCliTokensError):
        return f"unexpected argument {', '.join(error.unused_tokens or [])}"
    if isinstance(error, MissingArgumentError):
        return _missing(error)
    return str(error)


def _unknown_command(error: UnknownCommandError) -> str:
    """The message about a command that does not exist."""
    given = (error.unused_tokens or [""])[0]
    group = error.app or app
    names = [name for name in group if not name.startswith("-")]
    accepted = [*names, "--help"] + (["--version"] if group is app else [])
    return f"unknown command {given}; accepted: {', '.join(accepted)}{did_you_mean(given, accepted)}"


def _missing(error: MissingArgumentError) -> str:
    """The message about an argument that is missing, with what it may be."""
    chain = error.command_chain or ()
    argument = error.argument
    if argument is None:
        return str(error)
    # Only this collection has the descriptions of docstrings.
    own = app.parse_commands(list(chain))[1][-1]
    every = own.assemble_argument_collection(default_parameter=app.default_parameter, parse_docstring=True)
    told = next((one.parameter.help for one in every if one.name == argument.name), None) or ""
    return f"{' '.join(chain)}: expected {argument.name}: {' '.join(told.split())}"


def _no_number(error: CoercionError) -> str | None:
    """The message about an option that needs a number; None if it needs something else."""
    expected = {int: "a whole number", float: "a number"}.get(error.target_type or str)
    if expected is None or error.token is None:
        return None
    return f"{error.token.keyword or error.token.value} {error.token.value}: expected {expected}"
