"""Tables of the family *policer*.

Written by ackclock.scenario._generate from the engine's schema; not to be edited.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from ackclock.scenario._record import Record

__all__ = ["Policer", "SingleRate", "TokenBucket", "TwoRate"]


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class TokenBucket(Record):
    """Two colours.

    A packet conforms if the bucket, and that of the peak rate where there is one, have tokens for all of its bytes
    (Linux, net/sched/act_police.c).

    Parameters
    ----------
    rate
        Rate of the tokens. Accepted: a rate above zero such as "1.5Mbps" (units: bps, kbps, Mbps, Gbps, Tbps).
    burst
        Depth of the bucket: the bytes that pass at once after an idle period. Accepted: a volume above zero such as
        "64KiB" (units: B, kB, KiB, MB, MiB, GB, GiB).
    peak_rate
        Peak rate, which a second bucket of mtu bytes meters. Accepted: a rate above zero such as "1.5Mbps" (units: bps,
        kbps, Mbps, Gbps, Tbps). Absent: the link's rate.
    mtu
        Depth of the bucket of the peak rate. Accepted: a volume above zero such as "64KiB" (units: B, kB, KiB, MB, MiB,
        GB, GiB). Absent: packet_size.
    exceed
        Action for packets that exceed the rates. Accepted: "drop", "mark" (CE on ECN-capable packets; others are
        dropped), "pass", or a traffic class from "class 0" to "class 7". Default: "drop".
    """

    kind: ClassVar = "token-bucket"

    rate: str
    burst: str
    peak_rate: str | None = None
    mtu: str | None = None
    exceed: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class SingleRate(Record):
    """Three colours of one rate with a committed and an excess burst, in the colour-blind mode (RFC 2697).

    Parameters
    ----------
    rate
        Committed information rate (CIR), which fills the committed bucket and then the excess bucket. Accepted: a rate
        above zero such as "1.5Mbps" (units: bps, kbps, Mbps, Gbps, Tbps).
    burst
        Committed burst size (CBS): depth of the committed bucket. Accepted: a volume above zero such as "64KiB" (units:
        B, kB, KiB, MB, MiB, GB, GiB).
    excess_burst
        Excess burst size (EBS): depth of the excess bucket. Accepted: a volume such as "64KiB" (units: B, kB, KiB, MB,
        MiB, GB, GiB). Absent: the value of burst.
    yellow
        Action for yellow packets, which take tokens from the excess bucket. Accepted: "drop", "mark" (CE on ECN-capable
        packets; others are dropped), "pass", or a traffic class from "class 0" to "class 7". Default: "pass".
    red
        Action for red packets, for which neither bucket has tokens. Accepted: "drop", "mark" (CE on ECN-capable
        packets; others are dropped), "pass", or a traffic class from "class 0" to "class 7". Default: "drop".
    """

    kind: ClassVar = "single-rate"

    rate: str
    burst: str
    excess_burst: str | None = None
    yellow: str | None = None
    red: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class TwoRate(Record):
    """Three colours of a committed and a peak rate, in the colour-blind mode (RFC 2698).

    Parameters
    ----------
    rate
        Committed information rate (CIR). Accepted: a rate above zero such as "1.5Mbps" (units: bps, kbps, Mbps, Gbps,
        Tbps).
    burst
        Committed burst size (CBS): depth of the committed bucket. Accepted: a volume above zero such as "64KiB" (units:
        B, kB, KiB, MB, MiB, GB, GiB).
    peak_rate
        Peak information rate (PIR), not below the committed rate. Accepted: a rate above zero such as "1.5Mbps" (units:
        bps, kbps, Mbps, Gbps, Tbps).
    peak_burst
        Peak burst size (PBS): depth of the peak bucket. Accepted: a volume above zero such as "64KiB" (units: B, kB,
        KiB, MB, MiB, GB, GiB). Absent: the value of burst.
    yellow
        Action for yellow packets, which exceed the committed rate. Accepted: "drop", "mark" (CE on ECN-capable packets;
        others are dropped), "pass", or a traffic class from "class 0" to "class 7". Default: "pass".
    red
        Action for red packets, which exceed the peak rate. Accepted: "drop", "mark" (CE on ECN-capable packets; others
        are dropped), "pass", or a traffic class from "class 0" to "class 7". Default: "drop".
    """

    kind: ClassVar = "two-rate"

    rate: str
    burst: str
    peak_rate: str
    peak_burst: str | None = None
    yellow: str | None = None
    red: str | None = None


Policer: TypeAlias = TokenBucket | SingleRate | TwoRate
"""Type of the fields that accept a table of the family *policer*."""
