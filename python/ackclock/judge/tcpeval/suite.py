"""The suite: its words, and its tests by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock._errors import RefusedError
from ackclock.base.near import suggestion
from ackclock.judge.card.suite import Suite
from ackclock.judge.tcpeval.tests import tests

if TYPE_CHECKING:
    from ackclock.judge.card.section import Section

__all__ = ["TCPEVAL", "chosen"]

NOTE = (
    "**The traffic is ours.** The traces of the draft are not public. In their place, connections arrive as a Poisson "
    "process and fetch one object each, whose size is drawn from SURGE (Barford and Crovella, SIGMETRICS 1998). The "
    "links, the delays of the nine pairs of nodes, the loads and the buffers are those of the draft; durations, sizes "
    "of transfers, and the events of the tests of transients are chosen here. Numbers are therefore not comparable "
    "with those of others who have the traces."
)


def chosen(names: tuple[str, ...]) -> tuple[Section, ...]:
    """The tests with these names; all without any.

    Raises
    ------
    RefusedError
        With every name that no test has.
    """
    every = tests()
    known = [one.number for one in every]
    wrong = [name for name in dict.fromkeys(names) if name not in known]
    if wrong:
        lines = [f"--test {name}: the suite has no such test{suggestion(name, known)}" for name in wrong]
        raise RefusedError("\n".join([*lines, f"accepted: {', '.join(known)}"]))
    return tuple(one for one in every if not names or one.number in names)


TCPEVAL = Suite(
    name="tcpeval",
    title="Common TCP evaluation suite",
    subtitle="the tests of draft-irtf-iccrg-tcpeval-01 with traffic of our own, beside CUBIC and Reno",
    heading="Evaluation by the Common TCP Evaluation Suite",
    criteria="the tests of {{?I-D.irtf-iccrg-tcpeval}}",
    chosen=chosen,
    facts={"suite": "draft-irtf-iccrg-tcpeval-01", "traffic": NOTE.replace("*", "")},
    note=NOTE,
)
