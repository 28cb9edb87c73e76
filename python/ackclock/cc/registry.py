"""The algorithms of the user that scenarios may name: classes in Python, and congestion controls of libraries."""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ackclock import _core
from ackclock.base.near import near_path
from ackclock.base.shown import one_line
from ackclock.cc import CongestionControl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ackclock.cc import Scope, libraries

__all__ = [
    "LoadError",
    "adopt",
    "adopted",
    "algorithms",
    "check_file",
    "files",
    "load",
    "named_in",
    "receive",
    "register",
    "registered",
    "rows",
    "schemas",
    "sent",
    "sources",
    "text_of",
]


class LoadError(ValueError):
    """A file that does not register algorithms; an exception in it is the cause."""

    code = "ACK021"


class Entry(NamedTuple):
    """A registered algorithm."""

    kind: str
    """Its kind in the catalogue: ``cc`` or ``abr``."""
    algorithm: _core.Algorithm
    home: tuple[str, str]
    """Its file, or its module where there is none, and its name there."""
    row: dict[str, Any]
    """Row of the algorithm, as in `ackclock.catalogue`."""
    cls: type | None = None
    """The class; None for one of a library."""
    library: libraries.Library | None = None
    """The library that it is in; None for a class in Python."""


class Home(NamedTuple):
    """Place of a class (a file, a module, the bytes of cloudpickle) or of a library (its bytes) for another process."""

    file: str | None = None
    module: str | None = None
    pickled: bytes | None = None
    library: tuple[str, bytes] | None = None
    """The name and the bytes of a library as it was loaded, since its file may be another by now."""
    kind: str = ""
    name: str = ""
    """The kind, the name, the file or module, and the digest of a class in bytes, which has no file elsewhere."""
    place: tuple[str, str] = ("", "")
    digest: str = ""


Sent: TypeAlias = "tuple[list[Home], dict[str, str]]"
"""The homes of classes, and the name of each with its source."""

LOADED = "_ackclock_loaded_"
"""Beginning of the names of modules that `load` executes."""

_entries: dict[str, Entry] = {}
_adopting = threading.Lock()


def algorithms() -> list[_core.Algorithm]:
    """The registered algorithms for the engine, in the order of registration."""
    return [entry.algorithm for entry in _entries.values()]


def rows(kind: str | None = None) -> list[dict[str, Any]]:
    """The registered algorithms, of one kind or all, in the form of `ackclock.catalogue`."""
    return [entry.row for entry in _entries.values() if kind in (None, entry.kind)]


