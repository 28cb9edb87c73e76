"""Tables of the family *queue*.

Written by ackclock.scenario._generate from the engine's schema; not to be edited.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from ackclock.scenario._record import Record

__all__ = [
    "Ared",
    "Cobalt",
    "Codel",
    "DropHead",
    "DropTail",
    "Drr",
    "Dualpi2",
    "Fq",
    "FqCodel",
    "FqPie",
    "Name",
    "Pie",
    "Priority",
    "Queue",
    "Red",
    "Sfq",
    "SfqCodel",
    "TokenBucket",
    "Xcp",
]

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
    "xcp",
]
"""The names of the family *queue* that need no values.

- ``drop-tail``: First in, first out; a packet that finds it full is dropped.
- ``drop-head``: First in, first out; a packet that finds it full has the packets at the head dropped.
- ``red``: Random early detection with the settings and semantics of ns-2.
- ``ared``: Adaptive RED: RED with a drop probability that keeps the average queue halfway between the thresholds.
- ``codel``: CoDel: drops or marks at the head when the delay has been above a target for an interval.
- ``pie``: PIE: drops or marks arriving packets with a probability that keeps the delay at a target.
- ``cobalt``: COBALT: CAKE's CoDel, with BLUE beside it against flows that do not respond.
- ``dualpi2``: DualPI2: a queue of low latency for L4S beside a classic one, with coupled controllers.
- ``priority``: Strict priority of classes.
- ``token-bucket``: Drop-tail, and packets wait for tokens that come at a rate.
- ``drr``: Deficit round robin over flows; where it is full the longest loses.
- ``sfq``: Stochastic fairness queueing as in Linux: buckets of flows take turns; where it is full the longest loses.
- ``fq``: Linux's fq: a queue for each flow, new flows first, and a rate that none exceeds.
- ``fq-codel``: FQ-CoDel: fair queueing of flows with a CoDel for each, in which sparse flows go first.
- ``sfq-codel``: sfqCoDel of ns-2: flows in bins that take turns packet by packet, with a CoDel for each.
- ``fq-pie``: FQ-PIE: fair queueing of flows with a PIE for each, in which sparse flows go first.
- ``xcp``: A router of XCP over a drop-tail queue: it tells the senders of cc = "xcp" by how much to change their
  throughput.
