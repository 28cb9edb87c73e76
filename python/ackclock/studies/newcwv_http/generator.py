"""The authors' traffic generator: requests strictly one after another on one persistent connection a vector.

Their client writes a request, reads the whole answer, waits the blocking time, and goes on. Their vectors came from
captures: the volumes from sequence and acknowledgment numbers, the blocking times from pauses. The slides name traces
derived from CAIDA, which are not public. ``web-2013.vec`` has the vectors of the example capture beside their sources,
web traffic of June 2013. Its times between a request and its answer are those of the captured servers and their paths;
the authors' server answers at once, so they are left out. The header that their client writes is of unknown size and
left out too.
"""

from __future__ import annotations

import math
import random
from functools import cache
from typing import TYPE_CHECKING

from ackclock.scenario.traffic import tmix
from ackclock.studies.framework import study_file
from ackclock.studies.framework.setups.http_vectors import ARRIVING_S, vectors_name

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["LOADS", "captured", "draw", "generated", "generated_name"]

FILE = "web-2013.vec"

LOADS = {"": 0.54, "-light": 0.22, "-heavy": 0.88}
"""Suffix of the file to the part of the link's rate that the answers offer: those of the study's own vectors."""

LINK_BPS = 1e6
"""The rate of the bottleneck, in bit/s."""


@cache
def captured() -> tuple[tuple[tmix.Unit, ...], ...]:
    """The connections of the capture as exchanges: a request after its blocking time, and the answer at once.

    Data of one side that follows data of the same side belongs to the same request or answer. What a client sent
    without an answer is left out: the authors' client waits for the whole answer.
    """
    connections: list[tuple[tmix.Unit, ...]] = []
    for text in study_file(__package__, FILE).split("SEQ")[1:]:
        units: list[tmix.Unit] = []
        wait_us = 0
        for line in text.splitlines()[1:]:
            kind, number = line.split()
            if kind == "t":
                wait_us = int(number)
                continue
            initiator = kind == ">"
            if units and units[-1].initiator == initiator:
                last = units.pop()
                units.append(tmix.Unit(initiator, last.size + int(number), last.wait_us))
            else:
                units.append(tmix.Unit(initiator, int(number), wait_us if initiator else 0))
        connections.append(tuple(units if not units[-1].initiator else units[:-1]))
    return tuple(connections)


def draw(duration_s: float, *, seed: int, load: float) -> list[tmix.Connection]:
    """Connections that arrive within a time as a Poisson process, each drawn from the capture with replacement.

    `load` is the part of the link's rate that the answers offer on average. The same seed gives the same connections,
    on every machine.
    """
    vectors = captured()
    mean_bytes = sum(unit.size for one in vectors for unit in one if not unit.initiator) / len(vectors)
    per_second = load * LINK_BPS / 8 / mean_bytes
    number = random.Random(seed).random  # noqa: S311 -- a simulation's numbers
    found = []
    now = 0.0
    while (now := now - math.log1p(-number()) / per_second) < duration_s:
        found.append(tmix.Connection(round(now * tmix.MICROSECONDS), vectors[int(number() * len(vectors))]))
    return found


def generated_name(suffix: str, seed: int) -> str:
    """The name of the file with the connections of a load for a replication."""
    return vectors_name(f"-web2013{suffix}", seed)


def generated(seeds: Iterable[int], suffixes: Iterable[str] = tuple(LOADS)) -> dict[str, str]:
    """The files of connections that arrive until half a minute before the run ends: name to text."""
    chosen = tuple(suffixes)
    files = {}
    for seed in seeds:
        for suffix in chosen:
            made = draw(ARRIVING_S, seed=seed, load=LOADS[suffix])
            comment = f"drawn from web traffic of June 2013, {100 * LOADS[suffix]:g} % of 1 Mbit/s, seed {seed}"
            files[generated_name(suffix, seed)] = tmix.text(made, comment)
    return files
