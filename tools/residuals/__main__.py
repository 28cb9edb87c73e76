"""``python -m tools.residuals``: runs the scenarios in the simulator and in a kernel, and writes docs/residuals.md.

``--version 6.1`` runs them in another kernel and writes docs/residuals-6.1.md.

``--simulator`` runs the simulator alone and keeps what the kernel gave, ``--kernel`` the reverse; words choose
experiments whose keys have them; ``--hz`` is the kernel's tick. A command that was stopped goes on where it was, from
its journal in ``out``.
"""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING

import ackclock
from ackclock import _core, kernel
from ackclock.kernel.runs import choose
from tools.residuals import record
from tools.residuals.cells import measured
from tools.residuals.journal import Journal
from tools.residuals.page import page, page_of
from tools.residuals.plan import EXPERIMENTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.kernel.builds import Built
    from tools.residuals.plan import Experiment

OUT = Path(__file__).parent.parent.parent / "out"
EMULATED = ("path", "lossy", "window")
"""Kinds whose kernel runs over the emulated network, as its own netem cannot repeat their losses or buffers."""


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
        sides: dict[str, Callable[[Experiment], list[dict[str, float]]]] = {}
        builds = {"simulator": _core.engine()}
        if not given.kernel:
            sides["simulator"] = simulated
        if not given.simulator:
            try:
                built = choose(given.version, given.hz)
            except kernel.KernelError as error:
                sys.stderr.write(f"residuals: {error}\n")
                return 2
            known.kernel = {"version": built.version, "hz": built.hz}
            builds["kernel"] = f"{built.digest} {_core.engine()}"
            sides["kernel"] = lambda experiment: asked(experiment, built)
        journal = Journal(OUT / f"residuals{record.suffix(given.version)}.jsonl", builds)
        measure(chosen, sides, journal)
        for (key, side), found in journal.done.items():
            known.runs.setdefault(key, {})[side] = found
        record.save(known, given.version)
        journal.end()
        # The file has fewer digits, and the page shows what the file has.
        known = record.load(given.version)
    page_of(given.version).write_text(page(known), encoding="utf-8")
    unexplained = [cell for cell in known.cells() if not cell.holds and not known.causes_of(cell)]
    for cell in unexplained:
        sys.stderr.write(f"{cell.experiment} {cell.measure}: {cell.ours:.4g} beside {cell.theirs:.4g} has no cause\n")
    return 1 if unexplained else 0


def measure(
    chosen: Sequence[Experiment], sides: Mapping[str, Callable[[Experiment], list[dict[str, float]]]], journal: Journal
) -> None:
    """Runs what the journal does not have, as many runs at once as there are cores, and notes it there."""
    with ThreadPoolExecutor(os.cpu_count()) as executor:
        started = {
            executor.submit(work, one): (one.key, side)
            for side, work in sides.items()
            for one in chosen
            if (one.key, side) not in journal.done
        }
        for future in as_completed(started):
            key, side = started[future]
            journal.add(key, side, future.result())
            sys.stderr.write(f"{key}: {side}\n")


def simulated(experiment: Experiment) -> list[dict[str, float]]:
    """What is measured of an experiment's runs in the simulator."""
    return [measured(experiment.kind, ackclock.run(scenario).tables) for scenario in experiment.scenarios]


def asked(experiment: Experiment, built: Built) -> list[dict[str, float]]:
    """What is measured of an experiment's runs in a kernel, over its own netem or over the emulated network."""
    if experiment.kind in EMULATED:
        backend = f"linux:{'.'.join(built.version.split('.')[:2])}"
        return [
            measured(experiment.kind, ackclock.run(scenario, backend=backend).tables)
            for scenario in experiment.scenarios
        ]
    return [measured(experiment.kind, kernel.run(scenario, built).tables) for scenario in experiment.scenarios]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
