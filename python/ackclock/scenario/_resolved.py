"""The algorithms of flows after their stacks have supplied what the flows do not give."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypedDict

from ackclock import _core
from ackclock.cc import registry
from ackclock.scenario._source import load, named, override_pairs

if TYPE_CHECKING:
    from ackclock.scenario._source import Overrides, Source

__all__ = ["Resolved", "resolved", "told"]


class Resolved(TypedDict):
    """The algorithms of one flow and of its copies."""

    flow: str
    copies: int
    stack: str
    cc: str
    """Full name of the form: cubic-linux for cubic on the stack linux."""
    slow_start: str | None
    """Method of slow start; None if the congestion control has its own method, or is written in Python."""
    validation: str
    pacing: str
    """``off``, ``fq`` or ``after-idle``; ``cc`` if the congestion control sets the pacing rate."""


def resolved(scenario: Source, overrides: Overrides | None = None) -> list[Resolved]:
    """The algorithms of all flows that use TCP.

    Raises
    ------
    ScenarioError
        With everything that is wrong with the scenario.
    """
    text = load(scenario)
    with named(text):
        pairs = override_pairs(overrides)
        found = _core.resolved(text.text, text.format, pairs, text.folder, registry.algorithms())
    flows: list[Resolved] = json.loads(found)
    return flows


def told(flow: Resolved) -> str:
    """A flow's algorithms in a line."""
    copies = f" (x{flow['copies']})" if flow["copies"] > 1 else ""
    parts = [f"stack {flow['stack']}", flow["cc"]]
    if flow["slow_start"] is not None:
        parts.append(f"slow start {flow['slow_start']}")
    parts.append(f"validation {flow['validation']}")
    if flow["pacing"] != "off":
        parts.append("paced by the congestion control" if flow["pacing"] == "cc" else f"pacing {flow['pacing']}")
    return f"{flow['flow']}{copies}: {', '.join(parts)}"
