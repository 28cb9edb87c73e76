"""A command in a process of its own, with its time and its memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Measured", "measured"]


@dataclass(frozen=True)
class Measured:
    """Time and memory that a command took."""

    wall_s: float
    cpu_s: float
    peak_mib: float
    """Largest resident set of the process."""

    def document(self) -> dict[str, Any]:
        """Returns the time and memory as JSON."""
        return {"wall_s": round(self.wall_s, 2), "cpu_s": round(self.cpu_s, 2), "peak_mib": round(self.peak_mib, 1)}


def measured(words: Sequence[str], folder: Path) -> Measured:
    """Runs ``python -m WORDS`` in a folder.

    Raises
    ------
    RuntimeError
        If its status is not 0, with what it said.
    """
    # The folder is another one than that of the tools.
    paths = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    began = time.perf_counter()
    with (folder / "said").open("wb") as said:
        process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", *words], cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=said
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        told = (folder / "said").read_text(encoding="utf-8", errors="replace")[-500:]
        raise RuntimeError(f"{' '.join(words)} ended with status {process.returncode}: {told}")
    return Measured(time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
