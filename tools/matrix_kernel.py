"""Cells of the matrix on Linux in virtual time: ``python -m tools.matrix_kernel`` writes out/matrix/kernel.json.

`tools.matrix` puts them on its page, beside the same runs of the simulator. A run of 120 s takes some minutes, since
every packet passes a kernel.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

import ackclock
from ackclock.engine.run import SIM
from ackclock.judge.matrix import contestant, network
from ackclock.judge.matrix.numbers import numbers
from ackclock.judge.matrix.perform import scenario_of
from tools.matrix import KERNEL

if TYPE_CHECKING:
    from collections.abc import Sequence

CELLS = (
    ("8Mbps,50ms,4bdp", "bbr1", "cubic"),
    ("8Mbps,50ms,4bdp", "reno", "cubic"),
    ("8Mbps,50ms,4bdp", "vegas", "cubic"),
    ("20Mbps,10ms,1bdp", "bbr1", "cubic"),
    ("20Mbps,10ms,1bdp", "westwood", "reno"),
)
"""Network, row and column: controls that Linux has, with equal and with unequal shares."""
SEEDS = (1, 2, 3)
"""Seeds of the simulator. The kernel has the first."""
NUMBERS = {"delay": "delay_p50_ms", "retransmitted": "a_retransmitted"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the cells and writes their numbers."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--backend", default="linux:6.12")
    parser.add_argument("--duration", type=float, default=120)
    given = parser.parse_args(arguments)
    rows = []
    for path, one, other in CELLS:
        text, overrides = scenario_of(network(path), [contestant(one), contestant(other)], given.duration)
        found: dict[str, list[dict[str, float]]] = {}
        for backend, seeds in ((SIM, SEEDS), (given.backend, SEEDS[:1])):
            runs = [ackclock.run(text, overrides=overrides, seed=seed, backend=backend) for seed in seeds]
            found[backend] = [read(numbers(run, from_s=given.duration / 5)) for run in runs]
        rows.append({"network": path, "row": one, "column": other, "numbers": found})
        sys.stdout.write(f"{rows[-1]}\n")
        sys.stdout.flush()
    document: dict[str, Any] = {"backend": given.backend, "duration_s": given.duration, "rows": rows}
    KERNEL.parent.mkdir(parents=True, exist_ok=True)
    KERNEL.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0


def read(found: dict[str, float]) -> dict[str, float]:
    """The share of the row, and what else stands on the page."""
    share = 100 * found["a_mbps"] / (found["a_mbps"] + found["b_mbps"])
    return {"share": share} | {name: found[column] for name, column in NUMBERS.items()}


if __name__ == "__main__":
    sys.exit(main())
