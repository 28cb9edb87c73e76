"""Crates of users that tests write and compile, without a registry."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from ackclock.cc import templates

__all__ = ["CARGO", "cargo", "needs_cargo", "of_source"]

CARGO = shutil.which("cargo")

needs_cargo = pytest.mark.skipif(CARGO is None, reason="cargo is not installed")


def cargo(crate: Path, *arguments: str) -> str:
    """Runs cargo in the folder of a crate, and returns its output. Cargo's own folder is empty: it has no registry."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("CARGO_", "RUSTFLAGS"))}
    environment |= {"CARGO_HOME": str(crate / "no-registry")}
    command = ["cargo", *arguments, "--offline", "--quiet"]
    done = subprocess.run(command, cwd=crate, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def of_source(folder: Path, name: str, source: str, *arguments: str) -> Path:
    """The library of a crate with this source, compiled without optimisation."""
    crate = templates.write_crate(name, within=folder)
    (crate / "src/lib.rs").write_text(source, encoding="utf-8")
    cargo(crate, "build", *arguments)
    (library,) = (file for file in (crate / "target/debug").iterdir() if file.suffix in (".so", ".dylib", ".dll"))
    return library
