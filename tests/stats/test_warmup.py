"""Warm-up: where it ends, and tables without it."""

import numpy as np
import pytest

import ackclock
from ackclock import stats
from tests.helpers.scenarios import SMALL
from tests.helpers.tables import make_table


def reference(values):
    """MSER-5 as it is written down: of every cut, the variance of what is left over its number."""
    means = [np.mean(values[i : i + 5]) for i in range(0, len(values) - 4, 5)]
    rule = [np.sum((means[d:] - np.mean(means[d:])) ** 2) / (len(means) - d) ** 2 for d in range(len(means) - 4)]
    return 5 * int(np.argmin(rule))


def transient(seed, n=400, size=20.0, decay=15.0):
    noise = np.random.default_rng(seed).normal(0, 1, n)
    return 50 + noise + size * np.exp(-np.arange(n) / decay)


@pytest.mark.parametrize("seed", range(8))
def test_mser5_is_the_rule_as_written(seed):
    values = transient(seed)[: 400 - seed]
    cut = stats.mser5(values)
    assert cut == reference(values)
    # The transient has fallen from 20 to the size of the noise of a mean of five values at about 60.
    assert 20 <= cut <= 120


def test_what_is_steady_loses_little():
    cuts = [stats.mser5(transient(seed, size=0)) for seed in range(40)]
    assert np.median([cut for cut in cuts if cut is not None]) <= 40


def test_a_step_is_cut_where_it_is():
    values = np.r_[np.zeros(60), np.full(140, 1 / 3)]
    assert stats.mser5(values) == 60
    # A batch that the step is in the middle of goes as a whole.
    assert stats.mser5(values[2:]) == 60
    assert stats.mser5(np.full(50, 0.1)) == 0


def test_what_never_settles_has_no_cut():
    assert stats.mser5(np.arange(200.0)) is None
    assert stats.mser5(np.r_[np.zeros(100), np.ones(100)]) == 100
    assert stats.mser5(np.r_[np.zeros(105), np.ones(95)]) is None
    assert stats.mser5(np.ones(49)) is None
    assert stats.mser5([]) is None


def test_the_end_cannot_win_by_being_alike():
    # The last three batches are the same value, all else is noise.
    values = np.r_[np.random.default_rng(5).normal(0, 1, 185), np.full(15, 0.3)]
    assert stats.mser5(values) is not None


def test_the_end_of_a_warm_up_is_a_time():
    values = np.r_[np.zeros(60), np.ones(140)]
    times = 2 + 0.5 * np.arange(200)
    assert stats.warmup_end(times, values) == times[60]
    # Empty cells are no values.
    gaps = np.r_[[np.nan] * 7, values]
    assert stats.warmup_end(np.r_[np.zeros(7), times], gaps) == times[60]


def test_uneven_values_are_taken_as_long_as_they_hold():
    # Many values in the first second, then one a second: unevenly, the warm-up is most of the values.
    times = np.r_[np.arange(0, 1, 0.005), np.arange(1, 101, 1.0)]
    values = np.r_[np.zeros(200), np.ones(100)]
    assert stats.warmup_end(times, values) is None
    assert stats.warmup_end(times, values, step_s=0.5) == 2.5
    assert stats.warmup_end(times + 3, values, step_s=0.2) == 4.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: stats.mser5([1.0, np.nan]), "NaN or infinity"),
        (lambda: stats.warmup_end([1.0], [1.0, 2.0]), "1 times have 2 values"),
        (lambda: stats.warmup_end([2.0, 1.0], [1.0, 2.0]), "must not decrease"),
        (lambda: stats.warmup_end([1.0, 2.0], [1.0, np.inf]), "infinity"),
        (lambda: stats.warmup_end([1.0, 2.0], [1.0, 2.0], step_s=0), "above zero and finite, not 0"),
    ],
)
def test_what_is_no_series_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def two_flows():
    """Two flows by turns: one is steady after 60 of its values, the other after 20."""
    time = np.repeat(np.arange(200.0), 2)
    slow, fast = np.r_[np.zeros(60), np.ones(140)], np.r_[np.zeros(20), np.ones(180)]
    values = np.column_stack([slow, fast]).ravel()
    return make_table(time_s=time.tolist(), flow=["slow", "fast"] * 200, cwnd=values.tolist(), n=[*range(400)])


def test_each_flow_has_a_warm_up_of_its_own():
    cut = stats.without_warmup(two_flows(), "cwnd")
    assert cut.column_names == ["time_s", "flow", "cwnd", "n"]
    for flow, first in (("slow", 60), ("fast", 20)):
        assert cut["time_s"][cut["flow"] == flow].tolist() == list(range(first, 200))
    assert (np.diff(cut["n"]) > 0).all()
    # Without a column that tells them apart it is one series, of which half the values change later.
    together = stats.without_warmup(two_flows(), "cwnd", by="link")
    assert together["time_s"].min() == 60


def test_a_plain_cut():
    cut = stats.without_warmup(two_flows(), "cwnd", after=150)
    assert cut["time_s"].min() == 150
    assert len(cut) == 100
    assert len(stats.without_warmup(two_flows(), "cwnd", after=1e9)) == 0


def test_a_flow_that_never_settles_is_named():
    table = make_table(time_s=[float(t) for t in range(100)], flow=["a"] * 100, cwnd=[float(t) for t in range(100)])
    with pytest.raises(ValueError, match=r"flow a: cwnd shows no steady state in 100 rows; run longer, or give after="):
        stats.without_warmup(table, "cwnd")
    with pytest.raises(KeyError, match="no column 'cwin'"):
        stats.without_warmup(table, "cwin", after=1)


def test_the_window_probe_of_a_run():
    window = ackclock.run(SMALL, overrides={"duration": "60s"}).window
    one = window.where(window["flow"] == "one")
    cut = stats.without_warmup(one, "srtt_ms", step_s=0.1)
    assert 0 < cut["time_s"].min() < 30
    assert cut["time_s"].max() == one["time_s"].max()
    assert set(cut["flow"]) == {"one"}


def test_rows_by_a_mask():
    table = make_table(name=["a", None, "c"], x=[1, None, 3], flag=[True, None, False])
    assert list(table.where(np.array([False, True, True])).cells()) == [(None, None, None), ("c", 3, False)]
    nothing = table.where(np.zeros(3, dtype=bool))
    assert (len(nothing), nothing.column_names) == (0, ["name", "x", "flag"])
    assert len(make_table().where(np.zeros(0, dtype=bool))) == 0
    with pytest.raises(ValueError, match="a mask of 3 rows has 2 values"):
        table.where(np.zeros(2, dtype=bool))
