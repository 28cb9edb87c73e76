"""The pages of docs/ do what they say: their blocks are run as they stand, in an empty folder each."""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys

import numpy as np
import pytest
from matplotlib import pyplot

import ackclock
from ackclock import _registry
from tests.helpers.places import ROOT
from tools.site import blocks
from tools.site.blocks import Block, BlockError

DOCS = ROOT / "docs"
PAGES = [path for path in sorted(DOCS.rglob("*.md")) if "\n```" in path.read_text(encoding="utf-8")]


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


@pytest.mark.parametrize("page", PAGES, ids=[path.stem for path in PAGES])
def test_a_page_can_be_followed(page, tmp_path, monkeypatch):
    folder = tmp_path / "page"
    folder.mkdir()
    monkeypatch.setattr(_registry, "_entries", {})
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    if page.parent.name == "how-to":
        # They go on from the tutorial's scenario.
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


def test_blocks_are_told_apart():
    page = (
        "# Page\n\n```sh\nackclock run a.toml\n```\n\n```text\nDone\n```\n\n```python\n# a.py\nx = 1\n```\n\nAnd\n\n"
        '```toml\n# a.toml\nseed = 1\n```\n\n```tcl\nset ns\n```\n\n```sh not-run="needs a cluster"\nqsub\n```\n'
    )
    assert blocks.blocks(page) == [
        Block("sh", "ackclock run a.toml\n", 4, None, "Done\n"),
        Block("python", "# a.py\nx = 1\n", 12, None),
        Block("toml", "# a.toml\nseed = 1\n", 19, None),
        Block("sh", "qsub\n", 28, "needs a cluster"),
    ]
    assert [block.name for block in blocks.blocks(page)] == [None, "a.py", "a.toml", None]
    assert blocks.plain(page) == page.replace(' not-run="needs a cluster"', "")


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("```text\nDone\n```\n", "line 2: a text that no block before it prints"),
        ("```sh\nls\n```\n\nThen:\n\n```text\nDone\n```\n", "line 8: a text that no block"),
        ("```toml\n# a.toml\n```\n```text\nDone\n```\n", "line 5: a text that no block"),
        ("```toml\nseed = 1\n```\n", "line 2: toml without the name of a file"),
        ("```sh skip\nls\n```\n", 'line 2: skip is not of the form not-run="why"'),
    ],
)
def test_a_block_without_a_place_is_refused(page, message):
    with pytest.raises(BlockError, match=re.escape(message)):
        blocks.blocks(page)


@pytest.mark.parametrize(
    ("expected", "agrees"),
    [
        ("a 12\nb 3\nc\n", True),
        ("a ...\nb 3\nc\n", True),
        ("a 12\n...\nc\n", True),
        ("a ...\nc\n", False),
        ("a 1\n...\nb 3\nc\n", False),
        ("a 12\nb 3\n", False),
        ("a 12\n...\n", True),
    ],
)
def test_a_text_agrees_with_what_was_printed(expected, agrees):
    assert blocks.agrees("a 12  \nb 3\nc\n\n", expected) is agrees
