"""Start of the process of the command line: ready for signals and closed streams before any large import.

Ctrl-C, SIGTERM and SIGHUP end the process in the same way at any moment: half-done work is undone, one line says so,
and the exit status is 128 plus the number of the signal.
"""

from __future__ import annotations

import os
import sys

from ackclock.base.signals import Stopped, ignore, listen, stopped_status

__all__ = ["main"]


def main() -> int:
    """Runs the command line of this process and returns its exit status."""
    try:
        listen()
        _open_streams()
        _forget_sizes()
        from ackclock import cli

        status = cli.main()
        ignore()
    except Stopped:
        ignore()
        from ackclock.base.shown import shown_streams

        with shown_streams():
            print("ackclock: interrupted; nothing is half-written", file=sys.stderr, flush=True)  # noqa: T201
        status = stopped_status()
    return status


def _open_streams() -> None:
    """Gives standard streams that are closed a place to go, and those of a narrow encoding a way to write anything."""
    # A file opened later must not get the number of a closed stream: it would be written into.
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 -- for the whole process
        else:
            stream.reconfigure(errors="backslashreplace")


def _forget_sizes() -> None:
    """Forgets sizes that no terminal has: the library that draws tables fails on numbers of thousands of digits."""
    for name in ("COLUMNS", "LINES"):
        size = os.environ.get(name, "1")
        if not (size.isascii() and size.isdecimal() and len(size) <= LONGEST_SIZE):
            del os.environ[name]


LONGEST_SIZE = 4
"""Digits of the largest size of a terminal."""
