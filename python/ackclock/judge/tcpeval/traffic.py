"""Web traffic of a load, drawn from published distributions in the place of the draft's traces.

The draft's nine traces of tmix are not public. Here each pair of nodes has connections that arrive as a Poisson process
and fetch one object, whose size is that of SURGE (Barford and Crovella, SIGMETRICS 1998): a log-normal body with a
Pareto tail. Its numbers are those of `ackclock.scenario.traffic.tmix.Workload`. That a connection fetches one object is
chosen here: a session with think times would carry part of the load beyond the end of the run.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise
from statistics import NormalDist
from typing import Any

from ackclock.scenario.traffic.tmix import Workload

__all__ = ["EDGES", "mean_size", "sizes", "traffic"]

EDGES = tuple((left, right) for right in (2, 37, 75) for left in (0, 12, 25))
"""One-way delays of the nine pairs of nodes in ms, from a source to the core and from the core to a sink. Their RTTs
are 4, 28, 54, 74, 98, 124, 150, 174 and 200 ms plus twice the delay of the core."""

BODY = (0.001, 0.01, 0.05, *(step / 10 for step in range(1, 10)), 0.95, 0.99, 0.999)
"""Probabilities within the body at which the distribution has points; it is linear between them."""
TAIL = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.97, 0.98)
"""The same within the tail."""


@cache
def sizes() -> tuple[tuple[int, float], ...]:
    """Sizes of objects in bytes, each with the probability that an object is not larger.

    The body of SURGE has 93 % of the objects, and the tail begins at 133 kB. Here the smallest 93 % of the objects are
    of the body, cut off where the tail begins, so that the points ascend.
    """
    work = Workload()
    share = 1 - work.tail_share
    normal = NormalDist(work.body_mu, work.body_sigma)
    most = normal.cdf(math.log(work.tail_from))
    points = [(math.exp(normal.inv_cdf(one * most)), share * one) for one in BODY]
    points.append((float(work.tail_from), share))
    largest = 1 - (work.tail_from / work.largest) ** work.tail_alpha
    points += [
        (work.tail_from * (1 - one) ** (-1 / work.tail_alpha), share + work.tail_share * one)
        for one in TAIL
        if one < largest
    ]
    # Sizes beyond the largest are the largest, which needs two points: a distribution has no steps.
    points += [(float(work.largest - 1), share + work.tail_share * largest), (float(work.largest), 1.0)]
    return tuple((round(size), round(probability, 6)) for size, probability in points)


def mean_size() -> float:
    """Mean size of an object in bytes, of the distribution as the simulator draws it: linear between its points."""
    found = sizes()
    first = found[0][0] * found[0][1]
    return first + sum((after - before) * (small + large) / 2 for (small, before), (large, after) in pairwise(found))


def traffic(load: float, rate_bps: float, *, standard: bool = False) -> list[dict[str, Any]]:
    """The flows of the nine pairs of nodes, which together ask for a share `load` of a rate of the core.

    Headers are not part of the load. Each pair has a ninth of it. The flows are those of the candidate, or with
    `standard` those of CUBIC, whoever is the candidate.
    """
    who = {"stack": "linux", "cc": "cubic"} if standard else {"role": "candidate"}
    found = sizes()
    per_pair = load * rate_bps / 8 / mean_size() / len(EDGES)
    app = {
        "kind": "web",
        "sessions_per_second": float(f"{per_pair:.6g}"),
        "object_size": {
            "kind": "empirical",
            "values": [f"{size}B" for size, _ in found],
            "probabilities": [probability for _, probability in found],
        },
    }
    return [
        {
            "name": f"pair{number}",
            **who,
            "app": app,
            "access": {"source_delay": f"{left}ms", "sink_delay": f"{right}ms"},
        }
        for number, (left, right) in enumerate(EDGES)
    ]
