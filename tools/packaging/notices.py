"""Collects the licences of everything that a wheel contains and that is not ours, and checks them against a list.

``python -m tools.packaging.notices`` writes ``THIRD-PARTY-LICENSES`` in the root of the checkout; wheels and source
distributions contain that file, the repository does not. ``licences.toml`` beside this file lists every crate that the
extension links on any platform of the wheels, with its licence: people review that list, and a crate that is not on it,
or has another licence, is an error.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from tools.packaging.vendor import LICENCE, LICENCE_OF_ARCHIVES, LICENCE_OF_EDITOR, TARGET, pinned

__all__ = ["NOTICE", "Crate", "LicenceError", "check", "linked", "listed", "notice", "write"]

ROOT = Path(__file__).parents[2]
NOTICE = ROOT / "THIRD-PARTY-LICENSES"
LIST = Path(__file__).with_name("licences.toml")

PLATFORMS = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-apple-darwin",
    "aarch64-apple-darwin",
    "x86_64-pc-windows-msvc",
]
"""The platforms of the wheels, as Rust names them."""

BROWSER = "wasm32-unknown-unknown"
"""The platform of the module for browsers, which wheels contain."""

TEXTS = ("LICEN", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE")
"""The beginnings, in capitals, of the names of files with licences."""

RULE = "=" * 100


class LicenceError(Exception):
    """Something linked has a licence that nobody has reviewed."""


@dataclass(frozen=True, order=True)
class Crate:
    """A crate that the extension links."""

    name: str
    version: str
    licence: str
    folder: Path

    def texts(self) -> list[str]:
        """Its licences and notices, word for word: files, or else the copyright at the head of its source.

        A crate among the holders of the list has the text of MIT with its holder.
        """
        files = sorted(one for one in self.folder.iterdir() if one.is_file() and one.name.upper().startswith(TEXTS))
        return [file.read_text(encoding="utf-8").strip() for file in files] or self._head() or self._of_holder()

    def _head(self) -> list[str]:
        source = self.folder / "src/lib.rs"
        lines = source.read_text(encoding="utf-8").splitlines() if source.is_file() else []
        head = takewhile(lambda line: line.startswith("//") and not line.startswith("//!"), lines)
        text = "\n".join(line.removeprefix("//").removeprefix(" ") for line in head).strip()
        return [text] if text.startswith("Copyright") else []

    def _of_holder(self) -> list[str]:
        holders: dict[str, str] = tomllib.loads(LIST.read_text(encoding="utf-8"))["holders"]
        if self.name not in holders or self.licence != "MIT":
            return []
        _, begin, terms = (ROOT / "LICENSE-MIT").read_text(encoding="utf-8").partition("Permission is hereby granted")
        return [f"MIT License\n\nCopyright (c) {holders[self.name]}\n\n{begin}{terms}".strip()]


def _cargo(*arguments: str) -> str:
    command = ["cargo", *arguments, "--locked"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)  # noqa: S603
    if done.returncode != 0:
        raise LicenceError(f"{' '.join(command)} failed:\n{done.stderr.strip()}")
    return done.stdout


def linked() -> list[Crate]:
    """The crates from the registry that wheels contain: in extensions of all platforms and the module for browsers."""
    packages = {
        (package["name"], package["version"]): package
        for package in json.loads(_cargo("metadata", "--format-version", "1"))["packages"]
        if package["source"] is not None
    }
    tree = ["tree", "--edges", "normal,no-proc-macro", "--prefix", "none"]
    built = [("ackclock-python", platform) for platform in PLATFORMS] + [("ackclock-wasm", BROWSER)]
    lines = {line for name, target in built for line in _cargo(*tree, "-p", name, "--target", target).splitlines()}
    keys = {(name, version.removeprefix("v")) for name, version, *_ in map(str.split, lines)}
    return sorted(
        Crate(name, version, packages[name, version]["license"], Path(packages[name, version]["manifest_path"]).parent)
        for name, version in keys
        if (name, version) in packages
    )


def listed() -> dict[str, str]:
    """The reviewed crates and their licences."""
    crates: dict[str, str] = tomllib.loads(LIST.read_text(encoding="utf-8"))["crates"]
    return crates


def check(crates: list[Crate], reviewed: dict[str, str]) -> list[str]:
    """One line for each difference between what is linked and what was reviewed."""
    problems = []
    for crate in crates:
        if crate.name not in reviewed:
            problems.append(f"{crate.name} {crate.version} ({crate.licence}) is linked and is not in {LIST.name}")
        elif crate.licence != reviewed[crate.name]:
            problems.append(f"{crate.name} {crate.version} has {crate.licence}, not {reviewed[crate.name]}")
        if not crate.texts():
            problems.append(f"{crate.name} {crate.version} brings no text of its licence")
    unlinked = sorted(reviewed.keys() - {crate.name for crate in crates})
    return [*problems, *(f"{name} is in {LIST.name} and is not linked" for name in unlinked)]


def notice(crates: list[Crate]) -> str:
    """The text: what is contained, then each licence once with the names of all that it covers."""
    works = {f"{crate.name} {crate.version} ({crate.licence})": crate.texts() for crate in crates}
    works[f"uPlot {pinned()} (MIT)"] = [(TARGET / LICENCE).read_text(encoding="utf-8").strip()]
    works["CodeMirror 6 (MIT)"] = [(TARGET / LICENCE_OF_EDITOR).read_text(encoding="utf-8").strip()]
    works[f"fflate {pinned('fflate')} (MIT)"] = [(TARGET / LICENCE_OF_ARCHIVES).read_text(encoding="utf-8").strip()]
    covered: dict[str, list[str]] = {}
    for work, texts in works.items():
        for text in texts:
            covered.setdefault(text, []).append(work)
    contents = "\n".join(f"    {work}" for work in works)
    sections = "".join(f"\n{RULE}\n{chr(10).join(names)}\n\n{text}\n" for text, names in covered.items())
    return (
        f"{_stamp()}\n\n"
        "ackclock itself is under the licence MIT OR Apache-2.0. Its compiled extension contains the Rust standard\n"
        "library (MIT OR Apache-2.0) and the crates below, and so does its module for browsers; its pages contain\n"
        "uPlot, CodeMirror and fflate.\n\n"
        f"{contents}\n{sections}"
    )


def _stamp() -> str:
    """The first line, which changes with the versions of what is contained."""
    versions = (ROOT / "Cargo.lock").read_bytes() + pinned().encode() + pinned("fflate").encode()
    return f"Licences of the software that ackclock contains (versions {hashlib.sha256(versions).hexdigest()[:16]})"


def write() -> None:
    """Writes the notice unless it is there for the same versions.

    Raises
    ------
    LicenceError
        If what is linked is not what was reviewed.
    """
    if NOTICE.is_file() and NOTICE.read_text(encoding="utf-8").startswith(_stamp()):
        return
    crates = linked()
    if problems := check(crates, listed()):
        raise LicenceError("\n".join(problems))
    NOTICE.write_text(notice(crates), encoding="utf-8")


if __name__ == "__main__":
    try:
        write()
    except LicenceError as error:
        sys.exit(f"ackclock: {error}")
