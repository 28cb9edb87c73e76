"""``python -m tools.rmcat``: writes docs/rmcat.md and its pictures: the cases of RFC 8867 and RFC 8869."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib import pyplot as plt

from ackclock.judge.rmcat import CASES, CONTROLS, run_suite
from ackclock.judge.rmcat.basic import BASIC
from ackclock.judge.rmcat.figure import figure
from ackclock.judge.rmcat.further import FURTHER
from ackclock.judge.rmcat.published import PUBLISHED
from ackclock.judge.rmcat.suite import HEADER, Outcome, Suite
from ackclock.judge.rmcat.wireless import WIRELESS
from ackclock.plot.canvas import figure_of, save

if TYPE_CHECKING:
    from ackclock.judge.rmcat.case import Case, Variant

PAGE = Path("docs/rmcat.md")
PICTURES = Path("docs/rmcat")
SEEDS, WIRELESS_SEEDS = (1, 2, 3), (1,)
"""The wireless cases have up to 20 calls, and one seed each."""
INTRODUCTION = """# The test cases of rmcat

*For developers of congestion controls for calls, and for those who ask what a call does on a changing link.*

RFC 8867 describes basic and further test cases for congestion controls of real-time media, RFC 8869 those of wireless
links, and RFC 8868 the measures. Each case is a scenario here, and `ackclock suite rmcat` runs them for NADA, SCReAM
version 1 and 2, and GCC (`ackclock list media`).

```sh not-run="the results are in the tables below"
ackclock suite rmcat --out out/rmcat
ackclock suite rmcat pause 5.6 --control nada --seeds 5
ackclock suite rmcat 2.1 --set 'bottleneck.rate={ kind = "trace", path = "Verizon-LTE-short.down" }'
ackclock suite rmcat --list
```

- `--control` names the congestion controls. `--set PATH=VALUE` replaces a value of every scenario, such as
  `flows[0].app.control.xref`, or the radio link of section 2 by a [measured trace](how-to/traces.md).
- `--out` writes a page, a figure of each case, and all numbers as JSON. `--json` prints the numbers.
- The exit status is 1 if a check fails. The RFCs describe the behaviour in words; a check exists only where one of
  them gives a number: rates of equal flows within a factor of 3, at least the least media rate beside TCP, and the
  largest media rate of the others during a pause.

## What is as in the RFCs

Capacities, phases, delays, queues in time, rate ranges, starting rates, audio, competing flows and durations are
those of RFC 8867 sections 4 to 6. The variant with background traffic has datagrams of 4 Mbit/s less the capacity on
a link of 4 Mbit/s. The encoder is the statistical model of RFC 8593. TCP is Reno with the stack `linux`.

## What is not

- Where the capacity itself changes, the queue has the bytes of 300 ms at the reference capacity, so that its time
  varies with the capacity.
- Jitter is normal with a standard deviation of 5 ms in the forward direction, without reordering. RFC 8868 has the
  absolute value and cuts it at 15 ms.
- Rates have all headers, also the least and the largest rate of the video.
- In case 5.7 eight of the ten short TCP flows begin within 20 s; RFC 8867 has them begin in the state off. RFC 8868
  describes 30 connections that start together, and RFC 8867 ten flows; here there are ten flows, each with an object
  of 30 to 50 kB at a time.
- The round-trip times of case 5.5 are those of both directions together: twice the one-way delays of the RFC.

## Results

`python -m tools.rmcat` wrote this page, with the seeds 1, 2 and 3, and the wireless cases with seed 1. Numbers are
means over the seeds, with the half of a 95 % interval behind ±. Utilisation is the received rate in the second halves
of the phases over what the calls can reach; the first rise is the time to 80 % of it in the first phase; oscillation
is the standard deviation of the sending rate, second by second, over its mean in the last phase; max/min is the ratio
of the calls' rates there.
"""

FURTHER_NOTE = """\
RFC 8867 section 6. In 6.1 the first of three flows has twice the priority. NADA alone has priorities of a flow. RFC
8867 asks for all basic cases with ECN (6.2): here with CoDel and ECT(0), and with DualPI2 and ECT(1) for SCReAM
version 2, which alone has L4S. GCC does not react to marks. In 6.3, flow S1 crosses two bottlenecks."""

WIRELESS_NOTE = """\
RFC 8869 asks for a simulator of radio cells and of Wi-Fi. Here links stand for the radio:

