"""Results on disk: whole or not at all.

A result folder is written under another name beside its place and renamed when it is complete, so that Ctrl-C, an
error or a full disk never leaves half of one. What a killed process leaves behind is removed by the next process that
writes to the same place. A folder that ackclock wrote carries a list of its files; one that holds anything else is
never replaced.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from ackclock.base import reading
from ackclock.base.documents import parse
from ackclock.base.workplace import draft, sweep_up, workplace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ackclock.base.table import Table

__all__ = [
    "MARKER",
    "STORE",
    "FolderError",
    "check_folder",
    "output_folder",
    "place",
    "print_csv",
    "write_bytes",
    "write_csv",
    "write_json",
    "write_new",
    "write_text",
]

STORE = "ackclock-store.json"
"""The manifest of a store of sweeps (`ackclock.store`)."""
MARKER = "ackclock.json"
"""Names the files of a result folder, so that the next run knows what it may replace."""


class FolderError(ValueError):
    """The place asked for cannot take a result folder."""

    code = "ACK008"


def check_folder(path: Path, *, kept: str | None = None) -> None:
    """Refuses a place that holds something that ackclock did not write; what is in its folder `kept` does not count.

    A symbolic link stands for the folder that it leads to.

    Raises
    ------
    FolderError
        If `path` is not a folder, cannot be made, is the current folder, or holds a file that is not on the list of a
        result of ackclock.
    """
    if kept is not None and _real(path).is_dir():
        with suppress(OSError):
            sweep_up(_real(path).parent, _prefix(_real(path)), _holder(_real(path), kept))
    if path.is_symlink() and not path.exists():
        raise FolderError(f"{path} is a symbolic link to {path.readlink()}, which does not exist; name another folder")
    for parent in _real(path).parents:
        if parent.exists():
            if not parent.is_dir():
                raise FolderError(f"{path}: {parent} is not a folder")
            if not os.access(parent, os.W_OK):
                raise FolderError(f"{path}: {parent} cannot be written")
            break
    if path.exists() and not path.is_dir():
        raise FolderError(f"{path} exists and is not a folder")
    if not path.exists():
        return
    if path.samefile(Path.cwd()):
        raise FolderError(f"{path} is the folder this runs in; name another folder")
    foreign = _foreign(path, kept)
    if (path / STORE).exists() and foreign is not None:
        raise FolderError(f"{path} holds a store of sweeps, which nothing replaces; name another folder")
    if foreign is not None:
        raise FolderError(
            f"{path} holds what ackclock did not write ({foreign.relative_to(path)}); name another folder"
        )


def _real(path: Path) -> Path:
    """The place that a path leads to over symbolic links; unlike `Path.resolve` it raises nothing for a loop."""
    return Path(os.path.realpath(path))


def _foreign(path: Path, kept: str | None) -> Path | None:
    """Something in a folder that is not on its list of files, if there is anything."""
    ours = {path / name for name in (*_listed(path), MARKER)}
    folders = [path]
    while folders:
        for entry in sorted(folders.pop().iterdir()):
            if entry.parent == path and entry.name == kept:
                continue
            if entry.is_dir() and not entry.is_symlink():
                folders.append(entry)
            elif entry not in ours:
                return entry
    return None


def _listed(path: Path) -> set[str]:
    try:
        listed = parse(reading.contents(path / MARKER))["files"]
    except (OSError, ValueError, KeyError, TypeError):
        return set()
    return {name for name in listed if isinstance(name, str)} if isinstance(listed, list) else set()


@contextmanager
def output_folder(path: Path, *, kept: str | None = None) -> Iterator[Path]:
    """A folder to write into, which becomes `path` when the block ends without an exception.

    A symbolic link at `path` stays, and the folder that it leads to is replaced. What is in the folder `kept` of `path`
    stays there.

    Raises
    ------
    FolderError
        If `path` holds something that ackclock did not write, or cannot be written, as on a full disk.
    """
    check_folder(path, kept=kept)
    path = _real(path)
    made = [parent for parent in path.parents if not parent.exists()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with workplace(path.parent, _prefix(path), _holder(path, kept)) as partial:
            yield partial
            files = sorted(str(file.relative_to(partial)) for file in partial.rglob("*") if file.is_file())
            write_json(partial / MARKER, {"written_by": "ackclock", "files": files})
            partial.chmod(0o777 & ~_umask())
            check_folder(path, kept=kept)
            _replace(path, partial, kept)
    except BaseException as error:
        for parent in made:
            with suppress(OSError):
                parent.rmdir()
        if isinstance(error, OSError):
            raise FolderError(f"{path}: cannot be written: {error.strerror or error}") from error
        raise


def _prefix(path: Path) -> str:
    """The beginning of the names of what becomes `path`. A name may have 255 bytes, of which each character takes 4."""
    return f".{path.name[:50]}.partial-"


def _holder(path: Path, kept: str | None) -> Callable[[Path], bool]:
    """Whether a folder that is to be removed holds a store, after its folder `kept` is back in `path`.

    It does where a process was killed, or stopped, after two folders changed places.
    """

    def holds(left: Path) -> bool:
        if kept is not None and (left / kept).is_dir() and path.is_dir() and not (path / kept).exists():
            with suppress(OSError):
                (left / kept).rename(path / kept)
        return (kept is not None and (left / kept).is_dir()) or any(left.glob(f"*/{STORE}"))

    return holds


def _replace(path: Path, partial: Path, kept: str | None) -> None:
    if not path.exists():
        partial.rename(path)
        return
    if _exchanged(path, partial):
        # The old folder has the other name now, and is removed by that.
        if kept is not None and (partial / kept).exists():
            (partial / kept).rename(path / kept)
        return
    import shutil
    import tempfile

    old = Path(tempfile.mkdtemp(prefix=f".{path.name}.old-", dir=path.parent))
    try:
        if os.name == "nt":
            # Windows renames no folder to the name of another, not even of an empty one.
            old.rmdir()
        path.rename(old)
        if kept is not None and (old / kept).exists():
            (old / kept).rename(partial / kept)
        partial.rename(path)
        shutil.rmtree(old)
    except BaseException:
        # Ctrl-C comes between any two steps: there is either the old folder or the new one.
        if path.exists():
            shutil.rmtree(old, ignore_errors=True)
        else:
            if kept is not None and (partial / kept).exists():
                (partial / kept).rename(old / kept)
            old.rename(path)
        raise


AT_FDCWD, RENAME_NOREPLACE, RENAME_EXCHANGE = -100, 1, 2


def _renamed(one: Path, other: Path, how: int) -> bool:
    """Renames in one step, where the system can do that: renameat2(2) of Linux. False if it did not."""
    if sys.platform != "linux":
        return False
    import ctypes

    try:
        call = ctypes.CDLL(None).renameat2
    except (AttributeError, OSError):
        return False
    return bool(call(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), how) == 0)


def _exchanged(one: Path, other: Path) -> bool:
    """Exchanges the names of two folders in one step, where the system can do that."""
    return _renamed(one, other, RENAME_EXCHANGE)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_text(path: Path, text: str) -> None:
    """Writes a file whole or not at all."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Writes a file whole or not at all."""
    _write(path, content, Path.replace)


