"""Intervals that the output calls doubtful: few values, or a long tail for their number."""

import numpy as np
import pytest

import ackclock
from ackclock import stats
from ackclock.cli import main
from ackclock.stats.estimate import FEW, TAIL, skewness_of
from tests.helpers.scenarios import SWEPT

EVEN = np.arange(40.0)


def with_tail(n):
    """Values that are nearly the same, and one that is not."""
    return np.append(np.linspace(0, 1, n - 1), 30.0)


@pytest.mark.parametrize(
    ("values", "doubtful"),
    [
        (EVEN[: FEW - 1], True),
        (EVEN[:FEW], False),
        (EVEN, False),
        (with_tail(FEW), True),
        (with_tail(40), True),
        (-with_tail(40), True),
        (np.ones(20), False),
        ([1.0], False),
    ],
)
def test_an_interval_is_doubtful(values, doubtful):
    assert stats.mean(values).is_doubtful == doubtful
    assert stats.mean(values).scaled(1e3).is_doubtful == doubtful


def test_the_bound_is_the_skewness_over_the_root_of_the_number():
    draw = np.random.default_rng(1)
    for n in (5, 10, 20, 50):
        for values in draw.exponential(1, (200, n)):
            assert stats.mean(values).is_doubtful == (abs(skewness_of(values)) > TAIL * n**0.5)


def test_skewness():
    assert skewness_of(np.array([0.0, 0.0, 3.0])) == pytest.approx(1 / np.sqrt(2))
    assert skewness_of(np.array([-2.0, 0.0, 2.0])) == pytest.approx(0)
    assert skewness_of(np.array([1e300, -1e300, 1e300])) == pytest.approx(-1 / np.sqrt(2))
    assert skewness_of(np.array([1.0, 2.0])) == 0
    values = np.random.default_rng(2).exponential(1, 100_000)
    assert skewness_of(values) == pytest.approx(2, rel=0.1)


def test_differences_and_ratios_have_the_tail_of_the_differences():
    control = EVEN + 100
    treated = control + with_tail(40)
    assert stats.paired_difference(treated, control).is_doubtful
    assert stats.relative_change(treated, control).is_doubtful
    assert not stats.paired_difference(control + EVEN, control).is_doubtful


def test_most_intervals_of_a_kind_that_misses_are_doubtful_and_few_of_the_others():
    """Draws as those of docs/coverage.md: a timeout in a few runs, and normal values."""
    draw = np.random.default_rng(3)

    def share(values):
        found = [stats.mean(one) for one in values]
        return np.mean([one.is_doubtful for one in found if one.low < one.high])

    rare = 1 + 1.0 * (draw.random((400, 20)) < 0.05) + draw.normal(0, 1e-3, (400, 20))
    assert share(rare) > 0.6
    assert share(draw.normal(0, 1, (400, 20))) < 0.05


def test_the_output_says_it(tmp_path, capsys):
    (tmp_path / "x.toml").write_text(SWEPT, encoding="utf-8")
    assert main(["run", str(tmp_path / "x.toml"), "--seeds", "3"]) == 0
    assert "from fewer than 5 seeds, or from values with a long tail" in capsys.readouterr().err
    ackclock.sweep(SWEPT, {"flows[0].cc": ["reno", "cubic"]}, seeds=3, out=tmp_path / "store", threads=1).close()
    words = ["--against", "flows[0].cc=reno", "--of", "flows.srtt_ms"]
    assert main(["compare", str(tmp_path / "store"), *words]) == 0
    assert "the interval is from fewer than 5 seeds" in capsys.readouterr().err
