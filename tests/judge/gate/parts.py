"""Baselines of made numbers, and the judgement of other ones."""

from ackclock.judge import gate
from ackclock.judge.gate.judge import Paired, accepted, judged

MADE = gate.Made("0.1.0", "00000000")
GOODPUT = gate.Expected("sum(flows.goodput_bps)", "higher", 0.0, 0.0)


def entry(rows, expected=GOODPUT, **changed):
    """A scenario of the baseline with one measure for each row of values."""
    given = {
        "hash": "0123456789abcdef",
        "made": MADE,
        "updated": "2026-11-25",
        "reason": "the first baseline",
        "seeds": tuple(range(1, len(rows[0]) + 1)),
        "measures": tuple(gate.Values(expected, tuple(map(float, row))) for row in rows),
    }
    return gate.Entry(**given | changed)


def verdicts(before, now, expected=GOODPUT, level=0.999, first=6):
    """The verdicts of a gate for rows of values, with its first look."""
    one = entry(before, expected)

    def paired(count):
        rows = zip(one.measures, now, strict=True)
        return [Paired("made", values, tuple(map(float, row[:count]))) for values, row in rows]

    pairs = paired(first) if accepted(paired(first)) else paired(len(one.seeds))
    return judged(pairs, {"made": one}, level)
