"""Locks of open files: the system releases a lock when its process ends, whatever ends that."""

from __future__ import annotations

import os
import sys

__all__ = ["take"]

BYTE = 1 << 30
"""The byte that is locked on Windows, where nobody can read a locked byte: behind all that is in such a file."""


def take(descriptor: int, *, alone: bool = True) -> None:
    """Takes the lock of an open file without waiting, where the system has locks.

    Parameters
    ----------
    descriptor
        The file. On Windows its position is then the beginning.
    alone
        Whether nobody else may hold the lock; always so on Windows.

    Raises
    ------
    BlockingIOError
        If another process holds the lock.
    OSError
        If the file system has no locks.
    """
    if sys.platform == "win32":
        import msvcrt

        os.lseek(descriptor, BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(*error.args) from None
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
    else:
        try:
            import fcntl
        except ImportError:
            return
        fcntl.flock(descriptor, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
