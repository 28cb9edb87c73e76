"""Results of runs in the order in which they ended, in a file, so that a command that was stopped goes on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Journal"]


class Journal:
    """Measurements so far, by experiment and side, for one build of each side.

    A line belongs to a build of the engine or of the kernel. Lines of other builds count as missing.
    """

    def __init__(self, file: Path, builds: dict[str, str]) -> None:
        self.file = file
        self.builds = builds
        self.done: dict[tuple[str, str], list[dict[str, float]]] = {}
        self.spent_s: dict[tuple[str, str], float] = {}
        """Processor time of each."""
        for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else []:
            try:
                key, side, build, found, spent_s = json.loads(line)
            except ValueError:
                # The command was stopped while it wrote its last line.
                continue
            if builds.get(side) == build:
                self.done[key, side], self.spent_s[key, side] = found, spent_s

    def add(self, key: str, side: str, found: list[dict[str, float]], spent_s: float) -> None:
        """Notes what was measured of an experiment on a side, and the processor time that it took."""
        self.done[key, side], self.spent_s[key, side] = found, spent_s
        self.file.parent.mkdir(parents=True, exist_ok=True)
        # A new line first: the last one may have been cut off.
        with self.file.open("a", encoding="utf-8") as file:
            file.write("\n" + json.dumps([key, side, self.builds[side], found, round(spent_s, 1)]))

    def end(self) -> None:
        """Removes the file: everything has been measured."""
        self.file.unlink(missing_ok=True)
