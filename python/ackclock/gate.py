"""A gate for every commit: scenarios against a baseline that is a file of the user's repository.

The public name of `ackclock.judge.gate`.
"""

from ackclock.judge.gate import (
    DEFAULTS,
    Asked,
    Baseline,
    Entry,
    Expected,
    GateError,
    Judged,
    Made,
    Values,
    Verdicts,
    asked,
    pass_through,
    take,
)

__all__ = [
    "DEFAULTS",
    "Asked",
    "Baseline",
    "Entry",
    "Expected",
    "GateError",
    "Judged",
    "Made",
    "Values",
    "Verdicts",
    "asked",
    "pass_through",
    "take",
]
