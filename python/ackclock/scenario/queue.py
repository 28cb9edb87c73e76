"""Tables of the family *queue*.

Written by ackclock.scenario._generate from the engine's schema; not to be edited.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from ackclock.scenario._record import Record

__all__ = [
    "AckFilter",
    "Ared",
    "Cake",
    "Cells",
    "Cobalt",
    "Codel",
    "DropHead",
    "DropTail",
    "Drr",
    "Dualpi2",
    "Fq",
    "FqCodel",
    "FqPie",
    "Isolation",
    "LinkLayer",
    "Name",
    "Paths",
    "Pie",
    "Priority",
    "Queue",
    "Red",
    "Rules",
    "Sfq",
    "SfqCodel",
    "Tins",
    "TokenBucket",
    "Xcp",
]

Rules: TypeAlias = Literal[
    "rfc",
    "linux",
]
"""Whose rules are followed.

- ``rfc``: The RFCs: the pseudocode of RFC 8289 and RFC 8290, and RFC 8033.
- ``linux``: Linux: for CoDel times in units of 1024 ns and roots by one Newton step for each drop, for PIE its rules
  for large delays and short queues.
"""

Tins: TypeAlias = Literal[
    "besteffort",
    "precedence",
    "diffserv3",
    "diffserv4",
    "diffserv8",
]
"""Classes into which the code points of flows (dscp) are sorted.

- ``besteffort``: One tin for all packets.
- ``precedence``: Eight tins by the upper three bits of the code point; use it for old equipment only.
- ``diffserv3``: Three tins: bulk (LE, CS1), best effort, and voice (CS7, CS6, EF, VA, TOS4).
- ``diffserv4``: Four tins: bulk, best effort, video (AF2x to AF4x, CS2, CS3, TOS4) and voice (CS4 to CS7, EF, VA).
- ``diffserv8``: Eight tins by the classes of RFC 4594.
"""

Isolation: TypeAlias = Literal[
    "flowblind",
    "srchost",
    "dsthost",
    "hosts",
    "flows",
    "dual-srchost",
    "dual-dsthost",
    "triple-isolate",
]
"""Parties among which the rate is divided.

- ``flowblind``: All packets share one queue.
- ``srchost``: The rate is divided among source hosts.
- ``dsthost``: The rate is divided among destination hosts.
- ``hosts``: The rate is divided among pairs of source and destination host.
- ``flows``: The rate is divided among flows.
- ``dual-srchost``: The rate is divided among source hosts, and the share of each among its flows.
- ``dual-dsthost``: The rate is divided among destination hosts, and the share of each among its flows.
- ``triple-isolate``: A flow shares with the flows of its source or of its destination, whichever are more.
"""

LinkLayer: TypeAlias = Literal[
    "raw",
    "conservative",
    "ethernet",
    "ether-vlan",
    "docsis",
    "pppoe-ptm",
    "bridged-ptm",
    "pppoa-vcmux",
    "pppoa-llc",
    "pppoe-vcmux",
    "pppoe-llcsnap",
    "bridged-vcmux",
    "bridged-llcsnap",
    "ipoa-vcmux",
    "ipoa-llcsnap",
]
"""Link layer, which gives overhead, cells and mpu.

- ``raw``: The size that Linux has for a packet on Ethernet: 14 bytes besides the IP packet, no cells.
- ``conservative``: 48 bytes and ATM cells: safe where the link is not known.
- ``ethernet``: 38 bytes, at least 84: Ethernet with preamble and gap.
- ``ether-vlan``: 42 bytes, at least 84: Ethernet with a VLAN tag.
- ``docsis``: 18 bytes, at least 64: cable.
- ``pppoe-ptm``: 30 bytes and PTM: VDSL2 with PPPoE.
- ``bridged-ptm``: 22 bytes and PTM: VDSL2 without PPPoE.
- ``pppoa-vcmux``: 10 bytes and ATM cells: ADSL with PPPoA, VC-Mux.
- ``pppoa-llc``: 14 bytes and ATM cells: ADSL with PPPoA, LLC.
- ``pppoe-vcmux``: 32 bytes and ATM cells: ADSL with PPPoE, VC-Mux.
- ``pppoe-llcsnap``: 40 bytes and ATM cells: ADSL with PPPoE, LLC/SNAP.
- ``bridged-vcmux``: 24 bytes and ATM cells: bridged ADSL, VC-Mux.
- ``bridged-llcsnap``: 32 bytes and ATM cells: bridged ADSL, LLC/SNAP.
- ``ipoa-vcmux``: 8 bytes and ATM cells: ADSL with IPoA, VC-Mux.
- ``ipoa-llcsnap``: 16 bytes and ATM cells: ADSL with IPoA, LLC/SNAP.
"""

Cells: TypeAlias = Literal[
    "none",
    "atm",
    "ptm",
]
"""How packets are divided into cells.

