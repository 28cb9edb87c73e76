"""A terminal in which a user types commands: bash in a pseudo-terminal, in a folder of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

from pexpect import fdpexpect

__all__ = ["Terminal"]

PATIENCE_S = 600
"""Seconds after which the test gives up waiting for a command, which may be long on a busy machine."""

PROMPT = re.compile(r"\r?<<(\d+)>>")
CONTROL = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|[()][A-Z0-9])")
"""Sequences that colour the text or move the cursor."""


class Terminal:
    """A shell that waits for commands.

    Parameters
    ----------
    folder
        The folder that the shell begins in.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        mine, theirs = os.openpty()
        environment = {key: value for key, value in os.environ.items() if not key.startswith("ACKCLOCK_")}
        environment |= {
            # The commands of this environment come first, as after `. .venv/bin/activate`.
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}",
            "PS1": "<<$?>>", "PS2": "", "TERM": "dumb", "COLUMNS": "200", "LINES": "50", "MPLBACKEND": "agg",
            "HISTFILE": "/dev/null",
        }  # fmt: skip
        # setsid makes the pseudo-terminal the controlling one, so that Ctrl-C reaches the commands.
        command = ["setsid", "--ctty", "/bin/bash", "--norc", "--noprofile", "--noediting", "-i"]
        self._process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs
        )
        os.close(theirs)
        self._shell = fdpexpect.fdspawn(mine, timeout=PATIENCE_S, encoding="utf-8")
        self._shell.expect(PROMPT)
        self.run("stty -echo; set -o pipefail")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # The shell ends with its terminal, as do the commands that run in it.
        self._shell.close()
        self._process.wait(PATIENCE_S)

    def type(self, command: str) -> None:
        """Types a command and does not wait for its end."""
        self._shell.sendline(command)

    def until(self, pattern: str) -> re.Match[str]:
        """Waits until the command that runs has printed a pattern, and returns the match."""
        self._shell.expect(pattern)
        match = self._shell.match
        assert isinstance(match, re.Match)
        return match

    def end(self) -> int:
        """Presses Ctrl-C and returns the status of the command that has run."""
        self._shell.send("\x03")
        self._shell.expect(PROMPT)
        return self._status()

    def _status(self) -> int:
        match = self._shell.match
        assert isinstance(match, re.Match)
        return int(match[1])

    def run(self, command: str, status: int = 0) -> str:
        """Runs a command and returns what the terminal shows of it, which ends with this exit status.

        The text has both outputs, without control sequences; of a line that is written anew, the last state remains.
        """
        self.type(command)
        self._shell.expect(PROMPT)
        shown = CONTROL.sub("", self._shell.before or "").replace("\r\n", "\n")
        text = "\n".join(line.rsplit("\r", 1)[-1].rstrip() for line in shown.split("\n"))
        assert self._status() == status, f"{command}\nended with {self._status()}:\n{text}"
        return text

    def json(self, command: str) -> Any:
        """Runs a command whose output goes to a file, and returns the JSON document in it."""
        self.run(f"{command} > answer.json")
        return json.loads((self.folder / "answer.json").read_text(encoding="utf-8"))

    def write(self, name: str, text: str) -> Path:
        """Saves a file in the folder, as a user does in an editor."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path
