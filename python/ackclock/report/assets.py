"""What a report carries inside itself: uPlot (MIT licence), our script and our style sheet."""

from __future__ import annotations

import importlib.util
from functools import cache
from importlib import resources
from pathlib import Path

__all__ = ["drawing", "script", "style"]


@cache
def _uplot(name: str) -> str:
    """A file of uPlot, from the package that brings it; that package is not imported, as it wants a notebook."""
    spec = importlib.util.find_spec("uplot")
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    for folder in folders:
        path = Path(folder) / "static" / name
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise ModuleNotFoundError(f"a report needs {name} of the package uplot-python", name="uplot")


def _own(name: str) -> str:
    return resources.files("ackclock.report").joinpath(name).read_text(encoding="utf-8")


def script() -> str:
    """The JavaScript of a page."""
    return drawing() + _own("page.js")


def drawing() -> str:
    """The part of it that draws plots."""
    return _uplot("uPlot.iife.js") + "\n" + _own("plots.js")


def style() -> str:
    """The style sheet of a page."""
    return _uplot("uPlot.min.css") + "\n" + _own("page.css")
