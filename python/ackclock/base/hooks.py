"""Hooks: what a room uses of a room above it, such as the figures of a run or the table that a notebook shows.

A room imports rooms below it alone. It declares what it needs from above as a `Hook` with a name. The ``__init__`` of
the package, which is above all rooms, says with `fill` which function has that name. The function's module is imported
when the hook is called, so that an unused hook costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Hook", "fill", "filled"]

P = ParamSpec("P")
R = TypeVar("R", covariant=True)

_homes: dict[str, str] = {}


def fill(homes: Mapping[str, str]) -> None:
    """Says where the functions of hooks are: the hook's name to ``module:function``."""
    _homes.update(homes)


def filled() -> dict[str, str]:
    """Every name that `fill` was told, with the place of its function."""
    return dict(_homes)


class Hook(Generic[P, R]):
    """A function of a higher room, by the name that a lower room uses for it.

    A call raises KeyError if no function was given for the name.
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Imports the module of the function, and calls the function."""
        module, _, function = _homes[self.name].partition(":")
        called: Any = getattr(import_module(module), function)
        made: R = called(*args, **kwargs)
        return made
