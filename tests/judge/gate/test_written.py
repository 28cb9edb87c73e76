"""Figures, Markdown and JUnit XML of made verdicts."""

import math
from xml.etree import ElementTree

import pytest

from ackclock.judge import gate
from ackclock.judge.gate import written
from ackclock.stats.ranks import Shift
from tests.judge.gate.parts import MADE, verdicts


def judged(low, value, high, tolerance, **changed):
    given = {
        "scenario": "made",
        "expected": gate.Expected("flows.srtt_ms", "lower", 0.0, tolerance),
        "seeds": tuple(range(1, 21)),
        "before": 10.0,
        "now": 10.0 + value,
        "change": Shift(value, low, high),
        "tolerance": tolerance,
        "p": 0.5,
        "verdict": "open",
        "valueless": 0,
        "differences": (value,) * 20,
    }
    return gate.Judged(**given | changed)


def shown(*measures, notes=(), reason="because"):
    return gate.Verdicts(measures, 0.999, {"made": (MADE, MADE)}, {"made": ("2026-11-25", reason)}, 20, notes)


@pytest.mark.parametrize(
    ("interval", "tolerance", "figure"),
    [
        # Twelve characters to a side are three tolerances: one tolerance is four characters.
        ((0, 0, 0), 1, "........:...o...:........"),
        ((0.5, 1, 2), 1, "........:...0.==o====...."),
        ((-1, 0, 1), 1, "........====o====........"),
        ((-9, -2, -1.5), 1, "<===o==.:...0...:........"),
        ((2, 9, 12), 1, "........:...0...:...====>"),
        ((-math.inf, 0, math.inf), 1, "<===========o===========>"),
        ((math.inf, math.inf, math.inf), 1, "........:...0...:.......>"),
        ((1e300, 1e300, 1e300), 1e-300, "........:...0...:.......>"),
        # Without a tolerance, the farther end of the interval is the end of the figure.
        ((1, 2, 4), 0, "............0..===o======"),
        ((0, 0, 0), 0, "............o............"),
    ],
)
def test_a_figure_is_to_scale(interval, tolerance, figure):
    drawn = written.figure(judged(*interval, tolerance))
    assert len(drawn) == 25
    assert drawn == figure


def test_markdown_shows_text_as_it_is():
    text = written.markdown(shown(judged(0, 0, 0, 1), notes=("a | b <img>",), reason="*new* | `x`\\"))
    assert "Baseline of 2026-11-25: \\*new\\* \\| \\`x\\`\\\\ (" in text
    assert "- a \\| b \\<img\\>" in text
    assert "| `flows.srtt_ms` (ms) | 10 | 10 | +0 (+0 %) | [0, 0] | `........:...o...:........` | 0.5 | open |" in text


def test_what_is_not_finite_has_words():
    one = judged(math.inf, math.inf, math.inf, 1, now=math.nan, valueless=20, verdict="worse")
    assert written.numbers(one) == ("10", "no value", "+inf", "[inf, inf]")
    assert "20 of 20 runs have no value of it, which counts as the worst value." in written.sentence(one)
    assert written.markdown(shown(one)).startswith("## ackclock gate: failed")
    document = shown(one).document()
    assert (document["passed"], document["measures"][0]["now"], document["measures"][0]["high"]) == (False, None, None)


def test_an_improvement_is_a_failure_only_when_strict():
    verdict = shown(judged(-3, -2, -1.5, 1, verdict="better"))
    for strict in (False, True):
        root = ElementTree.fromstring(written.junit(verdict, strict=strict).split("\n", 1)[1])
        assert root.get("failures") == ("1" if strict else "0")
        assert (root.find("testsuite/testcase/failure") is not None) is strict
        assert ("failed" in written.markdown(verdict, strict=strict)) is strict


def test_the_numbers_are_those_of_the_seeds_that_were_run():
    before = [float(one) for one in range(100, 120)]
    found = verdicts([before], [[one + 0.5 for one in before]], gate.Expected("flows.srtt_ms", "lower", 0, 1))[0]
    assert (found.verdict, found.before, found.now, found.seeds) == ("within", 102.5, 103.0, (1, 2, 3, 4, 5, 6))
    assert written.numbers(found) == ("102.5", "103", "+0.5 (+0.49 %)", "[0.5, 0.5]")
