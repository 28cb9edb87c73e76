"""Results on disk: whole or not at all.

A result folder is written under another name beside its place and renamed when it is complete, so that Ctrl-C, an
error or a full disk never leaves half of one. A folder that ackclock wrote carries a list of its files; one that holds
anything else is never replaced.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.base.table import Table

__all__ = [
    "MARKER",
    "STORE",
    "FolderError",
    "check_folder",
    "output_folder",
    "print_csv",
    "write_bytes",
    "write_csv",
    "write_json",
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
        listed = json.loads((path / MARKER).read_text(encoding="utf-8"))["files"]
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
        partial = Path(tempfile.mkdtemp(prefix=f".{path.name}.partial-", dir=path.parent))
    except OSError as error:
        raise FolderError(f"{path}: cannot be written: {error.strerror}") from None
    try:
        yield partial
        files = sorted(str(file.relative_to(partial)) for file in partial.rglob("*") if file.is_file())
        write_json(partial / MARKER, {"written_by": "ackclock", "files": files})
        partial.chmod(0o777 & ~_umask())
        check_folder(path, kept=kept)
        _replace(path, partial, kept)
    except BaseException as error:
        shutil.rmtree(partial, ignore_errors=True)
        for parent in made:
            with suppress(OSError):
                parent.rmdir()
        if isinstance(error, OSError):
            raise FolderError(f"{path}: cannot be written: {error.strerror or error}") from error
        raise


def _replace(path: Path, partial: Path, kept: str | None) -> None:
    if not path.exists():
        partial.rename(path)
        return
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


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_text(path: Path, text: str) -> None:
    """Writes a file whole or not at all."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Writes a file whole or not at all."""
    handle, partial = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(partial).chmod(0o666 & ~_umask())
        Path(partial).replace(path)
    except BaseException as error:
        with suppress(OSError):
            Path(partial).unlink(missing_ok=True)
        if isinstance(error, OSError):
            # The system names no file where a write fails, and the other name where a rename does.
            error.filename, error.filename2 = str(path), None
        raise


def write_json(path: Path, document: Any) -> None:
    """Writes a JSON document. NaN and infinity are refused: JSON has neither."""
    write_text(path, json.dumps(document, indent=2, allow_nan=False, ensure_ascii=False) + "\n")


def write_csv(path: Path, table: Table) -> None:
    """Writes a table as CSV with a header line; floats keep every digit, empty cells are empty."""
    with path.open("w", encoding="utf-8", newline="") as file:
        print_csv(file, table)


def print_csv(file: TextIO, table: Table) -> None:
    """The same into an open file, such as standard output."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(table.column_names)
    writer.writerows(table.cells())
