"""Following a page of the documentation: its commands and its Python, in a folder of its own."""

import contextlib
import io
import os
import shlex
import subprocess
import sys

import numpy as np
from matplotlib import pyplot

import ackclock
from ackclock import _registry
from tests.helpers.places import ROOT
from tools.site import blocks

DOCS = ROOT / "docs"
HOW_TO = DOCS / "how-to"


def shell(text, folder):
    """The output of commands, with the `ackclock` that is under test."""
    command = folder.parent / "bin" / "ackclock"
    command.parent.mkdir(exist_ok=True)
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m ackclock "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    done = subprocess.run(
        ["bash", "-eu", "-c", text],
        cwd=folder,
        env=os.environ | {"PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{text}ended with status {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def python(block, page, names):
    """The output of Python, with the names that earlier blocks of the page have made."""
    printed = io.StringIO()
    # A traceback shows the lines of the page.
    code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    return printed.getvalue()


def follow(page, tmp_path, monkeypatch):
    """Does what a page says in a folder of its own, and compares the output and the pictures."""
    folder = tmp_path / "page"
    folder.mkdir()
    monkeypatch.setattr(_registry, "_entries", {})
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    if page.parent == HOW_TO:
        # These pages use the scenario of the tutorial.
        for block in blocks.blocks((DOCS / "tutorial.md").read_text(encoding="utf-8")):
            if block.name:
                (folder / block.name).write_text(block.text, encoding="utf-8")
    names, other = {"__name__": "__main__"}, []
    for block in blocks.blocks(page.read_text(encoding="utf-8")):
        if block.reason:
            continue
        if block.name:
            path = folder / block.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
            if path.suffix == ".toml":
                ackclock.check(path)
            continue
        printed = shell(block.text, folder) if block.language == "sh" else python(block, page, names)
        if block.prints is not None and not blocks.agrees(printed, block.prints):
            other.append(f"line {block.line} of {page.name} prints\n{printed}")
    assert not other, "\n".join(other)
    for picture in folder.glob("*.png"):
        drawn, shown = (pyplot.imread(path) for path in (picture, page.with_name(picture.name)))
        assert drawn.shape == shown.shape
        assert np.abs(drawn - shown).mean() < 0.005, f"{picture} is not the picture that the page shows"
