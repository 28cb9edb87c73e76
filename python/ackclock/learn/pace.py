"""Estimate of the time that a search still takes.

Each epoch improves all rules, and a split adds a few. The CPU time until a number of rules is therefore about
proportional to its square. The searches of the tables that come with ackclock followed this within a factor of two from
their fifth split on.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ackclock.learn.log import Log

__all__ = ["at_last_split_s", "left_cpu_s"]

KNOWN_FROM = 0.1
"""Share of the limit of rules from which the time is estimated."""


def at_last_split_s(log: Log) -> float:
    """CPU seconds of a search until its last split."""
    splits = [number for number, line in enumerate(log.decisions, 1) if json.loads(line)["do"] == "split"]
    last = splits[-1] if splits else 0
    return sum(float(session["cpu_s"]) for session in log.sessions if session["decisions"] <= last)


def left_cpu_s(status: dict[str, Any], limit: int, at_split_s: float, cpu_s: float) -> float | None:
    """CPU seconds until a search ends at its limit of rules; None while too little is known.

    `at_split_s` is the CPU time until the last split, and `cpu_s` that until now. The search ends earlier if splits
    give no better table.
    """
    rules: int = status["rules"]
    splits: int = status["generation"]
    if status["finished"]:
        return 0.0
    if splits < 2 or rules < KNOWN_FROM * limit:
        return None
    added = (rules - 1) / splits
    # The search ends with the epoch after the split that reaches the limit.
    end = max(limit, rules) + added
    return max(0.0, at_split_s * (end / rules) ** 2 - cpu_s)
