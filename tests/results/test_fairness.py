"""Measures of sharing against numbers worked by hand."""

import math

import pytest

from ackclock.results import fairness
from tests.helpers.tables import make_result, make_table


def shared(*rows, starts=(0.0, 0.0), step=1.0):
    """A result whose flows have these goodputs in intervals of `step` seconds."""
    names = [f"f{number}" for number in range(len(starts))]
    flows = make_table(flow=names, start_s=list(starts))
    cells = [
        ((index + 1) * step, name, float(rate))
        for index, row in enumerate(rows)
        for name, rate in zip(names, row, strict=True)
    ]
    times, flow, goodput = (list(column) for column in zip(*cells, strict=True))
    return make_result(1, flows=flows, rates=make_table(time_s=times, flow=flow, goodput_bps=goodput))


def test_jain_of_each_interval():
    times, index = fairness.jain_over_time(shared((1, 1), (3, 1), (4, 0), (0, 0)))
    # 16 / (2 * 10); one has everything; nobody has anything.
    assert times.tolist() == [1, 2, 3, 4]
    assert index.tolist() == pytest.approx([1.0, 0.8, 0.5, 1.0])


def test_a_flow_counts_from_its_start():
    result = shared((0, 0, 0), (4, 0, 0), (3, 1, 0), (2, 2, 0), starts=(1.0, 1.5, 4.0))
    times, index = fairness.jain_over_time(result)
    # Alone until 2 s, in whose interval the second starts; the third starts with the end.
    assert times.tolist() == [2, 3, 4]
    assert index.tolist() == pytest.approx([0.5, 0.8, 1.0])
    assert fairness.jain_over_time(result, ["f0"])[1].tolist() == [1, 1, 1]


def test_flows_have_converged_when_their_shares_stay_fair():
    rows = [(100, 1), (70, 30), (54, 46), (60, 40), (55, 45), (45, 55), (50, 50), (56, 44)]
    result = shared(*rows)
    # 54 and 46 are within a tenth of a half, but not for two seconds; from 4 s on they are for three.
    assert fairness.convergence_time(result) == 2
    assert fairness.convergence_time(result, hold=2) == 4
    assert fairness.convergence_time(result, hold=3) == 4
    assert math.isnan(fairness.convergence_time(result, hold=4))
    assert fairness.convergence_time(result, hold=4, delta=0.2) == 2
    assert fairness.convergence_time(result, delta=0.05) == 6
    assert fairness.convergence_time(result, after=3) == 1
    assert fairness.convergence_time(result, after=2.5) == 1.5
    assert fairness.convergence_time(shared((1, 1), (1, 1)), after=0) == 0


def test_convergence_is_counted_from_the_start_of_the_last_flow():
    rows = [(9, 0, 0), (5, 5, 0), (5, 5, 0), (5, 4, 1), (3, 3, 3), (3, 3, 3)]
    result = shared(*rows, starts=(0.0, 0.5, 1.5), step=0.5)
    assert fairness.convergence_time(result) == 0.5
    assert fairness.convergence_time(result, ["f0", "f1"]) == 0
    assert math.isnan(fairness.convergence_time(shared((0, 0), (0, 0), (0, 0)))), "nobody has anything"
    assert math.isnan(fairness.convergence_time(shared((1, 1)))), "one interval is no series"


def test_harm_is_what_is_lost_of_the_better():
    assert fairness.harm(2e6, 8e6, more_is_better=True) == 0.75
    assert fairness.harm(40.0, 10.0, more_is_better=False) == 0.75
    assert fairness.harm(5.0, 5.0, more_is_better=True) == fairness.harm(5.0, 5.0, more_is_better=False) == 0
    assert fairness.harm(8.0, 4.0, more_is_better=True) == -1
    assert fairness.harm(0.0, 4.0, more_is_better=True) == 1
    assert fairness.harm(4.0, 0.0, more_is_better=False) == 1


@pytest.mark.parametrize(
    ("together", "alone", "more", "words"),
    [(1.0, 0.0, True, "alone above zero"), (0.0, 1.0, False, "together above zero"), (-1.0, 1.0, True, "at least")],
)
def test_harm_relative_to_nothing_is_refused(together, alone, more, words):
    with pytest.raises(ValueError, match=words):
        fairness.harm(together, alone, more_is_better=more)


def test_what_cannot_be_measured_is_refused():
    with pytest.raises(ValueError, match="no flow 'f9'; there are f0, f1"):
        fairness.jain_over_time(shared((1, 1)), ["f9"])
    with pytest.raises(ValueError, match="flows is empty"):
        fairness.convergence_time(shared((1, 1)), [])
    with pytest.raises(ValueError, match="delta must be between 0 and 1, not 1"):
        fairness.convergence_time(shared((1, 1)), delta=1)
    with pytest.raises(KeyError, match=r"probes\.rates = true"):
        fairness.jain_over_time(make_result(1, flows=make_table(flow=["f0"], start_s=[0.0])))
