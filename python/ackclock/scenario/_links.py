"""Tables of a scenario.

Written by ackclock.scenario._generate from the engine's schema; not to be edited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ackclock.scenario._bottleneck import Delay, Netem, Outage, Preset, TreatmentOfLargePackets
from ackclock.scenario._record import Record
from ackclock.scenario.jitter import Jitter
from ackclock.scenario.loss import Loss
from ackclock.scenario.policer import Policer
from ackclock.scenario.queue import Queue
from ackclock.scenario.rate import Rate

__all__ = ["Link"]


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Link(Record):
    """A link between two nodes, with all that the bottleneck has.

    Parameters
    ----------
    name
        Name in output, unique. Accepted: a name of ASCII letters, digits, spaces and _ + -. Absent: link0, link1, ...
        by position.
    ends
        The two nodes that it joins. What the fields below say of the direction from source to sink holds from the first
        to the second. Accepted: a list with at least one node, each a name of ASCII letters, digits, spaces and _ + -.
    preset
        Name of a link model, which supplies the rate, delay and queue where they are not given. Accepted: edge, hspa,
        lte, geo-satellite, leo, adsl2, fttc, fttp, datacentre, access, transoceanic, dial-up, satellite. Absent: none.
    rate
        Rate in the direction from source to sink. Accepted: a rate above zero such as "1.5Mbps" (units: bps, kbps,
        Mbps, Gbps, Tbps), or a class of `ackclock.scenario.rate`. Absent: that of preset, which has to be given then.
    delay
        Propagation delay, one way. Accepted: a time such as "200ms" (units: ns, us, ms, s, min, h), or one of class
        `Delay`. Absent: that of preset, which has to be given then.
    queue
        Queue in the direction from source to sink. Accepted: a class of `ackclock.scenario.queue`, or a queue limit
        such as "1bdp", "50 packets", "64KiB" or "unlimited". Default: "1bdp".
    reverse_rate
        Rate in the direction from sink to source. Accepted: a rate above zero such as "1.5Mbps" (units: bps, kbps,
        Mbps, Gbps, Tbps), or a class of `ackclock.scenario.rate`. Absent: as rate.
    reverse_delay
        Propagation delay in the direction from sink to source. Accepted: a time such as "200ms" (units: ns, us, ms, s,
        min, h), or one of class `Delay`. Absent: as delay.
    reverse_queue
        Queue in the direction from sink to source. Accepted: a class of `ackclock.scenario.queue`, or a queue limit
        such as "1bdp", "50 packets", "64KiB" or "unlimited". Absent: as queue, with as many bytes or packets.
    policer
        Policer in the direction from source to sink, before the loss and the queue. Accepted: a class of
        `ackclock.scenario.policer`. Absent: none.
    reverse_policer
        Policer in the direction from sink to source. Accepted: a class of `ackclock.scenario.policer`. Absent: none.
    netem
        Linux's netem in the direction from source to sink, with the queue as its child. Absent: none.
    reverse_netem
        Linux's netem in the direction from sink to source, with the reverse queue as its child. Absent: none.
    gso
        Treatment of the large packets that segmentation offload (GSO) of the senders' hosts makes. Accepted: off,
        queue, whole. Absent: off.
    reverse_gso
        Treatment of large packets in the direction from sink to source. Accepted: off, queue, whole. Absent: as gso.
    host_queue
        Whether the queues are those of the sending hosts, whose TCP keeps the bytes in them few if it is Linux's (TCP
        small queues). A link that is not the first one behind a host's access link has no such queue. Absent: true with
        gso = "queue".
    mtu
        Largest packet in both directions. A larger one is dropped, and counts as a loss. Accepted: a volume from "552B"
        to "65535B" (units: B, kB, KiB, MB, MiB, GB, GiB). Absent: packets of any size.
    icmp
        Whether the sender of a packet that is larger than the mtu is told by ICMP, so that TCP sends smaller segments.
        Absent: true.
    loss
        Loss of packets in the direction from source to sink, before the queue. Accepted: a class of
        `ackclock.scenario.loss`, or a probability such as "1%" (units: ppb, ppm, %). Default: "0%".
    reverse_loss
        Loss of packets in the direction from sink to source, before the queue. Accepted: a class of
        `ackclock.scenario.loss`, or a probability such as "1%" (units: ppb, ppm, %). Default: "0%".
    duplication
        Duplication of packets in the direction from source to sink; the copy follows its packet into the queue.
        Accepted: a class of `ackclock.scenario.loss`, or a probability such as "1%" (units: ppb, ppm, %). Absent: none.
    reverse_duplication
        Duplication of packets in the direction from sink to source. Accepted: a class of `ackclock.scenario.loss`, or a
        probability such as "1%" (units: ppb, ppm, %). Absent: none.
    corruption
        Corruption in the direction from source to sink: packets that take their time on the wire and do not arrive.
        Accepted: a class of `ackclock.scenario.loss`, or a probability such as "1%" (units: ppb, ppm, %). Absent: none.
    reverse_corruption
        Corruption in the direction from sink to source. Accepted: a class of `ackclock.scenario.loss`, or a probability
        such as "1%" (units: ppb, ppm, %). Absent: none.
    jitter
        Extra delay that differs from packet to packet in the direction from source to sink. Accepted: a class of
        `ackclock.scenario.jitter`, or a time such as "200ms" (units: ns, us, ms, s, min, h). Absent: none.
    reverse_jitter
        Extra delay that differs from packet to packet in the direction from sink to source. Accepted: a class of
        `ackclock.scenario.jitter`, or a time such as "200ms" (units: ns, us, ms, s, min, h). Absent: none.
    outages
        Times in which the link is down. Accepted: a list with at least one outage, each of class `Outage`, in order and
        apart. Absent: none.
    reverse_outages
        Times in which the direction from sink to source is down. Accepted: a list with at least one outage, each of
        class `Outage`, in order and apart. Absent: as outages.
    bdp_rtt
        Round-trip time with which queue limits given in bdp are computed. Accepted: a time above zero such as "200ms"
        (units: ns, us, ms, s, min, h). Absent: the largest base RTT of any flow.
    """

    name: str | None = None
    ends: Sequence[str]
    preset: Preset | None = None
    rate: str | Rate | None = None
    delay: str | Delay | None = None
    queue: Queue | None = None
    reverse_rate: str | Rate | None = None
    reverse_delay: str | Delay | None = None
    reverse_queue: Queue | None = None
    policer: Policer | None = None
    reverse_policer: Policer | None = None
    netem: Netem | None = None
    reverse_netem: Netem | None = None
    gso: TreatmentOfLargePackets | None = None
    reverse_gso: TreatmentOfLargePackets | None = None
    host_queue: bool | None = None
    mtu: str | None = None
    icmp: bool | None = None
    loss: Loss | None = None
    reverse_loss: Loss | None = None
    duplication: Loss | None = None
    reverse_duplication: Loss | None = None
    corruption: Loss | None = None
    reverse_corruption: Loss | None = None
    jitter: Jitter | None = None
    reverse_jitter: Jitter | None = None
    outages: Sequence[Outage] | None = None
    reverse_outages: Sequence[Outage] | None = None
    bdp_rtt: str | None = None
