"""Tables of a scenario.

Written by ackclock.scenario._generate from the engine's schema; not to be edited.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ackclock.scenario._record import Record
from ackclock.scenario.app import App
from ackclock.scenario.arrival import Arrival
from ackclock.scenario.cc import Cc
from ackclock.scenario.distribution import Distribution
from ackclock.scenario.pacing import Pacing
from ackclock.scenario.policer import Policer

__all__ = [
    "CarefulResume",
    "Change",
    "CodePoint",
    "EcnMode",
    "Flow",
    "FlowAccess",
    "Handshake",
    "Reading",
    "ReadingPause",
    "Recovery",
    "RestartAfterIdle",
    "SlowStart",
    "Stack",
    "TimeoutRule",
    "TreatmentOfEcnInATunnel",
    "Tunnel",
    "WindowUnit",
    "WindowValidation",
]

CodePoint: TypeAlias = Literal[
    "CS0",
    "LE",
    "CS1",
    "AF11",
    "AF12",
    "AF13",
    "CS2",
    "AF21",
    "AF22",
    "AF23",
    "CS3",
    "AF31",
    "AF32",
    "AF33",
    "CS4",
    "AF41",
    "AF42",
    "AF43",
    "CS5",
    "VA",
    "NQB",
    "EF",
    "CS6",
    "CS7",
]
"""Code point (DSCP) of the flow's packets in both directions; only queues that sort packets by it use it.

- ``CS0``: Default forwarding: best effort.
- ``LE``: Lower effort: background traffic (RFC 8622).
- ``CS1``: Class selector 1: background traffic before RFC 8622.
- ``AF11``: Assured forwarding, class 1, low drop precedence: high-throughput data.
- ``AF12``: Assured forwarding, class 1, medium drop precedence.
- ``AF13``: Assured forwarding, class 1, high drop precedence.
- ``CS2``: Class selector 2: operations and management.
- ``AF21``: Assured forwarding, class 2, low drop precedence: low-latency data.
- ``AF22``: Assured forwarding, class 2, medium drop precedence.
- ``AF23``: Assured forwarding, class 2, high drop precedence.
- ``CS3``: Class selector 3: broadcast video.
- ``AF31``: Assured forwarding, class 3, low drop precedence: multimedia streaming.
- ``AF32``: Assured forwarding, class 3, medium drop precedence.
- ``AF33``: Assured forwarding, class 3, high drop precedence.
- ``CS4``: Class selector 4: interactive applications such as games.
- ``AF41``: Assured forwarding, class 4, low drop precedence: video conferences.
- ``AF42``: Assured forwarding, class 4, medium drop precedence.
- ``AF43``: Assured forwarding, class 4, high drop precedence.
- ``CS5``: Class selector 5: signalling.
- ``VA``: Voice that was admitted (RFC 5865).
- ``NQB``: Traffic that does not build queues.
- ``EF``: Expedited forwarding: voice (RFC 3246).
- ``CS6``: Class selector 6: network control.
- ``CS7``: Class selector 7: reserved.
"""

TreatmentOfEcnInATunnel: TypeAlias = Literal[
    "normal",
    "compatibility",
    "rfc3168-full",
    "rfc3168-limited",
    "rfc4301",
]
"""Treatment of the ECN field at both ends.

- ``normal``: the field is copied to the outer header, and both are combined at the end (RFC 6040)
- ``compatibility``: the outer header is Not-ECT, so that queues in the tunnel drop instead of marking (RFC 6040)
- ``rfc3168-full``: full functionality of RFC 3168: copied, but CE becomes ECT(0) in the outer header
- ``rfc3168-limited``: limited functionality of RFC 3168: the outer header is Not-ECT
- ``rfc4301``: IPsec: copied, and the end drops nothing
"""

Stack: TypeAlias = Literal[
    "rfc",
    "linux",
    "linux-6.18",
    "linux-6.12",
    "linux-6.1",
    "linux-3.12",
    "freebsd",
    "freebsd-2014",
    "ns2-newreno",
    "ns2-sack",
    "ns2-linux",
]
"""Named stack, which supplies the values of the fields below that are not given.

- ``rfc``: what the standards say: Reno, SACK, the initial window of RFC 6928, RTO of at least 1 s, nothing that is
  optional
