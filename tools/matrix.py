"""The matrix of the documentation: ``python -m tools.matrix`` writes docs/matrix.md and its pictures.

It runs what the store in out/matrix lacks, so that it can be interrupted, and takes less than two hours on two cores.
`--network` names the networks of the page, and `--seeds` and `--duration` ask for other numbers than the command has;
the page says what it has.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock import _core, plot
from ackclock.judge.matrix import CONTESTANTS, DURATION_S, MAPS, NETWORKS, SEEDS, WARM_UP_S, contestant, make
from ackclock.judge.matrix import network as network_named
from ackclock.judge.matrix.page import how, starved
from ackclock.plot.canvas import figure_of
from ackclock.plot.matrix import matrix_map

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from ackclock.judge.matrix import Map, Matrix, Network

DOCS = Path(__file__).parent.parent / "docs"
STORE = Path(__file__).parent.parent / "out/matrix/runs"
KERNEL = STORE.parent / "kernel.json"
"""Cells on a kernel, which `tools.matrix_kernel` writes."""
DOTS = 140
"""Dots per inch of the pictures: numbers can be read, and a picture has a few hundred kilobytes."""
PICTURES = ("share", "delay", "loss")
"""Maps of which the page has a picture for each network."""
LISTED = 15
"""Pairs of a network that starve which the page lists."""
BESIDE = "cubic"
"""The contestant beside which the page has a table of everyone."""

INTRODUCTION = """\
# The matrix: every congestion control beside every other

*For those who ask what a congestion control does beside another one, before they run their own.*

`ackclock matrix` runs congestion controls beside each other, pair by pair ([how to](how-to/matrix.md)). This page has
its results for {count} of them over {networks}: {listed}.
The networks with 50 ms and 4 BDP are the settings of Prudentia (Philip, Athapathu, Ware and others, SIGCOMM 2024).
Prudentia measures services on the Internet; here are bulk flows over one drop-tail queue.

{how}
- The version is {version}, engine {engine}. `python -m tools.matrix` writes this page{command}.
"""

FINDINGS = """\
## What the maps show

- **BBRv1** has about a half beside CUBIC over 4 BDP of buffer (51 and 46 %), and 83 to 91 % over 0.5 and 1 BDP, as
  Ware and others measured (IMC 2019): its two bandwidth-delay products in flight overflow a shallow buffer, and it
  answers no loss. **BBRv3** has 63 to 94 % beside CUBIC over all five networks.
- **quinn's BBR** leaves CUBIC at most 3 % over the three networks with 0.5 or 1 BDP of buffer, and two of its flows
  retransmit a third to a half of their packets there. quinn calls it experimental.
- **LEDBAT** has at most 1.4 % beside CUBIC where the queue holds 150 ms or more. It competes like Reno over the
  shallow queues, with 30 and 66 %, because queues of 10 and 25 ms never reach its target of 100 ms. LEDBAT++, with a
  target of 60 ms and slowdowns, yields also over 10 ms, and has 32 % over 25 ms.
- **FAST TCP** keeps 200 packets in the queue (its alpha). It has 92 to 98 % beside CUBIC over the four networks whose
  buffer has at most 250 packets, and two of its flows retransmit 7 to 20 % of their packets there. Over 50 Mbit/s
  with 4 BDP, whose buffer has 833 packets, it has 29 %.
- **Reno** has 12 to 33 % beside CUBIC. Only over 20 Mbit/s and 10 ms, where the window is small and CUBIC follows
  Reno (RFC 9438, section 4.3), it has 55 %. BIC and Scalable TCP, which are made for long fat paths, have 47 to 94 %.
- **Of two equal flows**, one has 6 % with NV over the short path, 9 % with Vegas over 0.5 BDP, and 11 % with LEDBAT++
  and with Scalable TCP over 50 Mbit/s with 4 BDP.
- **Vegas** has 2 to 31 % beside CUBIC, and **Copa** 7 to 23 %; over 0.5 BDP Copa has its half. Copa has a mode for
  rivals that fill the buffer, which does not get it an equal share elsewhere.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs what is missing and writes the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--network", action="append", choices=[one.name for one in NETWORKS], default=[])
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--duration", type=float, default=DURATION_S)
    parser.add_argument("--threads", type=int, default=None)
    given = parser.parse_args(arguments)
    made = make(
        [one for one in NETWORKS if not given.network or one.name in given.network],
        [contestant(one) for one in CONTESTANTS],
        seeds=range(1, given.seeds + 1),
        duration_s=given.duration,
        warm_up_s=WARM_UP_S * given.duration / DURATION_S,
        out=STORE,
        threads=given.threads,
        progress=True,
    )
    for network in made.networks:
        for one in (found for found in MAPS if found.name in PICTURES):
            with plot.paper():
                figure_of(_drawn(made, network, one)).savefig(DOCS / _picture(network, one), dpi=DOTS)
    options = [f"--network {name}" for name in given.network]
    options += [
        f"--{name} {value:g}"
        for name, value, usual in (
            ("seeds", given.seeds, SEEDS),
            ("duration", given.duration, DURATION_S),
        )
        if value != usual
    ]
    (DOCS / "matrix.md").write_text(page(made, options), encoding="utf-8")
    return 0


