"""Exceptions that end a command: their messages on standard error, and the exit status."""

from __future__ import annotations

import os
import sys

from ackclock._errors import (
    AlgorithmError,
    Cancelled,
    ProcessError,
    RefusedError,
    ScenarioError,
    TransportError,
    VerificationError,
)
from ackclock.base.codes import SYSTEM, code_of
from ackclock.base.files import FolderError
from ackclock.base.shown import one_line
from ackclock.base.signals import stopped_status
from ackclock.cc.registry import LoadError
from ackclock.cli.output import DONE, FAILED, WRONG_INPUT, UsageError, complain, print_traceback

__all__ = ["refusal"]


def refusal(error: BaseException) -> int | None:
    """Prints the message of an exception and returns the exit status; None if the exception is a defect of ackclock."""
    match error:
        case ScenarioError() | VerificationError():
            status = FAILED if isinstance(error, VerificationError) else WRONG_INPUT
            return _refused("\n".join(error.lines()), error.code, status)
        case AlgorithmError() | LoadError():
            print_traceback(error)
            return _refused(str(error), error.code, whole=True)
        case TransportError():
            return _refused(str(error), error.code, whole=True)
        case ProcessError():
            sys.stderr.write(error.said or "")
            return _refused(str(error), error.code, whole=True)
        case UsageError() | FolderError() | RefusedError():
            return _refused(str(error), code_of(error))
        case KeyboardInterrupt() | Cancelled():
            complain("interrupted; nothing is half-written")
            return stopped_status()
        case BrokenPipeError():
            # The reader of the output has gone. The rest of the buffer must not raise again at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return DONE
        case MemoryError():
            return _refused("the memory that this process may take is not enough; nothing is half-written", SYSTEM)
        case OSError():
            # An error without a file name comes from standard output.
            file = one_line(str(error.filename)) if error.filename else "standard output"
            return _refused(f"{file}: {error.strerror or error}", SYSTEM, whole=True)
    return None


def _refused(message: str, code: str | None, status: int = WRONG_INPUT, *, whole: bool = False) -> int:
    """Prints a message, line by line unless it is `whole`, with its code at the end. Returns the status."""
    *first, last = [message] if whole else message.splitlines() or [""]
    for line in first:
        complain(line)
    complain(last, code)
    return status
