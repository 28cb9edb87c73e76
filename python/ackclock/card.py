"""Report cards of congestion controls by RFC 9743, beside CUBIC and Reno.

The public name of `ackclock.judge.card`.
"""

from ackclock.judge.card import FULL, QUICK, RULE, Candidate, Card, Judged, Section, chosen, make, sections

__all__ = ["FULL", "QUICK", "RULE", "Candidate", "Card", "Judged", "Section", "chosen", "make", "sections"]
