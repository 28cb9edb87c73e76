"""Runs of the patterns in a kernel: the questions for it, and its answers."""

from __future__ import annotations

import json
import tempfile
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from subprocess import TimeoutExpired
from typing import TYPE_CHECKING, Any

from ackclock.base.workplace import workplace
from ackclock.kernel import machine
from ackclock.kernel.source import KernelError
from tools.queues.patterns import PATTERNS, packets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.kernel.builds import Built
    from tools.queues.compared import Fate
    from tools.queues.patterns import Packet
    from tools.queues.plan import Case

__all__ = ["PATIENCE_S", "Run", "ask"]

PATIENCE_S = 1800.0
"""Seconds of real time after which a machine is ended."""
INSIDE = Path(__file__).with_name("inside.py")

Run = tuple[list["Packet"], list["Fate"]]
"""The packets of a run with their true times of arrival, and their fates."""


def ask(built: Built, cases: Sequence[Case]) -> dict[tuple[str, str], list[Run]]:
    """Runs each case with each pattern in one machine; by name of the case and of the pattern.

    Raises
    ------
    KernelError
        If a program is missing, if the machine does not end, or if a discipline cannot be made.
    """
    runs = [(case, name) for case in cases for name in PATTERNS for _ in range(case.runs)]
    drawn = {name: packets(name) for name in PATTERNS}
    question = {
        "patterns": {name: [[one.at, one.size, one.flow, one.ecn] for one in ones] for name, ones in drawn.items()},
        "runs": [{"commands": case.commands(), "pattern": name} for case, name in runs],
        "limit_s": 60.0 + 15.0 * len(runs),
    }
    answer = _answer(built, question)
    found = defaultdict(list)
    for (case, name), given in zip(runs, answer["runs"], strict=True):
        arrived = [replace(one, at=at) for one, at in zip(drawn[name], given["sent"], strict=True)]
        left: list[Fate] = [None] * len(arrived)
        for number, at, ecn in given["received"]:
            left[number] = (at, ecn)
        found[case.name, name].append((arrived, left))
    return found


def _answer(built: Built, question: dict[str, Any]) -> dict[str, Any]:
    with workplace(Path(tempfile.gettempdir()), machine.WORKPLACE) as folder:
        (folder / "question.json").write_text(json.dumps(question), encoding="utf-8")
        with machine.booted(built, folder, str(INSIDE), str(machine.GUEST), str(folder)) as process:
            try:
                process.wait(PATIENCE_S)
            except TimeoutExpired:
                raise KernelError(f"Linux {built.version} did not end within {PATIENCE_S:g} s") from None
        return machine.answer_in(folder, f"Linux {built.version}")
