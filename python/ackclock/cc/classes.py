"""Classes of users: their level, callbacks, parameters and sources."""

from __future__ import annotations

import difflib
import functools
import hashlib
import inspect
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock.cc import CongestionControl, Parameter, WindowRules
from ackclock.cc.abr import RateAdaptation

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["RESERVED", "base_of", "check_parameters", "digest_of", "file_of", "maker", "overridden", "parameters_of"]

LEVELS: dict[str, dict[type, tuple[str, ...]]] = {
    "cc": {WindowRules: (), CongestionControl: ("on_ack", "on_congestion", "on_timeout")},
    "abr": {RateAdaptation: ("choose",)},
}
"""Classes that a user's class extends, for each kind of the catalogue, and the callbacks that each class requires."""

RESERVED = ("kind", "source")
"""Keys of an algorithm's table in a scenario that are no parameters."""


def base_of(cls: object, kind: str) -> type:
    """The one class of a kind's levels that a class extends.

    Raises
    ------
    TypeError
        If it extends none of them, or two.
    """
    bases = [base for base in LEVELS[kind] if isinstance(cls, type) and issubclass(cls, base)]
    if len(bases) != 1:
        accepted = " or of ".join(f"ackclock.{base.__name__}" for base in LEVELS[kind])
        raise TypeError(f"{cls!r} has to be a class of {accepted}")
    return bases[0]


def _methods(base: type) -> list[str]:
    return [name for name, value in vars(base).items() if inspect.isfunction(value)]


def overridden(cls: type, base: type) -> set[str]:
    """The callbacks that the class has of its own.

    Raises
    ------
    TypeError
        If the class lacks one, or has a method whose name resembles that of a callback.
    """
    callbacks = _methods(base)
    own = {name for name in callbacks if getattr(cls, name) is not getattr(base, name)}
    needed = next(levels[base] for levels in LEVELS.values() if base in levels)
    missing = [name for name in needed if name not in own]
    if missing:
        raise TypeError(f"{cls.__qualname__} lacks {', '.join(missing)}")
    for name in (name for name in dir(cls) if not name.startswith("_")):
        meant = difflib.get_close_matches(name, callbacks, 1, 0.8)
        if meant and name not in callbacks and callable(getattr(cls, name)):
            raise TypeError(
                f"{cls.__qualname__}.{name} is no callback; did you mean {meant[0]}? There are {', '.join(callbacks)}"
            )
    return own


def check_parameters(names: Iterable[str]) -> None:
    """Refuses names of parameters that are other keys of a scenario.

    Raises
    ------
    ValueError
        If one is.
    """
    for name in names:
        if name in RESERVED:
            raise ValueError(f"a parameter cannot be called {name}; scenarios have that key already")


def parameters_of(cls: type) -> dict[str, Parameter]:
    """The parameters of a class and its bases, by name.

    Raises
    ------
    ValueError
        If one has a name that scenarios use otherwise.
    """
    found: dict[str, Parameter] = {}
    for one in reversed(cls.__mro__):
        # What a class says otherwise of a parameter of its base is no parameter.
        found = {name: value for name, value in found.items() if name not in vars(one)}
        found |= {name: value for name, value in vars(one).items() if isinstance(value, Parameter)}
    check_parameters(found)
    return found


def maker(cls: type, defaults: dict[str, float]) -> Any:
    """Makes objects of the class from pairs of parameters and values."""

    @functools.cache
    def configured(given: tuple[tuple[str, float], ...]) -> type:
        # A subclass, so that its attributes are there before __init__, as those of the class are.
        names = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
        return type(cls)(cls.__name__, (cls,), names | defaults | dict(given))

    return lambda given: configured(tuple(given))()


def file_of(cls: type) -> str | None:
    """The file that a class is in; None if it is in none."""
    return getattr(sys.modules.get(cls.__module__), "__file__", None)


def digest_of(cls: type, base: type) -> str:
    """16 hexadecimal digits of the SHA-256 of the files that the class and its bases are in, or of what they say.

    Raises
    ------
    ValueError
        If the class is in no file and its source cannot be found.
    """
    digest = hashlib.sha256(cls.__qualname__.encode())
    for one in cls.__mro__[: cls.__mro__.index(base)]:
        file = file_of(one)
        digest.update(Path(file).read_bytes() if file is not None else _text(one).encode())
    return digest.hexdigest()[:16]


def _text(cls: type) -> str:
    """The source of a class that is in no file: of its methods, whatever wraps them, and its other attributes."""
    functions, others = [], []
    for name, value in vars(cls).items():
        # Of static and class methods, properties, and what functools makes of methods.
        wrapped = next((getattr(value, at) for at in ("__func__", "fget", "func") if hasattr(value, at)), value)
        if inspect.isfunction(wrapped):
            functions.append(wrapped)
        elif not (name.startswith("__") and name.endswith("__")):
            others.append((name, repr(value)))
    try:
        methods = [inspect.getsource(function) for function in functions]
    except OSError:
        raise ValueError(
            f"the source of {cls.__qualname__} cannot be found, so that its results could not be told from another's; "
            f"put it into a file"
        ) from None
    return "\n".join([*methods, repr(sorted(others))])
