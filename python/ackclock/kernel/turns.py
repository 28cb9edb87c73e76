"""Locks between runs, in a folder that no other user can open.

Any user can lock a file that every user can read, such as the device node of TUN, and hold it for ever. These files are
in a folder of this user. Who waits for a lock says for what, and gives up after a stated time.
"""

from __future__ import annotations

import os
import stat
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ackclock._errors import Cancelled, RefusedError
from ackclock.base import locks
from ackclock.base.log import logger
from ackclock.kernel.builds import cache

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ackclock._core import Cancel

__all__ = ["BusyError", "folder", "turn"]

LOGGER = logger(__name__)

LOOK_S = 0.1
"""Seconds between two attempts to take a lock."""
SILENT_S = 1.0
"""Seconds of waiting before a message says so."""
SYSTEM = Path("/run")
"""Folder of the system's running programs, in which root has its locks."""


class BusyError(RefusedError):
    """Another process had a lock for longer than this one waits."""

    code = "ACK051"


def folder() -> Path:
    """The folder of the locks; made if there is none.

    It is ``/run/ackclock`` for root, else ``ackclock`` in XDG_RUNTIME_DIR, and where neither can be made the folder
    ``locks`` beside the cache of kernels. Root in a user namespace is not root of the system.

    Raises
    ------
    RefusedError
        If the folder can be opened by others, or cannot be made.
    """
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    places = [SYSTEM / "ackclock"] if os.geteuid() == 0 and os.access(SYSTEM, os.W_OK) else []
    places += [Path(runtime) / "ackclock"] if runtime and os.access(runtime, os.W_OK) else []
    place = [*places, cache().parent / "locks"][0]
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.mkdir(mode=0o700, exist_ok=True)
        found = place.lstat()
    except OSError as error:
        raise RefusedError(f"{place}: the folder of locks cannot be made: {error.strerror}") from None
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
        raise RefusedError(
            f"{place}: the folder of locks is not this user's alone; accepted: to remove it, or to have its owner and "
            "mode corrected (chmod 700)"
        )
    return place


@contextmanager
def turn(
    name: str,
    what: str,
    patience_s: float,
    *,
    alone: bool = True,
    cancel: Cancel | None = None,
    clock: Callable[[], float] = time.monotonic,
    rest: Callable[[float], object] = time.sleep,
) -> Iterator[None]:
    """Holds a lock, alone or with others that share it; the lock ends with the process, whatever ends that.

    Parameters
    ----------
    name
        Name of the lock.
    what
        What is waited for, as the end of a sentence, for messages.
    patience_s
        Seconds after which waiting ends.
    alone
        Whether nobody else may hold the lock.
    cancel
        What can end the waiting early.
    clock, rest
        The time, and how to wait.

    Raises
    ------
    BusyError
        If others held the lock all the time.
    Cancelled
        If `cancel` asked for it.
    """
    descriptor = os.open(folder() / name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        began = clock()
        told = False
        while True:
            try:
                locks.take(descriptor, alone=alone)
                break
            except BlockingIOError:
                pass
            waited_s = clock() - began
            if cancel is not None and cancel.cancelled:
                raise Cancelled
            if waited_s >= patience_s:
                raise BusyError(f"waited {patience_s:g} s for {what}, which has not ended; accepted: to wait for it")
            if not told and waited_s >= SILENT_S:
                told = True
                LOGGER.warning("waits for %s, and gives up after %g s", what, patience_s)
            rest(LOOK_S)
        yield
    finally:
        os.close(descriptor)
