"""Measures intervals and gates against long truths: ``python -m tools.coverage``, in ten minutes on one core.

The runs of each scenario are kept in the folder ``ackclock-coverage`` of the user's cache, so that the command goes on
where it was stopped. What was found of a scenario is in record.json, and is not computed again without ``--again``; the
tables are in docs/coverage.md. ``--page`` writes them from the record alone, ``--runs N`` sets the seeds of the truth.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from tools.coverage.experiments import KINDS, SIZES, coverage
from tools.coverage.gates import alarms, power
from tools.coverage.page import PAGE, RECORD, write
from tools.coverage.pools import pool_of
from tools.coverage.scenarios import SCENARIOS

RUNS = 2000


def main(arguments: list[str] | None = None) -> int:
    """Measures everything that is not in the record of this number of runs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--page", action="store_true")
    given = parser.parse_args(arguments)
    if given.page:
        write(json.loads(RECORD.read_text(encoding="utf-8")))
        return 0
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ackclock-coverage"
    pools = [(case, pool_of(case, given.runs, cache, _say)) for case in SCENARIOS]
    record: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    if given.again or record.get("runs") != given.runs:
        record = {"runs": given.runs, "coverage": {}, "power": {}, "gates": alarms(pools)}
    for case, pool in pools:
        began = time.monotonic()
        own = record["coverage"].setdefault(case.name, {})
        for kind in KINDS:
            if own.get(kind.name, {}).get("experiments") == kind.experiments:
                continue
            found = {size: coverage(case.name, pool, kind, size) for size in SIZES}
            cells = {str(size): one.document() for size, one in found.items() if one is not None}
            own[kind.name] = {"experiments": kind.experiments, "sizes": cells}
            RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        if case.name not in record["power"]:
            record["power"][case.name] = power(case, pool)
            RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        _say(f"{case.name}: {time.monotonic() - began:.0f} s")
    write(record)
    _say(f"{PAGE}: written")
    return 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
