"""The congestion controls in Python that scenarios may name, and the files that they come from."""

from __future__ import annotations

import difflib
import functools
import hashlib
import importlib.util
import inspect
import json
import re
import sys
import tempfile
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock import _core
from ackclock.cc import CongestionControl, Parameter, Scope, WindowRules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = [
    "LoadError",
    "adopt",
    "adopted",
    "algorithms",
    "files",
    "load",
    "register",
    "rows",
    "schemas",
    "sources",
    "text_of",
]

NEEDED = ("on_ack", "on_congestion", "on_timeout")
RESERVED = ("kind", "source")
"""Keys of a congestion control's table in a scenario that are no parameters."""


class LoadError(ValueError):
    """A file that does not register congestion controls; an exception in it is the cause."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A registered class."""

    algorithm: _core.Algorithm
    home: tuple[str, str]
    """Its file, or its module where there is none, and its name there."""
    row: dict[str, Any]
    """As in `ackclock.catalogue`."""


_entries: dict[str, Entry] = {}
_adopting = threading.Lock()


def algorithms() -> list[_core.Algorithm]:
    """The registered congestion controls for the engine, in the order of registration."""
    return [entry.algorithm for entry in _entries.values()]


def rows() -> list[dict[str, Any]]:
    """The registered congestion controls, in the form of `ackclock.catalogue`."""
    return [entry.row for entry in _entries.values()]


def schemas() -> list[dict[str, Any]]:
    """One JSON Schema for each: of its name, and of a table with its parameters."""
    found = []
    for row in rows():
        name = {"const": row["name"], "description": row["summary"]}
        parameters = {
            one["name"]: {
                "type": "number",
                "minimum": one["least"],
                "maximum": one["most"],
                "default": one["default"],
                "description": one["summary"],
            }
            for one in row["parameters"]
        }
        source = {"type": "string", "description": "Digest of the source; another source is refused."}
        table = {
            "type": "object",
            "description": row["summary"],
            "properties": {"kind": name, "source": source, **parameters},
            "required": ["kind"],
            "additionalProperties": False,
        }
        found += [name, table]
    return found


def files(names: Iterable[str]) -> list[str]:
    """The files, each once, that are to be loaded for those of `names` that are registered."""
    entries = (_entries[name] for name in names if name in _entries)
    return list(dict.fromkeys(entry.home[0] for entry in entries if Path(entry.home[0]).is_file()))


def sources() -> dict[str, tuple[str, str]]:
    """For each registered congestion control: the source of its row, and the name and text of its file.

    Raises
    ------
    LoadError
        If something is in no file, and so cannot be sent to another machine.
    """
    found = {}
    for name, entry in _entries.items():
        text = text_of(name)
        if text is None:
            raise LoadError(f"{name}: its class is in no file, so no other machine can load it; put it into one")
        found[entry.row["source"]] = text
    return found


def text_of(name: str) -> tuple[str, str] | None:
    """The name and the text of the file of a registered congestion control; None if its class is in no file."""
    file = Path(_entries[name].home[0])
    return (file.name, file.read_text(encoding="utf-8")) if file.is_file() else None


def adopt(sources: dict[str, tuple[str, str]]) -> None:
    """Registers what another machine sent, as `sources` gave it there; what was of the same name gives way."""
    with _adopting:
        known = {row["source"] for row in rows()}
        wanted = dict.fromkeys(file for source, file in sources.items() if source not in known)
        for name, text in wanted:
            before = dict(_entries)
            _entries.clear()
            try:
                with tempfile.TemporaryDirectory(prefix="ackclock-") as folder:
                    file = Path(folder) / name
                    file.write_text(text, encoding="utf-8")
                    load(file)
            finally:
                loaded = dict(_entries)
                _entries.clear()
                _entries.update(before | loaded)


@contextmanager
def adopted(sources: dict[str, tuple[str, str]]) -> Iterator[None]:
    """Has what `sources` gave registered for as long as the context lasts."""
    before = dict(_entries)
    try:
        adopt(sources)
        yield
    finally:
        _entries.clear()
        _entries.update(before)


