"""The common TCP evaluation suite (draft-irtf-iccrg-tcpeval-01), with traffic of our own.

- `TCPEVAL` is the suite: its tests are sections of `ackclock.judge.card`, which runs and compares them.
- `traffic` draws web traffic from published distributions, in the place of the draft's traces, which are not public.
"""

from __future__ import annotations

from ackclock.judge.tcpeval.suite import TCPEVAL
from ackclock.judge.tcpeval.traffic import mean_size, sizes, traffic

__all__ = ["TCPEVAL", "mean_size", "sizes", "traffic"]