def page(made: Matrix, options: Sequence[str] = ()) -> str:
    """The page."""
    networks = made.networks
    parts = [
        INTRODUCTION.format(
            count=len(made.contestants),
            networks=f"{len(networks)} network{'s' if len(networks) != 1 else ''}",
            listed="; ".join(one.title for one in networks),
            how=how(made),
            version=_core.version(),
            engine=_core.engine()[:8],
            command=f" (with `{' '.join(options)}`)" if options else "",
        )
    ]
    if made.failures:
        parts.append("These runs failed:\n\n" + "\n".join(f"- {one}" for one in made.failures) + "\n")
    parts.append(_summary(made))
    parts.append(FINDINGS)
    if KERNEL.exists():
        parts.append(_on_kernel(json.loads(KERNEL.read_text(encoding="utf-8"))))
    for network in networks:
        parts.append(f"## {network.title}\n")
        parts += [
            f"{one.label}:\n\n![{one.title}, {network.title}]({_picture(network, one)})\n"
            for one in MAPS
            if one.name in PICTURES
        ]
        rows = starved(made, network)[:LISTED]
        if rows:
            shown = [[f"`{row}`", f"`{column}`", share] for row, column, share in rows]
            parts.append(f"Pairs in which one flow has less than 5 % of the goodput, the first {LISTED}:\n")
            parts.append(_table(["starves", "beside", "share (%)"], shown))
    return "\n".join(parts)


def _summary(made: Matrix) -> str:
    """Everyone beside CUBIC: the share of the goodput in each network, and over all columns."""
    share = MAPS[0]
    rows = []
    for row in made.ordered():
        beside = [made.cell(share, network.name, row, BESIDE) for network in made.networks]
        others = [
            cell.value
            for network in made.networks
            for column in made.contestants
            if column != row and (cell := made.cell(share, network.name, row, column)) is not None
        ]
        mean = f"{np.mean(others):.0f}" if others else "-"
        rows.append([f"`{row}`", mean, *("-" if one is None else f"{one.value:.1f}" for one in beside)])
    columns = ["", "mean over all others", *(f"beside CUBIC, {network.title}" for network in made.networks)]
    return "## Share of the goodput (%)\n\n" + _table(columns, rows)


def _on_kernel(document: dict[str, Any]) -> str:
    """Cells beside the same runs on Linux: the range of the simulator's seeds, and the kernel's number."""
    backend = document["backend"]
    rows = []
    for one in document["rows"]:
        ours = one["numbers"]["sim"]
        (kernel,) = one["numbers"][backend]
        cells = [f"{network_named(one['network']).title}: `{one['row']}` beside `{one['column']}`"]
        for name in ("share", "delay", "retransmitted"):
            low, high = (end(run[name] for run in ours) for end in (min, max))
            cells += [f"{low:.3g} to {high:.3g}", f"{kernel[name]:.3g}"]
        rows.append(cells)
    what = ("share of the row (%)", "median queueing delay (ms)", "retransmitted by the row (%)")
    columns = ["", *(f"{one}, {who}" for one in what for who in ("here", "Linux"))]
    seeds = len(document["rows"][0]["numbers"]["sim"])
    return (
        "## Five cells on Linux\n\n"
        f"The same scenarios of {document['duration_s']:g} s under {backend} in virtual time (`ackclock run --backend "
        f"{backend}`) with one seed, beside the range of {seeds} seeds here. `python -m tools.matrix_kernel` runs "
        "them.\n\n" + _table(columns, rows)
    )


def _drawn(made: Matrix, network: Network, one: Map) -> Axes:
    names = made.ordered()
    cells = [[made.cell(one, network.name, row, column) for column in names] for row in names]
    values = [[np.nan if cell is None else cell.value for cell in row] for row in cells]
    return matrix_map(values, names, names, label=one.label, middle=one.middle)


def _picture(network: Network, one: Map) -> str:
    return f"matrix-{network.name.replace(',', '-').replace('.', '_')}-{one.name}.png"


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(columns)} |", f"|---|{'---:|' * (len(columns) - 1)}"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
