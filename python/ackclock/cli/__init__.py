"""The command line: ``ackclock``.

Exit status: 0 done; 1 a check or a claim failed in a command that checks; 2 the input was wrong; 130 ended by Ctrl-C;
143 ended by SIGTERM. With ``--json``, standard output has one JSON document and nothing else. All other output goes to
standard error.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from cyclopts import (
    App,
    CoercionError,
    CycloptsError,
    MissingArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
)

from ackclock._errors import (
    AlgorithmError,
    Cancelled,
    ProcessError,
    RefusedError,
    ScenarioError,
    TransportError,
    VerificationError,
)
from ackclock.base import build
from ackclock.base.codes import (
    ARGUMENTS,
    SYNTAX,
    SYSTEM,
    UNKNOWN_COMMAND,
    UNKNOWN_OPTION,
    VALUE,
    code_of,
)
from ackclock.base.console import PipeConsole
from ackclock.base.files import FolderError
from ackclock.base.shown import shown_streams
from ackclock.base.signals import stopped_status, undisguised
from ackclock.cc.registry import LoadError
from ackclock.cli.listed import COMMANDS
from ackclock.cli.output import (
    DONE,
    FAILED,
    WRONG_INPUT,
    UsageError,
    complain,
    did_you_mean,
    messages,
    print_traceback,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["app", "command", "main"]

app = App(
    name="ackclock",
    help="Simulate TCP: what a change does, on which networks, to whom, and how sure we are.",
    version=build.described,
    console=PipeConsole(),
    print_error=False,
    exit_on_error=False,
    suppress_keyboard_interrupt=False,
    result_action="return_value",
    # The list of commands has no markup, and a reader of markup takes a third of the time to print it.
    help_format="plaintext",
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command line, by default the one of this process, and returns the exit status."""
    with shown_streams():
        return _run(arguments)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        with undisguised(), messages():
            words = sys.argv[1:] if arguments is None else arguments
            if words and words[0] in COMMANDS:
                command(words[0])
            status = app(words)
            sys.stdout.flush()
    except CycloptsError as error:
        return _refused(_misread(error), _KINDS.get(type(error), SYNTAX))
    except (ScenarioError, VerificationError) as error:
        status = FAILED if isinstance(error, VerificationError) else WRONG_INPUT
        return _refused("\n".join(error.lines()), error.code, status)
    except (AlgorithmError, LoadError) as error:
        print_traceback(error)
        return _refused(str(error), error.code, whole=True)
    except TransportError as error:
        return _refused(str(error), error.code, whole=True)
    except ProcessError as error:
        sys.stderr.write(error.said or "")
        return _refused(str(error), error.code, whole=True)
    except (UsageError, FolderError, RefusedError) as error:
        return _refused(str(error), code_of(error))
    except (KeyboardInterrupt, Cancelled):
        complain("interrupted; nothing is half-written")
        return stopped_status()
    except BrokenPipeError:
        # The reader of the output has gone. The rest of the buffer must not raise again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except MemoryError:
        return _refused("the memory that this process may take is not enough; nothing is half-written", SYSTEM)
    except OSError as error:
        # An error without a file name comes from standard output.
        return _refused(f"{error.filename or 'standard output'}: {error.strerror or error}", SYSTEM, whole=True)
    return status if isinstance(status, int) else DONE


_KINDS: dict[type[CycloptsError], str] = {
    UnknownOptionError: UNKNOWN_OPTION,
    UnknownCommandError: UNKNOWN_COMMAND,
    CoercionError: VALUE,
    UnusedCliTokensError: ARGUMENTS,
    MissingArgumentError: ARGUMENTS,
}
"""The codes of mistakes in a command line; all others are of syntax."""


def _refused(message: str, code: str | None, status: int = WRONG_INPUT, *, whole: bool = False) -> int:
    """Prints a message, line by line unless it is `whole`, with its code at the end. Returns the status."""
    *first, last = [message] if whole else message.splitlines() or [""]
    for line in first:
        complain(line)
    complain(last, code)
    return status


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
    every = app.parse_commands(list(chain))[1][-1].assemble_argument_collection(parse_docstring=True)
    told = next((one.parameter.help for one in every if one.name == argument.name), None) or ""
    return f"{' '.join(chain)}: expected {argument.name}: {' '.join(told.split())}"


def _no_number(error: CoercionError) -> str | None:
    """The message about an option that needs a number; None if it needs something else."""
    expected = {int: "a whole number", float: "a number"}.get(error.target_type or str)
    if expected is None or error.token is None:
        return None
    return f"{error.token.keyword or error.token.value} {error.token.value}: expected {expected}"