- ``none``: Packets are sent as they are.
- ``atm``: Packets fill cells of 48 bytes, each of which takes 53 bytes.
- ``ptm``: Each 64 bytes take 65 bytes.
"""

Paths: TypeAlias = Literal[
    "datacentre",
    "lan",
    "metro",
    "regional",
    "internet",
    "oceanic",
    "satellite",
    "interplanetary",
]
"""Kind of the paths, which gives rtt.

- ``datacentre``: A round-trip time of 0.1 ms.
- ``lan``: A round-trip time of 1 ms.
- ``metro``: A round-trip time of 10 ms.
- ``regional``: A round-trip time of 30 ms.
- ``internet``: A round-trip time of 100 ms.
- ``oceanic``: A round-trip time of 300 ms.
- ``satellite``: A round-trip time of 1 s.
- ``interplanetary``: A round-trip time of 1000 s and a target of 50 s: hardly any signals.
"""

AckFilter: TypeAlias = Literal[
    "off",
    "filter",
    "aggressive",
]
"""Whether acknowledgments that later ones in the queue make superfluous are dropped.

- ``off``: None.
- ``filter``: Those that two later ones make superfluous.
- ``aggressive``: Those that the next one makes superfluous.
"""

Name: TypeAlias = Literal[
    "drop-tail",
    "drop-head",
    "red",
    "ared",
    "codel",
    "pie",
    "cobalt",
    "dualpi2",
    "priority",
    "token-bucket",
    "drr",
    "sfq",
    "fq",
    "fq-codel",
    "sfq-codel",
    "fq-pie",
    "cake",
    "xcp",
]
"""The names of the family *queue* that need no values.

- ``drop-tail``: First in, first out; a packet that arrives when the queue is full is dropped.
- ``drop-head``: First in, first out; when the queue is full, an arriving packet replaces packets at the head.
- ``red``: Random early detection with the settings and semantics of ns-2.
- ``ared``: Adaptive RED: RED with a drop probability that keeps the average queue halfway between the thresholds.
- ``codel``: CoDel: drops or marks at the head when the delay has been above a target for an interval.
- ``pie``: PIE: drops or marks arriving packets with a probability that keeps the queueing delay at a target.
- ``cobalt``: COBALT: CAKE's CoDel combined with BLUE against flows that do not respond.
- ``dualpi2``: DualPI2: a low-latency queue for L4S and a classic queue with coupled controllers.
- ``priority``: Strict priority of classes.
- ``token-bucket``: Token bucket: packets wait in a drop-tail queue for tokens that arrive at a rate.
- ``drr``: Deficit round robin over flows; when the queue is full, the longest flow loses packets.
- ``sfq``: Stochastic fairness queueing as in Linux: buckets of flows take turns; when the queue is full, the longest
  loses.
