"""A report card for a congestion control: RFC 9743 (BCP 133) section by section, beside CUBIC and Reno.

- `sections` are the RFC's sections of criteria as data: scenarios, their points, and the numbers that are compared.
- `make` runs them with the candidate, CUBIC and Reno in the same place, and gives a `Card` with a verdict for each row.
- `RULE` is the rule of the verdicts, which every page prints.
"""

from __future__ import annotations

from ackclock.judge.card.candidate import Candidate
from ackclock.judge.card.card import FULL, QUICK, Card, make
from ackclock.judge.card.judge import RULE, Judged
from ackclock.judge.card.section import Section, chosen, sections

__all__ = ["FULL", "QUICK", "RULE", "Candidate", "Card", "Judged", "Section", "chosen", "make", "sections"]
