"""The tables and the figure of docs/sizes.md."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from tools.sizes.subjects import SUBJECTS

__all__ = ["FIGURE", "PAGE", "RECORD", "tables", "write"]

PAGE = Path(__file__).parents[2] / "docs" / "sizes.md"
FIGURE = PAGE.with_suffix(".svg")
RECORD = Path(__file__).with_name("record.json")
MARK = "<!-- python -m tools.sizes writes these tables -->\n"


def tables(record: dict[str, Any]) -> str:
    """A table for each thing that grows: a row a command, a column a size."""
    known = [one for one in SUBJECTS if one.name in record]
    parts = [f"### {one.unit[0].upper()}{one.unit[1:]}\n\n{_table(record[one.name])}" for one in known]
    return "\n" + "\n\n".join(parts) + "\n"


def _table(sizes: dict[str, Any]) -> str:
    known = sorted(sizes, key=int)
    commands = dict.fromkeys(command for size in known for command in sizes[size])
    lines = [f"| command | {' | '.join(f'{int(size):,}' for size in known)} |", f"|---{'|---' * len(known)}|"]
    for command in commands:
        cells = [_cell(sizes[size].get(command)) for size in known]
        lines.append(f"| {command} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(took: dict[str, float] | None) -> str:
    """Seconds, memory, and bytes where they are told."""
    if took is None:
        return "-"
    told = f"{took['cpu_s']:.3g} s, {took['peak_mib']:,.0f} MiB"
    return told + (f", {_volume(took['bytes'])}" if "bytes" in took else "")


def _volume(count: float) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count / 1e3:.3g} kB"


def write(record: dict[str, Any]) -> None:
    """Writes the tables and the figure."""
    before, mark, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    PAGE.write_text(f"{before}{mark}{tables(record)}", encoding="utf-8")
    _draw(record)


def _draw(record: dict[str, Any]) -> None:
    import matplotlib as mpl

    mpl.use("svg")
    # The same bytes each time.
    mpl.rcParams["svg.hashsalt"] = "ackclock"
    from matplotlib import pyplot

    chosen = [one for one in SUBJECTS if len(record.get(one.name, {})) > 1]
    if not chosen:
        return
    figure, panels = pyplot.subplots(2, len(chosen), figsize=(2.6 * len(chosen), 4.2), squeeze=False, sharex="col")
    for column, subject in enumerate(chosen):
        sizes = {int(size): rows for size, rows in sorted(record[subject.name].items(), key=lambda one: int(one[0]))}
        commands = dict.fromkeys(command for rows in sizes.values() for command in rows)
        for row, key in enumerate(("cpu_s", "peak_mib")):
            axes = panels[row][column]
            for command in commands:
                points = [(size, rows[command][key]) for size, rows in sizes.items() if command in rows]
                axes.loglog(*zip(*points, strict=True), marker=".", linewidth=1, label=command)
            for axis, told in ((axes.xaxis, "{x:,.0f}"), (axes.yaxis, "{x:,g}")):
                axis.set_major_formatter(told)
                axis.set_minor_formatter("")
            # Whole decades, so that each axis has two numbers at least.
            low, high = (
                math.log10(end(took[key] for rows in sizes.values() for took in rows.values())) for end in (min, max)
            )
            axes.set_ylim(10.0 ** math.floor(low), 10.0 ** math.ceil(high))
            axes.tick_params(labelsize=7)
        panels[0][column].set_title(subject.unit.split(" of a log")[0].split(",")[0], fontsize=8)
        panels[1][column].legend(fontsize=5, frameon=False)
    panels[0][0].set_ylabel("CPU time (s)", fontsize=8)
    panels[1][0].set_ylabel("memory (MiB)", fontsize=8)
    figure.tight_layout()
    figure.savefig(FIGURE, metadata={"Date": None})
    pyplot.close(figure)