- ``linux``: Linux 6.12 as it comes: CUBIC with HyStart, RACK-TLP, PRR, F-RTO, timestamps, its RTO and delayed ACKs
- ``linux-6.18``: Linux 6.18: as 6.12, with receive buffers of up to 32 MiB, window units of 1024 bytes, stricter window
  checks
- ``linux-6.12``: Linux 6.12, which is what `linux` means
- ``linux-6.1``: Linux 6.1: as 6.12, with half of the receive buffer as the window, and timeouts of SYNs that double at
  once
- ``linux-3.12``: Linux 3.12 of 2013: CUBIC with HyStart, PRR of RFC 6937, TLP and early retransmit, no RACK, no pacing
- ``freebsd``: FreeBSD 14 as it comes: CUBIC, SACK with PRR, timestamps, RTO of at least 230 ms, ACKs delayed 40 ms
- ``freebsd-2014``: FreeBSD 10 of 2014: NewReno's window, its own SACK recovery, IW10, initial RTO 3 s, ACKs delayed 100
  ms
- ``ns2-newreno``: ns-2's Agent/TCP/Newreno with TCPSink: no handshake, RTO of at least 200 ms in ticks, every packet
  acknowledged
- ``ns2-sack``: ns-2's Agent/TCP/Sack1 with TCPSink/Sack1: no handshake, RTO of at least 200 ms in ticks, every packet
  acknowledged
- ``ns2-linux``: ns-2's Agent/TCP/Linux (Wei and Cao) with TCPSink/Sack1: windows and rate halving of Linux 2.6.22,
  timers of ns-2
"""

WindowValidation: TypeAlias = Literal[
    "none",
    "rfc2861",
    "rfc2861-linux",
    "newcwv",
    "newcwv-00",
    "newcwv-2013",
    "newcwv-2014",
    "linux",
    "linux-kept",
    "ratelimited-increase",
]
"""Method of congestion window validation.

- ``none``: the window grows with every acknowledgment, used or not
- ``rfc2861``: the window decays with each RTO in which it is idle or not filled, and grows only when full
- ``rfc2861-linux``: rfc2861 as Linux has it: idle decay ends at the restart window, use counts for no less than IW
- ``newcwv``: the window is kept while unused for five minutes; loss then cuts it to half of what was used
- ``newcwv-00``: newcwv before pipeACK: the window is validated while FlightSize is at least two thirds of it
- ``newcwv-2013``: newcwv-2014 as it was until 6 February 2014: ssthresh at a loss is half of cwnd, whether used or not
- ``newcwv-2014``: newcwv in its authors' module for Linux of February 2014; loss sets ssthresh to half of what is in
  flight
- ``linux``: Linux 6: growth where the window was full or, in slow start, below twice what was sent; idle decay to IW
- ``linux-kept``: linux with tcp_slow_start_after_idle off: growth where the window was full, and no decay over idle
  periods
- ``ratelimited-increase``: the window grows to twice the most that was outstanding in slow start, a segment more than
  that after it
"""

SlowStart: TypeAlias = Literal[
    "standard",
    "limited",
    "linux",
    "per-ack",
    "hystart",
    "hystart++",
    "search",
]
"""Method of slow start.

- ``standard``: the window grows by the bytes that each ACK acknowledges, at most two segments, or one after a timeout
- ``limited``: standard up to 100 segments; above, about 50 segments in each round trip
- ``linux``: the window grows by all that each ACK acknowledges, without a limit, after a timeout as well
- ``per-ack``: the window grows by a segment with each ACK of new data, as before byte counting; ACK division exploits
  it
- ``hystart``: slow start ends when a round's ACKs span half the smallest RTT, or the RTT rises by an eighth
- ``hystart++``: when the RTT rises, slow start is conservative for five rounds and then ends, unless the RTT falls
  again
- ``search``: slow start ends, and the queue is drained, when fewer data are delivered than were sent a round trip
  before
"""

TimeoutRule: TypeAlias = Literal[
    "rfc6298",
    "linux",
    "ns2",
    "ns2-100us",
    "ns2-linux",
]
"""Rule that computes the retransmission timeout from the RTT samples.

