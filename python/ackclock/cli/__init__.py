"""The command line: ``ackclock``.

Exit status: 0 done; 1 a check or a claim failed in a command that checks; 2 the input was wrong; 130 ended by Ctrl-C;
143 ended by SIGTERM. With ``--json``, standard output has one JSON document and nothing else. All other output goes to
standard error.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ackclock.base.shown import shown_streams
from ackclock.base.signals import undisguised
from ackclock.cli import plain
from ackclock.cli.output import DONE, messages

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command line, by default the one of this process, and returns the exit status."""
    with shown_streams():
        return _run(arguments)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        with undisguised(), messages():
            status = plain.call(sys.argv[1:] if arguments is None else arguments)
            sys.stdout.flush()
    except (Exception, KeyboardInterrupt) as error:
        from ackclock.cli.refusals import refusal

        refused = refusal(error)
        if refused is None:
            raise
        return refused
    return status if isinstance(status, int) else DONE
