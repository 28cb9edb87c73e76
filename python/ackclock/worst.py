"""Searches for the path or the cross traffic, within bounds, that hurts a congestion control most.

The public name of `ackclock.judge.worst`.
"""

from ackclock.judge.worst import BUDGET, GOALS, Bounds, Case, Found, Goal, search, span

__all__ = ["BUDGET", "GOALS", "Bounds", "Case", "Found", "Goal", "search", "span"]
