"""Values, estimates and comparisons over the runs of a store, and seeds until an interval is narrow."""

import math

import numpy as np
import pytest

import ackclock
from ackclock import stats
from ackclock.report.experiment.measures import default_measures
from ackclock.results.measure import Measure, MeasureError
from ackclock.sweeps import SweepError
from tests.helpers.scenarios import SMALL, SWEPT

GRID = {"flows[0].cc": ["reno", "cubic"], "bottleneck.rate": ["2Mbps", "4Mbps"]}
GOODPUT = "flows.goodput_bps"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with ackclock.sweep(SWEPT, GRID, seeds=6, out=tmp_path_factory.mktemp("e") / "store") as made:
        yield made


def alone(overrides, seeds):
    return [ackclock.run(SWEPT, seed=seed, overrides=overrides).flows["goodput_bps"][0] for seed in seeds]


def test_values_are_those_of_single_runs(store):
    found = store.values(GOODPUT)
    assert [dict(one.params) for one in found] == [dict(point) for point in store.sweeps[0].points]
    for one in found[1:3]:
        assert one.seeds.tolist() == [1, 2, 3, 4, 5, 6]
        assert one.values.tolist() == alone(dict(one.params), one.seeds.tolist())


def test_estimates_are_means_over_the_seeds(store):
    for one, found in zip(store.values(GOODPUT), store.estimates(GOODPUT, level=0.9), strict=True):
        assert found.estimate == stats.mean(one.values, level=0.9)
        assert found.document()["mean"] == pytest.approx(one.values.mean())


def test_comparisons_are_paired_at_every_other_setting(store):
    found = store.compare("flows[0].cc", "cubic", "reno", GOODPUT)
    assert [dict(one.params) for one in found] == [{"bottleneck.rate": "2Mbps"}, {"bottleneck.rate": "4Mbps"}]
    values = {tuple(one.params.values()): one.values for one in store.values(GOODPUT)}
    for one in found:
        rate = one.params["bottleneck.rate"]
        expected = stats.compare(values["cubic", rate], values["reno", rate])
        assert one.comparison.difference == expected.difference
        assert one.comparison.n == 6


def test_pairs_are_the_seeds_that_both_have(tmp_path):
    def measure(result):
        if result.seed in (2, 5) and result.flows["cc"][0] == "cubic-linux":
            raise RuntimeError("no luck")
        return {"x": float(result.seed)}

    with ackclock.sweep(SWEPT, {"flows[0].cc": ["reno", "cubic"]}, seeds=5, measure=measure) as made:
        (one,) = made.compare("flows[0].cc", "cubic", "reno", "measures.x")
        assert (one.comparison.n, one.comparison.difference.value) == (3, 0)
        assert [len(values.values) for values in made.values("measures.x")] == [5, 3]


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda store: store.values("flows.goodputt"), "no column goodputt"),
        (lambda store: store.values("flaws.goodput_bps"), "no table flaws"),
        (lambda store: store.values("flows"), "not a column of a table"),
        (lambda store: store.compare("flows[0].cc", "bbr", "reno", GOODPUT), "never 'bbr'; it is 'reno', 'cubic'"),
        (lambda store: store.compare("mss", 1, 2, GOODPUT), "not varied; what is: flows"),
    ],
)
def test_what_cannot_be_is_refused(store, ask, told):
    with pytest.raises(ValueError, match=told):
        ask(store)


def test_a_point_without_a_value_has_no_estimate():
    def measure(result):
        return {"x": np.nan if result.flows["cc"][0] == "cubic-linux" else 1.0}

    with ackclock.sweep(SWEPT, {"flows[0].cc": ["reno", "cubic"]}, seeds=2, measure=measure) as made:
        first, second = made.estimates("measures.x")
        assert first.estimate.value == 1
        assert second.estimate is None
        assert second.document()["ci"] is None


class TestUntil:
    def test_seeds_are_added_until_the_interval_is_narrow(self, tmp_path):
        sweeps = {}
        for threads in (1, 3):
            with ackclock.sweep(
                SWEPT, GRID, until="ci=1%,least=3,most=40", of=GOODPUT, out=tmp_path / str(threads), threads=threads
            ) as made:
                sweeps[threads] = [one.seeds.tolist() for one in made.values(GOODPUT)]
                for one in made.estimates(GOODPUT):
                    narrow = one.estimate.half_width <= 0.01 * one.estimate.value
                    assert narrow or one.estimate.n == 40
                    # One seed less would not have done, as far as seeds came one by one.
                    assert one.estimate.n >= 3
        assert sweeps[1] == sweeps[3]
        counts = [len(seeds) for seeds in sweeps[1]]
        assert len(set(counts)) > 1
        assert all(seeds == list(range(1, 1 + len(seeds))) for seeds in sweeps[1])

    def test_started_again_it_does_nothing(self, tmp_path):
        ran = []

        def measure(result):
            ran.append(result.seed)
            return {"x": float(np.random.default_rng(result.seed).normal(10, 1))}

        for _ in range(2):
            with ackclock.sweep(
                SWEPT, measure=measure, until="ci=3%,least=4", of="measures.x", out=tmp_path / "out"
            ) as made:
                (one,) = made.estimates("measures.x")
        assert one.estimate.half_width <= 0.3
        assert sorted(ran) == list(range(1, 1 + one.estimate.n))
        assert one.estimate.n > 20

    def test_a_point_without_values_ends(self):
        def measure(result):
            raise RuntimeError("never")

        with ackclock.sweep(SWEPT, measure=measure, until="ci=3%,least=4", of="flows.goodput_bps") as made:
            assert made.failed == 4

    def test_what_cannot_be_read(self):
        with pytest.raises(SweepError, match="name it too"):
            ackclock.sweep(SWEPT, until="ci=2%")
        with pytest.raises(SweepError, match="does not begin with ci=, level="):
            ackclock.sweep(SWEPT, until="2%", of=GOODPUT)
        with pytest.raises(MeasureError, match="is not a function"):
            ackclock.sweep(SWEPT, until="ci=2%", of="mode(flows.goodput_bps)")


