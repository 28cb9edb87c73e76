"""Processes that end with the one that started them, whatever ends it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from typing import IO, TYPE_CHECKING, Any

from ackclock.kernel.source import KernelError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["bound", "end", "require_linux", "started"]

PR_SET_PDEATHSIG = 1


def require_linux() -> None:
    """Refuses other systems than Linux.

    Raises
    ------
    KernelError
        Outside Linux.
    """
    if sys.platform != "linux":
        raise KernelError(f"kernels in user mode need Linux, and this is {sys.platform}")


def started(
    command: Sequence[str],
    out: IO[Any] | int,
    err: IO[Any] | int,
    environment: Mapping[str, str],
    given: IO[Any] | int = subprocess.DEVNULL,
    core: int | None = None,
) -> subprocess.Popen[bytes]:
    """Starts a process in a session of its own, which is told to end when this one ends, by SIGKILL, too.

    With `core`, the process and those that it starts stay on that core.

    Raises
    ------
    KernelError
        Outside Linux.
    """
    require_linux()
    return subprocess.Popen(  # noqa: S603 -- the callers' programs are fixed
        command,
        stdin=given,
        stdout=out,
        stderr=err,
        env=dict(environment),
        start_new_session=True,
        preexec_fn=bound(core),
    )


def bound(core: int | None = None) -> Callable[[], None]:
    """Returns a function that a new process calls before its program, so that SIGTERM ends it when this process ends.

    With `core`, the new process stays on that core.
    """
    library = ctypes.CDLL(None)
    parent = os.getpid()

    def bind() -> None:
        library.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if core is not None:
            os.sched_setaffinity(0, {core})
        if os.getppid() != parent:
            os._exit(1)

    return bind


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends the whole session of a process, and waits for it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
