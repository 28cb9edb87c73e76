"""Reading files that somebody else may have named or made: of a bounded size, and without waiting for ever."""

from __future__ import annotations

import errno
import io
import os
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from typing_extensions import Buffer

__all__ = ["MOST_BYTES", "MOST_WRITTEN", "contents", "opened", "text"]

MOST_BYTES = 1 << 30
"""Largest file that is read at once, in bytes, if the caller states no other size."""
MOST_WRITTEN = 1 << 24
"""Largest file that a person writes, in bytes."""


@contextmanager
def opened(path: Path | str) -> Iterator[io.BufferedReader]:
    """Opens a file for reading, or a pipe into which a process writes, as a shell makes for ``<(command)``.

    Raises
    ------
    OSError
        If the file cannot be opened, is a folder or a device, or is a pipe into which no process writes: reading such a
        pipe would block. The attribute ``strerror`` is a message for people.
    ValueError
        If no file can have this name.
    """
    # Without O_NONBLOCK, opening a pipe waits for a process that writes into it.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    begun = b""
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if stat.S_ISFIFO(mode):
            try:
                begun = os.read(descriptor, 1)
            except BlockingIOError:
                # The pipe is empty, and a process may write into it.
                pass
            else:
                if not begun:
                    raise OSError(errno.EINVAL, "a pipe into which no process writes", str(path))
            os.set_blocking(descriptor, True)
        elif not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "a device; accepted: a file", str(path))
    except BaseException:
        os.close(descriptor)
        raise
    file: io.BufferedReader = io.BufferedReader(_Begun(descriptor, begun))
    with file:
        yield file


class _Begun(io.FileIO):
    """A file of which the first bytes have been read already."""

    def __init__(self, descriptor: int, begun: bytes) -> None:
        super().__init__(descriptor)
        self.begun = begun

    def readinto(self, buffer: Buffer, /) -> int | None:
        if not self.begun:
            return super().readinto(buffer)
        view = memoryview(buffer)
        length = min(len(view), len(self.begun))
        view[:length] = self.begun[:length]
        self.begun = self.begun[length:]
        return length

    def readall(self) -> bytes:
        begun, self.begun = self.begun, b""
        return begun + (super().readall() or b"")


def contents(path: Path | str, most: int = MOST_BYTES) -> bytes:
    """The bytes of a file.

    Raises
    ------
    OSError
        As `opened`, and if the file has more than `most` bytes.
    ValueError
        If no file can have this name.
    """
    with opened(path) as file:
        # A file without end, such as one that is full of holes, is refused before its bytes are in memory.
        large = os.fstat(file.fileno()).st_size > most
        found = b"" if large else file.read(most + 1)
    if large or len(found) > most:
        told = f"{most >> 20} MiB" if most >= 1 << 20 else f"{most} bytes"
        raise OSError(errno.EFBIG, f"more than {told}", str(path))
    return found


def text(path: Path | str, most: int = MOST_BYTES) -> str:
    """The text of a file in UTF-8, with the line breaks of Unix; raises as `contents`.

    Raises
    ------
    UnicodeDecodeError
        If the file is not text in UTF-8.
    """
    return contents(path, most).decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
