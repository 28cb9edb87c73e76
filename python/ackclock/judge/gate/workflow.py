"""A workflow of GitHub that runs the gate."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from ackclock import _core
from ackclock.base.files import FolderError

__all__ = ["PLACE", "write"]

PLACE = Path(".github", "workflows", "ackclock-gate.yml")
"""The place of the workflow in a repository."""


def write() -> Path:
    """Writes the workflow, with this version of ackclock, below the current folder.

    Raises
    ------
    FolderError
        If the file exists.
    """
    text = resources.files("ackclock.judge.gate").joinpath("workflow.yml").read_text(encoding="utf-8")
    PLACE.parent.mkdir(parents=True, exist_ok=True)
    try:
        with PLACE.open("x", encoding="utf-8") as out:
            out.write(text.replace("VERSION", _core.version()))
    except FileExistsError:
        raise FolderError(f"{PLACE} exists; it is not overwritten") from None
    return PLACE
