"""Where the process of the command line begins: ready for signals and closed streams before anything large is imported.

Ctrl-C, SIGTERM and SIGHUP end it the same way, whatever it is doing: what is half done is undone, one line says so, and
the exit status is 128 and the signal's number.
"""

from __future__ import annotations

import math
import os
import signal
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

__all__ = ["Stopped", "main", "stopped_status"]

SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]

PATIENCE_S = 1.0
"""Seconds after a signal in which further ones are ignored."""


_seen: list[int] = []


class Stopped(KeyboardInterrupt):
    """A signal asked the process to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        _seen.append(number)


def stopped_status() -> int:
    """The exit status of a process that was interrupted: 128 and the number of the signal, Ctrl-C's if none is known.

    It does not ask what was raised: libraries that a signal interrupts may raise something else of their own.
    """
    return 128 + (_seen[-1] if _seen else signal.SIGINT)


def main() -> int:
    """Runs the command line of this process and returns its exit status."""
    early: list[int] = []
    # Imports are not interrupted, which some would not survive and others hide; what comes meanwhile is seen to after.
    _listen(lambda number, _: early.append(number))
    try:
        _open_streams()
        from ackclock import cli

        _listen(_stopper())
        if early:
            raise Stopped(early[0])
        status = cli.main()
    except Stopped:
        print("ackclock: interrupted; nothing is half-written", file=sys.stderr, flush=True)  # noqa: T201
        status = stopped_status()
    _listen(signal.SIG_IGN)
    return status


def _listen(handler: Callable[[int, FrameType | None], object] | signal.Handlers) -> None:
    for number in SIGNALS:
        # What whoever started us has switched off, as nohup does, stays off.
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, handler)


def _stopper() -> Callable[[int, FrameType | None], None]:
    """A handler that raises `Stopped`, but does not let an impatient second Ctrl-C interrupt what tidies up."""
    last = -math.inf

    def stop(number: int, _: FrameType | None) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last > PATIENCE_S:
            last = now
            raise Stopped(number)

    return stop


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