- ``rfc6298``: SRTT + 4*RTTVAR, at least min_rto
- ``linux``: SRTT + RTTVAR, RTTVAR at least min_rto and slow to fall, as Linux has it
- ``ns2``: SRTT + 4*RTTVAR in ticks of 10 ms, of one segment at a time, as ns-2 has it
- ``ns2-100us``: as ns2 with ns-2's timestamps: a sample with every new ACK, in ticks of 0.1 ms
- ``ns2-linux``: as ns2-100us in ticks of 1 ms, and a falling RTT hardly raises RTTVAR
"""

Recovery: TypeAlias = Literal[
    "tahoe",
    "newreno",
    "sack",
    "rate-halving",
    "freebsd-sack",
    "ns2-newreno",
    "ns2-sack",
    "ns2-linux",
    "prr-crb",
    "prr-ssrb",
    "prr",
]
"""Algorithm of loss recovery, which decides what is sent during recovery and how fast.

- ``tahoe``: fast retransmit, then slow start from one segment
- ``newreno``: window inflation by duplicate ACKs, one retransmission for each partial ACK
- ``sack``: a scoreboard of SACK blocks and pipe, the estimate of what is in flight
- ``rate-halving``: one segment for every second ACK until the window is halved, as Linux had it before 3.2
- ``freebsd-sack``: all gaps in the SACK blocks, into a window that grows from one segment, as FreeBSD had it before PRR
- ``ns2-newreno``: RFC 6582 as ns-2 has it: no bound on the window after recovery, and every timeout reduces ssthresh
- ``ns2-sack``: pipe as a count of acknowledgments, a partial one as two, and all gaps at once
- ``ns2-linux``: rate halving that sends at once what ssthresh allows, and every timeout reduces ssthresh
- ``prr-crb``: proportional rate reduction, conservative reduction bound
- ``prr-ssrb``: proportional rate reduction, slow-start reduction bound
- ``prr``: proportional rate reduction, slow start only on ACKs that signal no further loss
"""

WindowUnit: TypeAlias = Literal[
    "bytes",
    "segments",
]
"""Unit in which the sender counts its window.

- ``bytes``: bytes, so that a window may contain a part of a segment (RFC 5681)
- ``segments``: whole segments, as in Linux: small segments count as full ones
"""

EcnMode: TypeAlias = Literal[
    "off",
    "passive",
    "classic",
    "accurate",
    "dctcp",
    "l4s",
]
"""Mode of Explicit Congestion Notification (ECN).

- ``off``: none
- ``passive``: RFC 3168 where the peer asks for it
- ``classic``: RFC 3168, asked for
- ``accurate``: Accurate ECN (RFC 9768), asked for
- ``dctcp``: each mark echoed, and every segment ECT(0) (DCTCP, RFC 8257); at both ends
- ``l4s``: Accurate ECN with data as ECT(1), for the L queue (RFC 9331)
"""

Handshake: TypeAlias = Literal[
    "three-way",
    "none",
]
"""How connections begin: none is for studies that ran in ns-2, whose one-way agents have no handshake.

- ``three-way``: SYN, SYN-ACK and ACK (RFC 9293)
- ``none``: both ends are established at once, as in ns-2; no Accurate ECN
"""

RestartAfterIdle: TypeAlias = Literal[
    "off",
    "rfc5681",
    "lowers-ssthresh",
    "one-segment",
    "raises-ssthresh",
    "freebsd",
    "freebsd-10",
]
"""Treatment of the congestion window after an idle period longer than the retransmission timeout.

