"""Writes docs/newcwv-conformance.md, with each rule of RFC 7661 in the simulator and in Linux; takes ten minutes."""

from __future__ import annotations

import platform
from pathlib import Path

import ackclock
from tools.newcwv.rules import RULES, Outcome, Rule, scenario_of

PAGE = Path("docs/newcwv-conformance.md")
LONG_S = 60.0
"""Duration from which a rule is left out without newCWV, which does not keep its window for a second."""
COLUMNS = (("newcwv", "sim"), ("newcwv", "linux"), ("linux", "linux"))


def main() -> None:
    """Runs every rule and writes the page."""
    rows = [
        [outcome_of(rule, *column) for column in (COLUMNS if rule.duration_s < LONG_S else COLUMNS[:2])]
        for rule in RULES
    ]
    PAGE.write_text(page(rows), encoding="utf-8")
    wrong = [
        rule.name for rule, (sim, kernel, *_) in zip(RULES, rows, strict=True) if not (sim.obeyed and kernel.obeyed)
    ]
    print(f"{PAGE}: {len(RULES)} rules, not obeyed: {', '.join(wrong) or 'none'}")


def outcome_of(rule: Rule, validation: str, backend: str) -> Outcome:
    """Outcome of a rule on a backend."""
    return rule.read(ackclock.run(scenario_of(rule, "reno", validation), backend=backend))


def page(rows: list[list[Outcome]]) -> str:
    """The page."""
    lines = [
        "# newCWV in Linux, rule by rule",
        "",
        "*For those who use newCWV in Linux and want to know that it obeys RFC 7661.*",
        "",
        'Each rule of RFC 7661 as a scenario that runs in the simulator (`validation = "newcwv"` on the stack `linux`) and in the running Linux with the',
        "BPF program [`newcwv`](how-to/newcwv-linux.md), both over Reno. The last column is Linux's own Reno in the same scenario, without newCWV. Windows are in segments of 1448",
        "bytes, over 20 Mbit/s with a round-trip time of 40 ms.",
        "",
        f"`python -m tools.newcwv` wrote this page, on Linux {platform.release().split('-')[0]}.",
        "",
        "| rule | section of RFC 7661 | simulator | Linux with newCWV | Linux without |",
        "|---|---|---|---|---|",
    ]
    for rule, (sim, kernel, *rest) in zip(RULES, rows, strict=True):
        cells = [f"{'obeyed' if one.obeyed else 'NOT OBEYED'}: {one.shown}" for one in (sim, kernel)]
        lines.append(
            f"| {rule.text} | {rule.section} | {cells[0]} | {cells[1]} | {rest[0].shown if rest else 'not run'} |"
        )
    lines += [
        "",
        "The scenarios are in `tools/newcwv/rules.py`, and a test runs all but the last in both worlds. An ssthresh of *infinite* is that of a connection without a loss so far.",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
