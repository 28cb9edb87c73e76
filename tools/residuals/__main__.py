"""``python -m tools.residuals``: runs the scenarios in the simulator and in a kernel, and writes docs/residuals.md.

``--version 6.1`` runs them in another kernel and writes docs/residuals-6.1.md.

``--simulator`` runs the simulator alone and keeps what the kernel gave, ``--kernel`` the reverse; words choose
experiments whose keys have them; ``--hz`` is the kernel's tick. A command that was stopped goes on where it was, from
its journal in ``out``.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ackclock import _core, kernel
from ackclock.kernel.runs import choose
from tools.residuals import record
from tools.residuals.journal import Journal
from tools.residuals.page import page, page_of
from tools.residuals.plan import EXPERIMENTS
from tools.residuals.work import results

OUT = Path(__file__).parent.parent.parent / "out"


def main(arguments: list[str]) -> int:
    """Runs and writes. 1 where a difference outside its bound has no named cause, 2 without a kernel."""
    parser = argparse.ArgumentParser(prog="residuals", description=__doc__)
    parser.add_argument("words", nargs="*")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--simulator", action="store_true")
    only.add_argument("--kernel", action="store_true")
    only.add_argument("--page", action="store_true", help="run nothing; write the page of what is on record")
    parser.add_argument("--hz", type=int, default=1000)
    parser.add_argument("--version", default=record.DEFAULT, help="version of the kernel, such as 6.1")
    given = parser.parse_args(arguments)
    chosen = [one for one in EXPERIMENTS if all(word in one.key for word in given.words)]
    known = record.load(given.version)
    if not given.page:
        sides = ([] if given.kernel else ["simulator"]) + ([] if given.simulator else ["kernel"])
        builds = {"simulator": _core.engine()}
        if "kernel" in sides:
            try:
                built = choose(given.version, given.hz)
            except kernel.KernelError as error:
                sys.stderr.write(f"residuals: {error}\n")
                return 2
            known.kernel = {"version": built.version, "hz": built.hz}
            builds["kernel"] = f"{built.digest} {_core.engine()}"
        journal = Journal(OUT / f"residuals{record.suffix(given.version)}.jsonl", builds)
        left = [(one.key, side) for side in sides for one in chosen if (one.key, side) not in journal.done]
        for key, side, (found, spent_s) in results(left, given.version, given.hz):
            journal.add(key, side, found, spent_s)
            sys.stderr.write(f"{key}: {side}, {spent_s:.1f} s\n")
        for (key, side), found in journal.done.items():
            known.runs.setdefault(key, {})[side] = found
            known.spent_s.setdefault(key, {})[side] = journal.spent_s[key, side]
        record.save(known, given.version)
        journal.end()
        # The file has fewer digits, and the page shows what the file has.
        known = record.load(given.version)
    page_of(given.version).write_text(page(known), encoding="utf-8")
    unexplained = [cell for cell in known.cells() if not cell.holds and not known.causes_of(cell)]
    for cell in unexplained:
        sys.stderr.write(f"{cell.experiment} {cell.measure}: {cell.ours:.4g} beside {cell.theirs:.4g} has no cause\n")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
