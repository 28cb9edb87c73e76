"""Measures commands over what grows tenfold, twice: ``python -m tools.sizes``, in an hour on one core.

``--only NAME`` chooses what grows, ``--most N`` leaves out larger sizes. What was measured is in record.json and is not
measured again without ``--again``; docs/sizes.md has the tables, and docs/sizes.svg the growth. ``--page`` writes both
from the record alone. Stores and logs are in a temporary folder, which needs 20 GB at the largest sizes.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from tools.sizes.page import PAGE, RECORD, write
from tools.sizes.subjects import SUBJECTS


def main(arguments: list[str] | None = None) -> int:
    """Measures what was chosen."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--most", type=int, default=sys.maxsize)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--page", action="store_true")
    given = parser.parse_args(arguments)
    record: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    if not given.page:
        for subject in SUBJECTS:
            if given.only and subject.name not in given.only:
                continue
            own = record.setdefault(subject.name, {})
            for size in subject.sizes:
                if size > given.most or (str(size) in own and not given.again):
                    continue
                rows = {}
                with tempfile.TemporaryDirectory(prefix="sizes-") as name:
                    for command, took, left in subject.steps(Path(name), size):
                        rows[command] = took.document() | ({"bytes": left} if left else {})
                        sys.stdout.write(f"{subject.name} {size}, {command}: {rows[command]}\n")
                        sys.stdout.flush()
                own[str(size)] = rows
                RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    write(record)
    sys.stdout.write(f"{PAGE}: written\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
