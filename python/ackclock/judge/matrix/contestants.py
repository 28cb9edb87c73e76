"""The congestion controls of a matrix by their labels: NAME of TCP, TRANSPORT:NAME, or call:NAME for a video call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ackclock._errors import RefusedError
from ackclock.base.near import suggestion
from ackclock.judge.card.candidate import CANDIDATE, SHARED, Candidate
from ackclock.scenario import catalogue

__all__ = ["CONTESTANTS", "contestant", "label_of"]

CONTESTANTS = (
    "bbr1", "bbr3", "bic", "cdg", "compound", "copa", "cubic", "dctcp", "fast", "highspeed", "htcp", "hybla",
    "illinois", "ledbat", "ledbat++", "lp", "nv", "prague", "reno", "scalable", "vegas", "veno", "westwood", "yeah",
    "quinn:cubic", "quinn:newreno", "quinn:bbr",
)  # fmt: skip
"""Labels of the contestants when none are named: each algorithm once, as Linux has it where Linux has it, and quinn's.

Left out are other readings of the same algorithm, such as cubic-rfc8312, and those that need a table or routers.
"""

TCP, CALL = "tcp", "call"


@dataclass(frozen=True)
class Call(Candidate):
    """A video call with a congestion control of media. Its rate is bounded, so that its share says little."""

    def placed(self, flow: dict[str, Any], who: str = CANDIDATE) -> dict[str, Any]:
        """A flow with the call in place of its application."""
        if who != CANDIDATE:
            return super().placed(flow, who)
        app = {"kind": "call", "control": self.name}
        return {name: value for name, value in flow.items() if name in SHARED} | {"app": app}


def contestant(label: str) -> Candidate:
    """The contestant with this label.

    Raises
    ------
    RefusedError
        If no transport or congestion control has the name.
    """
    transport, colon, name = label.rpartition(":")
    kinds = catalogue()
    if not colon:
        known = [row["name"] for row in kinds["cc"]]
        if name not in known:
            raise RefusedError(
                f"{label}: there is no congestion control {name}{suggestion(name, known)}; accepted: a name of "
                "`ackclock list cc`, one of --load, or TRANSPORT:NAME such as quinn:cubic"
            )
        return Candidate(name)
    if transport == CALL:
        known = [row["name"] for row in kinds["media"]]
        if name not in known:
            raise RefusedError(
                f"{label}: there is no congestion control of media {name}{suggestion(name, known)}; accepted: "
                f"call:NAME with one of {', '.join(known)}"
            )
        return Call(name, transport=CALL)
    transports = [row["name"] for row in kinds["transport"] if row["name"] != TCP]
    if transport not in transports or not name:
        raise RefusedError(
            f"{label}: there is no transport {transport}{suggestion(transport, transports)}; accepted: "
            f"TRANSPORT:NAME with one of {', '.join(transports)}; or call:NAME"
        )
    return Candidate(name, transport=transport)


def label_of(candidate: Candidate) -> str:
    """The label of a contestant: it is the same for the same algorithm, transport, stack and fields."""
    fields = "".join(f",{name}={value}" for name, value in candidate.fields)
    stack = "" if candidate.transport is not None or candidate.stack == "linux" else f"@{candidate.stack}"
    return (f"{candidate.transport}:" if candidate.transport else "") + candidate.name + stack + fields