class TestCompare:
    def test_two_scenarios_under_the_same_seeds(self):
        found = ackclock.compare(
            SWEPT.replace("5Mbps", "6Mbps"), SWEPT, ["flows.goodput_bps", "flows.segments_sent"], seeds=4
        )
        pair = [
            [ackclock.run(text, seed=seed).flows["goodput_bps"][0] for seed in (1, 2, 3, 4)]
            for text in (SWEPT.replace("5Mbps", "6Mbps"), SWEPT)
        ]
        assert found["flows.goodput_bps"].difference == stats.paired_difference(*pair)
        assert found["flows.goodput_bps"].unit == "bps"
        row = found.rows()[0]
        assert row["treated"] == pytest.approx(np.mean(pair[0]))
        assert row["relative"]["mean"] == pytest.approx(np.mean(pair[0]) / np.mean(pair[1]) - 1)
        assert "Goodput per flow" in found._repr_html_()

    def test_what_is_compared_without_being_asked(self):
        found = ackclock.compare(SWEPT, SWEPT, seeds=2)
        assert {"sum(flows.goodput_bps)", "links[bottleneck].queue_delay_p95_ms"} <= found.comparisons.keys()
        assert all(one.difference.value == 0 for one in found.comparisons.values())

    def test_replications_that_were_run_already(self):
        runs = ackclock.run(SWEPT, seeds=[3, 8])
        found = ackclock.compare(SWEPT, runs, ["flows.goodput_bps"])
        assert found.treated.seeds == [3, 8]
        other = ackclock.run(SWEPT, seeds=[3, 9])
        with pytest.raises(ValueError, match=r"same seeds: \[3, 8\] against \[3, 9\]"):
            ackclock.compare(runs, other)

    def test_a_measure_without_a_value(self):
        with pytest.raises(ValueError, match="no flow nobody"):
            ackclock.compare(SWEPT, SWEPT, ["flows[nobody].goodput_bps"], seeds=2)


@pytest.mark.parametrize(
    ("measure", "bounds"),
    [
        ("jain(flows.goodput_bps)", (0, 1)),
        ("links.utilisation", (0, 1)),
        ("sum(links.utilisation)", (0, math.inf)),
        ("count(flows.goodput_bps)", (0, math.inf)),
        ("voip.mos", (1, 4.5)),
        ("p95(window.srtt_ms)", (0, math.inf)),
        ("measures.anything", (-math.inf, math.inf)),
    ],
)
def test_measures_have_bounds(measure, bounds):
    assert Measure.parse(measure).bounds == bounds


def test_intervals_end_where_their_measure_does(tmp_path):
    """With two replications Student's interval of a utilisation near 1 would reach far beyond 1."""
    with ackclock.sweep(SMALL, seeds=2, out=tmp_path / "s") as store:
        [unbounded] = [stats.mean(one.values) for one in store.values("links[bottleneck].utilisation")]
        [bounded] = [one.estimate for one in store.estimates("links[bottleneck].utilisation")]
        assert unbounded.value == bounded.value
        assert bounded.high == min(unbounded.high, 1.0)
        [share] = [one.estimate for one in store.estimates("jain(flows.goodput_bps)")]
        assert 0 <= share.low <= share.value <= share.high <= 1


class TestMeasuresOfASweep:
    def test_the_store_keeps_what_the_sweep_is_about_and_the_report_shows_it(self, tmp_path):
        asked = ["p95(flows.srtt_ms)", GOODPUT]
        with ackclock.sweep(SWEPT, {"flows[0].cc": ["reno", "cubic"]}, of=asked, out=tmp_path / "s") as made:
            assert made.sweeps[0].measures == asked
            assert default_measures(made) == asked
        with ackclock.sweep(SWEPT, seeds=2, out=tmp_path / "t") as made:
            assert made.sweeps[0].measures == []
            assert GOODPUT in default_measures(made)

    def test_flows_that_no_point_has_are_refused_before_the_first_run(self, tmp_path):
        for wrong, told in (
            ("flows[nobody].goodput_bps", "there is no flow nobody; there are "),
            ("flows.godput_bps", "did you mean goodput_bps"),
            ("links[up].utilisation", "there is no link up; there are bottleneck"),
        ):
            with pytest.raises(MeasureError, match=told):
                ackclock.sweep(SWEPT, seeds=2, of=wrong, out=tmp_path / "none")
            assert not (tmp_path / "none").exists()

    def test_flows_that_no_run_has_are_refused_of_a_store(self, store):
        for ask in (store.values, store.estimates):
            with pytest.raises(MeasureError, match="there is no flow nobody; there are "):
                ask("flows[nobody].goodput_bps")
        with pytest.raises(MeasureError, match=r"there is no link up; there are bottleneck, bottleneck\.reverse"):
            store.estimates("links[up].utilisation")


def test_a_column_without_rows_is_an_empty_array(store):
    none = store.sql("SELECT point, seed, 'x' AS name FROM runs WHERE point > 99")
    assert [len(none[name]) for name in ("point", "seed", "name")] == [0, 0, 0]
