"""The disciplines that are compared: commands of tc and our parameters for the same discipline."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

from tools.queues.patterns import RATE

__all__ = ["ABSENT", "CASES", "CREDIT_NS", "ETHERNET", "FRAME", "LINE_RATE", "RUNS", "SEEDS", "Case"]

MS = 1e6
FRAME = 1514
"""Bytes of the largest frame: Linux's psched_mtu of an Ethernet device."""
ETHERNET = 14
"""Bytes of the header of Ethernet."""
RUNS, SEEDS = 8, 100
"""Runs of a discipline that draws random numbers, with each pattern: the kernel's, and ours."""
LINE_RATE = 10**12
"""Rate of the wire behind a discipline that sets the pace itself, bit/s: a veth pair has no rate."""
CREDIT_BYTES = 1
"""Burst of the class of htb that is the wire. Without it, timers that are late would add up to a slower wire."""
CREDIT_NS = CREDIT_BYTES * 8 * 10**9 // RATE
"""Time by which the second packet after an idle time starts earlier for this burst."""


@dataclass(frozen=True)
class Case:
    """A discipline with its parameters in both."""

    name: str
    tc: str
    """Kind and parameters for tc, as they stand behind ``tc qdisc add``."""
    queue: str
    """Name of our discipline."""
    limit: tuple[Literal["packets", "bytes"], int] | None
    given: dict[str, float] = field(default_factory=dict)
    """Our parameters, in ns, bytes and bit/s."""
    shapes: bool = False
    """Whether the discipline sets the pace itself. Otherwise it is the leaf of a class of htb at the wire's rate."""
    draws: bool = False
    """Whether its random numbers decide, so that runs are compared as samples, not packet by packet."""
    netem: str | None = None
    """Our netem, as an inline table of TOML."""
    phase_ns: int = 0
    """Time from the last expiry of the discipline's timer to the beginning of the pattern."""
    adds_header: bool = False
    """Whether our discipline adds the header of Ethernet to the sizes of packets itself."""

    @property
    def runs(self) -> int:
        """The kernel's runs with each pattern."""
        return RUNS if self.draws else 1

    @property
    def rate(self) -> int:
        """Rate of our wire, bit/s."""
        return LINE_RATE if self.shapes else RATE

    def commands(self) -> list[list[str]]:
        """The commands of tc that make it on the device ``out``."""
        if self.shapes:
            return [["qdisc", "add", "dev", "out", "root", *self.tc.split()]]
        classes = f"rate {RATE}bit ceil {RATE}bit burst {CREDIT_BYTES} cburst {CREDIT_BYTES} quantum 60000"
        return [
            ["qdisc", "add", "dev", "out", "root", "handle", "1:", "htb", "default", "1"],
            ["class", "add", "dev", "out", "parent", "1:", "classid", "1:1", "htb", *classes.split()],
            ["qdisc", "add", "dev", "out", "parent", "1:1", *self.tc.split()],
        ]


def _weight(least: int, average: int, burst: int) -> float:
    """Weight of red's average that tc computes from a burst (Floyd and Jacobson, 1993, section 6.1).

    It is the largest power of 1/2 with which the average stays below the minimum during the burst.
    """
    wanted = burst + 1 - least / average
    return next(w for w in (2.0**-n for n in range(1, 32)) if wanted <= (1 - math.pow(1 - w, burst)) / w)


LINUX = {"rules": 1.0}
"""CoDel and PIE by the rules of Linux, not of the RFCs."""
TICK = {"update": 16 * MS}
"""PIE's timer: Linux asks for 15 ticks of 1 ms, and a timer of the kernel comes one tick later."""
PHASE_NS = 3_000_000
"""The timer begins half a second and a tick after the discipline, which is a second older than the first packet."""
RED = {
    "thresh": 15.0, "maxthresh": 45.0, "max_p": 0.1, "mean_pktsize": 1000.0, "q_weight": _weight(15000, 1000, 25),
    "bytes": 0.0, "wait": 0.0, "gentle": 0.0, "use_mark_p": 0.0,
}  # fmt: skip
RED_TC = f"red limit 200000 min 15000 max 45000 avpkt 1000 burst 25 probability 0.1 bandwidth {RATE}bit"

