"""Temporary folders that are removed even where the process that made them was killed."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["workplace"]


@contextmanager
def workplace(inside: Path, prefix: str) -> Iterator[Path]:
    """A new folder, which is removed at its end; folders that killed processes left behind are removed first.

    A process holds the lock of its folder, and the lock ends with the process.

    Parameters
    ----------
    inside
        The folder to make it in.
    prefix
        The beginning of its name, which nothing else in there may have.
    """
    for left in inside.glob(f"{prefix}*"):
        with _locked(left) as free:
            if free:
                shutil.rmtree(left, ignore_errors=True)
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=inside))
        with _locked(folder) as mine:
            if not mine or not folder.exists():
                # Another process took the folder for one that was left behind, before it could be locked.
                continue
            try:
                yield folder
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            return


@contextmanager
def _locked(folder: Path) -> Iterator[bool]:
    """Locks a folder; False where another process has the lock, or where the folder is gone or another user's."""
    # Windows has no such module, and its command line reads this one.
    import fcntl

    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        yield False
        return
    try:
        if os.fstat(descriptor).st_uid != os.geteuid():
            # In a folder for everyone, another user may have put one of this name.
            yield False
            return
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield True
    except BlockingIOError:
        yield False
    finally:
        os.close(descriptor)
