"""Tables of a scenario.

Written by ackclock.scenario._generate from the engine's schema; not to be edited.
"""

from __future__ import annotations

from dataclasses import dataclass

from ackclock.scenario._record import Record
from ackclock.scenario.distribution import Distribution
from ackclock.scenario.policer import Policer

__all__ = ["Access"]


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Access(Record):
    """The access links, which connect each flow's source and sink with the network.

    Every host of a flow has one of its own. A flow has one host on each side, unless its application has several.

    Parameters
    ----------
    rate
        Rate of both links in both directions. Accepted: a rate above zero such as "100Mbps", or a multiple of the
        bottleneck's such as "10x". Default: "10x".
    source_delay
        Propagation delay between the source and the bottleneck, one way, drawn once for every source host. Accepted: a
        class of `ackclock.scenario.distribution`, or a time such as "200ms" (units: ns, us, ms, s, min, h). Default:
        "0s".
    sink_delay
        Propagation delay between the bottleneck and the sink, one way, drawn once for every sink host. Accepted: a
        class of `ackclock.scenario.distribution`, or a time such as "200ms" (units: ns, us, ms, s, min, h). Default:
        "0s".
    source_policer
        Policer where the source's packets enter the network. Accepted: a class of `ackclock.scenario.policer`. Absent:
        none.
    sink_policer
        Policer where packets leave the network for the sink. Accepted: a class of `ackclock.scenario.policer`. Absent:
        none.
    reverse_sink_policer
        Policer where the sink's packets enter the network. Accepted: a class of `ackclock.scenario.policer`. Absent:
        none.
    reverse_source_policer
        Policer where packets leave the network for the source. Accepted: a class of `ackclock.scenario.policer`.
        Absent: none.
    gso
        Whether the hosts' TCP hands large packets (GSO) to a link whose gso takes them. Absent: true.
    gro
        Time for which a host's network card collects segments before the host merges them (GRO) and hands them to TCP.
        Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min, h). Absent: segments arrive one by one.
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