def register(name: str, cls: type) -> None:
    """Registers a class; see `ackclock.congestion_control`."""
    if not re.fullmatch(r"[a-z][a-z0-9._-]*", name):
        raise ValueError(f"{name!r} is no name; accepted: lower-case letters, digits and hyphens, a letter first")
    if any(entry["name"] == name for entry in json.loads(_core.catalogue())["cc"]):
        raise ValueError(f"{name} is the catalogue's; give it a name of its own")
    home = (_file(cls) or cls.__module__, cls.__qualname__)
    if name in _entries and _entries[name].home != home:
        raise ValueError(f"{name} is already the name of {' '.join(reversed(_entries[name].home))}")
    base = _base(cls)
    overridden = _overridden(cls, base)
    parameters = _parameters(cls)
    digest = _digest(cls, base)
    scope = None
    if base is CongestionControl:
        given: Scope = cls.scope  # type: ignore[attr-defined]
        tasks = (given.slow_start, given.window, given.paces, given.gap, given.proportional)
        scope = (bool(tasks[0]), bool(tasks[1]), bool(tasks[2]), bool(tasks[3]), bool(tasks[4]))
    algorithm = _core.Algorithm(
        name,
        digest,
        _maker(cls, {key: one.default for key, one in parameters.items()}),
        parameters=[(key, one.least, one.most) for key, one in parameters.items()],
        overridden=overridden,
        scope=scope,
    )
    document = (cls.__doc__ or "").strip() or f"{cls.__qualname__}, without a docstring"
    row = {
        "name": name,
        "summary": document.splitlines()[0],
        "source": f"{Path(home[0]).name}, class {home[1]}, source {digest}",
        "parameters": [
            {"name": key, "summary": one.summary, "default": one.default, "least": one.least, "most": one.most}
            for key, one in parameters.items()
        ],
        "paces": base is CongestionControl and bool(cls.scope.paces),  # type: ignore[attr-defined]
    }
    _entries[name] = Entry(algorithm, home, row)


def _base(cls: object) -> type:
    bases = [base for base in (WindowRules, CongestionControl) if isinstance(cls, type) and issubclass(cls, base)]
    if len(bases) != 1:
        raise TypeError(f"{cls!r} has to be a class of ackclock.WindowRules or of ackclock.CongestionControl")
    return bases[0]


def _methods(base: type) -> list[str]:
    return [name for name, value in vars(base).items() if inspect.isfunction(value)]


def _overridden(cls: type, base: type) -> set[str]:
    """The callbacks that the class has of its own."""
    callbacks = _methods(base)
    own = {name for name in callbacks if getattr(cls, name) is not getattr(base, name)}
    missing = [name for name in NEEDED if base is CongestionControl and name not in own]
    if missing:
        raise TypeError(f"{cls.__qualname__} lacks {', '.join(missing)}")
    for name in (name for name in dir(cls) if not name.startswith("_")):
        meant = difflib.get_close_matches(name, callbacks, 1, 0.8)
        if meant and name not in callbacks and callable(getattr(cls, name)):
            raise TypeError(
                f"{cls.__qualname__}.{name} is no callback; did you mean {meant[0]}? There are {', '.join(callbacks)}"
            )
    return own


def _parameters(cls: type) -> dict[str, Parameter]:
    found: dict[str, Parameter] = {}
    for one in reversed(cls.__mro__):
        # What a class says otherwise of a parameter of its base is no parameter.
        found = {name: value for name, value in found.items() if name not in vars(one)}
        found |= {name: value for name, value in vars(one).items() if isinstance(value, Parameter)}
    for name in found:
        if name in RESERVED:
            raise ValueError(f"a parameter cannot be called {name}; scenarios have that key already")
    return found


def _maker(cls: type, defaults: dict[str, float]) -> Any:
    """Makes objects of the class from pairs of parameters and values."""

    @functools.cache
    def configured(given: tuple[tuple[str, float], ...]) -> type:
        # A subclass, so that its attributes are there before __init__, as those of the class are.
        names = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
        return type(cls)(cls.__name__, (cls,), names | defaults | dict(given))

    return lambda given: configured(tuple(given))()


def _file(cls: type) -> str | None:
    return getattr(sys.modules.get(cls.__module__), "__file__", None)


def _digest(cls: type, base: type) -> str:
    """16 hexadecimal digits of the SHA-256 of the files that the class and its bases are in, or of what they say."""
    digest = hashlib.sha256(cls.__qualname__.encode())
    for one in cls.__mro__[: cls.__mro__.index(base)]:
        file = _file(one)
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


def load(path: Path | str) -> None:
    """Runs a Python file that registers congestion controls. Its folder can be imported from meanwhile.

    Raises
    ------
    LoadError
        If there is no such file, an exception leaves it, or it registers nothing.
    """
    path = Path(path)
    name = f"_ackclock_loaded_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    if spec is None or spec.loader is None:
        raise LoadError(f"{path}: not a Python file; accepted: a file NAME.py")
    module = importlib.util.module_from_spec(spec)
    before = dict(_entries)
    sys.modules[name] = module
    sys.path.insert(0, str(path.resolve().parent))
    try:
        spec.loader.exec_module(module)
    except OSError as error:
        raise LoadError(f"{path}: {error.strerror or error}") from (None if error.filename else error)
    except Exception as error:
        raise LoadError(f"{path}: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(path.resolve().parent))
    if _entries == before:
        raise LoadError(f'{path}: registers nothing; accepted: a class after @ackclock.congestion_control("NAME")')
