"""``python -m tools.queues``: sends packets through a kernel's queue disciplines and through ours.

It writes docs/residuals-of-queues.md. The kernel runs in virtual time.

Words choose cases whose names have them; ``--page`` runs no kernel. All cases take about ten minutes on one core.
"""

from __future__ import annotations

import argparse
import sys

from ackclock import kernel
from ackclock.kernel.runs import choose
from tools.queues import record
from tools.queues.asked import ask
from tools.queues.compared import Pair, Sample, measured
from tools.queues.page import PAGE, page
from tools.queues.plan import CASES


def main(arguments: list[str]) -> int:
    """Runs and writes. 1 where a difference has no named cause, 2 without a kernel."""
    parser = argparse.ArgumentParser(prog="queues", description=__doc__)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--page", action="store_true", help="run nothing; write the page of what is on record")
    parser.add_argument("--hz", type=int, default=1000)
    parser.add_argument("--version", default="6.12")
    given = parser.parse_args(arguments)
    known = record.load()
    if not given.page:
        try:
            built = choose(given.version, given.hz)
            chosen = [case for case in CASES if all(word in case.name.split() for word in given.words)]
            for case in chosen:
                for (_, pattern), runs in ask(built, [case]).items():
                    if case.draws:
                        known.drawn[case.name, pattern] = [measured(*run) for run in runs]
                    else:
                        known.exact[case.name, pattern] = runs[0]
                known.kernel = {"version": built.version, "hz": built.hz}
                record.save(known)
                sys.stderr.write(f"{case.name}\n")
        except kernel.KernelError as error:
            sys.stderr.write(f"queues: {error}\n")
            return 2
        # The files have fewer digits, and the page shows what the files have.
        known = record.load()
    PAGE.write_text(page(known), encoding="utf-8")
    rows: list[Pair | Sample] = [*known.pairs(), *known.samples()]
    unexplained = [row for row in rows if not row.holds and not known.causes_of(row)]
    for row in unexplained:
        sys.stderr.write(f"no cause: {row}\n")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
