"""The optional packages of ackclock, and the message for somebody who lacks one.

An extra is a name in brackets: ``pip install 'ackclock[plot]'``. What a first run, a sweep and a report need is always
installed.
"""

from __future__ import annotations

from importlib.util import find_spec

from ackclock._errors import RefusedError

__all__ = ["EXTRAS", "ExtraError", "require"]

EXTRAS = {
    "anywidget": "notebook",
    "cmaes": "worst",
    "distributed": "cluster",
    "gymnasium": "gym",
    "matplotlib": "plot",
    "pettingzoo": "gym",
    "starlette": "serve",
    "uvicorn": "serve",
}
"""The extra that brings each optional package."""


class ExtraError(RefusedError):
    """An optional package is not installed; the message names the extra that brings it."""

    code = "ACK013"


def require(package: str, what: str) -> None:
    """Does nothing if an optional package is installed.

    Parameters
    ----------
    package
        The package, one of `EXTRAS`.
    what
        What needs it, in the plural: the message begins so.

    Raises
    ------
    ExtraError
        If it is not.
    """
    if find_spec(package) is None:
        raise ExtraError(f"{what} need {package}: pip install 'ackclock[{EXTRAS[package]}]'")
