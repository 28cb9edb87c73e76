"""Whole tables of results as snapshots: every change of the engine that moves a number shows which ones.

``python -m tools.snapshots`` writes ``tests/snapshots`` anew; a test compares. Each table is a few seconds of runs over
small paths: goodput of every stack over buffers and losses, fairness of every congestion control over numbers of flows,
transfers over sizes and losses, and delays and drops of every queue discipline. Other tests say whether numbers are
right. These are what this version computes, on every machine.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import ackclock
from ackclock import stats

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.results.result import Result

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "tests/snapshots"

BUFFERS = ("2 packets", "8 packets", "32 packets", "128 packets")
LOSSES = ("0%", "0.1%", "1%", "3%", "10%")
STACKS = ("linux", "linux-3.12", "freebsd", "rfc")
CONTROLS = (
    "balia",
    "bbr1",
    "bbr3",
    "bic-linux",
    "bic-paper",
    "cdg",
    "compound",
    "compound-tuned",
    "copa",
    "cubic-2.0",
    "cubic-2.1",
    "cubic-linux",
    "cubic-rfc8312",
    "cubic-rfc9438",
    "dctcp-linux",
    "dctcp-rfc8257",
    "fast",
    "highspeed-linux",
    "highspeed-rfc3649",
    "htcp-linux",
    "htcp-paper",
    "hybla-linux",
    "hybla-paper",
    "illinois-linux",
    "illinois-paper",
    "ledbat",
    "ledbat++",
    "lia",
    "lp-linux",
    "lp-paper",
    "nv",
    "prague",
    "reno-linux",
    "reno-rfc5681",
    "scalable-linux",
    "scalable-paper",
    "vegas-linux",
    "vegas-paper",
    "veno-linux",
    "veno-paper",
    "westwood-linux",
    "westwood-paper",
    "yeah-linux",
    "yeah-paper",
)
FLOWS = (1, 2, 4, 8)
SIZES = ("10kB", "100kB", "1MB")
QUEUES = (
    "drop-tail",
    "drop-head",
    "red",
    "ared",
    "codel",
    "pie",
    "cobalt",
    "dualpi2",
    "drr",
    "sfq",
    "fq",
    "fq-codel",
    "sfq-codel",
    "fq-pie",
    "cake",
)


def scenario(flows: Sequence[Mapping[str, object]], **bottleneck: object) -> dict[str, object]:
    """A dumbbell of 10 Mbit/s and 40 ms for 10 s."""
    path: dict[str, object] = {"rate": "10Mbps", "delay": "20ms", "queue": "32 packets"}
    return {"name": "snapshot", "duration": "10s", "bottleneck": path | bottleneck, "flows": list(flows)}


def number(value: float) -> str:
    """Four significant digits."""
    return f"{value:.4g}"


def table(title: str, corner: str, columns: Sequence[str], rows: Mapping[str, Sequence[str]]) -> str:
    """A text table with a title."""
    body = [[corner, *columns], *([name, *cells] for name, cells in rows.items())]
    widths = [max(len(line[place]) for line in body) for place in range(len(columns) + 1)]
    lines = [
        "  ".join([line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:], strict=True))]).rstrip()
        for line in body
    ]
    return "\n".join([title, "", *lines]) + "\n"


def grid(rows: Sequence[str], columns: Sequence[str], cell: Callable[[str, str], str]) -> dict[str, list[str]]:
    """The cells of a table."""
    return {row: [cell(row, column) for column in columns] for row in rows}


def goodput_by_loss(stack: str) -> str:
    """Goodput of one CUBIC flow over buffers and losses, with its retransmissions and timeouts."""

    def cell(buffer: str, loss: str) -> str:
        flow = {"name": "one", "app": "bulk", "cc": "cubic", "stack": stack}
        row = next(ackclock.run(scenario([flow], queue=buffer, loss=loss)).flows.rows())
        return f"{number(row['goodput_bps'] / 1e6)}/{row['retransmits']}/{row['timeouts']}"

    title = (
        f"Stack {stack}, CUBIC, 10 Mbit/s, 40 ms: goodput in Mbit/s/retransmissions/timeouts, by queue and random loss"
    )
    return table(title, "queue", LOSSES, grid(BUFFERS, LOSSES, cell))


def fairness() -> str:
    """Jain's index of flows of one control, and the mean queueing delay."""

    def cell(control: str, count: str) -> str:
        flow = {"name": "all", "app": "bulk", "cc": control, "count": int(count), "start_jitter": "500ms"}
        result = ackclock.run(scenario([flow]))
        return f"{number(stats.jain(result.flows['goodput_bps']))}/{number(delay_of(result))}"

    counts = [str(count) for count in FLOWS]
    title = "Flows of one control over 10 Mbit/s, 40 ms, 32 packets: Jain's index/mean queueing delay in ms, by flows"
    return table(title, "control", counts, grid(CONTROLS, counts, cell))


def transfers() -> str:
    """Times of transfers over sizes and losses."""

    def cell(stack_and_size: str, loss: str) -> str:
        stack, size = stack_and_size.split()
        flow = {"name": "one", "app": {"kind": "transfer", "size": size}, "stack": stack}
        times = ackclock.run(scenario([flow], loss=loss)).transfers["duration_s"]
        return "-" if times[0] != times[0] else number(1e3 * times[0])

    rows = [f"{stack} {size}" for stack in STACKS for size in SIZES]
    title = "One transfer over 10 Mbit/s, 40 ms, 32 packets: milliseconds, by random loss"
    return table(title, "stack and size", LOSSES, grid(rows, LOSSES, cell))


def queues() -> str:
    """Delays, drops and marks of queue disciplines under four flows."""
    columns = ("mean ms", "p99 ms", "drops", "marks", "utilisation %")

    def row(kind: str) -> list[str]:
        flows: list[dict[str, object]] = [
            {"name": "many", "app": "bulk", "count": 3, "start_jitter": "500ms"},
            {"name": "ecn", "app": "bulk", "ecn": "classic"},
        ]
        link = next(ackclock.run(scenario(flows, queue={"kind": kind})).links.rows())
        shown = (link["queue_delay_mean_ms"], link["queue_delay_p99_ms"], link["drops"], link["marks"])
        return [*(number(value) for value in shown), number(100 * link["utilisation"])]

    title = "Three CUBIC flows and one with ECN over 10 Mbit/s, 40 ms: the queue of the bottleneck, by discipline"
    return table(title, "queue", columns, {kind: row(kind) for kind in QUEUES})


def delay_of(result: Result) -> float:
    """The mean queueing delay of the bottleneck, milliseconds."""
    return float(result.links["queue_delay_mean_ms"][0])


SNAPSHOTS: Mapping[str, Callable[[], str]] = {
    **{f"goodput-{stack}": partial(goodput_by_loss, stack) for stack in STACKS},
    "fairness": fairness,
    "transfers": transfers,
    "queues": queues,
}
"""The tables by the names of their files."""


def main() -> int:
    """Writes all tables."""
    for name, made in SNAPSHOTS.items():
        (FOLDER / f"{name}.txt").write_text(made(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
