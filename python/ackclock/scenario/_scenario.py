"""Tables of a scenario.

Written by ackclock.scenario._generate from the engine's schema; not to be edited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ackclock.scenario._access import Access
from ackclock.scenario._bottleneck import Bottleneck
from ackclock.scenario._flows import Flow
from ackclock.scenario._links import Link
from ackclock.scenario._probes import Probes
from ackclock.scenario._record import Record
from ackclock.scenario._source import Root

__all__ = ["Scenario"]


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Scenario(Root, Record):
    """A network, the flows over it and the data to record.

    Parameters
    ----------
    name
        Name of the scenario in output. Accepted: a name of ASCII letters, digits, spaces and _ + -. Default:
        "scenario".
    duration
        Simulated time that the run lasts. Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min, h).
    seed
        Seed of all random draws. Accepted: a whole number from 0 to 18446744073709551615. Default: 1.
    packet_size
        IP packet size of a full segment, headers included. Accepted: a volume from "104B" to "65535B" (units: B, kB,
        KiB, MB, MiB, GB, GiB). Default: "1500B".
    bottleneck
        The link that all flows share, from node left to node right.
    links
        Links besides the bottleneck, with the nodes that they join. Accepted: a list with at least one link, each of
        class `Link`. Absent: none.
    access
        The access links, which connect each flow's source and sink with the network; every host of a flow has one of
        its own. A flow has one host on each side, unless its application has several.
    flows
        The flows, each with its application and its TCP. Accepted: a list with at least one flow, each of class `Flow`.
    probes
        The data to record besides the summaries.
    """

    name: str | None = None
    duration: str
    seed: int | None = None
    packet_size: str | None = None
    bottleneck: Bottleneck
    links: Sequence[Link] | None = None
    access: Access | None = None
    flows: Sequence[Flow]
    probes: Probes | None = None