- ``fq``: Linux's fq: a queue for each flow, new flows first, and a maximum rate for each flow.
- ``fq-codel``: FQ-CoDel: fair queueing of flows with a CoDel for each; sparse flows go first.
- ``sfq-codel``: sfqCoDel of ns-2: flows in bins that take turns packet by packet, with a CoDel for each.
- ``fq-pie``: FQ-PIE: fair queueing of flows with a PIE for each; sparse flows go first.
- ``cake``: CAKE: shaper, classes, fairness of hosts and flows, and COBALT, as in home routers.
- ``xcp``: A router of XCP with a drop-tail queue: tells senders with cc = "xcp" by how much to change their throughput.
"""


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class DropTail(Record):
    """First in, first out; a packet that arrives when the queue is full is dropped.

    Source: common practice.

    Parameters
    ----------
    limit
        How much it holds at most, at least one packet. Accepted: a queue limit such as "1bdp", "50 packets", "64KiB" or
        "unlimited". Default: "1bdp".
    """

    kind: ClassVar = "drop-tail"

    limit: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class DropHead(Record):
    """First in, first out; when the queue is full, an arriving packet replaces packets at the head.

    Source: Lakshman, Neidhardt, Ott, INFOCOM 1996.

    Parameters
    ----------
    limit
        How much it holds at most, at least one packet. Accepted: a queue limit such as "1bdp", "50 packets", "64KiB" or
        "unlimited". Default: "1bdp".
    """

    kind: ClassVar = "drop-head"

    limit: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Red(Record):
    """Random early detection with the settings and semantics of ns-2.

    Source: Floyd, Jacobson, IEEE/ACM ToN 1(4), 1993; ns-2.35.

    Parameters
    ----------
    limit
        How much it holds at most, at least one packet. Accepted: a queue limit such as "1bdp", "50 packets", "64KiB" or
        "unlimited". Default: "1bdp".
    q_weight
        Weight of an arrival in the average queue; for 0, -1 and -2 the weight follows from the link's rate. Accepted: a
        number from -2 to 1. Default: -1.
    rtt
        Round-trip time; with q_weight = -1, the time constant of the average is ten times as long. Accepted: a time
        from "1us" to "1000s" (units: ns, us, ms, s, min, h). Default: "100ms".
    thresh
        Minimum threshold, in packets; for 0 it follows from target_delay. Accepted: a number from 0 to 1000000000.
        Default: 0.
    maxthresh
        Maximum threshold, in packets; for 0 it is three times the minimum. Accepted: a number from 0 to 1000000000.
        Default: 0.
    target_delay
        Queueing delay; with thresh = 0, the minimum threshold is half of it, but at least 5 packets. Accepted: a time
        from "0s" to "1000s" (units: ns, us, ms, s, min, h). Default: "5ms".
    max_p
        Drop probability when the average reaches the maximum threshold: 1/linterm_ of ns-2. Accepted: a number from
        0.000000001 to 1. Default: 0.1.
    mean_pktsize
        Mean size of packets: the unit of thresholds in bytes, and of the packets counted in idle times. Accepted: a
        volume from "1B" to "65535B" (units: B, kB, KiB, MB, MiB, GB, GiB). Absent: the size of a full packet.
    queue_in_bytes
        Whether the average is in bytes, with thresholds multiplied by mean_pktsize. Default: True.
    bytes
        Whether larger packets are more likely to be dropped. Default: True.
    wait
        Whether early drops are at least 1/p packets apart. Default: True.
    gentle
        Whether the probability rises to 1 between the maximum threshold and its double. Default: True.
    setbit
        Whether ECN-capable packets are marked instead of dropped early. Default: False.
    use_mark_p
        Whether packets are dropped instead of marked if the probability is above mark_p. Default: True.
    mark_p
        Probability up to which packets are marked instead of dropped. Accepted: a number from 0 to 1. Default: 0.1.
    drop_rand
        Whether a forced drop or an overflow drops a random packet instead of the arrival. Default: False.
    """

    kind: ClassVar = "red"

    limit: str | None = None
    q_weight: float | None = None
    rtt: str | None = None
    thresh: float | None = None
    maxthresh: float | None = None
    target_delay: str | None = None
    max_p: float | None = None
    mean_pktsize: str | None = None
    queue_in_bytes: bool | None = None
    bytes: bool | None = None
    wait: bool | None = None
    gentle: bool | None = None
    setbit: bool | None = None
    use_mark_p: bool | None = None
    mark_p: float | None = None
    drop_rand: bool | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Ared(Record):
    """Adaptive RED: RED with a drop probability that keeps the average queue halfway between the thresholds.

    Source: Floyd, Gummadi, Shenker, 2001; ns-2.35.

    Parameters
    ----------
    limit
        How much it holds at most, at least one packet. Accepted: a queue limit such as "1bdp", "50 packets", "64KiB" or
        "unlimited". Default: "1bdp".
    alpha
        Largest increase of max_p in one change. Accepted: a number from 0 to 1. Default: 0.01.
    beta
        Factor by which max_p falls in one change. Accepted: a number from 0 to 1. Default: 0.9.
    top
        Upper bound of max_p. Accepted: a number from 0 to 1. Default: 0.5.
    bottom
        Lower bound of max_p. Accepted: a number from 0 to 1. Absent: 0.01, or 80 kbit/s over the link's rate where that
        is less.
    interval
        Time between two changes of max_p. Accepted: a time from "0s" to "1000s" (units: ns, us, ms, s, min, h).
        Default: "500ms".
    q_weight
        Weight of an arrival in the average queue; for 0, -1 and -2 the weight follows from the link's rate. Accepted: a
        number from -2 to 1. Default: -1.
    rtt
        Round-trip time; with q_weight = -1, the time constant of the average is ten times as long. Accepted: a time
        from "1us" to "1000s" (units: ns, us, ms, s, min, h). Default: "100ms".
    thresh
        Minimum threshold, in packets; for 0 it follows from target_delay. Accepted: a number from 0 to 1000000000.
        Default: 0.
    maxthresh
        Maximum threshold, in packets; for 0 it is three times the minimum. Accepted: a number from 0 to 1000000000.
        Default: 0.
    target_delay
        Queueing delay; with thresh = 0, the minimum threshold is half of it, but at least 5 packets. Accepted: a time
        from "0s" to "1000s" (units: ns, us, ms, s, min, h). Default: "5ms".
    max_p
        Drop probability when the average reaches the maximum threshold: 1/linterm_ of ns-2. Accepted: a number from
        0.000000001 to 1. Default: 0.1.
    mean_pktsize
        Mean size of packets: the unit of thresholds in bytes, and of the packets counted in idle times. Accepted: a
        volume from "1B" to "65535B" (units: B, kB, KiB, MB, MiB, GB, GiB). Absent: the size of a full packet.
    queue_in_bytes
        Whether the average is in bytes, with thresholds multiplied by mean_pktsize. Default: True.
    bytes
        Whether larger packets are more likely to be dropped. Default: True.
    wait
        Whether early drops are at least 1/p packets apart. Default: True.
    gentle
        Whether the probability rises to 1 between the maximum threshold and its double. Default: True.
    setbit
        Whether ECN-capable packets are marked instead of dropped early. Default: False.
    use_mark_p
        Whether packets are dropped instead of marked if the probability is above mark_p. Default: True.
    mark_p
        Probability up to which packets are marked instead of dropped. Accepted: a number from 0 to 1. Default: 0.1.
    drop_rand
        Whether a forced drop or an overflow drops a random packet instead of the arrival. Default: False.
    """

    kind: ClassVar = "ared"

    limit: str | None = None
    alpha: float | None = None
    beta: float | None = None
    top: float | None = None
    bottom: float | None = None
    interval: str | None = None
    q_weight: float | None = None
    rtt: str | None = None
    thresh: float | None = None
    maxthresh: float | None = None
    target_delay: str | None = None
    max_p: float | None = None
    mean_pktsize: str | None = None
    queue_in_bytes: bool | None = None
    bytes: bool | None = None
    wait: bool | None = None
    gentle: bool | None = None
    setbit: bool | None = None
    use_mark_p: bool | None = None
    mark_p: float | None = None
    drop_rand: bool | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Codel(Record):
    """CoDel: drops or marks at the head when the delay has been above a target for an interval.

    Source: RFC 8289.

    Parameters
    ----------
    limit
        How much it holds at most, at least one packet. Accepted: a queue limit such as "1bdp", "50 packets", "64KiB" or
        "unlimited". Default: "1000 packets".
    target
        Acceptable standing queueing delay. Accepted: a time from "1ns" to "1000s" (units: ns, us, ms, s, min, h).
        Default: "5ms".
    interval
        Time for which the delay has to stay above the target before a drop: a worst-case round-trip time. Accepted: a
        time from "1ns" to "1000s" (units: ns, us, ms, s, min, h). Default: "100ms".
    ecn
        Whether ECN-capable packets are marked instead of dropped. Default: True.
    ce_threshold
        Queueing delay above which every ECN-capable packet is marked, in addition to CoDel's signals. Accepted: a time
        from "0s" to "1000s" (units: ns, us, ms, s, min, h). Absent: no such threshold.
    rules
        Whose rules are followed. Accepted: rfc, linux. Absent: rfc.
    """

    kind: ClassVar = "codel"

    limit: str | None = None
    target: str | None = None
    interval: str | None = None
    ecn: bool | None = None
    ce_threshold: str | None = None
    rules: Rules | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Pie(Record):
    """PIE: drops or marks arriving packets with a probability that keeps the queueing delay at a target.

    Source: RFC 8033.

    Parameters
    ----------
    limit
        How much it holds at most, at least one packet. Accepted: a queue limit such as "1bdp", "50 packets", "64KiB" or
        "unlimited". Default: "1000 packets".
    target
        Queueing delay at which the controller aims (QDELAY_REF). Accepted: a time from "1ns" to "1000s" (units: ns, us,
        ms, s, min, h). Default: "15ms".
    update
        Time between two calculations of the drop probability (T_UPDATE). Accepted: a time from "100us" to "1000s"
        (units: ns, us, ms, s, min, h). Default: "15ms".
    alpha
        Increase of the drop probability in an update, per second by which the delay exceeds the target. Accepted: a
        number from 0 to 1000000. Default: 0.125.
    beta
        Increase of the drop probability in an update, per second by which the delay has grown. Accepted: a number from
        0 to 1000000. Default: 1.25.
    burst
        Time after an uncongested period during which no packet is dropped (MAX_BURST). Accepted: a time from "0s" to
        "1000s" (units: ns, us, ms, s, min, h). Default: "150ms".
    ecn
        Whether ECN-capable packets are marked instead of dropped, up to mark_limit. Default: True.
    mark_limit
        Drop probability from which ECN-capable packets are dropped as well (mark_ecnth). Accepted: a number from 0 to
        1. Default: 0.1.
    estimate_rate
        Whether the delay is the backlog over the measured departure rate instead of the last packet's sojourn time.
        Default: False.
    rate_sample
        Bytes over which the departure rate is measured, and queue length at which measurements start (DQ_THRESHOLD).
        Accepted: a volume from "1B" to "64KiB" (units: B, kB, KiB, MB, MiB, GB, GiB). Default: "16KiB".
    active_from
        Share of the limit that has to be in the queue before PIE becomes active. Accepted: a number from 0 to 1.
        Default: 0.
    rules
        Whose rules are followed. Accepted: rfc, linux. Absent: rfc.
    """

    kind: ClassVar = "pie"

    limit: str | None = None
    target: str | None = None
    update: str | None = None
    alpha: float | None = None
    beta: float | None = None
    burst: str | None = None
    ecn: bool | None = None
    mark_limit: float | None = None
    estimate_rate: bool | None = None
    rate_sample: str | None = None
    active_from: float | None = None
    rules: Rules | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Cobalt(Record):
    """COBALT: CAKE's CoDel combined with BLUE against flows that do not respond.

    Source: Høiland-Jørgensen, Täht, Morton, LANMAN 2018; Palmei and others, LANMAN 2019.

    Parameters
    ----------
    limit
        How much it holds at most, at least one packet. Accepted: a queue limit such as "1bdp", "50 packets", "64KiB" or
        "unlimited". Default: "1000 packets".
    target
        Acceptable queueing delay. Accepted: a time from "1ns" to "1000s" (units: ns, us, ms, s, min, h). Absent: 5 ms,
        or 1.5 packets' times at the link's rate if that is more.
    interval
        Time until the first signal after the delay exceeds the target: a worst-case round-trip time. Accepted: a time
        from "1ns" to "1000s" (units: ns, us, ms, s, min, h). Absent: 95 ms plus the target.
    ecn
        Whether ECN-capable packets are marked instead of dropped. Default: True.
    increment
        Increase of BLUE's drop probability when the queue overflows. Accepted: a number from 0 to 1. Default:
        0.00390625.
    decrement
        Decrease of BLUE's drop probability when the queue is found empty. Accepted: a number from 0 to 1. Default:
        0.000244140625.
    """

    kind: ClassVar = "cobalt"

    limit: str | None = None
    target: str | None = None
    interval: str | None = None
    ecn: bool | None = None
    increment: float | None = None
    decrement: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Dualpi2(Record):
    """DualPI2: a low-latency queue for L4S and a classic queue with coupled controllers.

    Source: RFC 9332 appendix A.

    Parameters
    ----------
    limit
        How much it holds at most, at least one packet. Accepted: a queue limit such as "1bdp", "50 packets", "64KiB" or
        "unlimited". Default: "unlimited".
    target
        Queueing delay at which the controller aims in the classic queue. Accepted: a time from "100us" to "1000s"
        (units: ns, us, ms, s, min, h). Default: "15ms".
    rtt_max
        Longest round-trip time for which the controller is stable. Accepted: a time from "300us" to "1000s" (units: ns,
        us, ms, s, min, h). Default: "100ms".
    update
        Time between two calculations of the base probability (Tupdate). Accepted: a time from "100us" to "1000s"
        (units: ns, us, ms, s, min, h). Absent: the smaller of target and a third of rtt_max.
    alpha
        Increase of the base probability in an update, per second by which the delay exceeds the target. Accepted: a
        number from 0 to 1000000. Absent: 0.1 update / rtt_max^2.
    beta
        Increase of the base probability in an update, per second by which the delay has grown. Accepted: a number from
        0 to 1000000. Absent: 0.3 / rtt_max.
    coupling
        Factor from the base probability to the marking probability of the L queue (k). Accepted: a number from 0.01 to
        100. Default: 2.
    ramp_from
        Queueing delay from which packets of the L queue are marked (minTh). Accepted: a time from "0s" to "1000s"
        (units: ns, us, ms, s, min, h). Default: "800us".
    ramp_width
        Width of the ramp, at whose end all packets of the L queue are marked; 0 for a step (range). Accepted: a time
        from "0s" to "1000s" (units: ns, us, ms, s, min, h). Default: "400us".
    ramp_packets
        Number of packets in the L queue up to which the ramp marks nothing (Th_len). Accepted: a whole number of
        packets from 0 to 1000000000. Default: 1.
    classic_share
        Smallest share of the link for the classic queue. Accepted: a number from 0 to 1. Default: 0.0625.
    buffer
        Buffer of both queues together, as time at the link's rate; it applies in addition to the limit. Accepted: a
        time from "1us" to "1000s" (units: ns, us, ms, s, min, h). Default: "250ms".
    """

    kind: ClassVar = "dualpi2"

    limit: str | None = None
    target: str | None = None
    rtt_max: str | None = None
    update: str | None = None
    alpha: float | None = None
    beta: float | None = None
    coupling: float | None = None
    ramp_from: str | None = None
    ramp_width: str | None = None
    ramp_packets: int | None = None
    classic_share: float | None = None
    buffer: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Priority(Record):
    """Strict priority of classes.

    Source: Linux, net/sched/sch_prio.c.

    Parameters
    ----------
    limit
        How much it holds at most, at least one packet. Accepted: a queue limit such as "1bdp", "50 packets", "64KiB" or
        "unlimited". Default: "1bdp".
    bands
        Number of bands. Accepted: a whole number of bands from 1 to 256. Default: 3.
    shared
        Whether the limit applies to all bands together instead of to each band. Default: False.
    """

    kind: ClassVar = "priority"

    limit: str | None = None
    bands: int | None = None
    shared: bool | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class TokenBucket(Record):
    """Token bucket: packets wait in a drop-tail queue for tokens that arrive at a rate.

    Source: Linux, net/sched/sch_tbf.c.

    Parameters
    ----------
    limit
        How much it holds at most, at least one packet. Accepted: a queue limit such as "1bdp", "50 packets", "64KiB" or
        "unlimited". Default: "1bdp".
    rate
        Rate of the tokens. Accepted: a rate above zero such as "1.5Mbps" (units: bps, kbps, Mbps, Gbps, Tbps). Absent:
        the link's rate.
    burst
        Largest number of tokens: the bytes that may leave at once. Accepted: a volume from "1B" to "1000GB" (units: B,
        kB, KiB, MB, MiB, GB, GiB). Absent: ten full packets.
    peak_rate
        Largest rate at which a burst leaves. Accepted: a rate above zero such as "1.5Mbps" (units: bps, kbps, Mbps,
        Gbps, Tbps). Absent: the link's rate.
    mtu
        Bytes that may leave at once at the peak rate. Accepted: a volume from "1B" to "1000GB" (units: B, kB, KiB, MB,
        MiB, GB, GiB). Absent: a full packet.
    """

    kind: ClassVar = "token-bucket"

    limit: str | None = None
    rate: str | None = None
    burst: str | None = None
    peak_rate: str | None = None
    mtu: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Drr(Record):
    """Deficit round robin over flows; when the queue is full, the longest flow loses packets.

    Source: Shreedhar, Varghese, SIGCOMM 1995.

    Parameters
    ----------
    limit
        How much it holds at most, at least one packet. Accepted: a queue limit such as "1bdp", "50 packets", "64KiB" or
        "unlimited". Default: "1bdp".
    quantum
        Number of bytes that a flow may send at its turn. Accepted: a volume from "64B" to "1GB" (units: B, kB, KiB, MB,
        MiB, GB, GiB). Absent: a full packet.
    buckets
        Number of queues into which flows are hashed; 0 for one queue per flow. Accepted: a whole number of queues from
        0 to 65536. Default: 0.
    """

    kind: ClassVar = "drr"

    limit: str | None = None
    quantum: str | None = None
    buckets: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Sfq(Record):
    """Stochastic fairness queueing as in Linux.

    Buckets of flows take turns; when the queue is full, the longest loses.

    Source: McKenney, INFOCOM 1990; Linux, net/sched/sch_sfq.c.

    Parameters
    ----------
    limit
        How much it holds at most, at least one packet. Accepted: a queue limit such as "1bdp", "50 packets", "64KiB" or
        "unlimited". Default: "127 packets".
    quantum
        Number of bytes by which a queue's allotment grows at its turn. Accepted: a volume from "64B" to "1GB" (units:
        B, kB, KiB, MB, MiB, GB, GiB). Absent: a full packet.
    buckets
        Number of buckets into which flows are hashed. Accepted: a whole number of buckets from 1 to 65536. Default:
        1024.
    flows
        Largest number of buckets with packets. Accepted: a whole number of buckets from 1 to 65536. Default: 127.
    depth
        Largest number of packets in a bucket. Accepted: a whole number of packets from 1 to 1000000000. Default: 127.
    headdrop
        Whether the first packets of a queue are dropped instead of the last ones. Default: False.
    perturb
        Time after which the hash changes; 0 for never. Accepted: a time from "0s" to "1000000s" (units: ns, us, ms, s,
        min, h). Default: "0s".
    """

    kind: ClassVar = "sfq"

    limit: str | None = None
    quantum: str | None = None
    buckets: int | None = None
    flows: int | None = None
    depth: int | None = None
    headdrop: bool | None = None
    perturb: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Fq(Record):
    """Linux's fq: a queue for each flow, new flows first, and a maximum rate for each flow.

    Source: Linux, net/sched/sch_fq.c.

    Parameters
    ----------
    limit
        How much it holds at most, at least one packet. Accepted: a queue limit such as "1bdp", "50 packets", "64KiB" or
        "unlimited". Default: "10000 packets".
    quantum
        Number of bytes that a flow may send at its turn. Accepted: a volume from "64B" to "1GB" (units: B, kB, KiB, MB,
        MiB, GB, GiB). Absent: two full packets.
    initial_quantum
        Number of bytes that a flow may send at its first turn. Accepted: a volume from "0B" to "1GB" (units: B, kB,
        KiB, MB, MiB, GB, GiB). Absent: ten full packets.
    flow_limit
        Largest number of packets of a flow in the queue. Accepted: a whole number of packets from 1 to 1000000000.
        Default: 100.
    max_rate
        Maximum rate of each flow. Accepted: a rate above zero such as "1.5Mbps" (units: bps, kbps, Mbps, Gbps, Tbps).
        Absent: the link's rate.
    low_rate_threshold
        Value of max_rate up to which flows are throttled after each packet instead of after each quantum. Accepted: a
        rate such as "1.5Mbps" (units: bps, kbps, Mbps, Gbps, Tbps). Default: "550kbps".
    refill_delay
        Idle time after which a flow's credit is raised to at least a quantum. Accepted: a time from "0s" to "1000s"
        (units: ns, us, ms, s, min, h). Default: "40ms".
    ce_threshold
        Queueing delay above which ECN-capable packets are marked. Accepted: a time from "0s" to "1000s" (units: ns, us,
        ms, s, min, h). Absent: no marks.
    """

    kind: ClassVar = "fq"

    limit: str | None = None
    quantum: str | None = None
    initial_quantum: str | None = None
    flow_limit: int | None = None
    max_rate: str | None = None
    low_rate_threshold: str | None = None
    refill_delay: str | None = None
    ce_threshold: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class FqCodel(Record):
    """FQ-CoDel: fair queueing of flows with a CoDel for each; sparse flows go first.

    Source: RFC 8290.

    Parameters
    ----------
    limit
        How much it holds at most, at least one packet. Accepted: a queue limit such as "1bdp", "50 packets", "64KiB" or
        "unlimited". Default: "10240 packets".
    target
        Acceptable standing queueing delay. Accepted: a time from "1ns" to "1000s" (units: ns, us, ms, s, min, h).
        Default: "5ms".
    interval
        Time for which the delay has to stay above the target before a drop: a worst-case round-trip time. Accepted: a
        time from "1ns" to "1000s" (units: ns, us, ms, s, min, h). Default: "100ms".
    quantum
        Number of bytes that a queue may send at its turn. Accepted: a volume from "256B" to "1GB" (units: B, kB, KiB,
        MB, MiB, GB, GiB). Default: "1514B".
    flows
        Number of queues into which flows are hashed. Accepted: a whole number of queues from 1 to 65536. Default: 1024.
    ecn
        Whether ECN-capable packets are marked instead of dropped. Default: True.
    ce_threshold
        Queueing delay above which every ECN-capable packet is marked, in addition to CoDel's signals. Accepted: a time
        from "0s" to "1000s" (units: ns, us, ms, s, min, h). Absent: no such threshold.
    rules
        Whose rules are followed. Accepted: rfc, linux. Absent: rfc.
    """

    kind: ClassVar = "fq-codel"

    limit: str | None = None
    target: str | None = None
    interval: str | None = None
    quantum: str | None = None
    flows: int | None = None
    ecn: bool | None = None
    ce_threshold: str | None = None
    rules: Rules | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class SfqCodel(Record):
    """sfqCoDel of ns-2: flows in bins that take turns packet by packet, with a CoDel for each.

    Source: Nichols, code for ns-2, 2012; Winstein, Balakrishnan, SIGCOMM 2013.

    Parameters
    ----------
    limit
        How much it holds at most, at least one packet. Accepted: a queue limit such as "1bdp", "50 packets", "64KiB" or
        "unlimited". Default: "1000 packets".
    target
        Acceptable standing queueing delay. Accepted: a time from "1ns" to "1000s" (units: ns, us, ms, s, min, h).
        Default: "5ms".
    interval
        Time for which the delay has to stay above the target before a drop: a worst-case round-trip time. Accepted: a
        time from "1ns" to "1000s" (units: ns, us, ms, s, min, h). Default: "100ms".
    bins
        Number of bins into which flows are hashed. Accepted: a whole number of bins from 1 to 65536. Default: 1024.
    """

    kind: ClassVar = "sfq-codel"

    limit: str | None = None
    target: str | None = None
    interval: str | None = None
    bins: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class FqPie(Record):
    """FQ-PIE: fair queueing of flows with a PIE for each; sparse flows go first.

    Source: Ramakrishnan and others, LCN Symposium 2019; RFC 8290, RFC 8033.

    Parameters
    ----------
    limit
        How much it holds at most, at least one packet. Accepted: a queue limit such as "1bdp", "50 packets", "64KiB" or
        "unlimited". Default: "10240 packets".
    target
        Queueing delay at which the controller aims (QDELAY_REF). Accepted: a time from "1ns" to "1000s" (units: ns, us,
        ms, s, min, h). Default: "15ms".
    update
        Time between two calculations of the drop probability (T_UPDATE). Accepted: a time from "100us" to "1000s"
        (units: ns, us, ms, s, min, h). Default: "15ms".
    alpha
        Increase of the drop probability in an update, per second by which the delay exceeds the target. Accepted: a
        number from 0 to 1000000. Default: 0.125.
    beta
        Increase of the drop probability in an update, per second by which the delay has grown. Accepted: a number from
        0 to 1000000. Default: 1.25.
    burst
        Time after an uncongested period during which no packet is dropped (MAX_BURST). Accepted: a time from "0s" to
        "1000s" (units: ns, us, ms, s, min, h). Default: "150ms".
    quantum
        Number of bytes that a queue may send at its turn. Accepted: a volume from "256B" to "1GB" (units: B, kB, KiB,
        MB, MiB, GB, GiB). Absent: a full packet.
    flows
        Number of queues into which flows are hashed. Accepted: a whole number of queues from 1 to 65536. Default: 1024.
    ecn
        Whether ECN-capable packets are marked instead of dropped, up to mark_limit. Default: False.
    mark_limit
        Drop probability from which ECN-capable packets are dropped as well (mark_ecnth). Accepted: a number from 0 to
        1. Default: 0.1.
    estimate_rate
        Whether the delay is the backlog over the measured departure rate instead of the last packet's sojourn time.
        Default: False.
    rate_sample
        Bytes over which the departure rate is measured, and queue length at which measurements start (DQ_THRESHOLD).
        Accepted: a volume from "1B" to "64KiB" (units: B, kB, KiB, MB, MiB, GB, GiB). Default: "16KiB".
    rules
        Whose rules are followed. Accepted: rfc, linux. Absent: rfc.
    """

    kind: ClassVar = "fq-pie"

    limit: str | None = None
    target: str | None = None
    update: str | None = None
    alpha: float | None = None
    beta: float | None = None
    burst: str | None = None
    quantum: str | None = None
    flows: int | None = None
    ecn: bool | None = None
    mark_limit: float | None = None
    estimate_rate: bool | None = None
    rate_sample: str | None = None
    rules: Rules | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Cake(Record):
    """CAKE: shaper, classes, fairness of hosts and flows, and COBALT, as in home routers.

    Source: Høiland-Jørgensen, Täht, Morton, LANMAN 2018; Linux, net/sched/sch_cake.c.

    Parameters
    ----------
    limit
        How much it holds at most, at least one packet. Accepted: a queue limit such as "1bdp", "50 packets", "64KiB" or
        "unlimited". Default: "unlimited".
    bandwidth
        Rate of the shaper, on the line with the overhead. Accepted: a rate from "8bps" to "1000Tbps" (units: bps, kbps,
        Mbps, Gbps, Tbps). Absent: unlimited: the link sets the pace.
    tins
        Classes into which the code points of flows (dscp) are sorted. Accepted: besteffort, precedence, diffserv3,
        diffserv4, diffserv8. Default: "diffserv3".
    isolation
        Parties among which the rate is divided. Accepted: flowblind, srchost, dsthost, hosts, flows, dual-srchost,
        dual-dsthost, triple-isolate. Default: "triple-isolate".
    link_layer
        Link layer, which gives overhead, cells and mpu. Accepted: raw, conservative, ethernet, ether-vlan, docsis,
        pppoe-ptm, bridged-ptm, pppoa-vcmux, pppoa-llc, pppoe-vcmux, pppoe-llcsnap, bridged-vcmux, bridged-llcsnap,
        ipoa-vcmux, ipoa-llcsnap. Default: "raw".
    overhead
        Bytes that each IP packet has besides itself on the line. Accepted: a number from -64 to 256. Absent: that of
        link_layer.
    cells
        How packets are divided into cells. Accepted: none, atm, ptm. Absent: those of link_layer.
    mpu
        Least size of a packet on the line, before cells. Accepted: a volume from "0B" to "256B" (units: B, kB, KiB, MB,
        MiB, GB, GiB). Absent: that of link_layer.
    paths
        Kind of the paths, which gives rtt. Accepted: datacentre, lan, metro, regional, internet, oceanic, satellite,
        interplanetary. Default: "internet".
    rtt
        Round-trip time of the paths: COBALT's interval. Its target is a twentieth of it. Accepted: a time from "1us" to
        "70min" (units: ns, us, ms, s, min, h). Absent: that of paths.
    ack_filter
        Whether acknowledgments that later ones in the queue make superfluous are dropped. Accepted: off, filter,
        aggressive. Default: "off".
    ingress
        Whether dropped packets use up the rate, as they do when the queue is behind the bottleneck. Default: False.
    memory_limit
        Memory that the packets take, with their buffers in Linux. Accepted: a volume from "1B" to "4294967295B" (units:
        B, kB, KiB, MB, MiB, GB, GiB). Absent: four times bandwidth and rtt, at least 4 MiB, at most 10,240 packets.
    """

    kind: ClassVar = "cake"

    limit: str | None = None
    bandwidth: str | None = None
    tins: Tins | None = None
    isolation: Isolation | None = None
    link_layer: LinkLayer | None = None
    overhead: float | None = None
    cells: Cells | None = None
    mpu: str | None = None
    paths: Paths | None = None
    rtt: str | None = None
    ack_filter: AckFilter | None = None
    ingress: bool | None = None
    memory_limit: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Xcp(Record):
    """A router of XCP with a drop-tail queue: tells senders with cc = "xcp" by how much to change their throughput.

    Source: Katabi, Handley, Rohrs, SIGCOMM 2002.

    Parameters
    ----------
    limit
        How much it holds at most, at least one packet. Accepted: a queue limit such as "1bdp", "50 packets", "64KiB" or
        "unlimited". Default: "1bdp".
    alpha
        Share of the spare bandwidth that is given away in a control interval. Accepted: a number from 0 to 2. Default:
        0.4.
    beta
        Share of the persistent queue that is drained in a control interval. Accepted: a number from 0 to 2. Default:
        0.226.
    gamma
        Share of the traffic that is redistributed in a control interval if the feedback moves less. Accepted: a number
        from 0 to 1. Default: 0.1.
    capacity
        Rate that the router holds the link to have; 0 for the link's mean rate. Accepted: a number from 0 to
        1000000000000. Default: 0.
    """

    kind: ClassVar = "xcp"

    limit: str | None = None
    alpha: float | None = None
    beta: float | None = None
    gamma: float | None = None
    capacity: float | None = None


Queue: TypeAlias = (
    Name
    | str
    | DropTail
    | DropHead
    | Red
    | Ared
    | Codel
    | Pie
    | Cobalt
    | Dualpi2
    | Priority
    | TokenBucket
    | Drr
    | Sfq
    | Fq
    | FqCodel
    | SfqCodel
    | FqPie
    | Cake
    | Xcp
)
"""Type of the fields that accept a table of the family *queue*."""
