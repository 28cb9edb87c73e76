"""Loggers of the package. The library prints nothing: who wants its messages gives ``ackclock`` a handler."""

from __future__ import annotations

import logging

__all__ = ["PACKAGE", "logger"]

PACKAGE = logging.getLogger("ackclock")
"""The parent of all loggers of the package."""

# Without a handler, Python itself would print warnings on standard error.
PACKAGE.addHandler(logging.NullHandler())


def logger(name: str) -> logging.Logger:
    """Returns the logger of a module of the package, from the module's ``__name__``."""
    return logging.getLogger(name)
