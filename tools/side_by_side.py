"""Our TCP beside other stacks over ten networks: ``python -m tools.side_by_side`` writes docs/side-by-side.md.

Each stack has a transfer of 1 MB alone, an unlimited flow alone, and an unlimited flow beside one of Linux's CUBIC. It
takes about ten minutes on two cores, and about an hour more with quiche.

``python -m tools.side_by_side quiche`` measures the stacks whose names begin with ``quiche``, and leaves the rows of
the others as the page has them. The rows of quiche are left as well where its library is not built.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import ackclock
from ackclock.stats import Estimate, mean

if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock import Result

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/side-by-side.md"
QUICHE = ROOT / "stacks/quiche/quiche.so"
"""The library that ``make quiche`` builds."""
SEEDS = 5

DROPTAIL = {"kind": "drop-tail", "limit": "1bdp"}


@dataclass(frozen=True)
class Network:
    """A bottleneck, and what it stands for."""

    name: str
    about: str
    bottleneck: dict[str, Any]


NETWORKS = [
    Network("hspa", "HSPA: 2 Mbit/s, 70 ms one way, a buffer of one BDP", {"preset": "hspa"}),
    Network("lte", "LTE: 50 Mbit/s, 15 ms one way, a buffer of one BDP", {"preset": "lte"}),
    Network("adsl2", "ADSL2+: 24 Mbit/s, 10 ms one way, a buffer of one BDP", {"preset": "adsl2", "queue": DROPTAIL}),
    Network("fttc", "VDSL2: 80 Mbit/s, 5 ms one way, a buffer of one BDP", {"preset": "fttc", "queue": DROPTAIL}),
    Network(
        "leo", "A satellite in low orbit: 100 Mbit/s, 25 ms one way, one BDP", {"preset": "leo", "queue": DROPTAIL}
    ),
    Network(
        "geo",
        "A geostationary satellite: 100 Mbit/s, 300 ms one way, one BDP",
        {"preset": "geo-satellite", "queue": DROPTAIL},
    ),
    Network(
        "bloated",
        "20 Mbit/s, 10 ms one way, a buffer that takes 500 ms to drain",
        {"rate": "20Mbps", "delay": "10ms", "queue": {"kind": "drop-tail", "limit": "1250kB"}},
    ),
    Network(
        "shallow",
        "100 Mbit/s, 25 ms one way, a buffer of a tenth of the BDP",
        {"rate": "100Mbps", "delay": "25ms", "queue": {"kind": "drop-tail", "limit": "0.1bdp"}},
    ),
    Network(
        "lossy",
        "30 Mbit/s, 15 ms one way, one BDP, and 1 % of the packets lost at random",
        {"rate": "30Mbps", "delay": "15ms", "queue": DROPTAIL, "loss": "1%"},
    ),
    Network(
        "managed",
        "50 Mbit/s, 20 ms one way, FQ-CoDel",
        {"rate": "50Mbps", "delay": "20ms", "queue": {"kind": "fq-codel"}},
    ),
]

LINUX = {"stack": "linux", "cc": "cubic"}
STACKS: dict[str, dict[str, Any]] = {
    "TCP of Linux, CUBIC": LINUX,
    "TCP of Linux, BBR (version 1)": {"stack": "linux", "cc": "bbr"},
    "quinn, CUBIC": {"transport": {"kind": "quinn", "cc": "cubic"}},
    "quinn, CUBIC, datagrams of 1472 bytes": {"transport": {"kind": "quinn", "cc": "cubic", "mtu": 1472}},
    "quinn, BBR (version 1)": {"transport": {"kind": "quinn", "cc": "bbr"}},
    "quiche, CUBIC": {"transport": {"kind": "quiche", "library": str(QUICHE), "cc": "cubic"}},
    "quiche, Reno": {"transport": {"kind": "quiche", "library": str(QUICHE), "cc": "reno"}},
    "quiche, BBR (version 2)": {"transport": {"kind": "quiche", "library": str(QUICHE), "cc": "bbr2"}},
}


def scenario(network: Network, duration: str, *flows: dict[str, Any]) -> dict[str, Any]:
    """A scenario of one network with some flows."""
    return {"name": network.name, "duration": duration, "bottleneck": network.bottleneck, "flows": list(flows)}


def results(network: Network, duration: str, *flows: dict[str, Any]) -> list[Result]:
    """The runs of a scenario with all seeds."""
    return list(ackclock.run(scenario(network, duration, *flows), seeds=range(1, SEEDS + 1)))


def own(stack: dict[str, Any], app: dict[str, Any], jitter: str = "0s") -> dict[str, Any]:
    """The flow under test."""
    return {"name": "own", "app": app, "start_jitter": jitter, **stack}


def measured(values: list[float]) -> Estimate:
    """The mean over the seeds, with its 95 % interval."""
    return mean(np.array(values, dtype=float))


def of(result: Result, table: str, column: str, row: int = 0) -> float:
    """One cell of a result."""
    value = list(result.tables[table][column])[row]
    return float("nan") if value is None else float(value)


def row_of(network: Network, stack: dict[str, Any]) -> list[Estimate]:
    """Completion in s, goodput in Mbit/s, retransmissions in %, queueing delay in ms, and share in %."""
    alone = results(network, "60s", own(stack, {"kind": "transfer", "size": "1MB"}, "100ms"))
    bulk = results(network, "30s", own(stack, {"kind": "bulk"}, "100ms"))
    rival = {"name": "linux", "app": {"kind": "bulk"}, "start_jitter": "100ms", **LINUX}
    beside = results(network, "60s", own(stack, {"kind": "bulk"}, "100ms"), rival)
    measures: list[tuple[list[Result], Callable[[Result], float]]] = [
        (alone, lambda one: of(one, "transfers", "duration_s")),
        (bulk, lambda one: of(one, "flows", "goodput_bps") / 1e6),
        (bulk, lambda one: 100 * of(one, "flows", "retransmits") / of(one, "flows", "data_segments_sent")),
        (bulk, lambda one: of(one, "links", "queue_delay_mean_ms")),
        (
            beside,
            lambda one: (
                100
                * of(one, "flows", "goodput_bps")
                / (of(one, "flows", "goodput_bps") + of(one, "flows", "goodput_bps", 1))
            ),
        ),
    ]
    return [measured([measure(one) for one in runs]) for runs, measure in measures]


HEADING = """\
# Other stacks beside our TCP

