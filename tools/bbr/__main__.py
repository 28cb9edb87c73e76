"""Writes docs/bbr-conformance.md, with each test case of the BBR draft under bbr3 and bbr1; takes some seconds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ackclock.conform import Subject, cases
from ackclock.conform.perform import NOT_APPLICABLE
from ackclock.conform.report import conform

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.conform.report import Judged

PAGE = Path("docs/bbr-conformance.md")
ALGORITHMS = ("bbr3", "bbr1")
SEEDS = (1, 2, 3)
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
"""The reasons of failures, by the congestion control and the number of the case."""


def main() -> None:
    """Runs every case and writes the page."""
    columns = [conform(cases(), Subject(cc=name), SEEDS) for name in ALGORITHMS]
    PAGE.write_text(page(columns), encoding="utf-8")
    for name, column in zip(ALGORITHMS, columns, strict=True):
        failed = [str(one.case.number) for one in column if one.verdict == "fail"]
        print(f"{PAGE}: {name}: {len(column)} cases, failed: {', '.join(failed) or 'none'}")


def page(columns: Sequence[Sequence[Judged]]) -> str:
    """The page: a table of verdicts, and a section for each case."""
    lines = [
        "# BBR against the draft's test cases",
        "",
        "The appendix *BBR Example Test Cases* of draft-ietf-ccwg-bbr, in the working group's repository after revision 06, describes 22 cases in words. Here each is a",
        "scenario with checks, and `ackclock conform bbr` runs them. Sections in this page are those of the draft.",
        "",
        '```sh not-run="the results are in the tables below"',
        "ackclock conform bbr",
        "ackclock conform bbr probe-rtt policer --seeds 5 --out out/bbr",
        "ackclock conform bbr --cc bbr1",
        "ackclock conform bbr --list",
        "```",
        "",
        "- `--cc`, `--stack` and `--transport` set these fields of the flow under test, and `--set PATH=VALUE` any field of the scenarios. The flow under test is",
        "  `flows[0]`. `--load` adds your own congestion control.",
        "- `--backend linux:6.12` runs the cases with [a kernel's own BBR](how-to/backends.md) in virtual time, as far as that kernel has been built. `--bbr-version 3` says",
        "  that the kernel's `bbr` is version 3.",
        "- `--out` writes a figure of each case: rates, window and RTT, with the states in the background. `--json` prints all values.",
        "- The exit status is 1 if a case fails.",
        "",
        "A check reads one value from the tables of a run, and says which values are accepted. Where the case's text has a number, that number is the limit. Otherwise the",
        "limit is derived from the draft's constants. A case passes if no check fails. A check is not applicable if the stack does not show what it reads, such as the state",
        "or the pacing rate of the congestion control, or if it tests what only another version of BBR has. The draft describes version 3; the column `bbr1` shows what",
        "version 1 does in the same scenario.",
        "",
        "Internal variables of BBR, such as `inflight_longterm` or `extra_acked`, are in no table. The checks read their effect on the window and the pacing rate.",
        "",
        f"`python -m tools.bbr` wrote this page, with the seeds {', '.join(map(str, SEEDS))}. Ranges are those of the seeds.",
        "",
        "| | case in the draft | name | " + " | ".join(ALGORITHMS) + " |",
        "|---|---|---|" + "---|" * len(ALGORITHMS),
    ]
    for row in zip(*columns, strict=True):
        case = row[0].case
        verdicts = " | ".join(one.verdict for one in row)
        lines.append(f"| {case.number} | {case.title} | `{case.name}` | {verdicts} |")
    for row in zip(*columns, strict=True):
        lines += ["", *_section(row)]
    return "\n".join([*lines, ""])


def _section(row: Sequence[Judged]) -> list[str]:
    case = row[0].case
    lines = [f"## {case.number}. {case.title}", "", case.summary, ""]
    lines += ["| check | accepted | " + " | ".join(ALGORITHMS) + " |", "|---|---|" + "---|" * len(row)]
    for at, check in enumerate(case.checks):
        cells = []
        for one in row:
            line = one.lines[at] if one.lines else None
            if line is None:
                cells.append(one.verdict)
            elif line.verdict == NOT_APPLICABLE:
                cells.append(NOT_APPLICABLE)
            else:
                cells.append(f"{line.verdict}: {line.shown}")
        lines.append(f"| {check.text} | {check.accepted} | " + " | ".join(cells) + " |")
    lines.append("")
    for check in case.checks:
        if check.how:
            lines.append(f"- *{check.text}* {'' if check.basis == 'case' else 'Derived: '}{check.how}")
    if case.remark:
        lines.append(f"- {case.remark}")
    for name, one in zip(ALGORITHMS, row, strict=True):
        if one.reason:
            lines.append(f"- Not applicable to `{name}`: {one.reason}.")
        if (name, case.number) in FINDINGS:
            lines.append(f"- It fails: {FINDINGS[name, case.number]}")
    return lines


if __name__ == "__main__":
    main()