def schemas(kind: str) -> list[dict[str, Any]]:
    """One JSON Schema for each algorithm of a kind: of its name, and of a table with its parameters."""
    found = []
    for row in rows(kind):
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
    """Name and text of the file of each registered algorithm, by the source in the algorithm's row.

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


def registered(names: Iterable[str]) -> list[str]:
    """Returns the names that belong to registered algorithms."""
    return [name for name in dict.fromkeys(names) if name in _entries]


def in_python(names: Iterable[str]) -> list[str]:
    """Returns the names that belong to registered classes in Python. Runs with these classes need the interpreter."""
    return [name for name in registered(names) if _entries[name].library is None]


def named_in(canonical: dict[str, Any]) -> tuple[str, ...]:
    """The congestion controls that a canonical scenario names, and its rate adaptations that are registered."""
    found = [_name(flow["cc"]) for flow in canonical["flows"] if "cc" in flow]
    rules = (flow["app"].get("abr") for flow in canonical["flows"])
    # A registered algorithm is always a table with its source.
    found += [_name(rule) for rule in rules if isinstance(rule, dict) and "source" in rule]
    return tuple(dict.fromkeys(found))


def _name(given: dict[str, Any] | str) -> str:
    return str(given["kind"]) if isinstance(given, dict) else given


def sent(names: Iterable[str]) -> Sent:
    """Registered algorithms for another process of this machine, which `receive` loads there.

    Raises
    ------
    LoadError
        If a class is in a script or a notebook, and there is no cloudpickle that could send it.
    """
    chosen = {name: _entries[name] for name in names}
    homes = list(dict.fromkeys(_home(name, entry) for name, entry in chosen.items()))
    return homes, {name: entry.row["source"] for name, entry in chosen.items()}


def _home(name: str, entry: Entry) -> Home:
    if entry.cls is None:
        assert entry.library is not None, name  # noqa: S101 -- an entry has one of the two
        return Home(library=(Path(entry.home[0]).name, entry.library.data))
    module = entry.cls.__module__
    if module.startswith(LOADED):
        return Home(file=entry.home[0])
    if module != "__main__":
        return Home(module=module)
    try:
        import cloudpickle
    except ImportError:
        raise LoadError(
            f"{name}: its class is in a script or a notebook, from which no other process can load it; "
            "put it into a file and load that, or pip install cloudpickle"
        ) from None
    try:
        pickled = cloudpickle.dumps(entry.cls)
    except Exception as error:
        raise LoadError(f"{name}: cloudpickle cannot send its class: {type(error).__name__}: {error}") from error
    from ackclock.cc import classes

    digest = classes.digest_of(entry.cls, classes.base_of(entry.cls, entry.kind))
    return Home(pickled=pickled, kind=entry.kind, name=name, place=entry.home, digest=digest)


def receive(given: Sent) -> None:
    """Registers what `sent` gave in another process of this machine.

    Raises
    ------
    LoadError
        If a class cannot be loaded or is not the one that was sent, as when its file has changed since.
    """
    homes, sources = given
    for home in homes:
        if home.file is not None:
            load(home.file)
        elif home.module is not None:
            importlib.import_module(home.module)
        elif home.library is not None:
            _load_copy(*home.library)
        elif home.pickled is not None:
            import pickle

            cls = pickle.loads(home.pickled)  # noqa: S301 -- from the parent
            _enter(home.kind, home.name, cls, home.place, home.digest)
    for name, source in sources.items():
        found = _entries[name].row["source"] if name in _entries else None
        if found != source:
            told = "does not register it again" if found is None else "has changed since it was loaded"
            raise LoadError(f"{name}: its file, loaded in another process, {told}")


def text_of(name: str) -> tuple[str, str] | None:
    """The name and the text of the file of a registered algorithm; None if its class is in no file.

    The text of a library is that of `libraries.encoded`.
    """
    entry = _entries[name]
    file = Path(entry.home[0])
    if entry.library is not None:
        from ackclock.cc import libraries

        return file.name, libraries.encoded(entry.library.data)
    return (file.name, file.read_text(encoding="utf-8")) if file.is_file() else None


def adopt(sources: dict[str, tuple[str, str]]) -> None:
    """Registers what another machine sent, as `sources` gave it there; what was of the same name gives way."""
    with _adopting:
        known = {row["source"] for row in rows()}
        wanted = dict.fromkeys(file for source, file in sources.items() if source not in known)
        for name, _ in wanted:
            check_file(name)
        for name, text in wanted:
            from ackclock.cc import libraries

            before = dict(_entries)
            _entries.clear()
            try:
                is_library = Path(name).suffix in libraries.SUFFIXES
                _load_copy(name, _decoded(name, text) if is_library else text.encode())
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


def check_file(name: str) -> None:
    """Refuses the name of a file from elsewhere that is more than a name, and might be written anywhere.

    Raises
    ------
    LoadError
        If it is no name of a Python file or a library.
    """
    from ackclock.cc import libraries

    plain = re.fullmatch(r"\w[\w. -]*", name) is not None and len(name) <= LONGEST
    if not plain or Path(name).suffix not in (".py", *libraries.SUFFIXES):
        raise LoadError(f"{one_line(name)!r} is no name of a file; accepted: NAME.py, or a library, without a folder")


LONGEST = 200
"""Characters of the name of a file from elsewhere."""


def _load_copy(name: str, data: bytes) -> None:
    """Loads a file from its bytes."""
    from ackclock.base.workplace import temporary

    with temporary("control") as folder:
        file = folder / name
        file.write_bytes(data)
        load(file)


def _decoded(name: str, text: str) -> bytes:
    from ackclock.cc import libraries

    try:
        return libraries.decoded(text)
    except libraries.LibraryError as error:
        raise LoadError(f"{name}: {error}") from None


def _check_name(kind: str, name: str, home: tuple[str, str]) -> None:
    """Refuses a name that is not valid, or is that of another algorithm."""
    if not re.fullmatch(r"[a-z][a-z0-9._-]*", name):
        raise ValueError(f"{name!r} is no name; accepted: lower-case letters, digits and hyphens, a letter first")
    if any(entry["name"] == name for entry in json.loads(_core.catalogue())[kind]):
        raise ValueError(f"{name} is the catalogue's; give it a name of its own")
    if name in _entries and _entries[name].home != home:
        raise ValueError(f"{name} is already the name of {' '.join(reversed(_entries[name].home))}")


def register(name: str, cls: type, kind: str = "cc") -> None:
    """Registers a class; see `ackclock.congestion_control` and `ackclock.rate_adaptation`."""
    from ackclock.cc import classes

    home = (classes.file_of(cls) or cls.__module__, cls.__qualname__)
    _check_name(kind, name, home)
    _enter(kind, name, cls, home, None)


def _enter(kind: str, name: str, cls: type, home: tuple[str, str], digest: str | None) -> None:
    """Registers a class from its file or module; the digest of its source is computed where it is not known."""
    from ackclock.cc import classes

    base = classes.base_of(cls, kind)
    overridden = classes.overridden(cls, base)
    parameters = classes.parameters_of(cls)
    digest = classes.digest_of(cls, base) if digest is None else digest
    make = classes.maker(cls, {key: one.default for key, one in parameters.items()})
    ranges = [(key, one.least, one.most) for key, one in parameters.items()]
    document = (cls.__doc__ or "").strip() or f"{cls.__qualname__}, without a docstring"
    row: dict[str, Any] = {
        "name": name,
        "summary": document.splitlines()[0],
        "source": f"{Path(home[0]).name}, class {home[1]}, source {digest}",
        "parameters": [
            {"name": key, "summary": one.summary, "default": one.default, "least": one.least, "most": one.most}
            for key, one in parameters.items()
        ],
    }
    if kind == "abr":
        algorithm = _core.Algorithm.rule(name, digest, make, parameters=ranges, overridden=overridden)
    else:
        scope = _scope(cls) if base is CongestionControl else None
        algorithm = _core.Algorithm(name, digest, make, parameters=ranges, overridden=overridden, scope=scope)
        row["paces"] = scope is not None and scope[2]
    _entries[name] = Entry(kind, algorithm, home, row, cls)


def _scope(cls: type) -> tuple[bool, bool, bool, bool, bool]:
    given: Scope = cls.scope  # type: ignore[attr-defined]
    return (
        bool(given.slow_start),
        bool(given.window),
        bool(given.paces),
        bool(given.gap),
        bool(given.proportional),
    )


def load(path: Path | str) -> None:
    """Registers the algorithms of a Python file, or the congestion controls of a library or a crate in Rust.

    A Python file is executed, and its folder can be imported from meanwhile. A library is a file that ends in ``.so``,
    ``.dylib`` or ``.dll``; its code runs in this process. A crate is a folder with ``Cargo.toml``, whose release build
    is loaded. ``ackclock new cc NAME`` and ``ackclock new abr NAME`` write such a file, and ``ackclock new cc NAME
    --rust`` writes such a crate.

    Raises
    ------
    LoadError
        If there is no such file, an exception leaves it, it registers nothing, or it is no library for this build.
    """
    from ackclock.cc import libraries

    path = Path(path)
    if path.suffix in libraries.SUFFIXES or path.is_dir():
        _load_library(path)
    else:
        _load_python(path)


def _load_library(path: Path) -> None:
    from ackclock.cc import classes, libraries

    shown = one_line(str(path))
    try:
        file = libraries.built(path) if path.is_dir() else path
        library = libraries.opened(file)
    except libraries.LibraryError as error:
        raise LoadError(f"{shown}: {error}") from None
    found = {}
    for control in library.controls:
        home = (str(file.resolve()), control.name)
        names = [name for name, *_ in control.parameters]
        try:
            _check_name("cc", control.name, home)
            classes.check_parameters(names)
        except ValueError as error:
            raise LoadError(f"{shown}: {error}") from None
        if control.name in found or len(set(names)) < len(names):
            raise LoadError(f"{shown}: {control.name}: a name is given twice; accepted: a name of its own for each")
        keys = ("name", "summary", "default", "least", "most")
        row = {
            "name": control.name,
            "summary": control.summary,
            "source": f"{file.name}, source {library.digest}",
            "parameters": [dict(zip(keys, one, strict=True)) for one in control.parameters],
            "paces": control.paces,
        }
        found[control.name] = Entry("cc", control.algorithm, home, row, library=library)
    _entries.update(found)


def _load_python(path: Path) -> None:
    import importlib.util

    shown = one_line(str(path))
    name = f"{LOADED}{path.stem}"
    # `Path.resolve` raises a RuntimeError for a loop of symbolic links.
    place = Path(os.path.realpath(path))
    spec = importlib.util.spec_from_file_location(name, place)
    if spec is None or spec.loader is None:
        raise LoadError(f"{shown}: not a Python file; accepted: a file NAME.py, a library or a crate")
    if path.exists() and not path.is_file():
        raise LoadError(f"{shown}: not a file; accepted: a file NAME.py, a library or a crate")
    module = importlib.util.module_from_spec(spec)
    before = dict(_entries)
    sys.modules[name] = module
    sys.path.insert(0, str(place.parent))
    try:
        spec.loader.exec_module(module)
    except OSError as error:
        near = near_path(path, "*.py") if isinstance(error, FileNotFoundError) else ""
        raise LoadError(f"{shown}: {error.strerror or error}{near}") from (None if error.filename else error)
    except Exception as error:
        raise LoadError(f"{shown}: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(place.parent))
    if _entries == before:
        accepted = 'a class after @ackclock.congestion_control("NAME") or @ackclock.rate_adaptation("NAME")'
        raise LoadError(f"{shown}: registers nothing; accepted: {accepted}")
