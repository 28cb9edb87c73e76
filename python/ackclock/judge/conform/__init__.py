"""Conformance of congestion controls with the test cases of their documents."""

from __future__ import annotations

from ackclock.judge.conform.case import Case, Check, cases, chosen
from ackclock.judge.conform.perform import Outcome, Subject, judged, perform

__all__ = ["Case", "Check", "Outcome", "Subject", "cases", "chosen", "judged", "perform"]
