"""The build that is running: version, git revision, and the digest of the engine's code."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from ackclock import _core

__all__ = ["described", "revision", "revision_of"]

SOURCES = Path(__file__).parents[3]
"""The folder of the sources, where this package lies in them."""


def revision_of(folder: Path) -> dict[str, Any] | None:
    """The git revision of a folder, and whether something is not committed; None outside git."""
    # A wheel knows its revision and needs neither of these.
    import shutil
    import subprocess

    git = shutil.which("git")
    if git is None:
        return None

    def ask(*command: str) -> str:
        arguments = [git, "-C", str(folder), *command]
        done = subprocess.run(arguments, capture_output=True, check=True, timeout=10, text=True)  # noqa: S603
        return done.stdout.strip()

    try:
        return {"commit": ask("rev-parse", "HEAD"), "modified": bool(ask("status", "--porcelain", "-uno"))}
    except (OSError, subprocess.SubprocessError):
        return None


@cache
def revision() -> str | None:
    """The git revision of ackclock itself, with a plus where something is not committed.

    A wheel knows the revision that it was built from, and a checkout asks git. Sources without git have none: None.
    """
    built = _core.revision()
    if built is not None:
        return built
    if not (SOURCES / "crates").is_dir() or not (SOURCES / ".git").exists():
        return None
    found = revision_of(SOURCES)
    return None if found is None else found["commit"] + ("+" if found["modified"] else "")


def described() -> str:
    """The build in one line, as ``ackclock --version`` prints it."""
    found = revision()
    short = "unknown" if found is None else found[:12] + ("+" if found.endswith("+") else "")
    return f"ackclock {_core.version()}, revision {short}, engine {_core.engine()}"
