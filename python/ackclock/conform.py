"""Conformance of congestion controls with the test cases of their documents.

The public name of `ackclock.judge.conform`.
"""

from ackclock.judge.conform import Case, Check, Outcome, Subject, cases, chosen, judged, perform

__all__ = ["Case", "Check", "Outcome", "Subject", "cases", "chosen", "judged", "perform"]