def _write(path: Path, content: bytes, name: Callable[[Path, Path], object]) -> None:
    try:
        with draft(path.parent, _prefix(path)) as (descriptor, partial):
            with os.fdopen(descriptor, "wb", closefd=False) as file:
                file.write(content)
            partial.chmod(0o666 & ~_umask())
            name(partial, path)
    except OSError as error:
        # The system names no file where a write fails, and the other name where a rename does.
        error.filename, error.filename2 = str(path), None
        raise


def write_new(path: Path, content: bytes) -> None:
    """Writes a file whole or not at all, if there is none.

    Raises
    ------
    FileExistsError
        If there is a file of that name.
    OSError
        If the file cannot be written.
    """
    _write(path, content, place)


def place(partial: Path, path: Path) -> None:
    """Gives a whole file its name, which no file may have: of two processes at once, one does.

    Raises
    ------
    FileExistsError
        If there is a file of that name.
    OSError
        If the name cannot be given.
    """
    if _renamed(partial, path, RENAME_NOREPLACE):
        return
    # A system or a file system that cannot do it in one step. The moment between the two is short.
    if path.exists():
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    partial.rename(path)


def write_json(path: Path, document: Any) -> None:
    """Writes a JSON document. NaN and infinity are refused: JSON has neither."""
    write_text(path, json.dumps(document, indent=2, allow_nan=False, ensure_ascii=False) + "\n")


def write_csv(path: Path, table: Table) -> None:
    """Writes a table as CSV with a header line; floats keep every digit, empty cells are empty."""
    with path.open("w", encoding="utf-8", newline="") as file:
        print_csv(file, table)


def print_csv(file: TextIO, table: Table) -> None:
    """The same into an open file, such as standard output."""
    import csv

    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(table.column_names)
    writer.writerows(table.cells())
