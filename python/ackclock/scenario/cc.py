"""Tables of the family *cc*.

Written by ackclock.scenario._generate from the engine's schema; not to be edited.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from ackclock.scenario._record import FilePath, Record

__all__ = [
    "Bic",
    "BicPaper",
    "Cc",
    "Compound",
    "CompoundTuned",
    "Copa",
    "Cubic20",
    "CubicRfc8312",
    "Dctcp",
    "DctcpRfc8257",
    "Fast",
    "FixedRate",
    "FixedWindow",
    "Highspeed",
    "HighspeedRfc3649",
    "Htcp",
    "HtcpPaper",
    "Hybla",
    "HyblaPaper",
    "Illinois",
    "IllinoisPaper",
    "Ledbat",
    "LedbatPlusPlus",
    "Lp",
    "LpPaper",
    "Name",
    "Remycc",
    "RemyccNs2",
    "RemyccNs2Us",
    "Scalable",
    "ScalablePaper",
    "Vegas",
    "VegasPaper",
    "Veno",
    "VenoPaper",
    "Westwood",
    "WestwoodPaper",
    "Yeah",
    "YeahPaper",
]

Name: TypeAlias = Literal[
    "bbr",
    "bic",
    "cubic",
    "dctcp",
    "highspeed",
    "htcp",
    "hybla",
    "illinois",
    "lp",
    "reno",
    "scalable",
    "vegas",
    "veno",
    "westwood",
    "yeah",
    "balia",
    "bbr1",
    "bbr3",
    "bic-linux",
    "bic-paper",
    "cdg",
    "compound",
    "compound-tuned",
    "copa",
    "cubic-2.0",
    "cubic-2.1",
    "cubic-linux",
    "cubic-rfc8312",
    "cubic-rfc9438",
    "dctcp-linux",
    "dctcp-rfc8257",
    "fast",
    "fixed-rate",
    "fixed-window",
    "highspeed-linux",
    "highspeed-rfc3649",
    "htcp-linux",
    "htcp-paper",
    "hybla-linux",
    "hybla-paper",
    "illinois-linux",
    "illinois-paper",
    "ledbat",
    "ledbat++",
    "lia",
    "lp-linux",
    "lp-paper",
    "nv",
    "prague",
    "reno-linux",
    "reno-ns2",
    "reno-rfc5681",
    "scalable-linux",
    "scalable-paper",
    "vegas-2.6",
    "vegas-linux",
    "vegas-paper",
    "veno-linux",
    "veno-paper",
    "westwood-linux",
    "westwood-paper",
    "xcp",
    "yeah-linux",
    "yeah-paper",
]
"""The names of the family *cc* that need no values.

- ``bbr``: bbr3 on rfc, freebsd, freebsd-2014, ns2-newreno, ns2-sack, ns2-linux; bbr1 on linux, linux-6.18, linux-6.12,
  linux-6.1, linux-3.12
- ``bic``: bic-paper on rfc, freebsd, freebsd-2014, ns2-newreno, ns2-sack; bic-linux on linux, linux-6.18, linux-6.12,
  linux-6.1, linux-3.12, ns2-linux
- ``cubic``: cubic-rfc9438 on rfc, freebsd, freebsd-2014, ns2-newreno, ns2-sack; cubic-linux on linux, linux-6.18,
  linux-6.12, linux-6.1, linux-3.12; cubic-2.1 on ns2-linux
- ``dctcp``: dctcp-rfc8257 on rfc, freebsd, freebsd-2014, ns2-newreno, ns2-sack, ns2-linux; dctcp-linux on linux,
  linux-6.18, linux-6.12, linux-6.1, linux-3.12
- ``highspeed``: highspeed-rfc3649 on rfc, freebsd, freebsd-2014, ns2-newreno, ns2-sack; highspeed-linux on linux,
  linux-6.18, linux-6.12, linux-6.1, linux-3.12, ns2-linux
- ``htcp``: htcp-paper on rfc, freebsd, freebsd-2014, ns2-newreno, ns2-sack, ns2-linux; htcp-linux on linux, linux-6.18,
  linux-6.12, linux-6.1, linux-3.12
- ``hybla``: hybla-paper on rfc, freebsd, freebsd-2014, ns2-newreno, ns2-sack, ns2-linux; hybla-linux on linux,
  linux-6.18, linux-6.12, linux-6.1, linux-3.12
- ``illinois``: illinois-paper on rfc, freebsd, freebsd-2014, ns2-newreno, ns2-sack, ns2-linux; illinois-linux on linux,
  linux-6.18, linux-6.12, linux-6.1, linux-3.12
- ``lp``: lp-paper on rfc, freebsd, freebsd-2014, ns2-newreno, ns2-sack; lp-linux on linux, linux-6.18, linux-6.12,
  linux-6.1, linux-3.12, ns2-linux
