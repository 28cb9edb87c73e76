"""The candidate and the algorithms beside it, as fields of the flows that have them in turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ackclock.engine.run import SIM

if TYPE_CHECKING:
    from ackclock.judge.card.section import Scenario

__all__ = ["BESIDE", "CANDIDATE", "CUBIC", "RENO", "Candidate"]

CANDIDATE, CUBIC, RENO = "candidate", "cubic", "reno"
BESIDE = (CUBIC, RENO)
"""The algorithms in use that every card runs in the place of the candidate: those of RFC 9438 and RFC 5681."""

OWN_ECN = {"prague": "l4s", "dctcp": "dctcp", "dctcp-linux": "dctcp", "dctcp-rfc8257": "dctcp"}
"""Congestion controls that are specified with a mode of ECN, and that mode."""

SHARED = {
    "name", "count", "app", "start", "start_jitter", "group_jitter", "arrival", "class", "dscp", "source_host",
    "sink_host", "route", "return_route", "access",
}  # fmt: skip
"""Fields of a flow that every transport has. All others belong to TCP."""


@dataclass(frozen=True)
class Candidate:
    """The congestion control that a card is about, and how its flows run."""

    name: str
    stack: str = "linux"
    transport: str | None = None
    library: str | None = None
    """Path of the library that the transport is in; None if it is built in."""
    fields: tuple[tuple[str, str], ...] = ()
    """Further fields of the candidate's flows, with their values as text."""
    backend: str = SIM
    """sim, or a kernel by its exact name. All runs of a card have the same backend."""

    @property
    def title(self) -> str:
        """The candidate in words."""
        place = f" of {self.transport}" if self.transport else "" if self.stack == "linux" else f" on {self.stack}"
        fields = "".join(f", {name} = {value}" for name, value in self.fields)
        return f"{self.name}{place}{fields}" + ("" if self.backend == SIM else f", {self.backend}")

    def flows(self, scenario: Scenario, who: str, without: tuple[str, ...] = ()) -> list[dict[str, Any]]:
        """The flows of a scenario with the candidate, CUBIC or Reno in the place of the candidate."""
        kept = [dict(one) for one in scenario.flows if one["name"] not in without]
        return [self.placed(one, who) if one.pop("role", None) is not None else one for one in kept]

    def overrides(self, scenario: Scenario, who: str, without: tuple[str, ...] = ()) -> tuple[tuple[str, str], ...]:
        """The further fields of the candidate's flows as overrides of the scenario."""
        if who != CANDIDATE:
            return ()
        kept = [one for one in scenario.flows if one["name"] not in without]
        places = [place for place, one in enumerate(kept) if "role" in one]
        return tuple((f"flows[{place}].{name}", value) for place in places for name, value in self.fields)

    def placed(self, flow: dict[str, Any], who: str = CANDIDATE) -> dict[str, Any]:
        """A flow with the candidate, CUBIC or Reno in it; without the further fields, which are overrides."""
        if who != CANDIDATE:
            return flow | {"stack": self.stack, "cc": who}
        if self.transport is None:
            own = {"ecn": OWN_ECN[self.name]} if self.name in OWN_ECN else {}
            return flow | {"stack": self.stack, "cc": self.name} | own
        table = {"kind": self.transport, "cc": self.name}
        if self.library is not None:
            table["library"] = self.library
        return {name: value for name, value in flow.items() if name in SHARED} | {"transport": table}
