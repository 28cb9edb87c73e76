"""Disturbs commands in every way that a machine offers: ``python -m tools.faults`` as root, in an hour on one core.

Each command is killed at random moments, runs on a disk that is full, in a folder that cannot be written, without a
home directory, with a standard output that is closed, with limits of memory, files and processes, and beside another
one in the same folder. After each disturbance nothing may be half-written, no process and no device may be left, and
the same command has to end as if nothing had happened.

``--only COMMAND``, ``--attack NAME`` and ``--kills N`` choose a part. What was done is in record.json, and is not done
again without ``--again``: a campaign that was stopped goes on, and a larger N adds to what a smaller one did.
``--page`` writes the table of docs/faults.md from the record alone.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tools.faults.attacks import ATTACKS, COUNTED, Outcome, Tried
from tools.faults.page import PAGE, RECORD, write
from tools.faults.running import adopt, end_children
from tools.faults.subjects import subjects

KILLS = 200
BATCH = 10
"""Disturbances between two writes of the record."""
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
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    wrong = 0
    # No TemporaryDirectory: the copies of this process would remove it at their end.
    base = Path(tempfile.mkdtemp(prefix="faults-"))
    base.chmod(0o755)
    try:
        for subject in subjects(base / "inputs"):
            if given.only and subject.name not in given.only:
                continue
            own = record.setdefault(subject.name, {})
            chosen = list(given.attack or ATTACKS)
            if given.again:
                for attack in chosen:
                    own.pop(attack, None)
            chosen = [one for one in chosen if _missing(one, own.get(one), given.kills)]
            if not chosen:
                continue
            if subject.missing is not None:
                _say(f"{subject.name}: {subject.missing}")
                continue
            with ExitStack() as stack:
                if subject.around is not None:
                    subject.known += stack.enter_context(subject.around(base))
                tried = Tried(subject, base / "runs", given.seed)
                _say(f"{subject.name}: {tried.duration_s:.2f} s undisturbed")
                for attack in chosen:
                    while numbers := _missing(attack, own.get(attack), given.kills):
                        outcome = Outcome.read(own.get(attack))
                        before = len(outcome.wrong)
                        _attack(attack, tried, outcome, numbers)
                        own[attack] = outcome.document() | {"what": subject.about}
                        wrong += len(outcome.wrong) - before
                        RECORD.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")
                        _say(f"{subject.name}, {attack}: {outcome.runs} runs, {len(outcome.wrong)} wrong")
                        for line in outcome.wrong[before:][:SHOWN]:
                            _say(f"    {line}")
    finally:
        end_children()
        shutil.rmtree(base, ignore_errors=True)
    write(record)
    _say(f"{PAGE}: written")
    return 1 if wrong else 0


def _missing(attack: str, done: dict[str, Any] | None, kills: int) -> range:
    """The numbers of the disturbances that come next; of those that are not counted, all or none."""
    if attack not in COUNTED:
        return range(done is None)
    first = done["runs"] if done else 0
    return range(first, min(first + BATCH, max(1, kills // COUNTED[attack])))


def _attack(attack: str, tried: Tried, outcome: Outcome, numbers: range) -> None:
    if attack in ("full disk", "read-only folder") and os.geteuid() != 0:
        outcome.skipped = "needs root"
    else:
        ATTACKS[attack](tried, outcome, numbers)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
