"""The test cases of rmcat: RFC 8867 and RFC 8869, with the measures of RFC 8868, for congestion controls of media.

- `case` describes a test case as data, and its scenario.
- `basic`, `further` and `wireless` have the cases of RFC 8867 section 5, of its section 6, and of RFC 8869.
- `cases` has all of them, and the choice.
- `measures` reads the measures of RFC 8867 section 4.1 and RFC 8868 section 3 from the tables of a run.
- `suite` runs cases for controls and seeds, judges the few numbers that the RFCs give, and writes documents and pages.
- `figure` draws a case.
"""

from __future__ import annotations

from ackclock.judge.rmcat.case import Case
from ackclock.judge.rmcat.cases import CASES, CONTROLS, chosen
from ackclock.judge.rmcat.suite import Outcome, Suite, run_suite

__all__ = ["CASES", "CONTROLS", "Case", "Outcome", "Suite", "chosen", "run_suite"]
