"""Tables of a scenario.

Written by ackclock.scenario._generate from the engine's schema; not to be edited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ackclock.scenario._record import Record
from ackclock.scenario.delay_table import DelayTable
from ackclock.scenario.jitter import Jitter
from ackclock.scenario.loss import Loss
from ackclock.scenario.netem_loss import NetemLoss
from ackclock.scenario.policer import Policer
from ackclock.scenario.queue import Queue
from ackclock.scenario.rate import Rate
from ackclock.scenario.slot import Slot

__all__ = ["Bottleneck", "Delay", "DelayStep", "Fate", "Netem", "Outage", "Preset", "TreatmentOfLargePackets"]

Preset: TypeAlias = Literal[
    "edge",
    "hspa",
    "lte",
    "geo-satellite",
    "leo",
    "adsl2",
    "fttc",
    "fttp",
    "datacentre",
    "access",
    "transoceanic",
    "dial-up",
    "satellite",
]
"""Name of a link model, which supplies the rate, delay and queue where they are not given.

- ``edge``: EDGE: 160 kbit/s, 250 ms, a queue of its bandwidth-delay product, 7 packets.
- ``hspa``: HSPA: 2 Mbit/s, 70 ms, a queue of its bandwidth-delay product, 24 packets.
- ``lte``: LTE: 50 Mbit/s, 15 ms, a queue of its bandwidth-delay product, 125 packets.
- ``geo-satellite``: A geostationary satellite as sold to households: 100 Mbit/s and 10 Mbit/s back, 300 ms.
- ``leo``: A satellite constellation in low orbit: 100 Mbit/s and 10 Mbit/s back, 25 ms, without its handovers.
- ``adsl2``: ADSL2+ at its best: 24 Mbit/s and 1.4 Mbit/s back, 10 ms.
- ``fttc``: Fibre to the cabinet and VDSL2: 80 Mbit/s and 20 Mbit/s back, 5 ms.
- ``fttp``: Fibre to the premises: 1 Gbit/s and 115 Mbit/s back, 2 ms.
- ``datacentre``: A datacentre: 10 Gbit/s, an RTT of 4 ms.
- ``access``: The access link of the TCP evaluation suite: 100 Mbit/s, 2 ms.
- ``transoceanic``: The transoceanic link of the TCP evaluation suite: 1 Gbit/s, 65 ms.
- ``dial-up``: The dial-up link of the TCP evaluation suite: 64 kbit/s, 5 ms, a queue of 8 packets.
- ``satellite``: The geostationary satellite of the TCP evaluation suite: 40 Mbit/s and 4 Mbit/s back, 300 ms.
"""

TreatmentOfLargePackets: TypeAlias = Literal[
    "off",
    "queue",
    "whole",
]
"""Treatment of the large packets that segmentation offload (GSO) of the senders' hosts makes.

- ``off``: they are split before the link, whose queue holds segments: a link in the network
- ``queue``: the queue holds them and the wire carries segments: a queue discipline of the sending host before its
  network card
- ``whole``: they stay whole up to the next link or host, as between virtual interfaces (Mininet, containers, veth)
"""

Fate: TypeAlias = Literal[
    "wait",
    "lost",
]
"""Treatment of packets during the outage.

