"""The scripts and style sheets that a report carries inside itself: uPlot (MIT licence) and ours, in bundles."""

from __future__ import annotations

from functools import cache
from importlib import resources

__all__ = ["bundle", "script", "style"]


@cache
def _read(name: str) -> str:
    """A file beside this one."""
    return resources.files("ackclock.report").joinpath(name).read_text(encoding="utf-8")


def bundle(name: str) -> str:
    """A bundle, which the build makes of ``web/``: wheels contain it, and a checkout has it after ``make env``."""
    try:
        return _read(f"vendor/{name}")
    except FileNotFoundError as error:
        raise ModuleNotFoundError(f"reports need {name}, and this checkout lacks it: run `make vendor`") from error


def script() -> str:
    """The JavaScript of a page, under uPlot's licence, which has to stay with every copy."""
    return bundle("report.js")


def style() -> str:
    """The style sheet of a page."""
    return bundle("page.css")
