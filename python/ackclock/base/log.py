"""Loggers of the package. The library prints nothing: who wants its messages gives ``ackclock`` a handler.

`logging` is imported with the first logger, which a short run does without.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import logging
    from collections.abc import Callable

__all__ = ["listeners", "logger"]

listeners: list[Callable[[str], object]] = []
"""Functions that are called with each warning of the package, besides the handlers of its loggers."""


def logger(name: str) -> logging.Logger:
    """Returns the logger of a module of the package, from the module's ``__name__``."""
    import logging

    _prepare()
    return logging.getLogger(name)


@cache
def _prepare() -> None:
    """Gives the logger of the package a handler that calls the listeners."""
    import logging

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            for listener in listeners:
                listener(record.getMessage())

    # Without a handler, Python itself would print warnings on standard error.
    logging.getLogger("ackclock").addHandler(Handler(logging.WARNING))