- **Cells** (2.1, 2.2): one link with the rate of Sprout's cellular model: up to 12 Mbit/s with a quarter of its noise
  and outages of 0.1 s, and up to 6 Mbit/s with its noise and outages of 1 s. Calls of 30 s
  begin every 7.5 s, so that four are on, beside web traffic of up to 4 and up to 2 Mbit/s. The utilisation is that of
  the link; the other numbers are of 30 to 60 s or of whole calls. Radio propagation, mobility, handover, other cells,
  and the scheduler with a queue for each user are not shown; *AQM* is FQ-CoDel, which has a queue for each flow.
- **Wi-Fi in front of a wire of 1 Mbit/s** (3.1): a link of 20 Mbit/s that sends aggregates of up to 65,535 bytes at
  random times up to 5 ms apart. The RFC gives no rate of the constant-rate traffic; here it has 0.5 Mbit/s.
- **Wi-Fi as the bottleneck** (3.2): the same link, whose queue all flows share. Contention and collisions are not
  shown, nor is the air time of feedback. So the cases of 16 uplink flows (3.2b) and of 8 in each direction (3.2c)
  would be 3.2a again. Constant-rate traffic is five flows of 2 Mbit/s; the TCP flows of 3.2f go on to the end, and
  those of the RFC end at 80 s."""

FINDINGS = """### What the numbers say

- **NADA rises slowly because of the jitter.** Accelerated ramp-up needs a queueing delay below QEPS (10 ms) for all
  packets of half a second, and jitter with a standard deviation of 5 ms breaks that. Without jitter (`--set
  bottleneck.jitter=0ms`) the first rise of case 5.1 takes 7 s in place of 27 s. At equilibrium the queue has the 15
  ms of the RFC's equation: XREF times the largest rate over the rate.
- **NADA swings after the capacity has fallen** (case 5.1, from 60 s on), if packets are lost. The penalty of the loss
  ratio is quadratic and has no bound in RFC 8698: 60 % of loss for half a second, as when 1.5 Mbit/s meet 0.6 Mbit/s,
  become 4.4 s of delay (Equations 2 and 10). The change of the signal (Equation 7) takes the rate to its least value
  within 0.4 s. When the losses are over, the same term takes the rate to its largest value in five reports, while the
  signal is still 1.4 s. A test of the control has this arithmetic.
- **The authors' code bounds the signal, and the RFC does not.** Cisco's ns3-rmcat has a largest signal of 500 ms
  (NADA_PARAM_XMAX). With `--set flows[0].app.control.xmax=500` the losses of case 5.1 with 50 ms fall from 8.0 to 0.4
  %, the 95th percentile of the delay from 547 to 79 ms, and the oscillation from 46 to 7 %. The bound is off here,
  because RFC 8698 does not have it.
- **The authors' tests do not overflow the queue.** The test suite of ns3-rmcat varies the capacity with background
  traffic on 4 Mbit/s alone, and has no jitter. A queue of 300 ms there has four times the bytes, so that NADA has a
  second to react: it loses nothing in case 5.1 (row *UDP*), with an oscillation of 4 %.
- **SCReAM version 1 keeps a queue of 100 to 400 ms.** Its target adapts to a stable delay, which its own queue is as
  well; RFC 8298 section 4.1.2.3 calls that a false positive. Without the adaptation (`competing_flows` 0, seed 1) the
  mean delay of the third phase of case 5.1 falls from 476 to 154 ms, and beside a long TCP flow SCReAM keeps 92
  kbit/s in place of 895.
- **SCReAM version 1 beside TCP depends on the seed** (case 5.6): with seed 2 it does not find the delay target of the
  loss-based flow and stays at its least rate, with the seeds 1 and 3 it reaches half of the capacity.
- **SCReAM version 2 keeps 10 to 25 ms of queue** where calls are alone, at a utilisation of 86 to 97 %, and rises in
  2 to 7 s: its delay counts from half of a target of 60 ms on. Beside a long TCP flow in a drop-tail queue it yields
  like GCC and stays at its least rate; with 1000 ms of queue its rate is below the bound of the check. Whether its
  target adapts to the other flow (`competing_flows`) makes no difference there.
- **L4S**: with DualPI2 the delay of SCReAM version 2 in cases 5.1 to 5.4 is 6 to 10 ms above the path's, and 11 to 21
  ms without marks. The utilisation falls as well, by 10 to 20 %. At 1 Mbit/s a packet takes 10 ms, so that the
  marking threshold of 1 ms is less than a packet. The draft's authors show L4S at tens of Mbit/s.
- **A call over two bottlenecks** (case 6.3) keeps 0.5 Mbit/s of its fair 0.75 with NADA and 0.36 with GCC. It starves
  at its least rate with SCReAM version 2, and with SCReAM version 1 under two of three seeds.
