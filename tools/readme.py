"""Follows README.md in one shell, as a reader does. ``python -m tools.readme`` takes its outputs and pictures anew.

The page follows the rules of `tools.site.blocks`. Named blocks are saved as files first. Then one interactive shell
gets all blocks of sh, in a folder that has the scenarios of the repository. Blocks marked ``not-run`` are left out:
they build the project itself.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from matplotlib import image

from tools.site import blocks

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "README.md"
DRAWN = "docs/cubic-bbr.png"
"""The picture that the commands of the page draw."""
REPORT, SHOWN = "out/cubic-bbr/report.html", "docs/report.png"
"""The report that the commands of the page write, and the picture of it."""

BUILD = re.compile(r"(scenario|ackclock) (?:[0-9a-f]{16}|[0-9]+\.[0-9]+[^ ;,]*)")
"""Part of a line of output that depends on the build: the hash of the scenario, or the version."""
SHELLS = {"bash": ["bash", "--noprofile", "--norc", "-i"], "zsh": ["zsh", "-f", "-i"]}
"""Shells as a person uses them, without the person's settings."""
_END = "---- end of the block ----"


def prepare(page: str, folder: Path) -> None:
    """Gives a folder what the commands of the page need: the scenarios, and the files that the reader saves."""
    shutil.copytree(ROOT / "scenarios", folder / "scenarios")
    (folder / "docs").mkdir()
    for block in blocks.blocks(page):
        if block.name:
            (folder / block.name).write_text(block.text, encoding="utf-8")


def transcript(page: str, shell: str, folder: Path) -> list[str]:
    """The standard output of each block of sh of the page, all run in one shell.

    Raises
    ------
    RuntimeError
        If a command fails. The message ends with the standard error of the shell.
    """
    run = [block for block in blocks.blocks(page) if block.language == "sh" and block.reason is None]
    script = "set -e\n" + "".join(f"{block.text}printf '%s\\n' '{_END}'\n" for block in run)
    neighbours = Path(sys.executable).parent
    done = subprocess.run(  # noqa: S603 -- a shell of the list above
        SHELLS[shell],
        input=script,
        cwd=folder,
        env=os.environ
        | {
            "PATH": f"{neighbours}{os.pathsep}{os.environ['PATH']}",
            "HISTFILE": os.devnull,
            "PROMPT_COMMAND": "",
        },
        capture_output=True,
        text=True,
        check=False,
        # An interactive shell without a terminal of its own would take the terminal of this process.
        start_new_session=True,
    )
    *printed, rest = done.stdout.split(f"{_END}\n")
    if len(printed) != len(run) or done.returncode != 0:
        failed = f"the block in line {run[len(printed)].line} failed" if len(printed) < len(run) else "the shell failed"
        raise RuntimeError(f"{shell}: {failed}, status {done.returncode}\n{rest}{done.stderr}")
    return printed


def differences(page: str, printed: list[str]) -> list[tuple[blocks.Block, str]]:
    """The blocks of sh whose text on the page is not what was printed, each with what was printed."""
    run = [block for block in blocks.blocks(page) if block.language == "sh" and block.reason is None]
    return [
        (block, text)
        for block, text in zip(run, printed, strict=True)
        if block.prints is not None and not blocks.agrees(text, block.prints)
    ]


def renewed(shown: str, printed: str) -> str:
    """The text that was printed, without what differs between builds.

    Lines of the page with ``...`` that agree with a printed line stay as they are. A line ``...`` alone leaves out the
    rest.
    """
    old = shown.splitlines()
    lines = [line.rstrip() for line in printed.strip().splitlines()]
    if "..." in old:
        lines = [*lines[: old.index("...")], "..."]
    masked = [line for line in old if "..." in line and line != "..."]
    new = [next((one for one in masked if blocks.agrees(line, one)), BUILD.sub(r"\1 ...", line)) for line in lines]
    return "".join(f"{line}\n" for line in new)


def picture_of(report: Path, target: Path) -> None:
    """Draws the beginning of a report with chromium: the question, the answer and the first figure."""
    if shutil.which("chromium") is None:
        sys.stderr.write(f"{target} stays as it is: chromium is not installed\n")
        return
    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder, "drawn.png")
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=900,940"]
        command = ["chromium", *options, f"--user-data-dir={folder}/profile", f"--screenshot={drawn}", report.as_uri()]
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603 -- no text of others is in it
        image.imsave(target, image.imread(drawn))


def main() -> None:
    """Writes the outputs of README.md and its pictures."""
    page = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(page, folder)
        printed = transcript(page, "bash", folder)
        for block, text in differences(page, printed):
            shown = block.prints or ""
            page = page.replace(f"```text\n{shown}```", f"```text\n{renewed(shown, text)}```", 1)
        PAGE.write_text(page, encoding="utf-8")
        shutil.copy(folder / DRAWN, ROOT / DRAWN)
        picture_of(folder / REPORT, ROOT / SHOWN)


if __name__ == "__main__":
    main()