*For those who compare QUIC stacks with TCP.*

This page compares our TCP with the congestion controls of two QUIC stacks over ten networks: quinn, in Rust, and
Cloudflare's quiche. All run in virtual time over the same links. The QUIC stacks bring their own loss recovery, pacing
and TLS ([how that works](how-to/own-transport.md)). `python -m tools.side_by_side` writes the page. The rows of quiche
need its library, which `make quiche` builds; without the library they stay as they are.

- **Time for 1 MB**: from the opening of a connection to the last byte, alone on the path. QUIC's handshake with TLS
  takes one round trip, as does TCP's without TLS.
- **Goodput, retransmissions, queue**: an unlimited flow alone for 30 s. The queue is the mean delay at the bottleneck.
- **Share**: an unlimited flow for 60 s beside one of Linux's CUBIC; 50 % is equal.

Each number is a mean over {seeds} seeds with its 95 % interval. A seed decides the start within 100 ms, and the losses.
quinn counts datagrams deemed lost, since it sends their frames anew and no datagram twice. For quiche, datagrams with
stream bytes that were sent before are counted.
"""


def main(arguments: list[str] | None = None) -> int:
    """Writes the page."""
    parser = argparse.ArgumentParser(prog="python -m tools.side_by_side", description=main.__doc__)
    parser.add_argument("prefix", nargs="?", default="", help="the start of the names of the stacks to measure")
    prefix = parser.parse_args(arguments).prefix
    measured_now = [name for name in STACKS if name.startswith(prefix)]
    if not QUICHE.exists():
        left = [name for name in measured_now if "library" in STACKS[name].get("transport", {})]
        measured_now = [name for name in measured_now if name not in left]
        if left:
            say(f"{QUICHE} does not exist (make quiche builds it); these rows stay as they are: {'; '.join(left)}")
    rows = rows_of(PAGE.read_text(encoding="utf-8"))
    for network in NETWORKS:
        for name in measured_now:
            rows[network.name, name] = f"| {name} | {' | '.join(map(shown, row_of(network, STACKS[name])))} |"
            say(network.name, rows[network.name, name])
        PAGE.write_text(page(rows), encoding="utf-8")
    return 0


def say(*words: str) -> None:
    """Shows progress."""
    print(*words, file=sys.stderr, flush=True)  # noqa: T201 -- progress


def rows_of(text: str) -> dict[tuple[str, str], str]:
    """The rows of a page, by the names of their networks and stacks."""
    rows, network = {}, ""
    for line in text.splitlines():
        if line.startswith("## "):
            network = line.removeprefix("## ")
        elif line.startswith("| "):
            rows[network, line.split(" | ")[0].removeprefix("| ")] = line
    return rows


def shown(value: Estimate) -> str:
    """A mean with its interval, in three digits."""
    digits = 2 if abs(value.value) < 10 else 1
    interval = "" if value.high - value.low < 10**-digits else f" [{value.low:.{digits}f}, {value.high:.{digits}f}]"
    return f"{value.value:.{digits}f}{interval}"


def page(rows: dict[tuple[str, str], str]) -> str:
    """The page with these rows."""
    parts = [HEADING.format(seeds=SEEDS)]
    head = "| stack | time for 1 MB (s) | goodput (Mbit/s) | retransmissions (%) | queue (ms) | share (%) |"
    for network in NETWORKS:
        lines = [f"## {network.name}", "", network.about + ".", "", head, "|---|---|---|---|---|---|"]
        lines += [rows[network.name, name] for name in STACKS if (network.name, name) in rows]
        parts.append("\n".join(lines) + "\n")
    parts.append(FINDINGS)
    return "\n".join(parts)


FINDINGS = """\
## Findings

