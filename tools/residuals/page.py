"""The page of what differs between the simulator and a kernel."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from tools.residuals.cells import BOUNDS, MEASURES
from tools.residuals.paths import PATHS, SEED
from tools.residuals.plan import (
    DRAWING,
    DRAWS,
    EXPERIMENTS,
    FAR,
    LOSSY,
    NEAR,
    NETWORKS,
    SEEDS,
    STARTS_S,
    WIDE,
    full_name,
)
from tools.residuals.record import DEFAULT, suffix

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tools.residuals.cells import Cell
    from tools.residuals.plan import Experiment, Network
    from tools.residuals.record import Record

__all__ = ["page", "page_of"]

DOCS = Path(__file__).parent.parent.parent / "docs"
UNEXPLAINED = "No cause is known."
TITLES = {
    "alone": "A flow alone",
    "path": "A flow of CUBIC alone on drawn paths",
    "share": "A flow beside CUBIC",
    "transfer": "Transfers without loss",
    "lossy": "Transfers with random loss",
    "bursts": "Bursts after idle periods",
    "window": "Small receive windows",
    "far": "Long fat paths with the buffers of Linux",
}
WORDS = {
    "alone": "One bulk flow. The window and the RTT are means from 1 s on; the period is the mean time "
    f"between recoveries. {', '.join(DRAWING)} depend on random numbers: their numbers are medians of {DRAWS} runs.",
    "path": f"{len(PATHS)} paths whose rates, delays, queues and starts were drawn once, by the seed {SEED}, before "
    "they were compared: rates of 1 to 500 Mbit/s, delays of 1 to 150 ms, queues of 0.25 to 4 bandwidth-delay products "
    "(but at least 10 packets), starts within the first second. "
    "The window and the RTT are means from 2 s on.",
    "share": f"The share of a flow's goodput beside a flow of CUBIC that has started first, over 30 s: the mean of "
    f"runs in which it starts at {', '.join(f'{start:g}' for start in STARTS_S)} s.",
    "transfer": "The time from the connect to the last byte.",
    "lossy": "The mean time from the connect to the last byte "
    f"over {SEEDS} seeds. Both lose the same packets by number.",
    "bursts": "The mean time of a burst from its write to its last byte, on a connection that stays open.",
    "window": "The goodput of a bulk flow whose receive buffer is the limit.",
    "far": "The goodput of a bulk flow with the default buffers, which are the limit.",
}


def page_of(version: str = DEFAULT) -> Path:
    """The file of the page of a version of the kernel."""
    return DOCS / f"residuals{suffix(version)}.md"


def page(record: Record) -> str:
    """The page as Markdown."""
    by_experiment: dict[str, dict[str, Cell]] = defaultdict(dict)
    found = record.cells()
    for cell in found:
        by_experiment[cell.experiment][cell.measure] = cell
    inside = Counter(cell.measure for cell in found if cell.holds)
    total = Counter(cell.measure for cell in found)
    kernel = record.kernel
    lines = [
        "# The simulator beside Linux",
        "",
        "*For those who want to know how far the stack `linux` is from Linux, in numbers.*",
        "",
        (
            "This page compares the stack `linux` with the unmodified TCP of Linux "
            f"{kernel.get('version', '')}, which runs in virtual time with a tick of {kernel.get('hz', '')} Hz. "
            "`make residuals` runs every scenario in both and writes the page, which shows all that was run. "
            "[How a kernel runs scenarios](how-to/virtual-kernel.md) explains the method."
        ),
        "",
        f"**{inside.total()} of {total.total()} numbers are within their bounds"
        + (f" ({inside.total() / total.total():.1%}).**" if total else ".**"),
        "",
        "| measure | bound | within | of |",
        "|---|---|---|---|",
    ]
    for measure, bound in BOUNDS.items():
        lines.append(f"| {measure} | {bound.words} | {inside[measure]} | {total[measure]} |")
    lines += ["", "A number outside its bound is in bold type. A number in parentheses points to the cause below.", ""]
    lines += ["The networks have a drop-tail queue:", "", *_networks((*NETWORKS.values(), WIDE, LOSSY, NEAR, FAR)), ""]
    causes = _Causes(record)
    for kind, title in TITLES.items():
        experiments = [one for one in EXPERIMENTS if one.kind == kind and one.key in by_experiment]
        if not experiments:
            continue
        lines += [f"## {title}", "", WORDS[kind], ""]
        for network in dict.fromkeys(one.network for one in experiments):
            rows = [one for one in experiments if one.network == network]
            lines += [
                f"### {network}, {title[0].lower()}{title[1:]}",
                "",
                *_table(kind, rows, by_experiment, causes),
                "",
            ]
    lines += ["## Causes", "", *causes.lines(), "", *_times(record)]
    return "\n".join(lines)


class _Causes:
    """The causes that the page names, numbered in the order of their first use."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.numbers: dict[str, int] = {}

    def mark(self, cell: Cell) -> str:
        found = self.record.causes_of(cell) or [UNEXPLAINED]
        return ", ".join(str(self.numbers.setdefault(cause, len(self.numbers) + 1)) for cause in found)

    def lines(self) -> list[str]:
        return [f"{number}. {cause}" for cause, number in self.numbers.items()]


