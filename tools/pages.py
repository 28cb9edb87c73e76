"""Follows a page of the documentation, as a reader does. ``python -m tools.pages [PAGE ...]`` takes outputs anew.

The page follows the rules of `tools.site.blocks`: its named blocks are saved as files, and its commands and its Python
run in their order, in a folder of its own. The how-to guides use the scenario of the tutorial. Without a page, all
pages of the documentation are followed.
"""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ackclock
from ackclock.cc import registry
from tools.readme import renewed
from tools.site import blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
HOW_TO = DOCS / "how-to"


def pages() -> list[Path]:
    """The pages of the documentation with something to follow."""
    return [path for path in sorted(DOCS.rglob("*.md")) if "\n```" in path.read_text(encoding="utf-8")]


def shell(text: str, folder: Path) -> str:
    """The output of commands, with the `ackclock` of this interpreter.

    Raises
    ------
    RuntimeError
        If a command fails.
    """
    command = folder.parent / "bin" / "ackclock"
    command.parent.mkdir(exist_ok=True)
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m ackclock "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    done = subprocess.run(  # noqa: S603 -- the commands of a page of this repository
        ["bash", "-eu", "-c", text],  # noqa: S607
        cwd=folder,
        env=os.environ | {"PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{text}ended with status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def python(block: blocks.Block, page: Path, names: dict[str, Any]) -> str:
    """The output of Python, with the names that earlier blocks of the page have made."""
    printed = io.StringIO()
    # A traceback shows the lines of the page.
    code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
    with contextlib.redirect_stdout(printed):
        exec(code, names)  # noqa: S102 -- the Python of a page of this repository
    return printed.getvalue()


def followed(page: Path, folder: Path) -> Iterator[tuple[blocks.Block, str]]:
    """Follows a page in a folder, which is the working directory: the blocks that run, each with what it printed."""
    if page.parent == HOW_TO:
        save(DOCS / "tutorial.md", folder)
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks.blocks(page.read_text(encoding="utf-8")):
        if block.reason:
            continue
        if block.name:
            _save(block, folder)
            # A design has ranges in place of numbers, and is no scenario; the commands of its page read it.
            if block.name.endswith(".toml") and ".." not in block.text:
                ackclock.check(folder / block.name)
            continue
        yield block, shell(block.text, folder) if block.language == "sh" else python(block, page, names)


def save(page: Path, folder: Path) -> None:
    """Saves the named blocks of a page as files."""
    for block in blocks.blocks(page.read_text(encoding="utf-8")):
        if block.name:
            _save(block, folder)


def _save(block: blocks.Block, folder: Path) -> None:
    path = folder / (block.name or "")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(block.text, encoding="utf-8")


def renew(page: Path, folder: Path) -> bool:
    """Writes the outputs and the pictures of a page anew. Returns whether its text has changed."""
    text = before = page.read_text(encoding="utf-8")
    for block, printed in followed(page, folder):
        if block.prints is not None and not blocks.agrees(printed, block.prints):
            text = text.replace(f"```text\n{block.prints}```", f"```text\n{renewed(block.prints, printed)}```", 1)
    page.write_text(text, encoding="utf-8")
    for picture in folder.glob("*.png"):
        shutil.copy(picture, page.with_name(picture.name))
    return text != before


def main(arguments: list[str]) -> None:
    """Renews the pages that are given, or all."""
    os.environ["MPLBACKEND"] = "agg"
    for page in [Path(one).resolve() for one in arguments] or pages():
        registry._entries.clear()
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name, "page")
            folder.mkdir()
            os.chdir(folder)
            sys.path.insert(0, str(folder))
            changed = renew(page, folder)
            sys.path.remove(str(folder))
            os.chdir(ROOT)
        sys.stderr.write(f"{page.relative_to(ROOT)}: {'taken anew' if changed else 'as it was'}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