### quinn

**Size of datagrams.** quinn sends datagrams of 1200 bytes until path MTU discovery has found more; discovery is off
here unless a scenario asks for it. CUBIC grows in packets, so smaller packets take a smaller share: 18 % instead of
33 % beside Linux over LTE.

**CUBIC.** quinn-proto 0.11.19 names RFC 8312. Its code departs from RFC 9438 in these points. How much each of them
contributes to its share was not measured.

- After fast convergence, K and the Reno-friendly window are computed from the lowered W_max (RFC 9438, sections 4.2
  and 4.3: from the window at the start of the epoch). Both curves then begin below the window, which stands still
  until one of them has caught up.
- When the increment exceeds a datagram, its rest is dropped.
- There is no HyStart++ (RFC 9406; RFC 9438, section 4.10, recommends such a method). Slow start overshoots: 0.1 to
  0.3 % of the datagrams of 30 s are lost at a buffer of one BDP, where Linux, with HyStart, loses a tenth of that.
- Over a buffer of 500 ms it has 75 % of the link beside Linux, which leaves slow start earlier.

**BBR.** quinn-proto calls its BBR experimental. Where the buffer is a BDP or less, 7 to 40 % of its datagrams are
deemed lost, and beside one CUBIC flow it takes nearly everything. Linux's version 1 loses 0.1 to 3 % there. The
source of quinn-proto 0.11.19 shows why, and runs with changed sources confirm it:

- The pacer does not use BBR's pacing rate (`connection/pacing.rs`). It spreads 1.25 windows over an RTT, so that BBR's
  whole window, twice the estimated BDP, is always in flight, and the gain cycle has no effect. With a pacer that
  follows the rate, losses fall from 17.9 to 1.0 % (adsl2), from 7.0 to 3.4 % (leo) and from 40 to 6 % (shallow).
- The bandwidth estimate never falls: its filter receives only samples above the present maximum
  (`congestion/bbr/bw_estimation.rs`). Over adsl2 it stays at 3.48 MB/s, 16 % more than the link carries.
- Each sample divides the bytes of one packet by the time since the packet before was acknowledged. Where an ACK
  acknowledges two packets, that is half the rate. The other two errors hide it: with both corrected, losses are 0.01 to
  2.3 % on these networks, and the goodput over adsl2 is 12.0 Mbit/s of 24.

**Flow control.** The default window of a stream is 1.25 MB. Over a geostationary satellite that is what limits quinn
to 12.5 Mbit/s, whatever the congestion control; the parameter `stream_receive_window` raises it.

