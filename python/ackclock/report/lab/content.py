"""The static files of the laboratory. Any server can serve them, and they ask for nothing else."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from ackclock._errors import RefusedError
from ackclock.base.files import output_folder

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["TYPES", "LabError", "files", "write"]

PLACES = {
    "index.html": "lab",
    "lab.css": "vendor",
    "lab.js": "vendor",
    "worker.js": "vendor",
    "engine.js": "engine",
    "engine_bg.wasm": "engine",
}
"""The files, and the folders below ``ackclock.report`` that they are in."""

TYPES = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "wasm": "application/wasm",
}
"""The media types of the files."""

MADE_BY = {"vendor": "make vendor", "engine": "make wasm"}


class LabError(RefusedError):
    """The laboratory cannot be opened; the message says why."""

    code = "ACK072"


@cache
def files() -> dict[str, bytes]:
    """The content of each file, by its name.

    Raises
    ------
    LabError
        If this installation lacks a file: a checkout has the engine for browsers after ``make wasm``.
    """
    found, missing = {}, []
    for name, folder in PLACES.items():
        file = resources.files("ackclock.report").joinpath(folder, name)
        if file.is_file():
            found[name] = file.read_bytes()
        else:
            missing.append((name, MADE_BY.get(folder, "another installation")))
    if missing:
        names, commands = zip(*missing, strict=True)
        raise LabError(
            f"this installation lacks {', '.join(names)}, which the laboratory needs; in a checkout, "
            f"{' and '.join(f'`{one}`' for one in dict.fromkeys(commands))} builds it"
        )
    return found


def write(folder: Path) -> None:
    """Writes the files into a folder, all of them or none, beside the list of them that every result folder has.

    Raises
    ------
    LabError
        If this installation lacks a file.
    FolderError
        If the folder has files that ackclock did not write, or cannot be written.
    """
    given = files()
    with output_folder(folder) as partial:
        for name, content in given.items():
            (partial / name).write_bytes(content)
