"""``python -m tools.residuals``: runs the scenarios in the simulator and in a kernel, and writes docs/residuals.md.

``--simulator`` runs the simulator alone and keeps what the kernel gave, ``--kernel`` the reverse; words choose
experiments whose keys have them; ``--hz`` is the kernel's tick. A run of everything takes about three quarters of an
hour on two cores.
"""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import ackclock
from ackclock import kernel
from ackclock.kernel.runs import choose
from tools.residuals import record
from tools.residuals.cells import measured
from tools.residuals.page import PAGE, page
from tools.residuals.plan import EXPERIMENTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock.kernel.builds import Built
    from tools.residuals.plan import Experiment


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
    parser.add_argument("--version", default="6.12")
    given = parser.parse_args(arguments)
    chosen = [one for one in EXPERIMENTS if all(word in one.key for word in given.words)]
    known = record.load()
    if not given.page:
        sides: dict[str, Callable[[Experiment], list[dict[str, float]]]] = {}
        if not given.kernel:
            sides["simulator"] = simulated
        if not given.simulator:
            try:
                built = choose(given.version, given.hz)
            except kernel.KernelError as error:
                sys.stderr.write(f"residuals: {error}\n")
                return 2
            known.kernel = {"version": built.version, "hz": built.hz}
            sides["kernel"] = lambda experiment: asked(experiment, built)
        with ThreadPoolExecutor(os.cpu_count()) as executor:
            started = [(one, side, executor.submit(work, one)) for one in chosen for side, work in sides.items()]
            for one, side, future in started:
                known.runs.setdefault(one.key, {})[side] = future.result()
                sys.stderr.write(f"{one.key}: {side}\n")
        record.save(known)
        # The file has fewer digits, and the page shows what the file has.
        known = record.load()
    PAGE.write_text(page(known), encoding="utf-8")
    unexplained = [cell for cell in known.cells() if not cell.holds and not known.causes_of(cell)]
    for cell in unexplained:
        sys.stderr.write(f"{cell.experiment} {cell.measure}: {cell.ours:.4g} beside {cell.theirs:.4g} has no cause\n")
    return 1 if unexplained else 0


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
