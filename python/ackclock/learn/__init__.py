"""Congestion controls found by a search: tables of RemyCC for the networks that one expects.

The search is the one of Winstein and Balakrishnan, "TCP ex Machina: Computer-Generated Congestion Control" (SIGCOMM
2013). A design is a scenario with ranges in place of numbers. `train` searches for a table of rules for the networks in
these ranges, and a scenario uses the table as ``cc = { kind = "remycc", table = "x.dna" }``.

>>> from ackclock import learn
>>> training = learn.train("design.toml", "x.dna", delta=1, seconds=600)
>>> learn.write_page("x.dna", "x.html")
"""

from __future__ import annotations

from ackclock.learn.evaluation import SCHEMES, Evaluation, evaluate
from ackclock.learn.log import Log, LogError, log_of
from ackclock.learn.page import write_page
from ackclock.learn.shipped import DELTAS, design, designs, shipped
from ackclock.learn.training import Checked, Training, check, train

__all__ = [
    "DELTAS",
    "SCHEMES",
    "Checked",
    "Evaluation",
    "Log",
    "LogError",
    "Training",
    "check",
    "design",
    "designs",
    "evaluate",
    "log_of",
    "shipped",
    "train",
    "write_page",
]