"""


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class DropTail(Record):
    """First in, first out; a packet that finds it full is dropped.

    Source: none: what a queue does of itself.

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
    """First in, first out; a packet that finds it full has the packets at the head dropped.

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
        Weight of an arrival in the average queue; 0, -1 and -2 follow from the link's rate. Accepted: a number from -2
        to 1. Default: -1.
    rtt
        Round-trip time of which q_weight = -1 makes the average's time constant, ten times as long. Accepted: a time
        from "1us" to "1000s" (units: ns, us, ms, s, min, h). Default: "100ms".
    thresh
        Minimum threshold, in packets; 0 follows from target_delay. Accepted: a number from 0 to 1000000000. Default: 0.
    maxthresh
        Maximum threshold, in packets; 0 is three times the minimum. Accepted: a number from 0 to 1000000000. Default:
        0.
    target_delay
        Queueing delay of which half is the minimum threshold, where that is 0 and it is more than 5 packets. Accepted:
        a time from "0s" to "1000s" (units: ns, us, ms, s, min, h). Default: "5ms".
    max_p
        Probability of a drop as the average comes to the maximum threshold: 1/linterm_ of ns-2. Accepted: a number from
        0.000000001 to 1. Default: 0.1.
    mean_pktsize
        Mean size of packets: the unit of thresholds in bytes, and what passes in idle times. Accepted: a volume from
        "1B" to "65535B" (units: B, kB, KiB, MB, MiB, GB, GiB). Absent: the size of a full packet.
    queue_in_bytes
        Whether the average is one of bytes, and thresholds are multiplied by mean_pktsize. Default: True.
    bytes
        Whether larger packets are more likely to be dropped. Default: True.
    wait
        Whether some packets pass between two early drops. Default: True.
    gentle
        Whether the probability rises to 1 between the maximum threshold and its double. Default: True.
    setbit
        Whether packets capable of ECN are marked in place of early drops. Default: False.
    use_mark_p
        Whether packets are dropped, not marked, where the probability is above mark_p. Default: True.
    mark_p
        Probability up to which packets are marked and not dropped. Accepted: a number from 0 to 1. Default: 0.1.
    drop_rand
        Whether an arrival that has no room or is forced out drops one of all at random, not itself. Default: False.
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
        By how much max_p rises. Accepted: a number from 0 to 1. Default: 0.01.
    beta
        By what max_p is multiplied to fall. Accepted: a number from 0 to 1. Default: 0.9.
    top
        From here on max_p does not rise. Accepted: a number from 0 to 1. Default: 0.5.
    bottom
        Down from here max_p does not fall. Accepted: a number from 0 to 1. Absent: 0.01, or 80 kbit/s over the link's
        rate where that is less.
    interval
        Time between two changes of max_p. Accepted: a time from "0s" to "1000s" (units: ns, us, ms, s, min, h).
        Default: "500ms".
    q_weight
        Weight of an arrival in the average queue; 0, -1 and -2 follow from the link's rate. Accepted: a number from -2
        to 1. Default: -1.
    rtt
        Round-trip time of which q_weight = -1 makes the average's time constant, ten times as long. Accepted: a time
        from "1us" to "1000s" (units: ns, us, ms, s, min, h). Default: "100ms".
    thresh
        Minimum threshold, in packets; 0 follows from target_delay. Accepted: a number from 0 to 1000000000. Default: 0.
    maxthresh
        Maximum threshold, in packets; 0 is three times the minimum. Accepted: a number from 0 to 1000000000. Default:
        0.
    target_delay
        Queueing delay of which half is the minimum threshold, where that is 0 and it is more than 5 packets. Accepted:
        a time from "0s" to "1000s" (units: ns, us, ms, s, min, h). Default: "5ms".
    max_p
        Probability of a drop as the average comes to the maximum threshold: 1/linterm_ of ns-2. Accepted: a number from
        0.000000001 to 1. Default: 0.1.
    mean_pktsize
        Mean size of packets: the unit of thresholds in bytes, and what passes in idle times. Accepted: a volume from
        "1B" to "65535B" (units: B, kB, KiB, MB, MiB, GB, GiB). Absent: the size of a full packet.
    queue_in_bytes
        Whether the average is one of bytes, and thresholds are multiplied by mean_pktsize. Default: True.
    bytes
        Whether larger packets are more likely to be dropped. Default: True.
    wait
        Whether some packets pass between two early drops. Default: True.
    gentle
        Whether the probability rises to 1 between the maximum threshold and its double. Default: True.
    setbit
        Whether packets capable of ECN are marked in place of early drops. Default: False.
    use_mark_p
        Whether packets are dropped, not marked, where the probability is above mark_p. Default: True.
    mark_p
        Probability up to which packets are marked and not dropped. Accepted: a number from 0 to 1. Default: 0.1.
    drop_rand
        Whether an arrival that has no room or is forced out drops one of all at random, not itself. Default: False.
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
        The standing delay that is acceptable. Accepted: a time from "1ns" to "1000s" (units: ns, us, ms, s, min, h).
        Default: "5ms".
    interval
        How long the delay has to stay above the target before a drop: a worst-case round-trip time. Accepted: a time
        from "1ns" to "1000s" (units: ns, us, ms, s, min, h). Default: "100ms".
    ecn
        Whether packets that are ECN-capable are marked instead of dropped. Default: True.
    ce_threshold
        Delay above which every packet that is ECN-capable is marked, whatever CoDel does besides. Accepted: a time from
        "0s" to "1000s" (units: ns, us, ms, s, min, h). Absent: no such threshold.
    """

    kind: ClassVar = "codel"

    limit: str | None = None
    target: str | None = None
    interval: str | None = None
    ecn: bool | None = None
    ce_threshold: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Pie(Record):
    """PIE: drops or marks arriving packets with a probability that keeps the delay at a target.

    Source: RFC 8033.

    Parameters
    ----------
    limit
        How much it holds at most, at least one packet. Accepted: a queue limit such as "1bdp", "50 packets", "64KiB" or
        "unlimited". Default: "1000 packets".
    target
        The delay that the controller aims at (QDELAY_REF). Accepted: a time from "1ns" to "1000s" (units: ns, us, ms,
        s, min, h). Default: "15ms".
    update
        How often the drop probability is calculated (T_UPDATE). Accepted: a time from "100us" to "1000s" (units: ns,
        us, ms, s, min, h). Default: "15ms".
    alpha
        Drop probability per second that the delay is above the target, in each update. Accepted: a number from 0 to
        1000000. Default: 0.125.
    beta
        Drop probability per second that the delay has grown, in each update. Accepted: a number from 0 to 1000000.
        Default: 1.25.
    burst
        How long nothing is dropped after an uncongested time (MAX_BURST). Accepted: a time from "0s" to "1000s" (units:
        ns, us, ms, s, min, h). Default: "150ms".
    ecn
        Whether packets that are ECN-capable are marked instead of dropped, up to mark_limit. Default: True.
    mark_limit
        Drop probability from which packets that are ECN-capable are dropped as well (mark_ecnth). Accepted: a number
        from 0 to 1. Default: 0.1.
    estimate_rate
        Whether the delay is the backlog over the measured departure rate, not how long the last packet has waited.
        Default: False.
    rate_sample
        Bytes over which the departure rate is measured, and that have to wait for it (DQ_THRESHOLD). Accepted: a volume
        from "1B" to "64KiB" (units: B, kB, KiB, MB, MiB, GB, GiB). Default: "16KiB".
    active_from
        Share of the limit that has to wait before PIE does anything. Accepted: a number from 0 to 1. Default: 0.
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


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Cobalt(Record):
    """COBALT: CAKE's CoDel, with BLUE beside it against flows that do not respond.

    Source: Høiland-Jørgensen, Täht, Morton, LANMAN 2018; Palmei and others, LANMAN 2019.

    Parameters
    ----------
    limit
        How much it holds at most, at least one packet. Accepted: a queue limit such as "1bdp", "50 packets", "64KiB" or
        "unlimited". Default: "1000 packets".
    target
        The delay that is acceptable. Accepted: a time from "1ns" to "1000s" (units: ns, us, ms, s, min, h). Absent: 5
        ms, or 1.5 packets' times at the link's rate if that is more.
    interval
        How long after the delay exceeds the target the first signal comes: a worst-case round-trip time. Accepted: a
        time from "1ns" to "1000s" (units: ns, us, ms, s, min, h). Absent: 95 ms and the target.
    ecn
        Whether packets that are ECN-capable are marked instead of dropped. Default: True.
    increment
        By how much BLUE's drop probability grows when the queue overflows. Accepted: a number from 0 to 1. Default:
        0.00390625.
    decrement
        By how much BLUE's drop probability falls when the queue is found empty. Accepted: a number from 0 to 1.
        Default: 0.000244140625.
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
    """DualPI2: a queue of low latency for L4S beside a classic one, with coupled controllers.

    Source: RFC 9332 appendix A.

    Parameters
    ----------
    limit
        How much it holds at most, at least one packet. Accepted: a queue limit such as "1bdp", "50 packets", "64KiB" or
        "unlimited". Default: "unlimited".
    target
        The delay that the controller aims at in the classic queue. Accepted: a time from "100us" to "1000s" (units: ns,
        us, ms, s, min, h). Default: "15ms".
    rtt_max
        The longest round-trip time for which the controller is stable. Accepted: a time from "300us" to "1000s" (units:
        ns, us, ms, s, min, h). Default: "100ms".
    update
        How often the base probability is calculated (Tupdate). Accepted: a time from "100us" to "1000s" (units: ns, us,
        ms, s, min, h). Absent: the smaller of target and a third of rtt_max.
    alpha
        Base probability per second that the delay is above the target, in each update. Accepted: a number from 0 to
        1000000. Absent: 0.1 update / rtt_max^2.
    beta
        Base probability per second that the delay has grown, in each update. Accepted: a number from 0 to 1000000.
        Absent: 0.3 / rtt_max.
    coupling
        What the base probability is multiplied by for the L queue (k). Accepted: a number from 0.01 to 100. Default: 2.
    ramp_from
        Delay from which packets of the L queue are marked (minTh). Accepted: a time from "0s" to "1000s" (units: ns,
        us, ms, s, min, h). Default: "800us".
    ramp_width
        How much longer a delay all of them are marked at; 0 for a step (range). Accepted: a time from "0s" to "1000s"
        (units: ns, us, ms, s, min, h). Default: "400us".
    ramp_packets
        Packets up to which the L queue's own delay marks nothing (Th_len). Accepted: a whole number of packets from 0
        to 1000000000. Default: 1.
    classic_share
        Share of the link that the classic queue gets at least. Accepted: a number from 0 to 1. Default: 0.0625.
    buffer
        What may wait in both queues besides the limit, as time at the link's rate. Accepted: a time from "1us" to
        "1000s" (units: ns, us, ms, s, min, h). Default: "250ms".
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
        Whether the bands have the limit together, and not each for itself. Default: False.
    """

    kind: ClassVar = "priority"

    limit: str | None = None
    bands: int | None = None
    shared: bool | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class TokenBucket(Record):
    """Drop-tail, and packets wait for tokens that come at a rate.

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
        Tokens that are kept: what may leave at once. Accepted: a volume from "1B" to "1000GB" (units: B, kB, KiB, MB,
        MiB, GB, GiB). Absent: ten full packets.
    peak_rate
        Rate at which a burst leaves. Accepted: a rate above zero such as "1.5Mbps" (units: bps, kbps, Mbps, Gbps,
        Tbps). Absent: the link's rate.
    mtu
        What may leave at once at the peak rate. Accepted: a volume from "1B" to "1000GB" (units: B, kB, KiB, MB, MiB,
        GB, GiB). Absent: a full packet.
    """

    kind: ClassVar = "token-bucket"

    limit: str | None = None
    rate: str | None = None
    burst: str | None = None
    peak_rate: str | None = None
    mtu: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Drr(Record):
    """Deficit round robin over flows; where it is full the longest loses.

    Source: Shreedhar, Varghese, SIGCOMM 1995.

    Parameters
    ----------
    limit
        How much it holds at most, at least one packet. Accepted: a queue limit such as "1bdp", "50 packets", "64KiB" or
        "unlimited". Default: "1bdp".
    quantum
        Bytes that a flow may send at its turn. Accepted: a volume from "64B" to "1GB" (units: B, kB, KiB, MB, MiB, GB,
        GiB). Absent: a full packet.
    buckets
        Number of queues into which flows are hashed; 0 for one each. Accepted: a whole number of queues from 0 to
        65536. Default: 0.
    """

    kind: ClassVar = "drr"

    limit: str | None = None
    quantum: str | None = None
    buckets: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Sfq(Record):
    """Stochastic fairness queueing as in Linux: buckets of flows take turns; where it is full the longest loses.

    Source: McKenney, INFOCOM 1990; Linux, net/sched/sch_sfq.c.

    Parameters
    ----------
    limit
        How much it holds at most, at least one packet. Accepted: a queue limit such as "1bdp", "50 packets", "64KiB" or
        "unlimited". Default: "127 packets".
    quantum
        Bytes by which a queue's allotment grows at its turn. Accepted: a volume from "64B" to "1GB" (units: B, kB, KiB,
        MB, MiB, GB, GiB). Absent: a full packet.
    buckets
        Number of buckets into which flows are hashed. Accepted: a whole number of buckets from 1 to 65536. Default:
        1024.
    flows
        Number of buckets that may have packets. Accepted: a whole number of buckets from 1 to 65536. Default: 127.
    depth
        Packets that may wait in a bucket. Accepted: a whole number of packets from 1 to 1000000000. Default: 127.
    headdrop
        Whether the packets that have waited longest are dropped, and not the last ones. Default: False.
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
    """Linux's fq: a queue for each flow, new flows first, and a rate that none exceeds.

    Source: Linux, net/sched/sch_fq.c.

    Parameters
    ----------
    limit
        How much it holds at most, at least one packet. Accepted: a queue limit such as "1bdp", "50 packets", "64KiB" or
        "unlimited". Default: "10000 packets".
    quantum
        Bytes that a flow may send at its turn. Accepted: a volume from "64B" to "1GB" (units: B, kB, KiB, MB, MiB, GB,
        GiB). Absent: two full packets.
    initial_quantum
        Bytes that a flow may send at its first turn. Accepted: a volume from "0B" to "1GB" (units: B, kB, KiB, MB, MiB,
        GB, GiB). Absent: ten full packets.
    flow_limit
        Packets of a flow that may wait. Accepted: a whole number of packets from 1 to 1000000000. Default: 100.
    max_rate
        Rate that no flow exceeds. Accepted: a rate above zero such as "1.5Mbps" (units: bps, kbps, Mbps, Gbps, Tbps).
        Absent: the link's rate.
    low_rate_threshold
        Rate up to which flows are throttled after each packet, and not after each quantum. Accepted: a rate such as
        "1.5Mbps" (units: bps, kbps, Mbps, Gbps, Tbps). Default: "550kbps".
    refill_delay
        Idle time after which a flow has a quantum. Accepted: a time from "0s" to "1000s" (units: ns, us, ms, s, min,
        h). Default: "40ms".
    ce_threshold
        Waiting time above which packets capable of ECN are marked. Accepted: a time from "0s" to "1000s" (units: ns,
        us, ms, s, min, h). Absent: no marks.
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
    """FQ-CoDel: fair queueing of flows with a CoDel for each, in which sparse flows go first.

    Source: RFC 8290.

    Parameters
    ----------
    limit
        How much it holds at most, at least one packet. Accepted: a queue limit such as "1bdp", "50 packets", "64KiB" or
        "unlimited". Default: "10240 packets".
    target
        The standing delay that is acceptable. Accepted: a time from "1ns" to "1000s" (units: ns, us, ms, s, min, h).
        Default: "5ms".
    interval
        How long the delay has to stay above the target before a drop: a worst-case round-trip time. Accepted: a time
        from "1ns" to "1000s" (units: ns, us, ms, s, min, h). Default: "100ms".
    quantum
        Bytes that a queue may send in its turn. Accepted: a volume from "256B" to "1GB" (units: B, kB, KiB, MB, MiB,
        GB, GiB). Default: "1514B".
    flows
        Number of queues that flows are hashed into. Accepted: a whole number of queues from 1 to 65536. Default: 1024.
    ecn
        Whether packets that are ECN-capable are marked instead of dropped. Default: True.
    ce_threshold
        Delay above which every packet that is ECN-capable is marked, whatever CoDel does besides. Accepted: a time from
        "0s" to "1000s" (units: ns, us, ms, s, min, h). Absent: no such threshold.
    """

    kind: ClassVar = "fq-codel"

    limit: str | None = None
    target: str | None = None
    interval: str | None = None
    quantum: str | None = None
    flows: int | None = None
    ecn: bool | None = None
    ce_threshold: str | None = None


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
        The standing delay that is acceptable. Accepted: a time from "1ns" to "1000s" (units: ns, us, ms, s, min, h).
        Default: "5ms".
    interval
        How long the delay has to stay above the target before a drop: a worst-case round-trip time. Accepted: a time
        from "1ns" to "1000s" (units: ns, us, ms, s, min, h). Default: "100ms".
    bins
        Number of bins that flows are hashed into. Accepted: a whole number of bins from 1 to 65536. Default: 1024.
    """

    kind: ClassVar = "sfq-codel"

    limit: str | None = None
    target: str | None = None
    interval: str | None = None
    bins: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class FqPie(Record):
    """FQ-PIE: fair queueing of flows with a PIE for each, in which sparse flows go first.

    Source: Ramakrishnan and others, LCN Symposium 2019; RFC 8290, RFC 8033.

    Parameters
    ----------
    limit
        How much it holds at most, at least one packet. Accepted: a queue limit such as "1bdp", "50 packets", "64KiB" or
        "unlimited". Default: "10240 packets".
    target
        The delay that the controller aims at (QDELAY_REF). Accepted: a time from "1ns" to "1000s" (units: ns, us, ms,
        s, min, h). Default: "15ms".
    update
        How often the drop probability is calculated (T_UPDATE). Accepted: a time from "100us" to "1000s" (units: ns,
        us, ms, s, min, h). Default: "15ms".
    alpha
        Drop probability per second that the delay is above the target, in each update. Accepted: a number from 0 to
        1000000. Default: 0.125.
    beta
        Drop probability per second that the delay has grown, in each update. Accepted: a number from 0 to 1000000.
        Default: 1.25.
    burst
        How long nothing is dropped after an uncongested time (MAX_BURST). Accepted: a time from "0s" to "1000s" (units:
        ns, us, ms, s, min, h). Default: "150ms".
    quantum
        Bytes that a queue may send in its turn. Accepted: a volume from "256B" to "1GB" (units: B, kB, KiB, MB, MiB,
        GB, GiB). Absent: a full packet.
    flows
        Number of queues that flows are hashed into. Accepted: a whole number of queues from 1 to 65536. Default: 1024.
    ecn
        Whether packets that are ECN-capable are marked instead of dropped, up to mark_limit. Default: False.
    mark_limit
        Drop probability from which packets that are ECN-capable are dropped as well (mark_ecnth). Accepted: a number
        from 0 to 1. Default: 0.1.
    estimate_rate
        Whether the delay is the backlog over the measured departure rate, not how long the last packet has waited.
        Default: False.
    rate_sample
        Bytes over which the departure rate is measured, and that have to wait for it (DQ_THRESHOLD). Accepted: a volume
        from "1B" to "64KiB" (units: B, kB, KiB, MB, MiB, GB, GiB). Default: "16KiB".
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


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Xcp(Record):
    """A router of XCP over a drop-tail queue.

    It tells the senders of cc = "xcp" by how much to change their throughput.

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
        Share of the traffic that is redistributed in a control interval where feedback moves less. Accepted: a number
        from 0 to 1. Default: 0.1.
    """

    kind: ClassVar = "xcp"

    limit: str | None = None
    alpha: float | None = None
    beta: float | None = None
    gamma: float | None = None


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
    | Xcp
)
"""What a field accepts that takes a table of the family *queue*."""
