"""Disturbs commands in every way that a machine offers: ``python -m tools.faults`` as root, in an hour on one core.

Each command is killed at random moments, runs on a disk that is full, in a folder that cannot be written, without a
home directory, with a standard output that is closed, with limits of memory, files and processes, and beside another
one in the same folder. After each disturbance nothing may be half-written, no process and no device may be left, and
the same command has to end as if nothing had happened.

``--only COMMAND``, ``--attack NAME`` and ``--kills N`` choose a part. What was done is in record.json, and is not done
again without ``--again``. ``--page`` writes the table of docs/faults.md from the record alone.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tools.faults.attacks import ATTACKS, Outcome, Tried
from tools.faults.page import PAGE, RECORD, write
from tools.faults.running import adopt
from tools.faults.subjects import subjects

KILLS = 200
SHOWN = 6


def main(arguments: list[str] | None = None) -> int:
    """Disturbs what was chosen; status 1 if anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--attack", action="append", default=[], choices=list(ATTACKS))
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--page", action="store_true")
    given = parser.parse_args(arguments)
    record: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    if given.page:
        write(record)
        return 0
    adopt()
    wrong = 0
    # No TemporaryDirectory: the copies of this process would remove it at their end.
    base = Path(tempfile.mkdtemp(prefix="faults-"))
    base.chmod(0o755)
    try:
        for subject in subjects(base / "inputs"):
            if given.only and subject.name not in given.only:
                continue
            own = record.setdefault(subject.name, {})
            chosen = [one for one in given.attack or ATTACKS if given.again or one not in own]
            if not chosen:
                continue
            if subject.missing is not None:
                _say(f"{subject.name}: {subject.missing}")
                continue
            with ExitStack() as stack:
                if subject.around is not None:
                    subject.known += stack.enter_context(subject.around(base))
                tried = Tried(subject, base / "runs", random.Random(f"{given.seed} {subject.name}"))  # noqa: S311
                for attack in chosen:
                    outcome = _attacked(attack, tried, given.kills)
                    own[attack] = outcome.document() | {"what": subject.about}
                    wrong += len(outcome.wrong)
                    RECORD.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")
                    _say(f"{subject.name}, {attack}: {outcome.runs} runs, {len(outcome.wrong)} wrong")
                    for line in outcome.wrong[:SHOWN]:
                        _say(f"    {line}")
    finally:
        shutil.rmtree(base, ignore_errors=True)
    write(record)
    _say(f"{PAGE}: written")
    return 1 if wrong else 0


def _attacked(attack: str, tried: Tried, count: int) -> Outcome:
    if attack in ("full disk", "read-only folder") and os.geteuid() != 0:
        return Outcome(skipped="needs root")
    return ATTACKS[attack](tried, count)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
