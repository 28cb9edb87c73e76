"""The page of what differs between our queue disciplines and a kernel's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tools.queues.compared import LEVEL, MEASURES, WITHIN_NS
from tools.queues.patterns import LENGTH_S, PATTERNS, RATE, packets
from tools.queues.plan import ABSENT, CASES, FRAME, RUNS, SEEDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tools.queues.compared import Pair, Sample
    from tools.queues.plan import Case
    from tools.queues.record import Record

__all__ = ["PAGE", "page"]

PAGE = Path(__file__).parent.parent.parent / "docs/residuals-of-queues.md"
UNEXPLAINED = "No cause is known."
SIGNS = 4
"""Significant digits of a mean."""


class _Causes:
    """The causes that the page names, numbered in the order of their first use."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.numbers: dict[str, int] = {}

    def mark(self, row: Pair | Sample) -> str:
        """The numbers of the causes of a row, in parentheses; nothing where the row has no difference."""
        if row.holds:
            return ""
        found = self.record.causes_of(row) or [UNEXPLAINED]
        return f" ({', '.join(str(self.numbers.setdefault(cause, len(self.numbers) + 1)) for cause in found)})"

    def lines(self) -> list[str]:
        """The causes as a list."""
        return [f"{number}. {cause}" for cause, number in self.numbers.items()]


def page(record: Record) -> str:
    """The page as Markdown."""
    causes = _Causes(record)
    pairs, samples = record.pairs(), record.samples()
    same, total = sum(one.same for one in pairs), sum(one.packets for one in pairs)
    exact = sum(one.holds for one in pairs)
    inside = sum(one.holds for one in samples)
    version, hz = record.kernel.get("version", ""), record.kernel.get("hz", "")
    lines = [
        "# Queue disciplines beside Linux",
        "",
        "*For those who want to know how far our queue disciplines are from Linux's, packet by packet.*",
        "",
        _prose(
            f"This page sends the same packets through the queue disciplines of Linux {version} and through ours.",
            f"The kernel runs in virtual time with a tick of {hz} Hz. `make queues` runs all of it and writes this.",
            "[How a kernel runs in virtual time](how-to/virtual-kernel.md) explains the kernel.",
        ),
        "",
        _prose(
            f"**{same:,} of {total:,} packets have the same fate ({same / max(total, 1):.2%});",
            f"{exact} of {len(pairs)} runs agree in every packet.",
            f"Of disciplines that draw random numbers, {inside} of {len(samples)} means agree.**",
        ),
        "",
        "## Method",
        "",
        _prose(
            "The kernel's packets are datagrams of UDP between the ends of a veth pair.",
            f"The wire is a class of `htb` with {RATE / 1e6:g} Mbit/s, whose leaf is the discipline.",
            "A discipline that sets the pace itself (`tbf`, `cake`, `netem`, `fq maxrate`) is the root instead.",
            f"The largest frame has {FRAME:,} bytes.",
            "Our discipline gets the packets at the times at which the kernel's sender sent them.",
        ),
        "",
        f"Each pattern of packets lasts {LENGTH_S:g} s and is drawn once, from a seed:",
        "",
        *[f"- `{name}`, {len(packets(name)):,} packets. {words}" for name, (words, _) in PATTERNS.items()],
        "",
        "Each cell has our number, a slash, and the kernel's. A number in parentheses points to the cause below.",
        "",
        "## Packet by packet",
        "",
        _prose(
            "A packet has the same fate if both drop it, or if both send it with the same ECN field.",
            "The last column has, of the packets that both send,",
            f"those that leave within {WITHIN_NS / 1000:g} us of each other.",
            "A row in bold type has a packet with another fate or another time.",
        ),
        "",
        "| discipline | pattern | drops | marks | same fate | same time |",
        "|---|---|---|---|---|---|",
        *[_row(one, causes) for one in pairs],
        "",
        "## By distribution",
        "",
        _prose(
            f"They draw random numbers. Each cell has means of {SEEDS} runs of ours and {RUNS} of the kernel.",
            f"Means agree if the {LEVEL:.1%} interval of their difference, whose half width follows, has zero in it.",
            f"The delay is the mean time in the queue of sent packets; {WITHIN_NS / 1000:g} us widen its interval.",
        ),
        "",
        f"| discipline | pattern | {' | '.join(MEASURES)} |",
        "|---|---" + "|---" * len(MEASURES) + "|",
        *_drawn_rows(CASES, samples, causes),
        "",
        "## Causes",
        "",
        *(causes.lines() or ["Nothing differs."]),
        "",
        "## What is not compared",
        "",
        *[f"- `{name}`: Linux {version} does not have it. {why}" for name, why in ABSENT.items()],
        _prose(
            "- netem's random numbers: with netem's own seed,",
            "`crates/ackclock-net/tests/netem.rs` compares every packet of recorded runs.",
        ),
        _prose(
            "- The hashes that sort flows into queues draw a key at random:",
            "the flows here have queues of their own on both sides.",
        ),
        "",
    ]
    return "\n".join(lines)


def _prose(*sentences: str) -> str:
    return " ".join(sentences)


def _row(one: Pair, causes: _Causes) -> str:
    same = f"{one.same:,} of {one.packets:,}"
    near = f"{one.near:,} of {one.sent:,}"
    if not one.holds:
        same, near = f"**{same}**{causes.mark(one)}", f"**{near}**"
    drops, marks = ("{} / {}".format(*pair) for pair in (one.drops, one.marks))
    return f"| `{one.case}` | {one.pattern} | {drops} | {marks} | {same} | {near} |"


def _drawn_rows(cases: Iterable[Case], samples: list[Sample], causes: _Causes) -> list[str]:
    rows = []
    for case in cases:
        for name in PATTERNS:
            cells = [_cell(one, causes) for one in samples if (one.case, one.pattern) == (case.name, name)]
            if cells:
                rows.append(f"| `{case.name}` | {name} | {' | '.join(cells)} |")
    return rows


def _cell(one: Sample, causes: _Causes) -> str:
    text = f"{one.ours:.{SIGNS}g} / {one.theirs:.{SIGNS}g}"
    if one.width:
        text += f" ± {one.width:.2g}"
    return text if one.holds else f"**{text}**{causes.mark(one)}"
