"""A search for the path or the cross traffic, within stated bounds, that hurts a congestion control most.

- `Bounds` are what the search may do; `Case` is one path with all that happens on it.
- `GOALS` are the kinds of damage: under-utilisation, delay, starvation of one of two equal flows, harm to CUBIC.
- `search` finds a case with CMA-ES and makes it small; `Found` has the case, its damage, and that of CUBIC and Reno.
"""

from __future__ import annotations

from ackclock.judge.worst.bounds import Bounds, span
from ackclock.judge.worst.case import Case
from ackclock.judge.worst.goals import GOALS, Goal
from ackclock.judge.worst.search import BUDGET, Found, search

__all__ = ["BUDGET", "GOALS", "Bounds", "Case", "Found", "Goal", "search", "span"]