CASES = (
    Case("pfifo", "pfifo limit 40", "drop-tail", ("packets", 40)),
    Case("bfifo", "bfifo limit 40000", "drop-tail", ("bytes", 40_000)),
    Case("pfifo_head_drop", "pfifo_head_drop limit 40", "drop-head", ("packets", 40)),
    Case("codel", "codel limit 1000 noecn", "codel", ("packets", 1000), LINUX | {"ecn": 0.0}),
    Case("codel ecn", "codel limit 1000 ecn", "codel", ("packets", 1000), LINUX),
    Case(
        "codel ce_threshold", "codel limit 1000 noecn ce_threshold 3ms", "codel", ("packets", 1000),
        LINUX | {"ecn": 0.0, "ce_threshold": 3 * MS},
    ),
    Case("codel fast", "codel limit 60 target 2ms interval 20ms ecn", "codel", ("packets", 60),
         LINUX | {"target": 2 * MS, "interval": 20 * MS}),
    Case("codel by the RFC", "codel limit 1000 noecn", "codel", ("packets", 1000), {"ecn": 0.0}),
    Case("fq_codel", "fq_codel", "fq-codel", ("packets", 10_240), LINUX | {"quantum": FRAME}),
    Case("fq_codel noecn", "fq_codel noecn quantum 300", "fq-codel", ("packets", 10_240),
         LINUX | {"ecn": 0.0, "quantum": 300.0}),
    Case("fq_codel full", "fq_codel limit 40", "fq-codel", ("packets", 40), LINUX | {"quantum": FRAME}),
    Case("fq_codel ce_threshold", "fq_codel ce_threshold 3ms", "fq-codel", ("packets", 10_240),
         LINUX | {"quantum": FRAME, "ce_threshold": 3 * MS}),
    Case("fq_codel full, by the RFC", "fq_codel limit 40", "fq-codel", ("packets", 40), {"quantum": FRAME}),
    Case("sfq", "sfq limit 60", "sfq", ("packets", 60), {"quantum": FRAME}),
    Case("sfq headdrop", "sfq limit 100 depth 15 headdrop quantum 3000", "sfq", ("packets", 100),
         {"quantum": 3000.0, "depth": 15.0, "headdrop": 1.0}),
    Case("fq", "fq", "fq", ("packets", 10_000), {"quantum": 2.0 * FRAME, "initial_quantum": 10.0 * FRAME}),
    Case("fq flow_limit", "fq flow_limit 15 quantum 1514 ce_threshold 4ms", "fq", ("packets", 10_000),
         {"quantum": FRAME, "initial_quantum": 10.0 * FRAME, "flow_limit": 15.0, "ce_threshold": 4 * MS}),
    Case("fq maxrate", "fq maxrate 1mbit", "fq", ("packets", 10_000),
         {"quantum": 2.0 * FRAME, "initial_quantum": 10.0 * FRAME, "max_rate": 1e6}, shapes=True),
    Case("tbf", f"tbf rate {RATE}bit burst 15140 limit 60000", "token-bucket", ("bytes", 60_000),
         {"rate": RATE, "burst": 15_140.0}, shapes=True),
    Case("tbf peakrate", f"tbf rate {RATE}bit burst 15140 limit 60000 peakrate 10mbit mtu 1514", "token-bucket",
         ("bytes", 60_000), {"rate": RATE, "burst": 15_140.0, "peak_rate": 1e7, "mtu": FRAME}, shapes=True),
    Case("cake", f"cake bandwidth {RATE}bit besteffort", "cake", None, {"bandwidth": RATE, "tins": 0.0},
         shapes=True, adds_header=True),
    Case("cake flowblind", f"cake bandwidth {RATE}bit besteffort flowblind rtt 20ms", "cake", None,
         {"bandwidth": RATE, "tins": 0.0, "isolation": 0.0, "rtt": 20 * MS}, shapes=True, adds_header=True),
    Case("netem delay", "netem delay 20ms limit 15", "drop-tail", None, shapes=True,
         netem="{ delay = '20ms', limit = 15 }"),
    Case("netem rate", f"netem rate {RATE}bit delay 5ms limit 40", "drop-tail", None, shapes=True,
         netem=f"{{ delay = '5ms', rate = '{RATE}bps', limit = 40 }}"),
    Case("netem loss", "netem loss 5% limit 10000", "drop-tail", None, shapes=True, draws=True,
         netem="{ loss = '5%', limit = 10000 }"),
    Case("netem gemodel", "netem loss gemodel 2% 20% 60% 1% limit 999", "drop-tail", None, shapes=True, draws=True,
         netem="{ loss = { kind = 'gemodel', p = '2%', r = '20%', bad_loss = '60%', good_loss = '1%' }, limit = 999 }"),
    Case("netem jitter", "netem delay 20ms 5ms limit 10000", "drop-tail", None, shapes=True, draws=True,
         netem="{ delay = '20ms', jitter = '5ms', limit = 10000 }"),
    Case("pie", "pie", "pie", ("packets", 1000), LINUX | TICK | {"ecn": 0.0}, draws=True,
         phase_ns=PHASE_NS),
    Case("pie ecn", "pie ecn", "pie", ("packets", 1000), LINUX | TICK, draws=True, phase_ns=PHASE_NS),
    Case("fq_pie", "fq_pie", "fq-pie", ("packets", 10_240), LINUX | TICK | {"quantum": FRAME}, draws=True,
         phase_ns=PHASE_NS),
    Case("fq_pie ecn", "fq_pie ecn target 5ms", "fq-pie", ("packets", 10_240),
         LINUX | TICK | {"quantum": FRAME, "ecn": 1.0, "target": 5 * MS}, draws=True, phase_ns=PHASE_NS),
    Case("pie by the RFC", "pie", "pie", ("packets", 1000), TICK | {"ecn": 0.0}, draws=True),
    Case("fq_pie ecn, by the RFC", "fq_pie ecn target 5ms", "fq-pie", ("packets", 10_240),
         TICK | {"quantum": FRAME, "ecn": 1.0, "target": 5 * MS}, draws=True),
    Case("red", RED_TC, "red", ("bytes", 200_000), RED, draws=True),
    Case("red harddrop", f"{RED_TC} ecn harddrop", "red", ("bytes", 200_000), RED | {"setbit": 1.0}, draws=True),
    Case("red ecn", f"{RED_TC} ecn", "red", ("bytes", 200_000), RED | {"setbit": 1.0}, draws=True),
)  # fmt: skip
"""All cases, in the order of the page."""

ABSENT = {"dualpi2": "Linux has dualpi2 since 6.17."}
"""Disciplines of ours that the kernel does not have."""
