"""Cards, sections and rows that are small, or have numbers by hand."""

import dataclasses

from ackclock.judge.card import chosen
from ackclock.judge.card.candidate import BESIDE
from ackclock.judge.card.card import Card
from ackclock.judge.card.judge import Judged, beside, judged
from ackclock.judge.card.perform import Cell, measured, planned
from ackclock.judge.card.section import Point, Row, Scenario, Section


def part(number, *names, duration=None):
    """A section with some of its scenarios, which may be shorter."""
    (section,) = chosen((number,))
    kept = [one for one in section.scenarios if not names or one.name in names]
    if duration is not None:
        kept = [dataclasses.replace(one, network=one.network | {"duration": duration}) for one in kept]
    return dataclasses.replace(section, scenarios=tuple(kept))


def card_of(candidate, *sections, seeds=(1, 2), threads=1, quick=True):
    """The card of a candidate by these sections."""
    plan = planned(sections, candidate, seeds, quick=quick)
    return Card(candidate, sections, plan, tuple(judged(measured(plan, candidate, threads=threads))), quick)


def row(direction="lower", *, harm=()):
    """A row whose better numbers are in this direction."""
    return Row("Number", "lost", "%", direction, harm=harm)


def cell(one, section="5.1.1", scenario="path"):
    """The place of a row in a scenario without a network."""
    made = Scenario(scenario, "A path.", {}, (), (one,), (Point(""),))
    return Cell(Section(section, "Title", "MUST", "Asks.", (made,)), made, Point(""))


def judge(candidate, cubic, reno, direction="lower", **where):
    """A row with the numbers of the three by seed."""
    one = row(direction)
    values = {"candidate": candidate, "cubic": cubic, "reno": reno}
    compared = {who: beside(candidate, values[who], direction) for who in BESIDE}
    return Judged(cell(one, **where), one, values, compared)
