"""The scripts and style sheets that a report carries inside itself: uPlot (MIT licence) and ours."""

from __future__ import annotations

from functools import cache
from importlib import resources

__all__ = ["drawing", "script", "style"]


@cache
def _read(name: str) -> str:
    """A file beside this one."""
    return resources.files("ackclock.report").joinpath(name).read_text(encoding="utf-8")


def _uplot(name: str) -> str:
    """A file of uPlot, which the build copies from npm: wheels contain it, and a checkout has it after ``make env``."""
    try:
        return _read(f"vendor/{name}")
    except FileNotFoundError as error:
        raise ModuleNotFoundError(f"reports need {name}, and this checkout lacks it: run `make vendor`") from error


def script() -> str:
    """The JavaScript of a page."""
    return drawing() + _read("page.js")


def drawing() -> str:
    """The part of the JavaScript that draws plots, under uPlot's licence, which has to stay with every copy."""
    return f"/*!\n{_uplot('uPlot.LICENSE')}*/\n{_uplot('uPlot.iife.min.js')}\n{_read('plots.js')}"


def style() -> str:
    """The style sheet of a page."""
    return _uplot("uPlot.min.css") + "\n" + _read("page.css")
