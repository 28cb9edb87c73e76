"""Example scenarios: the TOML files beside this one and in the folder `gallery`, and the files that they name."""

from __future__ import annotations

import re
from contextlib import suppress
from importlib import resources
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from ackclock import _core
from ackclock._errors import RefusedError
from ackclock.base import files
from ackclock.base.files import FolderError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

__all__ = ["names", "subject", "write"]


def names() -> list[str]:
    """The names of the examples, in alphabetical order."""
    return sorted(Path(file.name).stem for file in _files() if file.name.endswith(".toml"))


def subject(name: str) -> str:
    """The first sentence of an example's comment: the question that it answers, or the network that it describes.

    Raises
    ------
    RefusedError
        If no example has this name.
    ValueError
        If the comment has no sentence.
    """
    lines = _of(name)[0].read_text(encoding="utf-8").splitlines()
    comment = " ".join(line.removeprefix("#").strip() for line in takewhile(lambda line: len(line) > 1, lines))
    sentence = re.match(r"(?:Question: )?(.+?[.?])(?: |$)", comment)
    if sentence is None:
        raise ValueError(f"{name}: the comment at its top has no sentence")
    return sentence[1]


def write(name: str) -> list[Path]:
    """Writes an example and the files that it names to the current folder; the scenario is the first.

    A process that was killed may have written some of the files: the next start writes the others.

    Raises
    ------
    RefusedError
        If no example has this name.
    FolderError
        If all of its files exist, or one of them with another content.
    OSError
        If a file cannot be written; none is there then.
    """
    contents = {Path(file.name): file.read_bytes() for file in _of(name)}
    there = [path for path in contents if path.exists()]
    for path in there:
        if len(there) == len(contents) or not path.is_file() or path.read_bytes() != contents[path]:
            raise FolderError(f"{path} exists; it is not overwritten")
    written = []
    try:
        for path in contents:
            if path not in there:
                files.write_new(path, contents[path])
                written.append(path)
    except BaseException:
        for path in written:
            with suppress(OSError):
                path.unlink()
        raise
    return list(contents)


def _files() -> list[Traversable]:
    folder = resources.files(__name__)
    return [
        file for place in (folder, folder / "gallery", folder / "flent") for file in place.iterdir() if file.is_file()
    ]


def _of(name: str) -> list[Traversable]:
    """The files of an example, the scenario first."""
    if name not in (accepted := names()):
        raise RefusedError(f"unknown example {name}; accepted: {', '.join(accepted)}{_core.suggestion(name, accepted)}")
    found = [file for file in _files() if Path(file.name).stem == name]
    return sorted(found, key=lambda file: (not file.name.endswith(".toml"), file.name))