- ``off``: the window stays
- ``rfc5681``: cwnd falls to the initial window, ssthresh stays (RFC 5681 section 4.1)
- ``lowers-ssthresh``: a known mistake: as rfc5681, and ssthresh falls to cwnd
- ``one-segment``: cwnd falls to one segment, ssthresh stays, as in ns-2
- ``raises-ssthresh``: a known mistake: as rfc5681, and ssthresh becomes infinite
- ``freebsd``: as rfc5681, and ssthresh is at least 3/4 of the former cwnd, as in FreeBSD 14
- ``freebsd-10``: cwnd falls to the initial window of RFC 3390, as in FreeBSD 10: idle since a segment arrived
"""


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Change(Record):
    """A change of a flow's route at a time.

    Parameters
    ----------
    at
        Time of the change. Packets that are sent from then on take the new route; those on their way stay on theirs.
        Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min, h).
    route
        Nodes on the new forward route. Both ends are those of the flow's route. Accepted: a list with at least one
        node, each a name of ASCII letters, digits, spaces and _ + -.
    return_route
        Nodes on the new return route. Accepted: a list with at least one node, each a name of ASCII letters, digits,
        spaces and _ + -. Absent: those of the new route, backwards.
    mtu
        MTU of the new path, of which both hosts' TCP is told at once, as with a replaced route of Linux: later segments
        have at most this size, but never more than packet_size. Accepted: a volume from "104B" to "65535B" (units: B,
        kB, KiB, MB, MiB, GB, GiB). Absent: as before.
    """

    at: str
    route: Sequence[str]
    return_route: Sequence[str] | None = None
    mtu: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Tunnel(Record):
    """A tunnel on a part of the route, in both directions.

    Parameters
    ----------
    from_
        Node of the forward route at which the tunnel begins. Accepted: a name of ASCII letters, digits, spaces and _ +
        -. Absent: the first node of the route.
    to
        Node of the forward route at which the tunnel ends. Accepted: a name of ASCII letters, digits, spaces and _ + -.
        Absent: the last node of the route.
    header
        Bytes that the tunnel adds to each packet. Accepted: a volume from "1B" to "1kB" (units: B, kB, KiB, MB, MiB,
        GB, GiB). Default: "20B".
    ecn
        Treatment of the ECN field at both ends. Accepted: normal, compatibility, rfc3168-full, rfc3168-limited,
        rfc4301. Default: "normal".
    name
        Name of the tunnel. Queues in the tunnel see the packets of all flows in tunnels of this name as one flow.
        Accepted: a name of ASCII letters, digits, spaces and _ + -. Absent: a tunnel of its own for each copy of the
        flow.
    """

    from_: str | None = None
    to: str | None = None
    header: str | None = None
    ecn: TreatmentOfEcnInATunnel | None = None
    name: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class FlowAccess(Record):
    """Access links of this flow, where they differ from the scenario's.

    Parameters
    ----------
    rate
        Rate of both links in both directions. Accepted: a rate above zero such as "100Mbps", or a multiple of the
        bottleneck's such as "10x". Absent: as access.rate.
    source_delay
        Propagation delay between the source and the bottleneck, one way. Accepted: a class of
        `ackclock.scenario.distribution`, or a time such as "200ms" (units: ns, us, ms, s, min, h). Absent: as
        access.source_delay.
    sink_delay
        Propagation delay between the bottleneck and the sink, one way. Accepted: a class of
        `ackclock.scenario.distribution`, or a time such as "200ms" (units: ns, us, ms, s, min, h). Absent: as
        access.sink_delay.
    source_policer
        Policer where the source's packets enter the network. Accepted: a class of `ackclock.scenario.policer`. Absent:
        as access.source_policer.
    sink_policer
        Policer where packets leave the network for the sink. Accepted: a class of `ackclock.scenario.policer`. Absent:
        as access.sink_policer.
    reverse_sink_policer
        Policer where the sink's packets enter the network. Accepted: a class of `ackclock.scenario.policer`. Absent: as
        access.reverse_sink_policer.
    reverse_source_policer
        Policer where packets leave the network for the source. Accepted: a class of `ackclock.scenario.policer`.
        Absent: as access.reverse_source_policer.
    gso
        Whether the hosts' TCP hands large packets (GSO) to a link whose gso takes them. Absent: as access.gso.
    gro
        Time for which a host's network card collects segments before the host merges them (GRO) and hands them to TCP.
        Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min, h). Absent: as access.gro.
    """

    rate: str | None = None
    source_delay: Distribution[str] | None = None
    sink_delay: Distribution[str] | None = None
    source_policer: Policer | None = None
    sink_policer: Policer | None = None
    reverse_sink_policer: Policer | None = None
    reverse_source_policer: Policer | None = None
    gso: bool | None = None
    gro: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class ReadingPause(Record):
    """A time in which an application reads nothing.

    Parameters
    ----------
    from_
        Start of the pause. Accepted: a time such as "200ms" (units: ns, us, ms, s, min, h).
    to
        End of the pause. Accepted: a time such as "200ms" (units: ns, us, ms, s, min, h).
    """

    from_: str
    to: str


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Reading(Record):
    """Reading pattern of the application at the sink, from which the receive window follows.

    Parameters
    ----------
    rate
        Mean rate at which the application reads; after each read it waits for as long as the bytes take at this rate.
        Accepted: a rate above zero such as "1.5Mbps" (units: bps, kbps, Mbps, Gbps, Tbps). Absent: no limit.
    step
        Maximum volume of one read. Accepted: a volume above zero such as "64KiB" (units: B, kB, KiB, MB, MiB, GB, GiB).
        Default: "64KiB".
    pauses
        Times in which the application reads nothing. Accepted: a list with at least one pause, each of class
        `ReadingPause`. Absent: none.
    """

    rate: str | None = None
    step: str | None = None
    pauses: Sequence[ReadingPause] | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class CarefulResume(Record):
    """Path parameters that an earlier connection measured, for Careful Resume (RFC 9959).

    Parameters
    ----------
    cwnd
        Volume that was delivered in one round-trip time. Accepted: a volume above zero such as "64KiB" (units: B, kB,
        KiB, MB, MiB, GB, GiB).
    rtt
        Minimum round-trip time that was measured. Accepted: a time above zero such as "200ms" (units: ns, us, ms, s,
        min, h).
    max_jump
        Maximum window to which the jump leads; the window never jumps above half of cwnd. Accepted: a volume above zero
        such as "64KiB" (units: B, kB, KiB, MB, MiB, GB, GiB). Absent: half of cwnd.
    """

    cwnd: str
    rtt: str
    max_jump: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Flow(Record):
    """A flow, or several copies of it: an application at both ends and the TCP below it.

    Parameters
    ----------
    name
        Name in output, which has to be unique; several copies are called name.0, name.1, and so on. Accepted: a name of
        ASCII letters, digits, spaces and _ + -. Absent: flow0, flow1, ... by position.
    count
        Number of copies of the flow. Accepted: a whole number of copies from 1 to 1000000. Default: 1.
    app
        Application of the flow. Accepted: a class of `ackclock.scenario.app`.
    start
        Start time of the flow. Accepted: a time such as "200ms" (units: ns, us, ms, s, min, h). Default: "0s".
    start_jitter
        Maximum extra start delay of each copy, drawn uniformly from zero to this value for each copy. Accepted: a time
        such as "200ms" (units: ns, us, ms, s, min, h). Default: "0s".
    group_jitter
        Maximum extra start delay that all copies share, drawn once, uniformly from zero to this value. Accepted: a time
        such as "200ms" (units: ns, us, ms, s, min, h). Default: "0s".
    arrival
        Pattern of the copies' start times, relative to the time that start and the jitters give. Accepted: a class of
        `ackclock.scenario.arrival`. Absent: all copies at once.
    class_
        Traffic class of the flow's packets, 0 being the most urgent; only queues that tell classes apart use it.
        Accepted: a whole number from 0 to 7. Default: 0.
    dscp
        Code point (DSCP) of the flow's packets in both directions; only queues that sort packets by it use it.
        Accepted: CS0, LE, CS1, AF11, AF12, AF13, CS2, AF21, AF22, AF23, CS3, AF31, AF32, AF33, CS4, AF41, AF42, AF43,
        CS5, VA, NQB, EF, CS6, CS7. Default: "CS0".
    source_host
        Name of the host at the source; flows with the same name share it in queues that share among hosts. Accepted: a
        name of ASCII letters, digits, spaces and _ + -. Absent: a host of its own for each copy.
    sink_host
        Name of the host at the sink; flows with the same name share it in queues that share among hosts. Accepted: a
        name of ASCII letters, digits, spaces and _ + -. Absent: a host of its own for each copy.
    route
        Nodes on the forward route, from the source's side to the sink's; the access links are added at both ends.
        Accepted: a list with at least one node, each a name of ASCII letters, digits, spaces and _ + -. Absent: from
        left to right.
    return_route
        Nodes on the return route, from the sink's side to the source's. Accepted: a list with at least one node, each a
        name of ASCII letters, digits, spaces and _ + -. Absent: those of route, backwards.
    route_changes
        Changes of the route, in the order of their times. Accepted: a list with at least one change, each of class
        `Change`. Absent: none.
    paths
        Paths of a transfer over several: each is a list of links by their names (`bottleneck` is one), from the
        source's side to the sink's. A connection then has a subflow of TCP on each path. Accepted: a list with at least
        one path, each a list with at least one link, each a name of ASCII letters, digits, spaces and _ + -. Absent:
        one path, the route.
    tunnel
        A tunnel on a part of the route, in both directions. Absent: none.
    access
        Access links of this flow, where they differ from the scenario's. Absent: the scenario's access.
    reading
        Reading pattern of the application at the sink, from which the receive window follows. Absent: at once.
    source_reading
        Reading pattern of the application at the source. Absent: at once.
    transport
        Transport of the flow. The fields below are TCP's; another transport has parameters of its own, which stand in
        its table. Accepted: tcp, the name of a stack (`ackclock list transport`), or a table of its kind, its
        parameters and the library that it is in, if it is not built in. Absent: tcp, the TCP of this engine.
    stack
        Named stack, which supplies the values of the fields below that are not given. Accepted: rfc, linux, linux-6.18,
        linux-6.12, linux-6.1, linux-3.12, freebsd, freebsd-2014, ns2-newreno, ns2-sack, ns2-linux. Default: "linux".
    cc
        Congestion control algorithm. The name of a family such as `cubic` means the form of the stack: Linux's module
        on the stack linux, the form of the RFC or the paper on the stack rfc. Accepted: balia, bbr, bbr1, bbr3, bic,
        bic-linux, bic-paper, cdg, compound, compound-tuned, copa, cubic, cubic-2.0, cubic-2.1, cubic-linux,
        cubic-rfc8312, cubic-rfc9438, dctcp, dctcp-linux, dctcp-rfc8257, fast, fixed-rate, fixed-window, highspeed,
        highspeed-linux, highspeed-rfc3649, htcp, htcp-linux, htcp-paper, hybla, hybla-linux, hybla-paper, illinois,
        illinois-linux, illinois-paper, ledbat, ledbat++, lia, lp, lp-linux, lp-paper, nv, prague, remycc, remycc-ns2,
        remycc-ns2-us, reno, reno-linux, reno-ns2, reno-rfc5681, scalable, scalable-linux, scalable-paper, vegas,
        vegas-2.6, vegas-linux, vegas-paper, veno, veno-linux, veno-paper, westwood, westwood-linux, westwood-paper,
        xcp, yeah, yeah-linux, yeah-paper, a class of `ackclock.scenario.cc`, the name of one in Python, or a dict of
        its kind and its parameters. Absent: the stack's.
    validation
        Method of congestion window validation. Accepted: none, rfc2861, rfc2861-linux, newcwv, newcwv-00, newcwv-2013,
        newcwv-2014, linux, linux-kept, ratelimited-increase. Absent: the stack's.
    slow_start
        Method of slow start. Accepted: standard, limited, linux, per-ack, hystart, hystart++, search. Absent: the
        stack's; on Linux's stacks, hystart for CUBIC and linux for all others.
    careful_resume
        Path parameters that an earlier connection measured, for Careful Resume (RFC 9959). Absent: nothing is known.
    pacing
        Pacing of the sender's segments. Accepted: a class of `ackclock.scenario.pacing`. Absent: the stack's.
    initial_window
        Initial window in full segments, whatever their size. Each stack has its own default: rfc and freebsd follow RFC
        6928, linux uses ten segments, ns2-sack two (`ackclock list stack`). Accepted: a whole number of segments from 1
        to 65535. Absent: the stack's.
    initial_rto
        Retransmission timeout before the first RTT sample (RFC 6298). Accepted: a time above zero such as "200ms"
        (units: ns, us, ms, s, min, h). Absent: the stack's.
    min_rto
        Minimum retransmission timeout. Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min, h).
        Absent: the stack's.
    max_rto
        Maximum retransmission timeout. Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min, h).
        Absent: the stack's.
    rto_rule
        Rule that computes the retransmission timeout from the RTT samples. Accepted: rfc6298, linux, ns2, ns2-100us,
        ns2-linux. Absent: the stack's.
    timestamps
        Whether the TCP timestamps option is offered (RFC 7323); it takes 12 bytes of each segment. Absent: the stack's.
    sack
        Whether selective acknowledgments are offered (RFC 2018). Absent: the stack's.
    dsack
        Whether duplicate segments are reported by D-SACK (RFC 2883). Absent: the stack's.
    recovery
        Algorithm of loss recovery, which decides what is sent during recovery and how fast. Accepted: tahoe, newreno,
        sack, rate-halving, freebsd-sack, ns2-newreno, ns2-sack, ns2-linux, prr-crb, prr-ssrb, prr. Absent: the stack's.
    dup_thresh
        A segment counts as lost after this number of duplicate ACKs, or of SACKed segments above it (RFC 5681, RFC
        6675). Accepted: a whole number of segments from 1 to 300. Absent: the stack's.
    adapt_dup_thresh
        Whether observed reordering raises dup_thresh, as in Linux. Absent: the stack's.
    window_unit
        Unit in which the sender counts its window. Accepted: bytes, segments. Absent: the stack's.
    limited_transmit
        Whether the first duplicate ACKs trigger new segments (limited transmit, RFC 3042). Absent: the stack's.
    early_retransmit
        Whether fewer duplicate ACKs suffice while less than four segments are outstanding (early retransmit, RFC 5827).
        Absent: the stack's.
    rack
        Whether losses are detected by time instead of by counting duplicate ACKs (RACK, RFC 8985). Absent: the stack's.
    tlp
        Whether a tail loss probe is sent when the last segments of a flight are not acknowledged (TLP, RFC 8985 section
        7). Absent: the stack's.
    frto
        Whether the sender waits for two ACKs after a timeout before it marks all outstanding segments lost (F-RTO, RFC
        5682). Absent: the stack's.
    dsack_undo
        Whether a recovery is undone when D-SACKs show that it was spurious. Absent: the stack's.
    eifel
        Whether a recovery is undone when timestamps show that it was spurious (Eifel, RFC 3522 and RFC 4015). Absent:
        the stack's.
    ecn
        Mode of Explicit Congestion Notification (ECN). Accepted: off, passive, classic, accurate, dctcp, l4s. Absent:
        the stack's.
    abe
        Whether a CE mark reduces the window by less than a loss does (ABE, RFC 8511). Absent: the stack's.
    nagle
        Whether small segments are delayed while data is outstanding (Nagle, RFC 9293 section 3.7.4). Absent: the
        stack's.
    write_size
        Maximum size of one write of the application: TCP sends what it can after each write, so that the end of a write
        can be a small segment. Accepted: a volume above zero such as "64KiB" (units: B, kB, KiB, MB, MiB, GB, GiB).
        Absent: the stack's, which has no maximum.
    handshake
        How connections begin: none is for studies that ran in ns-2, whose one-way agents have no handshake. Accepted:
        three-way, none. Absent: the stack's.
    handshake_data
        Whether data may ride on the ACK that completes the handshake. If not, that ACK is sent by itself before the
        first data, as after connect() and write(). Absent: the stack's.
    receive_buffer
        Size of the receive buffer, which limits the advertised window. Accepted: a volume from "64B" to "1GiB" (units:
        B, kB, KiB, MB, MiB, GB, GiB). Absent: the stack's.
    receive_buffer_max
        Maximum size to which auto-tuning may raise the receive buffer. Accepted: a volume from "64B" to "1GiB" (units:
        B, kB, KiB, MB, MiB, GB, GiB). Absent: the stack's; receive_buffer where that is given.
    send_buffer
        Size of the send buffer, as SO_SNDBUF gives it. Linux counts the memory of the packets, and has twice this size
        of it; FreeBSD counts payload. Accepted: a volume above zero such as "64KiB" (units: B, kB, KiB, MB, MiB, GB,
        GiB). Absent: the stack's.
    send_buffer_max
        Maximum size to which auto-tuning may raise the send buffer. Accepted: a volume above zero such as "64KiB"
        (units: B, kB, KiB, MB, MiB, GB, GiB). Absent: the stack's; send_buffer where that is given.
    notsent_lowat
        Volume of unsent data in the send buffer from which the application has to wait (TCP_NOTSENT_LOWAT). Accepted: a
        volume above zero such as "64KiB" (units: B, kB, KiB, MB, MiB, GB, GiB). Absent: the stack's, none on every
        stack.
    delayed_ack
        Maximum delay of an acknowledgment, below 500ms; with zero every segment is acknowledged at once. Linux's stacks
        have a rule of their own and do not use it. Accepted: a time such as "200ms" (units: ns, us, ms, s, min, h).
        Absent: the stack's.
    ack_every
        Number of full-sized segments after which an acknowledgment is sent at once. Linux's stacks do not use it.
        Accepted: a whole number of segments from 1 to 65535. Absent: the stack's.
    quick_acks
        Number of segments that are acknowledged at once at the start of a connection and after an idle period.
        Accepted: a whole number of segments from 0 to 65535. Absent: the stack's.
    ack_division
        Number of ACKs into which a misbehaving receiver divides each acknowledgment of new data (ACK division, Savage
        et al. 1999). Accepted: a whole number of ACKs from 1 to 65535. Absent: the stack's.
    dupack_spoofing
        Number of duplicates that a misbehaving receiver sends after each ACK (DupACK spoofing, Savage et al. 1999).
        Accepted: a whole number of duplicates from 0 to 1000. Absent: the stack's.
    optimistic_acks
        Number of full segments by which the ACKs of a misbehaving receiver run ahead of what has arrived (optimistic
        ACKs, Savage et al. 1999). Data that is lost then never arrives. Accepted: a whole number of segments from 0 to
        65535. Absent: the stack's.
    suppress_marks
        Whether a misbehaving receiver hides the marks of the packets that arrive (RFC 3168 section 18). Absent: the
        stack's.
    restart_after_idle
        Treatment of the congestion window after an idle period longer than the retransmission timeout. Accepted: off,
        rfc5681, lowers-ssthresh, one-segment, raises-ssthresh, freebsd, freebsd-10. Absent: the stack's; off with a
        validation that replaces it.
    mss
        Payload of a full segment (maximum segment size). Accepted: a volume from "64B" to "65495B" (units: B, kB, KiB,
        MB, MiB, GB, GiB). Absent: packet_size less 40B.
    """

    name: str | None = None
    count: int | None = None
    app: App
    start: str | None = None
    start_jitter: str | None = None
    group_jitter: str | None = None
    arrival: Arrival | None = None
    class_: int | None = None
    dscp: CodePoint | None = None
    source_host: str | None = None
    sink_host: str | None = None
    route: Sequence[str] | None = None
    return_route: Sequence[str] | None = None
    route_changes: Sequence[Change] | None = None
    paths: Sequence[Sequence[str]] | None = None
    tunnel: Tunnel | None = None
    access: FlowAccess | None = None
    reading: Reading | None = None
    source_reading: Reading | None = None
    transport: str | Mapping[str, str | float] | None = None
    stack: Stack | None = None
    cc: Cc | None = None
    validation: WindowValidation | None = None
    slow_start: SlowStart | None = None
    careful_resume: CarefulResume | None = None
    pacing: Pacing | None = None
    initial_window: int | None = None
    initial_rto: str | None = None
    min_rto: str | None = None
    max_rto: str | None = None
    rto_rule: TimeoutRule | None = None
    timestamps: bool | None = None
    sack: bool | None = None
    dsack: bool | None = None
    recovery: Recovery | None = None
    dup_thresh: int | None = None
    adapt_dup_thresh: bool | None = None
    window_unit: WindowUnit | None = None
    limited_transmit: bool | None = None
    early_retransmit: bool | None = None
    rack: bool | None = None
    tlp: bool | None = None
    frto: bool | None = None
    dsack_undo: bool | None = None
    eifel: bool | None = None
    ecn: EcnMode | None = None
    abe: bool | None = None
    nagle: bool | None = None
    write_size: str | None = None
    handshake: Handshake | None = None
    handshake_data: bool | None = None
    receive_buffer: str | None = None
    receive_buffer_max: str | None = None
    send_buffer: str | None = None
    send_buffer_max: str | None = None
    notsent_lowat: str | None = None
    delayed_ack: str | None = None
    ack_every: int | None = None
    quick_acks: int | None = None
    ack_division: int | None = None
    dupack_spoofing: int | None = None
    optimistic_acks: int | None = None
    suppress_marks: bool | None = None
    restart_after_idle: RestartAfterIdle | None = None
    mss: str | None = None
