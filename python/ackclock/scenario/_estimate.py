"""Estimate of the size of a run before the run starts, and of the size that is too large for this machine."""

from __future__ import annotations

import math
import os
import sys
from typing import TYPE_CHECKING, NamedTuple

from ackclock import _core
from ackclock._errors import Problem, ScenarioError
from ackclock.cc import registry
from ackclock.scenario._source import load, named, override_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.scenario._source import Overrides, Source, Text

__all__ = ["Estimate", "estimate", "refuse_huge"]


class Estimate(NamedTuple):
    """Size that a run of a scenario may reach. The numbers err towards too much."""

    packets: int
    """Packets that the links carry or drop, each counted at every link; access links are none."""
    opportunities: int
    """Delivery opportunities that cellular links draw, whether packets use them or not."""
    rows: int
    """Rows of all tables."""
    memory: int
    """Bytes of memory, besides those of a process in which nothing has run."""
    parts: tuple[tuple[str, int], ...]
    """The fields of the scenario that take the memory, those that take most first, with the bytes of each."""

    def __str__(self) -> str:
        drawn = f"{_count(self.opportunities)} opportunities of cellular links, " if self.opportunities else ""
        rows = f"{_count(self.rows)} table rows"
        return f"at most {_count(self.packets)} packets, {drawn}{rows}, {size(self.memory)} of memory"


def estimate(scenario: Source, overrides: Overrides | None = None) -> Estimate:
    """Estimates how large a run of a scenario will be, without running it.

    The formula is an upper bound with few exceptions. Packets follow from what the applications ask for, from what the
    links can carry in the time, and from what receive windows and random losses allow; rows from the packets, the
    round trips and the probes; memory from the rows, the flows and the queues. Over the scenarios of the repository the
    estimated packets are 1 to 5 times those of the run, and the rows 2 to 8 times. They are more where timeouts or slow
    start limit the flows: 20 and 35 times in the incast of the gallery. Of the bins of completion times, all that there
    may be are counted.

    Raises
    ------
    ScenarioError
        With everything that is wrong with the scenario.
    """
    text = load(scenario)
    return _estimate(text, override_pairs(overrides))


def _estimate(text: Text, pairs: list[tuple[str, str]]) -> Estimate:
    with named(text):
        found = _core.estimate(text.text, text.format, pairs, text.folder, registry.algorithms())
    packets, opportunities, rows, memory = (_whole(number) for number in found[:4])
    return Estimate(packets, opportunities, rows, memory, tuple((field, _whole(taken)) for field, taken in found[4]))


def _whole(number: float) -> int:
    """The whole number that is no less; there is no largest one."""
    return math.ceil(min(number, sys.float_info.max))


def refuse_huge(text: Text, pairs: Sequence[tuple[str, str]], most: int | None = None) -> None:
    """Refuses a scenario whose run may take more memory than this machine has, or than `most` bytes.

    Raises
    ------
    ScenarioError
        With the field that takes most of the memory.
    """
    found = _estimate(text, list(pairs))
    have = physical_memory() if most is None else most
    if have is not None and found.memory > have:
        field, part = found.parts[0]
        message = (
            f"a run may take {size(found.memory)} of memory, {size(part)} of it for this, and this machine has "
            f"{size(have)}; accepted: {_remedy(found, have)}, a shorter duration, or the option --large (large=True in "
            "Python) to run it all the same"
        )
        raise ScenarioError([Problem(path=field, line=None, message=message)], text.name)


REMEDIES = {
    "probes.window": "a longer probes.interval, or probes.from and probes.to around a part of the run",
    "probes.packets": "probes.from and probes.to around a part of the run, or probes.packets = false",
    "probes.timeouts": "probes.from and probes.to around a part of the run, or probes.timeouts = false",
    "probes.interval": "a longer interval",
    "links": "fewer links",
    "bottleneck.queue": "a smaller queue, or a smaller receive_buffer of the flows",
    "count": "fewer copies, or copies with less traffic",
    "app": "less traffic, or none of its records",
}
"""Advice on the change that saves memory, by field of the scenario, or by the field of a flow."""


def _remedy(found: Estimate, have: float) -> str:
    """Advice on the field that takes most of the memory, with the share of it for which there is room."""
    field, part = found.parts[0]
    remedy = REMEDIES[field.rpartition("].")[2]]
    room = have - (found.memory - part)
    if room > 0:
        return f"{remedy} (there is room for {_three_digits(100 * room / part)} % of it)"
    others = [f"{other} ({size(taken)})" for other, taken in found.parts[1:] if taken > have / 10]
    return f"{remedy}, and less for {' and '.join(others)}" if others else remedy


def physical_memory() -> int | None:
    """Bytes of memory of this machine; None where it does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def size(count: float) -> str:
    """A number of bytes for people."""
    for unit, scale in (("TiB", 2**40), ("GiB", 2**30)):
        if count >= scale:
            return f"{_three_digits(count / scale)} {unit}"
    return f"{count / 2**20:.0f} MiB"


def _three_digits(number: float) -> str:
    if number >= 1e12:
        return f"{number:.1e}"
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def _count(number: int) -> str:
    """A count for people."""
    return f"{number:.1e}" if number >= 1e12 else f"{number:,}"