- **Priority** (case 6.1): with twice the priority NADA has 1.4 Mbit/s beside 1.0 and 0.9; its largest rate of 1.5
  Mbit/s and the capacity of 3.5 Mbit/s leave no room for a factor of 2.
- **GCC yields to TCP in a drop-tail queue** and keeps its least rate, as do calls beside short TCP flows: the delay
  grows with each window of TCP, and each growth is over-use. Its rate rises by 8 % a second without probes, so the
  first rise of case 5.1 takes 33 s where it comes at all. `gcc-draft` has a threshold that follows the delay by less
  and gets 631 kbit/s beside TCP (case 5.6, seed 1).
- **RTT fairness**: with NADA the five rates of case 5.5 differ by 6 %, although their delays are between 10 and 150
  ms. SCReAM version 2 shares equally among equal delays, and by a factor of 2.6 in case 5.5; with queues that mark,
  the factor is 7 to 10 and the check fails.
- **Cells**: the rate of the cell falls within the run of case 2.1, and 125 web flows of Reno want more than it has.
  Every call falls to its least rate, at which its delay and losses are those of an overloaded queue. FQ-CoDel
  shortens the delay and drops a third of the packets of most calls, because the least rate is above the share of a
  flow.
- **Wi-Fi** as the bottleneck: 16 calls use 90 to 97 % of the air with all controls, and share it within a factor of
  1.5. TCP in the same queue takes it from SCReAM version 2 and from GCC, and less from NADA and from SCReAM version
  1.
"""


GROUPS = (
    ("Basic cases", "RFC 8867 section 5. *UDP* is the variant with background traffic.", BASIC),
    ("Further cases", FURTHER_NOTE, FURTHER),
    ("Wireless cases", WIRELESS_NOTE, WIRELESS),
)
DRAWN = (*(case.number for case in BASIC), "6.2/5.1", "6.3", "2.1", "3.1a", "3.2a")
"""Cases with a picture."""


def main() -> int:
    """Runs the cases and writes the page."""
    wired = run_suite((*BASIC, *FURTHER), CONTROLS, SEEDS, progress=_told)
    wireless = run_suite(WIRELESS, CONTROLS, WIRELESS_SEEDS, progress=_told)
    suite = replace(wired, outcomes=(*wired.outcomes, *wireless.outcomes))
    PICTURES.mkdir(exist_ok=True)
    parts = [INTRODUCTION.strip()]
    for title, note, cases in GROUPS:
        mine = replace(suite, outcomes=tuple(one for one in suite.outcomes if one.case in cases))
        parts += [f"### {title}", note.strip(), _table(HEADER, mine.rows())]
    parts += [FINDINGS.strip(), _published(suite)]
    for case in (one for one in CASES if one.number in DRAWN):
        parts += [f"### {case.number} {case.title}", f"{case.expected}"]
        for variant in case.variants:
            of = f" with {variant.name}" if variant.name else ""
            file = _file(case, variant).name
            parts.append(f"![Received rates and delays of case {case.number}{of} for each control](rmcat/{file})")
    PAGE.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    for case in (one for one in CASES if one.number in DRAWN):
        for variant in case.variants:
            axes = figure(suite, case, variant)
            save(axes, _file(case, variant))
            plt.close(figure_of(axes))
    return 0


def _file(case: Case, variant: Variant) -> Path:
    return PICTURES / f"{case.number.replace('.', '-').replace('/', '-')}{variant.label}.png"


def _told(one: Outcome) -> None:
    sys.stderr.write(f"{one.case.number} {one.control} {one.seed}\n")


def _table(header: list[str], rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(header)} |", "|" + "---|" * len(header)]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def _published(suite: Suite) -> str:
    """The published statements beside our numbers."""
    rows, told = suite.rows(), []
    for one in PUBLISHED:
        (case,) = (case for case in CASES if case.number == one.case)
        found = [row for row in rows if row[0].startswith(f"{case.number} ")][: len(CONTROLS)]
        ours = "; ".join(f"{row[1]}: {one.column} {row[HEADER.index(one.column)]}" for row in found)
        told.append([one.statement, ours])
    return (
        "### What others found\n\nNo document with a table of results of these cases was found: the presentations of "
        "the working group have figures. The statements are those of the abstract of a comparison in ns-3 "
        f"({PUBLISHED[0].source}), whose scenarios are others.\n\n" + _table(["statement", "here"], told)
    )


if __name__ == "__main__":
    sys.exit(main())