**Close.** quinn-proto 0.11.19 applies congestion control to CONNECTION_CLOSE if data waits (RFC 9002, section 3,
excludes it). If the window is full, a close never reaches the peer, whose end waits for its idle timeout. The test of
conformance found this.

On a clean link at 20 Mbit/s and 40 ms the goodput of quinn's CUBIC is within 2 % of that of ours (18.9 and 19.2
Mbit/s); headers and smaller datagrams are the difference.

### quiche

The findings are about quiche 0.30.0. Statements about code come from its sources; numbers are those of the tables,
unless others are given.

**Small datagrams.** quiche fills the congestion window to the last byte: a datagram is as small as the free part of the
window. The ACK of a small datagram frees a small part, so small datagrams stay. On a link of 20 Mbit/s and 20 ms, a
datagram of CUBIC carries 334 bytes on average, one of Reno 1,078, and one of BBR 1,141. The headers of small datagrams
cost goodput: CUBIC has 17.0 of 24 Mbit/s over ADSL2+. Queues here are limited in packets as well; over LTE, Reno
overflows a queue of 125 packets that holds 42 kB. A program that handles many ACKs before it sends merges small
datagrams; here each ACK is handled alone.

**CUBIC takes back its reductions.** When recovery ends and fewer datagrams were lost than a fifth of the window, quiche
restores the window, the threshold and W_max. RFC 9438, section 4.9, allows this when the losses were spurious; quiche
does not look whether the datagrams have arrived. A reduction from slow start stays. A test of the library shows
thresholds that return after real losses, and that Reno's do not. CUBIC loses 2.5 % under FQ-CoDel with a queue of
35 ms, where Reno loses 0.01 % with 1.5 ms. Over a geostationary satellite it keeps a queue of 210 ms and loses 1.6 %.
At random loss of 1 % its goodput differs between seeds by a factor of several.

**Other points of CUBIC and Reno.**

- Neither of them paces, whatever the parameter `pacing` says (RFC 9002, section 7.7: a sender "SHOULD pace").
- There is no persistent congestion (RFC 9002, section 7.6): an outage does not reduce the window to its minimum.
- In Reno's slow start each acknowledged datagram adds the size of a full one. RFC 9002, section 7.3.1, adds the bytes
  that are acknowledged; with small datagrams quiche grows faster.
- CUBIC's Reno-friendly window grows by one datagram per RTT once it exceeds W_max after fast convergence. RFC 9438,
  section 4.3, compares with the window before the reduction.
- CUBIC adds the smallest RTT to the time at which it evaluates the curve. RFC 9438, section 4.2, uses the smoothed RTT.
- HyStart++ counts each acknowledged datagram as an RTT sample, and has no limit L for senders without pacing (RFC 9406,
  section 4.3: 8 datagrams for each ACK).

How much each of these points contributes was not measured.

**BBR.** quiche's BBR version 2 comes from Google's QUIC, and it paces. It loses at most 1.4 % and has 9 to 87 % beside
CUBIC. Over the geostationary satellite 1 MB takes 11.4 s and the goodput is 8.4 Mbit/s. BBR's smallest RTT begins at
the 333 ms that quiche assumes before a sample (`recovery/gcongestion/bbr2/network_model.rs`). The path has 600 ms, so
that no sample replaces this value until it expires after 10 s. Two BDPs by this value are 1.1 real ones: the bandwidth
grows by less than a quarter in a round trip, and startup takes that for the full bandwidth. With the parameter
`initial_rtt` at 0.6 s or more, 1 MB takes 5.3 s and the goodput is 70.6 Mbit/s.

`ackclock conform bbr --transport quiche --library stacks/quiche/quiche.so --cc bbr2` passes 5 of the 22 cases of the
BBR draft; 15 are not applicable, most because quiche shows no states. `probe-rtt` and `policer` fail: after the RTT
filter expired, the data in flight were at half of a BDP for 53 ms instead of 200 ms, and at a policer 2.9 % are lost.

**ECN.** quiche neither sets nor reports ECN, so marks do not reach it.

**Conformance.** All cases of the test of conformance pass with each of the three congestion controls.
"""


if __name__ == "__main__":
    sys.exit(main())
