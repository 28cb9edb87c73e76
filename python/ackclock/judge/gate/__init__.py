"""A gate for every commit: scenarios against a baseline that is a file of the user's repository.

- `Baseline` is the file: for each scenario the measures with direction and tolerance, and their values by seed.
- `take` runs scenarios and makes or renews a baseline; `pass_through` runs them again and judges them.
- `Verdicts` are the results, as JSON, JUnit XML and Markdown.
"""

from __future__ import annotations

from ackclock.judge.gate.baseline import Baseline, Entry, Made, Values
from ackclock.judge.gate.expected import DEFAULTS, Expected
from ackclock.judge.gate.judge import Judged, Verdicts
from ackclock.judge.gate.perform import Asked, asked, pass_through, take
from ackclock.judge.gate.refused import GateError

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
