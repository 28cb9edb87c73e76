"""Temporary files and folders that are removed even where the process that made them was killed.

A process holds the lock of what it makes, and the lock ends with the process. Whoever makes another one of the same
name removes those whose lock is free. Windows has no such locks: there, what a killed process made stays.
"""

from __future__ import annotations

import os
import stat
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ackclock.base import locks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

__all__ = ["draft", "left_behind", "sweep_up", "temporary", "workplace"]


@contextmanager
def workplace(inside: Path, prefix: str, keep: Callable[[Path], bool] = lambda _: False) -> Iterator[Path]:
    """A new folder, which is removed at its end; what killed processes left behind is removed first.

    Parameters
    ----------
    inside
        The folder to make it in.
    prefix
        The beginning of its name, which nothing else in there may have.
    keep
        Whether a folder of that name is not to be removed.
    """
    import tempfile

    sweep_up(inside, prefix, keep)
    with ExitStack() as spare:
        # With one descriptor kept for the end, a folder can be removed where all others are in use.
        spare.callback(os.close, os.open(os.devnull, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0)))
        while True:
            folder = Path(tempfile.mkdtemp(prefix=prefix, dir=inside))
            try:
                with _held(folder) as mine:
                    if not mine:
                        # Another process took the folder for one that was left behind, before it could be locked.
                        continue
                    try:
                        yield folder
                    finally:
                        spare.close()
                        if not keep(folder):
                            _remove(folder)
                    return
            except OSError:
                # A folder that could not be locked is empty.
                with suppress(OSError):
                    folder.rmdir()
                raise


def _remove(folder: Path) -> None:
    """Removes a folder, also where only one file can be open: `shutil.rmtree` opens one for each level."""
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
    for place, folders, files in os.walk(folder, topdown=False):
        for name in files:
            with suppress(OSError):
                Path(place, name).unlink()
        for path in (Path(place, name) for name in folders):
            with suppress(OSError):
                path.unlink() if path.is_symlink() else path.rmdir()
    with suppress(OSError):
        folder.rmdir()


def temporary(what: str) -> AbstractContextManager[Path]:
    """A new folder among the system's temporary files, as `workplace`, with ``ackclock-`` and `what` in its name."""
    import tempfile

    return workplace(Path(tempfile.gettempdir()), f"ackclock-{what}-")


@contextmanager
def _held(folder: Path) -> Iterator[bool]:
    """Locks a new folder, where the system can do that; False if it is gone."""
    if os.name == "nt":
        yield True
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        yield False
        return
    try:
        yield _locked_by_us(descriptor) and _is(descriptor, folder)
    finally:
        os.close(descriptor)


@contextmanager
def draft(inside: Path, prefix: str) -> Iterator[tuple[int, Path]]:
    """A new file, open for writing, which is removed at its end if it still has its name; otherwise as `workplace`.

    Yields
    ------
    tuple of int and Path
        The descriptor, which the caller may not close, and the name.
    """
    import tempfile

    sweep_up(inside, prefix)
    while True:
        descriptor, name = tempfile.mkstemp(prefix=prefix, dir=inside)
        path = Path(name)
        try:
            # Windows gives the same file other numbers by its name.
            if os.name != "nt" and not (_locked_by_us(descriptor) and _is(descriptor, path)):
                continue
            try:
                yield descriptor, path
            finally:
                with suppress(OSError):
                    if _is(descriptor, path):
                        path.unlink()
            return
        finally:
            os.close(descriptor)


def sweep_up(inside: Path, prefix: str, keep: Callable[[Path], bool] = lambda _: False) -> None:
    """Removes the files and folders of killed processes, by the beginning of their names, but for those to keep."""
    import shutil

    for path in left_behind(inside, prefix):
        with _locked(path) as free:
            if not free or keep(path):
                continue
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                with suppress(OSError):
                    path.unlink()


def left_behind(inside: Path, prefix: str) -> list[Path]:
    """The entries of a folder whose names begin so, also those of processes that run."""
    with os.scandir(inside) as entries:
        return sorted(Path(entry.path) for entry in entries if entry.name.startswith(prefix))


def _is(descriptor: int, path: Path) -> bool:
    """Whether the file of a descriptor has this name."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return False
    held = os.fstat(descriptor)
    return (held.st_dev, held.st_ino) == (found.st_dev, found.st_ino)


def _locked_by_us(descriptor: int) -> bool:
    """Locks what was just made; False where another process has the lock, and is about to remove it."""
    try:
        locks.take(descriptor)
    except BlockingIOError:
        return False
    except OSError:
        # This file system has no locks, and nobody can take what is here for left behind.
        return True
    return True


@contextmanager
def _locked(path: Path) -> Iterator[bool]:
    """Locks a file or folder; False where another process has the lock, or where it is gone or another user's."""
    if os.name == "nt":
        # Nobody can tell there what is in use.
        yield False
        return
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        yield False
        return
    try:
        found = os.fstat(descriptor)
        ours = stat.S_ISDIR(found.st_mode) or stat.S_ISREG(found.st_mode)
        if not ours or found.st_uid != os.geteuid():
            # In a folder for everyone, another user may have put one of this name.
            yield False
            return
        try:
            locks.take(descriptor)
        except OSError:
            yield False
            return
        yield True
    finally:
        os.close(descriptor)