- ``reno``: reno-rfc5681 on rfc, freebsd, freebsd-2014; reno-linux on linux, linux-6.18, linux-6.12, linux-6.1,
  linux-3.12, ns2-linux; reno-ns2 on ns2-newreno, ns2-sack
- ``scalable``: scalable-paper on rfc, freebsd, freebsd-2014, ns2-newreno, ns2-sack; scalable-linux on linux,
  linux-6.18, linux-6.12, linux-6.1, linux-3.12, ns2-linux
- ``vegas``: vegas-paper on rfc, freebsd, freebsd-2014, ns2-newreno, ns2-sack; vegas-linux on linux, linux-6.18,
  linux-6.12, linux-6.1, linux-3.12; vegas-2.6 on ns2-linux
- ``veno``: veno-paper on rfc, freebsd, freebsd-2014, ns2-newreno, ns2-sack; veno-linux on linux, linux-6.18,
  linux-6.12, linux-6.1, linux-3.12, ns2-linux
- ``westwood``: westwood-paper on rfc, freebsd, freebsd-2014, ns2-newreno, ns2-sack, ns2-linux; westwood-linux on linux,
  linux-6.18, linux-6.12, linux-6.1, linux-3.12
- ``yeah``: yeah-paper on rfc, freebsd, freebsd-2014, ns2-newreno, ns2-sack; yeah-linux on linux, linux-6.18,
  linux-6.12, linux-6.1, linux-3.12, ns2-linux
- ``balia``: balanced linked adaptation of the subflows of a transfer over several paths; Reno on one path
- ``bbr1``: paces at the largest delivery rate seen in ten rounds, with two bandwidth-delay products in flight
- ``bbr3``: a model of the path from delivery rate, RTT and loss; bandwidth probes in cycles, bounds from loss (version
  3)
- ``bic-linux``: BIC as Linux has it: a segment for so many acknowledged, divided by the segments for each ACK
- ``bic-paper``: binary search for the window of the last congestion, decrease to 0.8; Linux's constants
- ``cdg``: reduces at random, the more likely the faster the RTT grows, and answers losses from a shadow window
- ``compound``: Reno's window plus a second window that grows while the backlog is below 30 segments
- ``compound-tuned``: Compound TCP with a target backlog that follows the backlog of Reno's window, between 5 and 30
  segments
- ``copa``: targets the rate with 1/delta segments in the queue; competes with flows that fill the buffer
- ``cubic-2.0``: CUBIC of Linux 2.6.19 to 2.6.25: decrease to 0.8, growth of 16 segments in 100 ms at most
- ``cubic-2.1``: CUBIC of Linux 2.6.22 and of ns-2's TCP/Linux: decrease to 0.8, and a cap of 16 segments in 100 ms
  beyond K
- ``cubic-linux``: cubic as Linux has it: a segment for so many acknowledged, and for twenty at most while W_max is
  unknown
- ``cubic-rfc8312``: CUBIC before RFC 9438: K from W_max, Reno's window as a function of time
- ``cubic-rfc9438``: growth as a cubic function of the time since the last reduction, decrease to 0.7, at least Reno's
  pace
- ``dctcp-linux``: DCTCP as Linux has it: whole segments, and alpha in units of 1/1024
- ``dctcp-rfc8257``: Reno with a reduction in proportion to the share of marked data
- ``fast``: keeps a backlog of alpha segments, by an equation over the round-trip time
- ``fixed-rate``: a constant sending rate that no window limits
- ``fixed-window``: a window that never changes
- ``highspeed-linux``: HighSpeed TCP as Linux has it: whole increases from a table, counted once for each ACK
- ``highspeed-rfc3649``: Reno with an increase that grows and a decrease that shrinks with the window
- ``htcp-linux``: H-TCP as Linux has it: in jiffies, with RTT scaling and a memory of the largest RTT that fades
- ``htcp-paper``: increase by the time since the last congestion, decrease just enough to empty the queue
- ``hybla-linux``: Hybla as Linux has it: growth with each ACK whatever it covers, and an initial window of rho segments
- ``hybla-paper``: grows like Reno on a path of 25 ms, at any round-trip time
- ``illinois-linux``: Illinois as Linux has it: curves in integers, from the delay of every ACK
- ``illinois-paper``: increase from 10 down to 0.3 and decrease from 1/8 up to 1/2 as the queueing delay grows
- ``ledbat``: background transfer: keeps a target delay in the queue, linearly
- ``ledbat++``: background transfer: keeps a target delay in the queue, with slowdowns that empty the queue
- ``lia``: linked increases of the subflows of a transfer over several paths; Reno on one path
- ``lp-linux``: TCP-LP as Linux has it: in most connections its one-way delay never indicates congestion, and it is Reno
- ``lp-paper``: background transfer: yields at early signs of congestion in the one-way delay
- ``nv``: congestion avoidance for data centers: the window that the largest rate needs, and ten segments
- ``prague``: DCTCP for L4S: grows also after marks, and treats shorter RTTs like 25 ms
- ``reno-linux``: Reno as Linux has it: one segment for each window of acknowledged segments, half of the segments at a
  loss
