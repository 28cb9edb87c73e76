"""Published statements on these controls, beside which our numbers stand.

No table of results of RFC 8867's cases was found in a document that is open: the presentations of the working group
have figures. The statements here are of the abstract of a comparison in ns-3.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PUBLISHED", "Statement"]

ZHANG = "Zhang, Lei, Zhang, Guan: Congestion Control for RTP Media, SIMUtools 2019 (arXiv 1809.00304)"


@dataclass(frozen=True)
class Statement:
    """A published statement.

    Parameters
    ----------
    source
        The publication.
    statement
        The statement in our words.
    case
        Section of RFC 8867 whose case shows the same.
    column
        Column of the suite's table with the number that speaks for or against it.
    """

    source: str
    statement: str
    case: str
    column: str


PUBLISHED = (
    Statement(ZHANG, "GCC shares fairly.", "5.4", "max/min"),
    Statement(ZHANG, "GCC converges slowly when the capacity changes.", "5.1", "first rise s"),
    Statement(ZHANG, "NADA settles on a rate quickly.", "5.1", "first rise s"),
    Statement(ZHANG, "NADA has a late-comer effect.", "5.4", "max/min"),
    Statement(ZHANG, "SCReAM has the shortest queue, and a lower utilisation.", "5.1", "delay ms"),
)
"""The statements."""
