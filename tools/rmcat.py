"""``python -m tools.rmcat``: writes docs/rmcat.md and its pictures: the cases of RFC 8867 under several controls."""

from __future__ import annotations

import sys
from pathlib import Path

from matplotlib import pyplot as plt

from ackclock.judge.rmcat import CASES, CONTROLS, run_suite
from ackclock.judge.rmcat.figure import figure
from ackclock.judge.rmcat.published import PUBLISHED
from ackclock.judge.rmcat.suite import HEADER, Outcome, Suite
from ackclock.plot.canvas import figure_of, save

PAGE = Path("docs/rmcat.md")
PICTURES = Path("docs/rmcat")
SEEDS = (1, 2, 3)
INTRODUCTION = """# The test cases of rmcat

*For developers of congestion controls for calls, and for those who ask what a call does on a changing link.*

RFC 8867 describes eight basic test cases for congestion controls of real-time media, and RFC 8868 the measures. Each
case is a scenario here, and `ackclock suite rmcat` runs them for NADA, SCReAM and GCC (`ackclock list media`).

```sh not-run="the results are in the tables below"
ackclock suite rmcat --out out/rmcat
ackclock suite rmcat pause 5.6 --control nada --seeds 5
ackclock suite rmcat --list
```

- `--control` names the congestion controls. `--set PATH=VALUE` replaces a value of every scenario, such as
  `flows[0].app.control.xref`.
- `--out` writes a page, a figure of each case, and all numbers as JSON. `--json` prints the numbers.
- The exit status is 1 if a check fails. RFC 8867 describes the behaviour in words; a check exists only where RFC 8867
  or RFC 8868 gives a number: rates of equal flows within a factor of 3, at least the least media rate beside TCP, and
  the largest media rate of the others during a pause.

## What is as in the RFCs

Capacities, phases, delays, queues in time, rate ranges, starting rates, audio, competing flows and durations are those
of RFC 8867 sections 4 and 5. The encoder is the statistical model of RFC 8593. TCP is Reno with the stack `linux`.

## What is not

- The capacity itself changes; the variant with background traffic is not run. The queue has the bytes of 300 ms at the
  reference capacity, so that its time varies with the capacity.
- Jitter is normal with a standard deviation of 5 ms in the forward direction, without reordering. RFC 8868 has the
  absolute value and cuts it at 15 ms.
- Rates have all headers, also the least and the largest rate of the video.
- In case 5.7 eight of the ten short TCP flows begin within 20 s; RFC 8867 has them begin in the state off. RFC 8868
  describes 30 connections that start together, and RFC 8867 ten flows; here there are ten flows, each with an object of
  30 to 50 kB at a time.
- The round-trip times of case 5.5 are those of both directions together: twice the one-way delays of the RFC.

## Results

`python -m tools.rmcat` wrote this page, with the seeds 1, 2 and 3. Numbers are means over the seeds, with the half of a
95 % interval behind ±. Utilisation is the received rate in the second halves of the phases over what the calls can
reach; the first rise is the time to 80 % of it in the first phase; oscillation is the standard deviation of the sending
rate, second by second, over its mean in the last phase; max/min is the ratio of the calls' rates there.
"""

FINDINGS = """### What the numbers say

- **NADA rises slowly because of the jitter.** Accelerated ramp-up needs a queueing delay below QEPS (10 ms) for all
  packets of half a second, and jitter with a standard deviation of 5 ms breaks that. Without jitter (`seed` 1, case
  5.1) the first rise takes 7 s in place of 25 s. At equilibrium the queue has the 15 ms of the RFC's equation: XREF
  times the largest rate over the rate.
- **NADA oscillates after the capacity has fallen** (case 5.1, from 60 s on). The queue overflows before the rate
  has fallen, and the penalty of the loss ratio is quadratic: 8 % of loss count as 640 ms of delay. The proportional
  term of Equation 7 takes the rate down with the penalty to its least value, and up again by exp(640/500) as the
  penalty decays, above the capacity. Without the warping of delays (`multiloss` 0) the oscillation is the same.
- **SCReAM keeps a queue of 100 to 400 ms.** Its target adapts to a stable delay, which its own queue is as well;
  RFC 8298 section 4.1.2.3 calls that a false positive. Without the adaptation (`competing_flows` 0, seed 1) the
  mean delay of the third phase of case 5.1 falls from 476 to 154 ms, and beside a long TCP flow SCReAM keeps 92
  kbit/s in place of 895.
- **SCReAM beside TCP depends on the seed** (case 5.6): with seed 2 it does not find the delay target of the loss-
  based flow and stays at its least rate, with the seeds 1 and 3 it reaches half of the capacity. The check fails
  for seed 2.
- **GCC yields to TCP in a drop-tail queue** and keeps its least rate, as do calls beside short TCP flows: the delay
  grows with each window of TCP, and each growth is over-use. Its rate rises by 8 % a second without probes, so the
  first rise of case 5.1 takes 33 s where it comes at all. `gcc-draft` has a threshold that follows the delay by
  less and gets 631 kbit/s beside TCP (case 5.6, seed 1).
- **RTT fairness**: with NADA the five rates of case 5.5 differ by 6 %, although their delays are between 10 and 150
  ms.
"""


def main() -> int:
    """Runs the cases and writes the page."""
    suite = run_suite(CASES, CONTROLS, SEEDS, progress=_told)
    PICTURES.mkdir(exist_ok=True)
    parts = [INTRODUCTION.strip(), _table(HEADER, suite.rows()), FINDINGS.strip(), _published(suite)]
    for case in CASES:
        parts += [f"### {case.number} {case.title}", f"{case.expected}"]
        for variant in case.variants:
            label = f"-{variant.name.replace(' ', '')}" if variant.name else ""
            file = PICTURES / f"{case.number.replace('.', '-')}{label}.png"
            axes = figure(suite, case, variant)
            save(axes, file)
            plt.close(figure_of(axes))
            of = f" with {variant.name}" if variant.name else ""
            parts.append(f"![Received rates and delays of case {case.number}{of} for each control](rmcat/{file.name})")
    PAGE.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return 0


def _told(one: Outcome) -> None:
    sys.stderr.write(f"{one.case.number} {one.control} {one.seed}\n")


def _table(header: list[str], rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(header)} |", "|" + "---|" * len(header)]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def _published(suite: Suite) -> str:
    """The published statements beside our numbers."""
    rows = []
    for one in PUBLISHED:
        (case,) = (case for case in CASES if case.number == one.case)
        found = [row for row in suite.rows() if row[0].startswith(f"{case.number} ")][: len(CONTROLS)]
        ours = "; ".join(f"{row[1]}: {one.column} {row[HEADER.index(one.column)]}" for row in found)
        rows.append([one.statement, ours])
    return (
        "### What others found\n\nNo document with a table of results of these cases was found: the presentations of "
        "the working group have figures. The statements are those of the abstract of a comparison in ns-3 "
        f"({PUBLISHED[0].source}), whose scenarios are others.\n\n" + _table(["statement", "here"], rows)
    )


if __name__ == "__main__":
    sys.exit(main())
