"""Names of the fields of a scenario, by their paths."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING

from ackclock import _core
from ackclock.results.names.words import capital, identifier_words

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["field_name"]

STEP = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:\[\s*([^\]]*?)\s*\])?")

PLACES = {"bottleneck": "of the bottleneck", "access": "of the access links", "probes": "of the probes"}
"""Tables of a scenario to the words for a field inside."""

FIELDS = {
    "queue.kind": "queue discipline",
    "queue.limit": "buffer",
    "reverse_queue.limit": "reverse buffer",
    "delay": "one-way delay",
    "reverse_delay": "reverse one-way delay",
    "count": "number of copies",
    "validation": "window validation",
    "stack": "TCP stack",
    "loss.probability": "loss",
    "app.kind": "application",
    "app.size": "size of the data",
    "app.users": "users",
}
"""Ends of paths that have names of their own."""


def field_name(path: str, flows: Sequence[str] = (), *, is_amount: bool = True) -> str:
    """The name of a field of a scenario, without a unit; a text that is not the path of a field is its own name.

    Parameters
    ----------
    path
        The path, such as ``flows[0].cc``.
    flows
        Names of the scenario's flows in their order. Without them a flow is named by its number.
    is_amount
        Whether the values are quantities. A queue of quantities is a buffer.
    """
    steps = [STEP.fullmatch(part) for part in path.split(".")]
    if any(step is None for step in steps) or steps[0] is None or steps[0][1] not in _roots():
        return path
    names = [step[1] for step in steps if step is not None]
    index = steps[0][2]
    if len(names) == 1:
        return capital(identifier_words(names[0]))
    inside = names[1:]
    noun = FIELDS.get(".".join(inside)) or _noun(inside)
    if inside in (["queue"], ["reverse_queue"]) and is_amount:
        noun = noun.replace("queue", "buffer")
    if names[0] == "bottleneck" and inside[0].endswith("queue"):
        return capital(noun)
    return capital(" ".join(part for part in (noun, _place(names[0], index, flows)) if part))


def _noun(inside: Sequence[str]) -> str:
    """The words of the steps below a table; those of an application need not say so."""
    kept = [one for one in inside if one != "app"] or list(inside)
    return " ".join(identifier_words(one) for one in kept)


def _place(root: str, index: str | None, flows: Sequence[str]) -> str:
    if root == "flows":
        if index in (None, "", "*"):
            return ""
        if index.isdigit():
            return f"of {flows[int(index)]}" if int(index) < len(flows) else f"of flow {index}"
        return f"of {index}"
    if root == "links":
        return "of the links" if index in (None, "", "*") else f"of link {index}"
    return PLACES.get(root, f"of {identifier_words(root)}")


@cache
def _roots() -> frozenset[str]:
    """The fields at the top of a scenario."""
    return frozenset(json.loads(_core.schema())["properties"])
