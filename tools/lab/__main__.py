"""Measures the laboratory in Chromium, and writes docs/lab-measured.md: ``python -m tools.lab``, in two minutes.

Sizes do not depend on the machine. Elapsed times are meant for a machine that does nothing else, so that the page says
how busy the machine was; CPU times are those of all processes of the browser, and hold on a busy machine, too. What
was measured is in record.json. ``--page`` writes the page from the record alone, and ``--rounds N`` repeats more often.
"""

from __future__ import annotations

import argparse
import json
import sys

from tools.lab.measured import measured
from tools.lab.page import PAGE, RECORD, tables, write


def main(arguments: list[str] | None = None) -> int:
    """Measures, prints the tables of the page, and writes it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--page", action="store_true")
    given = parser.parse_args(arguments)
    if not given.page:
        RECORD.write_text(json.dumps(measured(given.rounds), indent=1) + "\n", encoding="utf-8")
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    write(record)
    sys.stdout.write(f"{tables(record)}\n{PAGE}: written\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
