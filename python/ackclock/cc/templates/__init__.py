"""Files to start from: the files beside this one, under another name."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from ackclock import _core
from ackclock._errors import RefusedError
from ackclock.base.files import FolderError, write_new
from ackclock.base.workplace import workplace

__all__ = ["write", "write_crate", "write_rule", "write_transport"]

CONTRACT = "ackclock-cc"
"""The crate that a crate of the user depends on, and the folder of its sources."""

NO_CRATES = """
abstract alloc as async await become box break build const continue core crate deps do dyn else enum examples extern
false final fn for gen if impl in incremental let loop macro match mod move mut override priv proc-macro pub ref return
self static std struct super test trait true try type typeof unsafe unsized use virtual where while yield ackclock-cc
"""
"""Names that a crate cannot have: keywords of Rust, crates of its standard library, folders of cargo, the contract."""


def write(name: str, *, full: bool = False) -> Path:
    """Writes a congestion control called `name` in scenarios to a new file of the current folder; see `_write`."""
    return _write(name, "full" if full else "window")


def write_rule(name: str) -> Path:
    """Writes a rate adaptation called `name` in scenarios to a new file of the current folder; see `_write`."""
    return _write(name, "abr")


def _write(name: str, template: str) -> Path:
    """Writes a template under a name.

    Raises
    ------
    RefusedError
        If no class can be called so.
    FolderError
        If the file exists.
    """
    class_name = _class_name(name)
    text = resources.files(__name__).joinpath(f"{template}.py").read_text(encoding="utf-8")
    file = Path(f"{'_'.join(_words(name))}.py")
    try:
        write_new(file, text.replace("template-name", name).replace("TemplateName", class_name).encode())
    except FileExistsError:
        raise FolderError(f"{file} exists; it is not overwritten") from None
    return file


def write_crate(name: str, *, full: bool = False, within: Path = Path()) -> Path:
    """Writes a crate with a congestion control called `name` in scenarios to a new folder of the folder `within`.

    The crate contains the sources of the one crate that it depends on, so that cargo needs no registry to build it.

    Raises
    ------
    RefusedError
        If no crate can be called so.
    FolderError
        If the folder exists or cannot be written.
    """
    class_name = _class_name(name)
    crate = "-".join(_words(name))
    if crate in NO_CRATES.split():
        raise RefusedError(f"{name}: a crate cannot have this name, which Rust or cargo uses; accepted: another name")
    folder = within / crate
    templates = resources.files(__name__).joinpath("rust")
    words = {
        "template-name": name,
        "template-crate": crate,
        "TemplateName": class_name,
        "contract-version": _core.version(),
    }
    files = {
        "Cargo.toml": templates.joinpath("Cargo.toml").read_text(encoding="utf-8"),
        "README.md": templates.joinpath("README.md").read_text(encoding="utf-8"),
        "src/lib.rs": templates.joinpath("full.rs" if full else "window.rs").read_text(encoding="utf-8"),
        ".gitignore": "/target\n",
    }
    for word, value in words.items():
        files = {path: text.replace(word, value) for path, text in files.items()}
    # Cargo formats the crates in the folder of a crate as well.
    files[f"{CONTRACT}/rustfmt.toml"] = 'max_width = 120\nuse_small_heuristics = "Max"\n'
    files |= {f"{CONTRACT}/{path}": text for path, text in _core.contract()}
    _write_folder(folder, files)
    return folder


def write_transport(name: str, *, within: Path = Path()) -> Path:
    """Writes a transport in C called `name` in scenarios to a new folder of the folder `within`.

    The folder contains the header of the interface and a Makefile; the library needs a C compiler and nothing else.

    Raises
    ------
    RefusedError
        If no transport can be called so.
    FolderError
        If the folder exists or cannot be written.
    """
    _class_name(name)
    folder = within / "-".join(_words(name))
    templates = resources.files(__name__).joinpath("transport")
    files = {
        f"{folder.name}.c": templates.joinpath("transport.c").read_text(encoding="utf-8"),
        **{file: templates.joinpath(file).read_text(encoding="utf-8") for file in ("Makefile", "README.md")},
        ".gitignore": "*.so\n",
    }
    for word, value in {"template-name": name, "template-file": folder.name}.items():
        files = {path: text.replace(word, value) for path, text in files.items()}
    header = "ackclock_transport.h"
    _write_folder(folder, files | {header: templates.joinpath(header).read_text(encoding="utf-8")})
    return folder


def _write_folder(folder: Path, files: dict[str, str]) -> None:
    """Writes a new folder with texts, whole or not at all."""
    if folder.exists():
        raise FolderError(f"{folder} exists; it is not overwritten")
    try:
        with workplace(folder.parent, ".ackclock-new-") as partial:
            for path, text in files.items():
                file = partial / "whole" / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            (partial / "whole").rename(folder)
    except OSError as error:
        raise FolderError(f"{folder}: cannot be written: {error.strerror or error}") from None


def _words(name: str) -> list[str]:
    return name.replace(".", "-").replace("_", "-").split("-")


def _class_name(name: str) -> str:
    class_name = "".join(word.capitalize() for word in _words(name))
    if not class_name.isidentifier() or not name.isascii() or name != name.lower():
        raise RefusedError(f"{name!r} is no name; accepted: lower-case letters, digits and hyphens, a letter first")
    return class_name
