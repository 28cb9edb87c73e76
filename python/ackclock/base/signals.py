"""Ctrl-C, SIGTERM and SIGHUP end the command line by an exception, which waits while a module is being imported.

An exception in the middle of an import leaves half a module behind, and many libraries turn it into an ImportError. The
handler therefore looks at the stack. If an import is under way, the handler notes the signal and looks again every few
milliseconds, until the import is over. That covers every import of the main thread, also those that libraries do late;
Python runs no handler of a signal on another thread. In the same way it waits while a temporary folder or file is made
or removed, which would stay otherwise. Windows has no timer for this: there the exception comes at once.
"""

from __future__ import annotations

import math
import signal
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

__all__ = ["Stopped", "ignore", "listen", "stopped_status", "undisguised"]

SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]

TIMER = hasattr(signal, "setitimer")
"""Whether the system can send a signal later; Windows cannot."""

PATIENCE_S = 1.0
"""Seconds after a signal in which further signals are ignored."""

RETRY_S = 0.02
"""Seconds between two looks at whether an import has ended."""


class Stopped(KeyboardInterrupt):
    """A signal asked the process to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number
        """The signal."""


class _Listener:
    """The handlers of the signals, and what they have seen."""

    def __init__(self) -> None:
        self.raised: int | None = None
        """The signal for which `Stopped` was raised last."""
        self._waiting: int | None = None
        """A signal that came during an import."""
        self._last_s = -math.inf

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        """Raises `Stopped`. An impatient second Ctrl-C does not interrupt the tidying up after the first."""
        now_s = time.monotonic()
        if now_s - self._last_s <= PATIENCE_S:
            return
        self._last_s = now_s
        # A second signal does not wait: an import may hang.
        if self._waiting is None and _must_end(frame):
            self.wait(number)
        else:
            self._stop(number)

    def on_alarm(self, _: int, frame: FrameType | None) -> None:
        """Raises `Stopped` for the signal that waits, unless what it waits for goes on."""
        if self._waiting is None:
            return
        if _must_end(frame):
            self.wait(self._waiting)
        else:
            self._stop(self._waiting)

    def wait(self, number: int) -> None:
        """Keeps a signal for later."""
        if not TIMER:
            self._stop(number)
        self._waiting = number
        signal.setitimer(signal.ITIMER_REAL, RETRY_S)

    def on_unraisable(self, lost: sys.UnraisableHookArgs) -> None:
        """Raises `Stopped` again where Python could not pass it on, as in a finaliser; reports other exceptions."""
        if isinstance(lost.exc_value, Stopped):
            self.wait(lost.exc_value.number)
        else:
            sys.__unraisablehook__(lost)

    def forget(self) -> None:
        """Drops a signal that waits."""
        self._waiting = None
        if TIMER:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _stop(self, number: int) -> None:
        self._waiting = None
        self._last_s = time.monotonic()
        self.raised = number
        raise Stopped(number)


_listener = _Listener()


def listen() -> None:
    """Makes the signals raise `Stopped` in the main thread from now on."""
    if TIMER:
        signal.signal(signal.SIGALRM, _listener.on_alarm)
    sys.unraisablehook = _listener.on_unraisable
    for number in _wanted():
        signal.signal(number, _listener.on_signal)


def ignore() -> None:
    """Makes the process ignore the signals from now on, because it is about to end."""
    for number in _wanted():
        signal.signal(number, signal.SIG_IGN)
    _listener.forget()


def stopped_status() -> int:
    """The exit status of a process that was interrupted: 128 and the number of the signal, Ctrl-C's if none is known.

    The status does not depend on the exception: libraries may raise another one when a signal interrupts them.
    """
    return 128 + (signal.SIGINT if _listener.raised is None else _listener.raised)


@contextmanager
def undisguised() -> Iterator[None]:
    """Raises `Stopped` instead of the exception that a library made of it.

    Raises
    ------
    Stopped
        If the block raises any exception after a signal.
    """
    try:
        yield
    except Exception:
        if _listener.raised is None:
            raise
        raise Stopped(_listener.raised) from None


def _wanted() -> list[int]:
    """The signals, without those that the parent process has switched off, as nohup does."""
    return [number for number in SIGNALS if signal.getsignal(number) != signal.SIG_IGN]


UNBROKEN = {
    ("importlib._bootstrap", "_find_and_load"),
    ("ackclock.base.workplace", "workplace"),
    ("ackclock.base.workplace", "draft"),
}
"""Functions that an exception would leave half done. Two are generators, on the stack before and after their blocks."""


def _must_end(frame: FrameType | None) -> bool:
    """Whether a module is being imported somewhere up the stack, or something temporary is made or removed.

    A file that `registry.load` executes does not count: its code is the user's and may run for long.
    """
    while frame is not None:
        if (frame.f_globals.get("__name__"), frame.f_code.co_name) in UNBROKEN:
            return True
        frame = frame.f_back
    return False
