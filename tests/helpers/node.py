"""The engine of pages outside a page, run by Node.js."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import ackclock.report
from ackclock import _core

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ENGINE", "answers", "needs_engine", "needs_same_engine"]

REPORT = Path(ackclock.report.__file__).parent
ENGINE = REPORT / "engine"
SCRIPT = Path(__file__).parents[1] / "report" / "lab" / "engine.cjs"

PATIENCE_S = 3000


def answers(folder: Path, requests: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The answers of one process to requests, in their order."""
    given, out = folder / "requests.jsonl", folder / "answers.jsonl"
    given.write_text("".join(json.dumps(one) + "\n" for one in requests), encoding="utf-8")
    command = ["node", str(SCRIPT), str(ENGINE), str(REPORT / "vendor/worker.js"), str(given), str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def _missing() -> str | None:
    """Programs and files that the tests of the engine for browsers lack; None if they lack nothing."""
    if shutil.which("node") is None:
        return "needs Node.js"
    if not (ENGINE / "engine_bg.wasm").is_file():
        return "needs the engine for browsers: `make wasm` builds it where a toolchain is"
    return None


def _other() -> str | None:
    """Reason for which the engine of pages cannot be compared with the native engine; None for the same sources."""
    # 16 digits of the engine's sources, as text in the module.
    if _lacking is None and _core.engine().encode() not in (ENGINE / "engine_bg.wasm").read_bytes():
        return "the engine for browsers and the extension are of different sources: `make env wasm`"
    return _lacking


_lacking = _missing()
_different = _other()

needs_engine = pytest.mark.skipif(_lacking is not None, reason=str(_lacking))
needs_same_engine = pytest.mark.skipif(_different is not None, reason=str(_different))