- ``wait``: they wait in the queue; one that is on the wire when the outage begins arrives
- ``lost``: the router does not know: what it begins to send is lost
"""


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class DelayStep(Record):
    """A delay that holds from a given time.

    Parameters
    ----------
    at
        Time at which the delay begins; the first step begins at 0s. Accepted: a time such as "200ms" (units: ns, us,
        ms, s, min, h).
    delay
        The delay, one way. Accepted: a time such as "200ms" (units: ns, us, ms, s, min, h).
    """

    at: str
    delay: str


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Delay(Record):
    """A propagation delay that changes, as after a change of route.

    Packets on a shorter new path overtake those on the old path.

    Parameters
    ----------
    steps
        The delays, in the order of their times. Accepted: a list with at least one step, each of class `DelayStep`.
    repeat_every
        Period after which the steps start again. Accepted: a time from "1ms" to "87600h" (units: ns, us, ms, s, min,
        h). Absent: it does not.
    """

    steps: Sequence[DelayStep]
    repeat_every: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Netem(Record):
    """Linux's netem in the direction from source to sink, with the queue as its child.

    Parameters
    ----------
    limit
        Largest number of packets inside, delayed ones and those of the child included. Accepted: a whole number of
        packets from 1 to 4294967295. Default: 1000.
    delay
        Delay of every packet. Accepted: a time such as "200ms" (units: ns, us, ms, s, min, h). Default: "0s".
    jitter
        Jitter: half the width of the uniform distribution, or the unit of the table. Accepted: a time from "0s" to
        "2147483647ns" (units: ns, us, ms, s, min, h). Default: "0s".
    delay_correlation
        Correlation of the delays from packet to packet. Accepted: a probability such as "1%" (units: ppb, ppm, %).
        Default: "0%".
    distribution
        Distribution of the delays. Accepted: a class of `ackclock.scenario.delay_table`. Absent: uniform.
    loss
        Losses. Accepted: a class of `ackclock.scenario.netem_loss`, or a probability such as "1%" (units: ppb, ppm, %).
        Default: "0%".
    ecn
        Whether an ECN-capable packet is marked (CE) instead of lost. Default: False.
    duplicate
        Probability that a packet is duplicated. Accepted: a probability such as "1%" (units: ppb, ppm, %). Default:
        "0%".
    duplicate_correlation
        Correlation of the duplications from packet to packet. Accepted: a probability such as "1%" (units: ppb, ppm,
        %). Default: "0%".
    corrupt
        Probability that a packet is corrupted; it is discarded on arrival. Accepted: a probability such as "1%" (units:
        ppb, ppm, %). Default: "0%".
    corrupt_correlation
        Correlation of the corruptions from packet to packet. Accepted: a probability such as "1%" (units: ppb, ppm, %).
        Default: "0%".
    reorder
        Probability that a packet is sent at once, before the delayed packets. Accepted: a probability such as "1%"
        (units: ppb, ppm, %). Absent: no packet; all, with a gap.
    reorder_correlation
        Correlation of the reordering from packet to packet. Accepted: a probability such as "1%" (units: ppb, ppm, %).
        Default: "0%".
    gap
        Distance of the packets that may be sent at once: every n-th packet. Accepted: a whole number of packets from 1
        to 4294967295. Absent: 1, with reorder.
    rate
        Rate, in whole bytes per second. Accepted: a rate from "8bps" to "1000Tbps" (units: bps, kbps, Mbps, Gbps,
        Tbps). Absent: unlimited.
    packet_overhead
        Bytes that the rate counts for each packet besides its size; -14 on a kernel whose packets have the Ethernet
        header is 0 here. Accepted: a whole number of bytes from -65535 to 65535. Default: 0.
    cell_size
        Payload of a cell: the rate counts whole cells. Accepted: a volume from "1B" to "65535B" (units: B, kB, KiB, MB,
        MiB, GB, GiB). Absent: no cells.
    cell_overhead
        Bytes that the rate counts for each cell besides its payload. Accepted: a whole number of bytes from -65535 to
        65535. Default: 0.
    slot
        Slots: packets whose time has come wait for the next slot. Accepted: a class of `ackclock.scenario.slot`, or a
        time such as "200ms" (units: ns, us, ms, s, min, h). Absent: none.
    seed
        Seed of the kernel's generator (netem's `seed` since Linux 6.6): the same seed decides on the same packets.
        Accepted: a whole number from 0 to 18446744073709551615. Absent: drawn from the run's seed.
    """

    limit: int | None = None
    delay: str | None = None
    jitter: str | None = None
    delay_correlation: str | None = None
    distribution: DelayTable | None = None
    loss: NetemLoss | None = None
    ecn: bool | None = None
    duplicate: str | None = None
    duplicate_correlation: str | None = None
    corrupt: str | None = None
    corrupt_correlation: str | None = None
    reorder: str | None = None
    reorder_correlation: str | None = None
    gap: int | None = None
    rate: str | None = None
    packet_overhead: int | None = None
    cell_size: str | None = None
    cell_overhead: int | None = None
    slot: Slot | None = None
    seed: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Outage(Record):
    """A time in which the link is down.

    Parameters
    ----------
    from_
        Start of the outage. Accepted: a time such as "200ms" (units: ns, us, ms, s, min, h).
    to
        End of the outage. Accepted: a time such as "200ms" (units: ns, us, ms, s, min, h).
    packets
        Treatment of packets during the outage. Accepted: wait, lost. Default: "wait".
    """

    from_: str
    to: str
    packets: Fate | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Bottleneck(Record):
    """The link that all flows share, from node left to node right.

    Parameters
    ----------
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