def _networks(networks: Iterable[Network]) -> list[str]:
    rows = [
        f"| {one.name} | {one.rate} | 2 x {one.delay} | {one.packets} packets | {one.duration} |" for one in networks
    ]
    return ["| network | rate | delay | queue | duration of a flow alone |", "|---|---|---|---|---|", *rows]


def _times(record: Record) -> list[str]:
    """A section with the processor time of the runs on record."""
    spent = {kind: [0.0, 0.0] for kind in TITLES}
    runs = Counter[str]()
    for experiment in EXPERIMENTS:
        times = record.spent_s.get(experiment.key, {})
        if "kernel" in times:
            runs[experiment.kind] += len(experiment.scenarios)
            for place, side in enumerate(("simulator", "kernel")):
                spent[experiment.kind][place] += times.get(side, 0.0)
    if not runs:
        return []
    total = [sum(times[place] for times in spent.values()) for place in (0, 1)]
    rows = [f"| {TITLES[kind]} | {runs[kind]} | {spent[kind][0]:.0f} | {spent[kind][1]:.0f} |" for kind in runs]
    return [
        "## Processor time",
        "",
        (
            f"All {runs.total()} runs took {total[1] / 60:.0f} minutes of processor time in the kernel and "
            f"{total[0] / 60:.0f} in the simulator, which is {sum(total) / 120:.0f} minutes on two idle cores."
        ),
        "",
        "| part | runs | simulator, s | kernel, s |",
        "|---|---|---|---|",
        *rows,
        "",
    ]


def _table(kind: str, rows: list[Experiment], by_experiment: dict[str, dict[str, Cell]], causes: _Causes) -> list[str]:
    measures = MEASURES[kind]
    heads = [f"{measure}{f', {BOUNDS[measure].unit}' if BOUNDS[measure].unit else ''}" for measure in measures]
    has_cases = any(one.case for one in rows)
    names = ["congestion control", *(["case"] if has_cases else []), *heads]
    lines = [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]
    for one in rows:
        cells = by_experiment[one.key]
        shown = [_shown(cells.get(measure), causes) for measure in measures]
        words = [full_name(one.cc), *([one.case] if has_cases else []), *shown]
        lines.append(f"| {' | '.join(words)} |")
    return [*lines, "", "Each cell has the simulator's number, a slash, and the kernel's."]


def _shown(cell: Cell | None, causes: _Causes) -> str:
    if cell is None:
        return ""
    text = f"{_number(cell.ours)} / {_number(cell.theirs)}"
    return text if cell.holds else f"**{text}** ({causes.mark(cell)})"


def _number(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else f"{value:#.4g}".rstrip(".")
