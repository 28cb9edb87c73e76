"""Provenance of a sweep: command, versions, host and git revisions, once for each start."""

from __future__ import annotations

import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock import _core
from ackclock.base import files
from ackclock.base.build import revision, revision_of
from ackclock.store.layout import is_number, listed, on_disk

if TYPE_CHECKING:
    from ackclock.store.layout import Layout

__all__ = ["Provenance", "build", "host"]


def build() -> str:
    """The build of the engine: its version and eight digits of its source's digest, as in 0.1.0+1a2b3c4d."""
    return f"{_core.version()}+{_core.engine()[:8]}"


def host() -> dict[str, Any]:
    """Properties of this machine that may matter to a result or to its speed."""
    return {
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


class Provenance:
    """The account of one start of a sweep: written as it begins, and again as it ends."""

    def __init__(self, layout: Layout, sweep: str, where: str, finished_before: int) -> None:
        taken = [int(path.stem) for path in listed(layout.provenance) if is_number(path.stem)]
        self._path = layout.provenance / f"{max(taken, default=0) + 1}.json"
        self._document: dict[str, Any] = {
            "sweep": sweep,
            "command": sys.argv,
            "version": build(),
            "engine": _core.engine(),
            "where": where,
            "host": host(),
            "revision": revision(),
            "git": revision_of(Path.cwd()),
            "began": _now(),
            "ended": None,
            "finished_before": finished_before,
            "finished": 0,
            "failed": 0,
        }
        with on_disk(layout):
            files.write_json(self._path, self._document)

    def end(self, finished: int, failed: int) -> None:
        """Says how it ended: how many runs this start finished, and how many of them failed."""
        files.write_json(self._path, self._document | {"ended": _now(), "finished": finished, "failed": failed})


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