- ``reno-ns2``: Reno as ns-2 has it: each acknowledgment adds 1/cwnd segments
- ``reno-rfc5681``: additive increase of one segment a round trip, decrease by half
- ``scalable-linux``: Scalable TCP as Linux has it: one segment for at most 100 acknowledged, and a decrease by an
  eighth
- ``scalable-paper``: increase by a hundredth of the window in each round trip, decrease by an eighth
- ``vegas-2.6``: Vegas of Linux 2.6.22, as ns-2's Agent/TCP/Linux runs it: slow start ends once and for all
- ``vegas-linux``: Vegas as Linux has it: rounds judged by their smallest RTT, slow start in every round, half at a loss
- ``vegas-paper``: keeps a backlog of two to four segments, estimated from the round-trip time
- ``veno-linux``: Veno as Linux has it: the backlog is judged with every ACK, from that ACK's RTT
- ``veno-paper``: Reno that attributes a loss without a backlog to the radio link
- ``westwood-linux``: Westwood+ as Linux has it: half at a loss, and the bandwidth estimate times the smallest RTT once
  repaired
- ``westwood-paper``: Reno that reduces the window to the measured delivery rate times the smallest RTT (Westwood+)
- ``xcp``: follows the throughput that routers grant (queue "xcp"); Reno on paths without XCP routers
- ``yeah-linux``: YeAH as Linux has it: rounds and base RTT begin anew whenever nothing is in flight
- ``yeah-paper``: Scalable without a queue, Reno with one, and a backlog of 80 segments is drained
"""


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Bic(Record):
    """bic-paper on rfc, freebsd, freebsd-2014, ns2-newreno, ns2-sack.

    Bic-linux on linux, linux-6.18, linux-6.12, linux-6.1, linux-3.12, ns2-linux.

    Source: Xu, Harfoush, Rhee, INFOCOM 2004; Linux net/ipv4/tcp_bic.c.

    Parameters
    ----------
    beta
        share of the window kept on loss. Accepted: from 0.1 to 0.99. Default: 0.7998046875.
    low_window
        window up to which BIC is Reno, segments. Accepted: from 0 to 1000000. Default: 14.
    s_max
        largest growth in a round trip, segments. Accepted: from 1 to 10000. Default: 16.
    b
        divisor of the distance to the target. Accepted: from 2 to 64. Default: 4.
    smooth
        round trips for a growth of b segments near the last maximum. Accepted: from 1 to 1000. Default: 20.
    """

    kind: ClassVar = "bic"

    beta: float | None = None
    low_window: float | None = None
    s_max: float | None = None
    b: float | None = None
    smooth: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Dctcp(Record):
    """dctcp-rfc8257 on rfc, freebsd, freebsd-2014, ns2-newreno, ns2-sack, ns2-linux.

    Dctcp-linux on linux, linux-6.18, linux-6.12, linux-6.1, linux-3.12.

    Source: RFC 8257.

    Parameters
    ----------
    gain
        g, the weight of a window of data in the estimate of marking. Accepted: from 0.0009765625 to 0.5. Default:
        0.0625.
    """

    kind: ClassVar = "dctcp"

    gain: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Highspeed(Record):
    """highspeed-rfc3649 on rfc, freebsd, freebsd-2014, ns2-newreno, ns2-sack.

    Highspeed-linux on linux, linux-6.18, linux-6.12, linux-6.1, linux-3.12, ns2-linux.

    Source: RFC 3649 sections 5 and 7.

    Parameters
    ----------
    low_window
        window up to which HighSpeed TCP is Reno, segments. Accepted: from 2 to 10000. Default: 38.
    high_window
        window at a loss rate of high_p, segments. Accepted: from 20000 to 10000000. Default: 83000.
    high_p
        loss rate at high_window. Accepted: from 1e-12 to 1e-06. Default: 1e-07.
    high_decrease
        decrease on loss at high_window, share of the window. Accepted: from 0.01 to 0.5. Default: 0.1.
    """

    kind: ClassVar = "highspeed"

    low_window: float | None = None
    high_window: float | None = None
    high_p: float | None = None
    high_decrease: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Htcp(Record):
    """htcp-paper on rfc, freebsd, freebsd-2014, ns2-newreno, ns2-sack, ns2-linux.

    Htcp-linux on linux, linux-6.18, linux-6.12, linux-6.1, linux-3.12.

    Source: Leith, Shorten, PFLDnet 2004; draft-leith-tcp-htcp-06.

    Parameters
    ----------
    delta_l
        time after congestion during which the increase is Reno's, ms. Accepted: from 0 to 1000000. Default: 1000.
    delta_b
        relative change of throughput from which the window is halved. Accepted: from 0 to 10. Default: 0.2.
    beta_max
        largest share of the window kept on congestion. Accepted: from 0.5 to 0.99. Default: 0.8.
    rtt_ref
        RTT at which the scale is 1, ms; 0 for no scaling by the RTT. Accepted: from 0 to 10000. Default: 0.
    """

    kind: ClassVar = "htcp"

    delta_l: float | None = None
    delta_b: float | None = None
    beta_max: float | None = None
    rtt_ref: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Hybla(Record):
    """hybla-paper on rfc, freebsd, freebsd-2014, ns2-newreno, ns2-sack, ns2-linux.

    Hybla-linux on linux, linux-6.18, linux-6.12, linux-6.1, linux-3.12.

    Source: Caini, Firrincieli, IJSCN 22(5), 2004; Linux net/ipv4/tcp_hybla.c.

    Parameters
    ----------
    rtt0
        round-trip time of the reference path, ms. Accepted: from 1 to 1000. Default: 25.
    """

    kind: ClassVar = "hybla"

    rtt0: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Illinois(Record):
    """illinois-paper on rfc, freebsd, freebsd-2014, ns2-newreno, ns2-sack, ns2-linux.

    Illinois-linux on linux, linux-6.18, linux-6.12, linux-6.1, linux-3.12.

    Source: Liu, Basar, Srikant, Performance Evaluation 65, 2008; Linux net/ipv4/tcp_illinois.c.

    Parameters
    ----------
    alpha_min
        smallest increase, segments. Accepted: from 0.01 to 1. Default: 0.3.
    alpha_max
        largest increase, segments. Accepted: from 1.01 to 1000. Default: 10.
    beta_min
        smallest decrease, share of the window. Accepted: from 0.01 to 0.5. Default: 0.125.
    beta_max
        largest decrease, share of the window. Accepted: from 0.5 to 0.9. Default: 0.5.
    win_thresh
        window below which Illinois is Reno, segments. Accepted: from 0 to 1000000. Default: 15.
    theta
        rounds of low delay before the increase returns to its maximum. Accepted: from 1 to 1000. Default: 5.
    """

    kind: ClassVar = "illinois"

    alpha_min: float | None = None
    alpha_max: float | None = None
    beta_min: float | None = None
    beta_max: float | None = None
    win_thresh: float | None = None
    theta: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Lp(Record):
    """lp-paper on rfc, freebsd, freebsd-2014, ns2-newreno, ns2-sack.

    Lp-linux on linux, linux-6.18, linux-6.12, linux-6.1, linux-3.12, ns2-linux.

    Source: Kuzmanovic, Knightly, IEEE/ACM Transactions on Networking 14(4), 2006.

    Parameters
    ----------
    delta
        share of the largest queueing delay that indicates congestion. Accepted: from 0.01 to 1. Default: 0.15.
    """

    kind: ClassVar = "lp"

    delta: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Scalable(Record):
    """scalable-paper on rfc, freebsd, freebsd-2014, ns2-newreno, ns2-sack.

    Scalable-linux on linux, linux-6.18, linux-6.12, linux-6.1, linux-3.12, ns2-linux.

    Source: T. Kelly, Scalable TCP, ACM CCR 33(2), 2003, section 3.

    Parameters
    ----------
    a
        increase for each segment acknowledged, segments. Accepted: from 0.0001 to 0.5. Default: 0.01.
    b
        decrease on loss, share of the window. Accepted: from 0.01 to 0.9. Default: 0.125.
    legacy_window
        window up to which Scalable TCP is Reno, segments. Accepted: from 0 to 1000000. Default: 16.
    """

    kind: ClassVar = "scalable"

    a: float | None = None
    b: float | None = None
    legacy_window: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Vegas(Record):
    """vegas-paper on rfc, freebsd, freebsd-2014, ns2-newreno, ns2-sack.

    Vegas-linux on linux, linux-6.18, linux-6.12, linux-6.1, linux-3.12; vegas-2.6 on ns2-linux.

    Source: Brakmo, Peterson, IEEE JSAC 13(8), 1995.

    Parameters
    ----------
    alpha
        smallest backlog, segments. Accepted: from 0 to 10000. Default: 2.
    beta
        largest backlog, segments. Accepted: from 0 to 10000. Default: 4.
    gamma
        backlog that ends slow start, segments. Accepted: from 0 to 10000. Default: 1.
    kept
        share of the window kept on loss. Accepted: from 0.1 to 0.99. Default: 0.75.
    """

    kind: ClassVar = "vegas"

    alpha: float | None = None
    beta: float | None = None
    gamma: float | None = None
    kept: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Veno(Record):
    """veno-paper on rfc, freebsd, freebsd-2014, ns2-newreno, ns2-sack.

    Veno-linux on linux, linux-6.18, linux-6.12, linux-6.1, linux-3.12, ns2-linux.

    Source: Fu, Liew, IEEE JSAC 21(2), 2003, section III.

    Parameters
    ----------
    beta
        backlog from which a loss counts as congestion, segments. Accepted: from 0 to 10000. Default: 3.
    """

    kind: ClassVar = "veno"

    beta: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Westwood(Record):
    """westwood-paper on rfc, freebsd, freebsd-2014, ns2-newreno, ns2-sack, ns2-linux.

    Westwood-linux on linux, linux-6.18, linux-6.12, linux-6.1, linux-3.12.

    Source: Grieco, Mascolo, ACM CCR 34(2), 2004; Linux net/ipv4/tcp_westwood.c.

    Parameters
    ----------
    weight
        weight of a sample in each filter. Accepted: from 0.001 to 1. Default: 0.125.
    least_interval
        shortest time of a sample, ms. Accepted: from 0 to 10000. Default: 50.
    """

    kind: ClassVar = "westwood"

    weight: float | None = None
    least_interval: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Yeah(Record):
    """yeah-paper on rfc, freebsd, freebsd-2014, ns2-newreno, ns2-sack.

    Yeah-linux on linux, linux-6.18, linux-6.12, linux-6.1, linux-3.12, ns2-linux.

    Source: Baiocchi, Castellani, Vacirca, PFLDnet 2007; Linux net/ipv4/tcp_yeah.c.

    Parameters
    ----------
    alpha
        largest backlog, segments. Accepted: from 1 to 100000. Default: 80.
    gamma
        divisor of the backlog for the reduction. Accepted: from 1 to 100. Default: 1.
    delta
        smallest decrease on loss: the window over 2 to this power. Accepted: from 1 to 10. Default: 3.
    epsilon
        largest reduction of the backlog: the window over 2 to this power. Accepted: from 1 to 10. Default: 1.
    phi
        divisor of BaseRTT for the largest queueing delay of fast mode. Accepted: from 1 to 1000. Default: 8.
    rho
        rounds of slow mode from which competitors count as greedy. Accepted: from 1 to 10000. Default: 16.
    zeta
        rounds of fast mode after which Reno's window is reset. Accepted: from 1 to 10000. Default: 50.
    """

    kind: ClassVar = "yeah"

    alpha: float | None = None
    gamma: float | None = None
    delta: float | None = None
    epsilon: float | None = None
    phi: float | None = None
    rho: float | None = None
    zeta: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class BicPaper(Record):
    """binary search for the window of the last congestion, decrease to 0.8; Linux's constants.

    Source: Xu, Harfoush, Rhee, INFOCOM 2004; Linux net/ipv4/tcp_bic.c.

    Parameters
    ----------
    beta
        share of the window kept on loss. Accepted: from 0.1 to 0.99. Default: 0.7998046875.
    low_window
        window up to which BIC is Reno, segments. Accepted: from 0 to 1000000. Default: 14.
    s_max
        largest growth in a round trip, segments. Accepted: from 1 to 10000. Default: 16.
    b
        divisor of the distance to the target. Accepted: from 2 to 64. Default: 4.
    smooth
        round trips for a growth of b segments near the last maximum. Accepted: from 1 to 1000. Default: 20.
    """

    kind: ClassVar = "bic-paper"

    beta: float | None = None
    low_window: float | None = None
    s_max: float | None = None
    b: float | None = None
    smooth: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Compound(Record):
    """Reno's window plus a second window that grows while the backlog is below 30 segments.

    Source: Tan, Song, Zhang, Sridharan, INFOCOM 2006; draft-sridharan-tcpm-ctcp-02.

    Parameters
    ----------
    gamma
        backlog from which dwnd falls, segments. Accepted: from 1 to 10000. Default: 30.
    alpha
        factor of the growth of dwnd. Accepted: from 0.001 to 1. Default: 0.125.
    k
        exponent of the growth of dwnd. Accepted: from 0 to 1. Default: 0.75.
    zeta
        reduction of dwnd for each segment of backlog, segments. Accepted: from 0 to 10. Default: 1.
    low_window
        window below which dwnd does not grow, segments. Accepted: from 0 to 1000000. Default: 38.
    """

    kind: ClassVar = "compound"

    gamma: float | None = None
    alpha: float | None = None
    k: float | None = None
    zeta: float | None = None
    low_window: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class CompoundTuned(Record):
    """Compound TCP with a target backlog that follows the backlog of Reno's window, between 5 and 30 segments.

    Source: draft-sridharan-tcpm-ctcp-02.

    Parameters
    ----------
    gamma_min
        smallest gamma, segments. Accepted: from 1 to 30. Default: 5.
    gamma_max
        largest gamma, and its initial value, segments. Accepted: from 30 to 10000. Default: 30.
    lambda_
        weight of the last loss in gamma. Accepted: from 0 to 1. Default: 0.25.
    alpha
        factor of the growth of dwnd. Accepted: from 0.001 to 1. Default: 0.125.
    k
        exponent of the growth of dwnd. Accepted: from 0 to 1. Default: 0.75.
    zeta
        reduction of dwnd for each segment of backlog, segments. Accepted: from 0 to 10. Default: 1.
    low_window
        window below which dwnd does not grow, segments. Accepted: from 0 to 1000000. Default: 38.
    """

    kind: ClassVar = "compound-tuned"

    gamma_min: float | None = None
    gamma_max: float | None = None
    lambda_: float | None = None
    alpha: float | None = None
    k: float | None = None
    zeta: float | None = None
    low_window: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Copa(Record):
    """targets the rate with 1/delta segments in the queue; competes with flows that fill the buffer.

    Source: Arun and Balakrishnan, NSDI 2018.

    Parameters
    ----------
    delta
        weight of queueing delay; the flow has 1/delta segments in the queue. Accepted: from 0.005 to 1. Default: 0.5.
    """

    kind: ClassVar = "copa"

    delta: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Cubic20(Record):
    """CUBIC of Linux 2.6.19 to 2.6.25: decrease to 0.8, growth of 16 segments in 100 ms at most.

    Source: Ha, Rhee, Xu, PFLDnet 2005; Linux 2.6.19 net/ipv4/tcp_cubic.c.

    Parameters
    ----------
    beta
        share of the window that a loss leaves. Accepted: from 0.1 to 0.99. Default: 0.7998046875.
    s_max
        most growth in 100 ms, segments. Accepted: from 0.1 to 1000000. Default: 16.
    initial_ssthresh
        ssthresh at the start, segments. Accepted: from 2 to 1000000. Default: 100.
    """

    kind: ClassVar = "cubic-2.0"

    beta: float | None = None
    s_max: float | None = None
    initial_ssthresh: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class CubicRfc8312(Record):
    """CUBIC before RFC 9438: K from W_max, Reno's window as a function of time.

    Source: RFC 8312.

    Parameters
    ----------
    beta
        share of the window that a loss leaves. Accepted: from 0.1 to 0.99. Default: 0.7.
    fast_convergence
        whether it gives way when its window shrinks: 1, or 0 (section 4.6). Accepted: from 0 to 1. Default: 1.
    """

    kind: ClassVar = "cubic-rfc8312"

    beta: float | None = None
    fast_convergence: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class DctcpRfc8257(Record):
    """Reno with a reduction in proportion to the share of marked data.

    Source: RFC 8257.

    Parameters
    ----------
    gain
        g, the weight of a window of data in the estimate of marking. Accepted: from 0.0009765625 to 0.5. Default:
        0.0625.
    """

    kind: ClassVar = "dctcp-rfc8257"

    gain: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Fast(Record):
    """keeps a backlog of alpha segments, by an equation over the round-trip time.

    Source: Wei, Jin, Low, Hegde, IEEE/ACM ToN 14(6), 2006, section III.

    Parameters
    ----------
    alpha
        backlog, segments. Accepted: from 1 to 100000. Default: 200.
    gamma
        size of the step towards the equation's window. Accepted: from 0.01 to 1. Default: 0.5.
    """

    kind: ClassVar = "fast"

    alpha: float | None = None
    gamma: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class FixedRate(Record):
    """a constant sending rate that no window limits.

    Source: none: a baseline.

    Parameters
    ----------
    rate
        rate on the wire with 40 bytes of headers per segment, bit/s. Accepted: from 1000 to 1000000000000. Default:
        1000000.
    """

    kind: ClassVar = "fixed-rate"

    rate: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class FixedWindow(Record):
    """a window that never changes.

    Source: none: a baseline.

    Parameters
    ----------
    segments
        cwnd, segments. Accepted: from 1 to 1000000. Default: 10.
    """

    kind: ClassVar = "fixed-window"

    segments: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class HighspeedRfc3649(Record):
    """Reno with an increase that grows and a decrease that shrinks with the window.

    Source: RFC 3649 sections 5 and 7.

    Parameters
    ----------
    low_window
        window up to which HighSpeed TCP is Reno, segments. Accepted: from 2 to 10000. Default: 38.
    high_window
        window at a loss rate of high_p, segments. Accepted: from 20000 to 10000000. Default: 83000.
    high_p
        loss rate at high_window. Accepted: from 1e-12 to 1e-06. Default: 1e-07.
    high_decrease
        decrease on loss at high_window, share of the window. Accepted: from 0.01 to 0.5. Default: 0.1.
    """

    kind: ClassVar = "highspeed-rfc3649"

    low_window: float | None = None
    high_window: float | None = None
    high_p: float | None = None
    high_decrease: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class HtcpPaper(Record):
    """increase by the time since the last congestion, decrease just enough to empty the queue.

    Source: Leith, Shorten, PFLDnet 2004; draft-leith-tcp-htcp-06.

    Parameters
    ----------
    delta_l
        time after congestion during which the increase is Reno's, ms. Accepted: from 0 to 1000000. Default: 1000.
    delta_b
        relative change of throughput from which the window is halved. Accepted: from 0 to 10. Default: 0.2.
    beta_max
        largest share of the window kept on congestion. Accepted: from 0.5 to 0.99. Default: 0.8.
    rtt_ref
        RTT at which the scale is 1, ms; 0 for no scaling by the RTT. Accepted: from 0 to 10000. Default: 0.
    """

    kind: ClassVar = "htcp-paper"

    delta_l: float | None = None
    delta_b: float | None = None
    beta_max: float | None = None
    rtt_ref: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class HyblaPaper(Record):
    """grows like Reno on a path of 25 ms, at any round-trip time.

    Source: Caini, Firrincieli, IJSCN 22(5), 2004; Linux net/ipv4/tcp_hybla.c.

    Parameters
    ----------
    rtt0
        round-trip time of the reference path, ms. Accepted: from 1 to 1000. Default: 25.
    """

    kind: ClassVar = "hybla-paper"

    rtt0: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class IllinoisPaper(Record):
    """increase from 10 down to 0.3 and decrease from 1/8 up to 1/2 as the queueing delay grows.

    Source: Liu, Basar, Srikant, Performance Evaluation 65, 2008; Linux net/ipv4/tcp_illinois.c.

    Parameters
    ----------
    alpha_min
        smallest increase, segments. Accepted: from 0.01 to 1. Default: 0.3.
    alpha_max
        largest increase, segments. Accepted: from 1.01 to 1000. Default: 10.
    beta_min
        smallest decrease, share of the window. Accepted: from 0.01 to 0.5. Default: 0.125.
    beta_max
        largest decrease, share of the window. Accepted: from 0.5 to 0.9. Default: 0.5.
    win_thresh
        window below which Illinois is Reno, segments. Accepted: from 0 to 1000000. Default: 15.
    theta
        rounds of low delay before the increase returns to its maximum. Accepted: from 1 to 1000. Default: 5.
    """

    kind: ClassVar = "illinois-paper"

    alpha_min: float | None = None
    alpha_max: float | None = None
    beta_min: float | None = None
    beta_max: float | None = None
    win_thresh: float | None = None
    theta: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Ledbat(Record):
    """background transfer: keeps a target delay in the queue, linearly.

    Source: RFC 6817.

    Parameters
    ----------
    target
        queueing delay to keep, ms. Accepted: from 1 to 100. Default: 100.
    """

    kind: ClassVar = "ledbat"

    target: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class LedbatPlusPlus(Record):
    """background transfer: keeps a target delay in the queue, with slowdowns that empty the queue.

    Source: draft-irtf-iccrg-ledbat-plus-plus-01.

    Parameters
    ----------
    target
        queueing delay to keep, ms. Accepted: from 1 to 100. Default: 60.
    """

    kind: ClassVar = "ledbat++"

    target: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class LpPaper(Record):
    """background transfer: yields at early signs of congestion in the one-way delay.

    Source: Kuzmanovic, Knightly, IEEE/ACM Transactions on Networking 14(4), 2006.

    Parameters
    ----------
    delta
        share of the largest queueing delay that indicates congestion. Accepted: from 0.01 to 1. Default: 0.15.
    """

    kind: ClassVar = "lp-paper"

    delta: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class ScalablePaper(Record):
    """increase by a hundredth of the window in each round trip, decrease by an eighth.

    Source: T. Kelly, Scalable TCP, ACM CCR 33(2), 2003, section 3.

    Parameters
    ----------
    a
        increase for each segment acknowledged, segments. Accepted: from 0.0001 to 0.5. Default: 0.01.
    b
        decrease on loss, share of the window. Accepted: from 0.01 to 0.9. Default: 0.125.
    legacy_window
        window up to which Scalable TCP is Reno, segments. Accepted: from 0 to 1000000. Default: 16.
    """

    kind: ClassVar = "scalable-paper"

    a: float | None = None
    b: float | None = None
    legacy_window: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class VegasPaper(Record):
    """keeps a backlog of two to four segments, estimated from the round-trip time.

    Source: Brakmo, Peterson, IEEE JSAC 13(8), 1995.

    Parameters
    ----------
    alpha
        smallest backlog, segments. Accepted: from 0 to 10000. Default: 2.
    beta
        largest backlog, segments. Accepted: from 0 to 10000. Default: 4.
    gamma
        backlog that ends slow start, segments. Accepted: from 0 to 10000. Default: 1.
    kept
        share of the window kept on loss. Accepted: from 0.1 to 0.99. Default: 0.75.
    """

    kind: ClassVar = "vegas-paper"

    alpha: float | None = None
    beta: float | None = None
    gamma: float | None = None
    kept: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class VenoPaper(Record):
    """Reno that attributes a loss without a backlog to the radio link.

    Source: Fu, Liew, IEEE JSAC 21(2), 2003, section III.

    Parameters
    ----------
    beta
        backlog from which a loss counts as congestion, segments. Accepted: from 0 to 10000. Default: 3.
    """

    kind: ClassVar = "veno-paper"

    beta: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class WestwoodPaper(Record):
    """Reno that reduces the window to the measured delivery rate times the smallest RTT (Westwood+).

    Source: Grieco, Mascolo, ACM CCR 34(2), 2004; Linux net/ipv4/tcp_westwood.c.

    Parameters
    ----------
    weight
        weight of a sample in each filter. Accepted: from 0.001 to 1. Default: 0.125.
    least_interval
        shortest time of a sample, ms. Accepted: from 0 to 10000. Default: 50.
    """

    kind: ClassVar = "westwood-paper"

    weight: float | None = None
    least_interval: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class YeahPaper(Record):
    """Scalable without a queue, Reno with one, and a backlog of 80 segments is drained.

    Source: Baiocchi, Castellani, Vacirca, PFLDnet 2007; Linux net/ipv4/tcp_yeah.c.

    Parameters
    ----------
    alpha
        largest backlog, segments. Accepted: from 1 to 100000. Default: 80.
    gamma
        divisor of the backlog for the reduction. Accepted: from 1 to 100. Default: 1.
    delta
        smallest decrease on loss: the window over 2 to this power. Accepted: from 1 to 10. Default: 3.
    epsilon
        largest reduction of the backlog: the window over 2 to this power. Accepted: from 1 to 10. Default: 1.
    phi
        divisor of BaseRTT for the largest queueing delay of fast mode. Accepted: from 1 to 1000. Default: 8.
    rho
        rounds of slow mode from which competitors count as greedy. Accepted: from 1 to 10000. Default: 16.
    zeta
        rounds of fast mode after which Reno's window is reset. Accepted: from 1 to 10000. Default: 50.
    """

    kind: ClassVar = "yeah-paper"

    alpha: float | None = None
    gamma: float | None = None
    delta: float | None = None
    epsilon: float | None = None
    phi: float | None = None
    rho: float | None = None
    zeta: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Remycc(Record):
    """rules found by optimisation, in a table of the Remy project.

    Source: Winstein and Balakrishnan, SIGCOMM 2013.

    Parameters
    ----------
    table
        The table. Accepted: the path, from the scenario's folder, of a RemyCC table such as "RemyCC-2013-delta1.dna".
    sha256
        SHA-256 of the file in hexadecimal; a file with another is refused. Accepted: 64 hexadecimal digits. Absent:
        whatever the file has.
    """

    kind: ClassVar = "remycc"

    table: FilePath
    sha256: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class RemyccNs2(Record):
    """remycc as the agent of ns-2 has it: times in whole milliseconds, a new start after 0.2 s.

    Source: Winstein and Balakrishnan, SIGCOMM 2013.

    Parameters
    ----------
    table
        The table. Accepted: the path, from the scenario's folder, of a RemyCC table such as "RemyCC-2013-delta1.dna".
    sha256
        SHA-256 of the file in hexadecimal; a file with another is refused. Accepted: 64 hexadecimal digits. Absent:
        whatever the file has.
    """

    kind: ClassVar = "remycc-ns2"

    table: FilePath
    sha256: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class RemyccNs2Us(Record):
    """remycc-ns2 with a table whose times are in microseconds.

    Source: Winstein and Balakrishnan, SIGCOMM 2013.

    Parameters
    ----------
    table
        The table. Accepted: the path, from the scenario's folder, of a RemyCC table such as "RemyCC-2013-delta1.dna".
    sha256
        SHA-256 of the file in hexadecimal; a file with another is refused. Accepted: 64 hexadecimal digits. Absent:
        whatever the file has.
    """

    kind: ClassVar = "remycc-ns2-us"

    table: FilePath
    sha256: str | None = None


Cc: TypeAlias = (
    Name
    | Bic
    | Dctcp
    | Highspeed
    | Htcp
    | Hybla
    | Illinois
    | Lp
    | Scalable
    | Vegas
    | Veno
    | Westwood
    | Yeah
    | BicPaper
    | Compound
    | CompoundTuned
    | Copa
    | Cubic20
    | CubicRfc8312
    | DctcpRfc8257
    | Fast
    | FixedRate
    | FixedWindow
    | HighspeedRfc3649
    | HtcpPaper
    | HyblaPaper
    | IllinoisPaper
    | Ledbat
    | LedbatPlusPlus
    | LpPaper
    | ScalablePaper
    | VegasPaper
    | VenoPaper
    | WestwoodPaper
    | YeahPaper
    | Remycc
    | RemyccNs2
    | RemyccNs2Us
    | str
    | Mapping[str, str | float]
)
"""Type of the fields that accept a table of the family *cc*."""
