"""The test cases of rmcat: RFC 8867, with the measures of RFC 8868, for congestion controls of media.

- `cases` describes the basic cases of RFC 8867 section 5 as scenarios.
- `measures` reads the measures of RFC 8867 section 4.1 and RFC 8868 section 3 from the tables of a run.
- `suite` runs cases for controls and seeds, judges the few numbers that the RFCs give, and writes documents and pages.
- `figure` draws a case.
"""

from __future__ import annotations

from ackclock.judge.rmcat.cases import CASES, CONTROLS, Case, chosen
from ackclock.judge.rmcat.suite import Outcome, Suite, run_suite

__all__ = ["CASES", "CONTROLS", "Case", "Outcome", "Suite", "chosen", "run_suite"]
