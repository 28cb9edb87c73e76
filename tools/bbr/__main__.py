"""``python -m tools.bbr``: writes docs/bbr-conformance.md, with each test case of the BBR draft under bbr3 and bbr1.

It takes some seconds, and keeps what a kernel gave. ``--kernel`` runs the cases in a kernel, too, which takes about half
an hour; words choose cases by name or number.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ackclock.judge.conform import Subject, cases, chosen
from ackclock.judge.conform.perform import NOT_APPLICABLE
from ackclock.judge.conform.report import conform
from ackclock.kernel import KernelError
from ackclock.kernel.runs import choose
from tools.bbr.record import RECORD, Record, load, row_of, save

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.judge.conform import Case
    from ackclock.judge.conform.report import Judged
    from tools.bbr.record import Row

PAGE = Path("docs/bbr-conformance.md")
ALGORITHMS = ("bbr3", "bbr1")
SEEDS = (1, 2, 3)
HZ = 1000
"""Ticks of the kernel a second."""
FINDINGS = {
    ("bbr3", 17): (
        "`bbr3` follows the draft here, and the draft has no detection of policers. The policer's bucket refills "
        "while the flow cruises 1 % below the token rate. The next probe exceeds the token rate without loss until the bucket "
        "is empty, so that max_bw is up to 2.8 times the token rate for two cycles. Two thirds of the lost packets are "
        "lost in the phases refill, up and down, in 13 % of the time. The others are lost until bw_shortterm has fallen "
        "to the token rate. The case gives no number for an excessive loss. The 2 % of the check is the loss that the draft "
        "accepts in one round of a probe, and a higher limit would need a reason from the draft."
    ),
    ("bbr1", 17): "`bbr1` has the detection of policers of Linux, which needs losses of 20 % in two intervals.",
}
"""The reasons of failures, by the column and the number of the case."""
REMARKS = {
    ("linux 6.12", 17): (
        "`linux 6.12` passes only because its losses cannot be read in a part of the time. Over the whole run, the "
        "policer drops 7.9 % of its packets, and 7.7 % of those of `bbr1`, which fails."
    ),
}
"""Other remarks about results, by the column and the number of the case."""


def main(arguments: Sequence[str]) -> int:
    """Runs the cases and writes the page. 2 without a kernel, or with results of a kernel that are out of date."""
    parser = argparse.ArgumentParser(prog="bbr", description=__doc__)
    parser.add_argument("words", nargs="*", help="with --kernel: names or numbers of cases")
    parser.add_argument("--kernel", action="store_true")
    parser.add_argument("--version", default="6.12")
    given = parser.parse_args(arguments)
    if given.kernel:
        try:
            built = choose(given.version, HZ)
            subject = Subject(cc="bbr", backend=f"linux:{built.version}")
            judged = conform(chosen("bbr", tuple(given.words)), subject, SEEDS, _tell)
        except KernelError as error:
            sys.stderr.write(f"bbr: {error}\n")
            return 2
        save(judged, built, SEEDS)
    record = load()
    stale = record.stale(cases())
    if stale:
        told = " ".join(map(str, stale))
        sys.stderr.write(f"bbr: {RECORD}: cases have changed since the kernel ran them: {told}; run --kernel {told}\n")
        return 2
    columns = {name: simulated(name) for name in ALGORITHMS} | {record.name: record.rows}
    PAGE.write_text(page(columns, record), encoding="utf-8")
    for name, rows in columns.items():
        failed = [str(number) for number, row in rows.items() if row.verdict == "fail"]
        sys.stdout.write(f"{PAGE}: {name}: {len(rows)} cases, failed: {', '.join(failed) or 'none'}\n")
    return 0


def simulated(name: str) -> dict[int, Row]:
    """The results of a congestion control of the simulator, by number of the case."""
    return {one.case.number: row_of(one) for one in conform(cases(), Subject(cc=name), SEEDS)}


def _tell(one: Judged) -> None:
    sys.stderr.write(f"case {one.case.number}, {one.case.name}: {one.verdict}\n")


def page(columns: Mapping[str, Mapping[int, Row]], record: Record) -> str:
    """The page: a table of verdicts, and a section for each case. The last column is that of the record."""
    lines = [
        "# BBR against the draft's test cases",
        "",
        "*For developers of BBR, and readers of the BBR draft who want to see its test cases with numbers.*",
        "",
        "The appendix *BBR Example Test Cases* of draft-ietf-ccwg-bbr, in the working group's repository after revision 06, describes 22 cases in words. Here each is a",
        "scenario with checks, and `ackclock suite bbr` runs them (`ackclock conform bbr` is its old name). Sections in this page are those of the draft.",
        "",
        '```sh not-run="the results are in the tables below"',
        "ackclock suite bbr",
        "ackclock suite bbr probe-rtt policer --seeds 5 --out out/bbr",
        "ackclock suite bbr --cc bbr1",
        "ackclock suite bbr --list",
        "```",
        "",
        "- `--cc`, `--stack` and `--transport` set these fields of the flow under test (`--library` names the file of a transport's library), and `--set PATH=VALUE` any field of the scenarios. The flow under test is",
        "  `flows[0]`. `--load` adds your own congestion control.",
        "- `--backend linux:6.12` runs the cases with [a kernel's own BBR](how-to/backends.md) in virtual time, as far as that kernel has been built. `--bbr-version 3` says",
        "  that the kernel's `bbr` is version 3.",
        "- `--out` writes a figure of each case: rates, window and RTT, with the states in the background. `--json` prints all values.",
        "- The exit status is 1 if a case fails.",
        "",
        "A check reads one value from the tables of a run, and says which values are accepted. Where the case's text has a number, that number is the limit. Otherwise the",
        "limit is derived from the draft's constants. A case passes if no check fails. A check is not applicable if the stack does not show what it reads, such as the state",
        "or the pacing rate of the congestion control, or if it tests what only another version of BBR has. The draft describes version 3; the column `bbr1` shows what",
        f"version 1 does in the same scenario. The column `{record.name}` is `bbr` of Linux {record.version}, which is version 1, too.",
        "",
        "Internal variables of BBR, such as `inflight_longterm` or `extra_acked`, are in no table. The checks read their effect on the window and the pacing rate.",
        "",
        f"`python -m tools.bbr` wrote this page, with the seeds {', '.join(map(str, SEEDS))}. Ranges are those of the seeds.",
        f"The kernel's results are of {record.date}, in virtual time with a tick of {record.hz} Hz and ackclock {record.ackclock}; `python -m tools.bbr --kernel` takes them anew. Kernels with",
        "version 3 are not among Debian's packages; a tree of your own is tested with `--backend linux:TREE --bbr-version 3`. On the running kernel (`--backend linux`), RTT samples vary",
        "by tens of microseconds. Each smaller sample begins the ten seconds before ProbeRTT anew, so that case 20 may end before it has one.",
        "",
        "| | case in the draft | name | " + " | ".join(columns) + " |",
        "|---|---|---|" + "---|" * len(columns),
    ]
    for case in cases():
        verdicts = " | ".join(rows[case.number].verdict for rows in columns.values())
        lines.append(f"| {case.number} | {case.title} | `{case.name}` | {verdicts} |")
    for case in cases():
        lines += ["", *_section(case, {name: rows[case.number] for name, rows in columns.items()})]
    return "\n".join([*lines, ""])


def _section(case: Case, rows: Mapping[str, Row]) -> list[str]:
    lines = [f"## {case.number}. {case.title}", "", case.summary, ""]
    lines += ["| check | accepted | " + " | ".join(rows) + " |", "|---|---|" + "---|" * len(rows)]
    for at, check in enumerate(case.checks):
        cells = []
        for row in rows.values():
            cell = row.cells[at] if row.cells else None
            if cell is None:
                cells.append(row.verdict)
            elif cell.verdict == NOT_APPLICABLE:
                cells.append(NOT_APPLICABLE)
            else:
                cells.append(f"{cell.verdict}: {cell.shown}")
        lines.append(f"| {check.text} | {check.accepted} | " + " | ".join(cells) + " |")
    lines.append("")
    for check in case.checks:
        if check.how:
            lines.append(f"- *{check.text}* {'' if check.basis == 'case' else 'Derived: '}{check.how}")
    if case.remark:
        lines.append(f"- {case.remark}")
    for name, row in rows.items():
        # A reason that holds for several columns is told once.
        sharing = [other for other, one in rows.items() if one.reason == row.reason]
        if row.reason and sharing[0] == name:
            lines.append(f"- Not applicable to {' and '.join(f'`{one}`' for one in sharing)}: {row.reason}.")
        if (name, case.number) in FINDINGS:
            lines.append(f"- `{name}` fails: {FINDINGS[name, case.number]}")
        if (name, case.number) in REMARKS:
            lines.append(f"- {REMARKS[name, case.number]}")
    return lines


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
