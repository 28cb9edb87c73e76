"""The cross-check without its simulators: what it reads, and what it makes of it."""

from __future__ import annotations

import pytest

from tools.crosscheck import comparison
from tools.crosscheck.__main__ import main
from tools.crosscheck.comparison import MEASURES, Compared, load, read
from tools.crosscheck.simulators import Ackclock, Measures, Ns2, parse

PRINTED = """\
cmd select_ca bic
counters time 20 packets 1000 bytes 1500000 drops 10 queued 100.5 flow 600 flow 400
0x55 resizing timestamp table
counters time 80 packets 101000 bytes 151500000 drops 110 queued 3100.5 flow 80600 flow 20400
"""

PAIR = """
[[algorithm]]
simulator = "ns-2"
theirs = "bic"
ours = { kind = "bic", smooth = 5 }

[[algorithm.difference]]
measures = ["loss", "queue"]
theirs = "more"
cause = "a cause"
experiment = "an experiment"
"""


def measures(**changed: float) -> Measures:
    values = {"utilisation": 1.0, "loss": 1e-3, "queue": 40.0, "share": 0.5} | changed
    return Measures(**values)


def test_measures_are_between_the_two_lines_of_counters() -> None:
    read = parse(PRINTED)
    assert read.utilisation == pytest.approx(150e6 * 8 / (60 * 20e6))
    assert read.loss == pytest.approx(100 / 100_100)
    assert read.queue == pytest.approx(50.0)
    assert read.share == pytest.approx(0.8)


def test_an_answer_without_counters_is_an_error_that_shows_it() -> None:
    with pytest.raises(ValueError, match=r"0 lines of counters.*cannot open"):
        parse("ns: cannot open dumbbell.tcl")


def test_a_difference_is_more_than_a_tenth_and_more_than_a_packet() -> None:
    (pair,) = read(PAIR)
    same = (measures(), measures())

    def unexplained(alone: Measures, beside: Measures) -> list[str]:
        return [reading.measure for reading in Compared.of(pair, same, (alone, beside)).unexplained()]

    assert unexplained(*same) == []
    assert unexplained(measures(utilisation=0.91), measures()) == []
    assert unexplained(measures(utilisation=0.89), measures()) == ["utilisation"]
    # The share is measured beside Reno; the other measures are those of the flow alone.
    assert unexplained(measures(share=0.1), measures(share=0.57, queue=1.0)) == ["share"]
    # Explained where theirs is more.
    assert unexplained(measures(loss=2e-3, queue=50.0), measures()) == []
    assert unexplained(measures(loss=5e-4, queue=30.0), measures()) == ["loss", "queue"]


def test_what_is_too_little_to_tell_is_no_difference() -> None:
    (pair,) = read(PAIR)
    ours, theirs = measures(loss=1e-5, queue=2.0, share=0.05), measures(loss=5e-5, queue=2.9, share=0.068)
    assert list(Compared.of(pair, (ours, ours), (theirs, theirs)).unexplained()) == []


def test_an_explanation_of_what_does_not_differ_is_outdated() -> None:
    (pair,) = read(PAIR)
    compared = Compared.of(pair, (measures(), measures()), (measures(loss=2e-3), measures()))
    assert [reading.measure for reading in compared.outdated()] == ["queue"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ('theirs = "other"', "theirs is more or less, not 'other'"),
        ('measures = ["delay"]', "measures are utilisation, loss, queue, share, not 'delay'"),
        ('measures = ["loss", "loss"]', "loss is explained twice"),
    ],
)
def test_a_mistake_in_the_pairs_is_named(wrong: str, message: str) -> None:
    key = wrong.split(" = ")[0]
    head, tail = PAIR.split("[[algorithm.difference]]")
    lines = [wrong if line.startswith(key) else line for line in tail.splitlines()]
    with pytest.raises(ValueError, match=f"ns-2 bic: .*{message.split(', not')[0]}"):
        read("\n".join([head, "[[algorithm.difference]]", *lines]))


def test_every_algorithm_of_ours_in_the_pairs_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.crosscheck.simulators.FROM_S", 1)
    monkeypatch.setattr("tools.crosscheck.simulators.TO_S", 2)
    ours = {str(pair.ours): pair.ours for pair in load()}
    assert len(ours) > 15
    for algorithm in ours.values():
        measured = Ackclock().run([algorithm, "reno"], ())
        assert 0.3 < measured.utilisation < 1.01, algorithm
        assert 0 < measured.share < 1, algorithm


def test_every_explanation_says_what_was_run() -> None:
    for pair in load():
        for measure, explanation in pair.explained.items():
            assert measure in MEASURES
            assert len(explanation.cause) > 20, pair
            assert len(explanation.experiment) > 20, pair


@pytest.mark.parametrize(("loss", "status"), [(1e-3, 0), (2e-3, 0), (5e-4, 1)])
def test_the_command_fails_where_a_difference_is_unexplained(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], loss: float, status: int
) -> None:
    monkeypatch.setattr("tools.crosscheck.__main__.load", lambda: comparison.read(PAIR))
    monkeypatch.setattr(Ns2, "install", lambda _self: None)
    monkeypatch.setattr(Ns2, "run", lambda _self, _algorithms, _settings: measures(loss=loss))
    monkeypatch.setattr(Ackclock, "run", lambda _self, _algorithms, _settings: measures())
    assert main([]) == status
    printed = capsys.readouterr().out
    assert "bic (smooth 5) | ns-2 bic" in printed
    assert ("UNEXPLAINED" in printed) == bool(status)
    assert ("a cause" in printed) == (loss == 2e-3)
