"""Example scenarios: the TOML files beside this one and in the folder `gallery`, and the files that they name."""

from __future__ import annotations

import re
from importlib import resources
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from ackclock import _core
from ackclock._errors import RefusedError
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

    Raises
    ------
    RefusedError
        If no example has this name.
    FolderError
        If one of its files exists.
    """
    sources = _of(name)
    targets = [Path(file.name) for file in sources]
    for target in targets:
        if target.exists():
            raise FolderError(f"{target} exists; it is not overwritten")
    for source, target in zip(sources, targets, strict=True):
        with target.open("xb") as out:
            out.write(source.read_bytes())
    return targets


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
