"""Libraries of users: where a crate has its library, and how one comes into this process."""

from __future__ import annotations

import base64
import binascii
import functools
import hashlib
import os
import sys
import tempfile
import tomllib
import zlib
from pathlib import Path
from typing import NamedTuple

from ackclock import _core
from ackclock.base import reading
from ackclock.base.workplace import temporary

__all__ = ["SUFFIXES", "Control", "Library", "LibraryError", "built", "decoded", "encoded", "opened"]

MOST_BYTES = 1 << 28
"""Largest library that a document may bring, in bytes."""
SUFFIXES = (".so", ".dylib", ".dll")
"""The ends of the names of libraries, on any system."""


class LibraryError(ValueError):
    """A library that cannot be loaded; the message says why, without the name of its file."""

    code = "ACK022"


class Control(NamedTuple):
    """A congestion control of a library."""

    name: str
    summary: str
    parameters: list[tuple[str, str, float, float, float]]
    """Name, summary, default, least and most of each parameter."""
    paces: bool
    """Whether it sets the pacing rate."""
    algorithm: _core.Algorithm


class Library(NamedTuple):
    """A library in this process."""

    data: bytes
    digest: str
    """16 hexadecimal digits of the SHA-256 of its file."""
    controls: list[Control]


_opened: dict[str, Library] = {}
"""The libraries that this process has opened, by their digests. Libraries are never closed."""


def opened(path: Path) -> Library:
    """Opens the library in a file.

    The system loads a private copy of the file. Otherwise it would take a library that it has loaded under the same
    name for this one, and a compiler might overwrite the file meanwhile.

    Raises
    ------
    LibraryError
        If the file cannot be read, or is no library of congestion controls for this build of ackclock.
    """
    try:
        data = reading.contents(path)
    except OSError as error:
        raise LibraryError(error.strerror or str(error)) from None
    digest = hashlib.sha256(data).hexdigest()[:16]
    if digest in _opened:
        return _opened[digest]
    # Windows keeps a file that is in use.
    with temporary("library") as folder:
        copy = folder / path.name
        copy.write_bytes(data)
        try:
            controls = [Control(*one) for one in _core.library(str(copy), digest)]
        except ValueError as error:
            message = str(error).replace(str(copy), path.name)
            if "failed to map" in message or "not permitted" in message:
                message += f"; {tempfile.gettempdir()} may not allow execution: set TMPDIR to a folder that does"
            raise LibraryError(message) from None
    return _opened.setdefault(digest, Library(data, digest, controls))


@functools.lru_cache(maxsize=16)
def encoded(data: bytes) -> str:
    """A library as a text, for documents."""
    return base64.b64encode(zlib.compress(data, 9)).decode("ascii")


def decoded(text: str) -> bytes:
    """The library of a text of `encoded`.

    Raises
    ------
    LibraryError
        If the text is no library.
    """
    try:
        reader = zlib.decompressobj()
        data = reader.decompress(base64.b64decode(text, validate=True), MOST_BYTES)
    except (binascii.Error, ValueError, zlib.error) as error:
        raise LibraryError(f"the text is no library: {error}") from None
    if not reader.eof:
        raise LibraryError(f"the text is no library: it is cut off, or has more than {MOST_BYTES >> 20} MiB")
    return data


def built(folder: Path) -> Path:
    """The library that ``cargo build --release`` has made of the crate in a folder.

    Raises
    ------
    LibraryError
        If the folder has no crate of a library, there is no such build, or sources are newer than the build.
    """
    manifest = folder / "Cargo.toml"
    try:
        document = tomllib.loads(reading.text(manifest, reading.MOST_WRITTEN))
        package = document["package"]["name"]
        name = document.get("lib", {}).get("name", package.replace("-", "_"))
        file = _target(folder) / "release" / _file_name(name)
    except FileNotFoundError:
        raise LibraryError("has no Cargo.toml; accepted: the folder of a crate, a library or a Python file") from None
    except (KeyError, TypeError, AttributeError):
        raise LibraryError("Cargo.toml names no package; accepted: the folder of a crate") from None
    except (OSError, ValueError) as error:
        raise LibraryError(f"Cargo.toml cannot be read: {error}") from None
    if not file.is_file():
        raise LibraryError(f"has no {file.name} of a release build; run `cargo build --release` there first")
    sources = [manifest, *(folder / "src").rglob("*.rs")]
    newer = [source for source in sources if source.stat().st_mtime_ns > file.stat().st_mtime_ns]
    if newer:
        source = newer[0].relative_to(folder)
        raise LibraryError(f"{source} is newer than {file.name}; run `cargo build --release` there first")
    return file


def _target(folder: Path) -> Path:
    given = os.environ.get("CARGO_TARGET_DIR") or os.environ.get("CARGO_BUILD_TARGET_DIR")
    return Path(given) if given else folder / "target"


def _file_name(name: str) -> str:
    """The name of the file of a library on this system."""
    match sys.platform:
        case "win32":
            return f"{name}.dll"
        case "darwin":
            return f"lib{name}.dylib"
        case _:
            return f"lib{name}.so"
