"""Weights of points: how they are given, the means over a population, and that no run depends on them."""

import json
import math

import numpy as np
import pytest

import ackclock
from ackclock import LatinHypercube, Points, Range, stats
from ackclock.cli import main
from ackclock.store import StoreError
from ackclock.sweeps import SweepError
from ackclock.sweeps.vary import settings
from tests.helpers.scenarios import SWEPT

GOODPUT = "flows.goodput_bps"
PATHS = [
    {"bottleneck.rate": "2Mbps", "bottleneck.delay": "30ms", "weight": 1},
    {"bottleneck.rate": "4Mbps", "bottleneck.delay": "10ms", "weight": 3},
    {"bottleneck.rate": "6Mbps", "bottleneck.delay": "5ms", "weight": 0},
]
VARIANTS = {"flows[0].cc": ["reno", "cubic"]}
NETWORKS = {"slow": {"bottleneck.rate": "2Mbps"}, "fast": {"bottleneck.rate": "4Mbps"}}


def weights(vary, given=None):
    return [(one.weight, one.population) for one in settings(vary, given)]


class TestGiven:
    def test_by_the_points_of_a_list(self):
        found = settings(PATHS)
        assert [one.weight for one in found] == [1, 3, 0]
        assert {one.population for one in found} == {("bottleneck.rate", "bottleneck.delay")}
        assert all("weight" not in {**one.params, **one.overrides} for one in found)
        assert weights([{"a": 1}, {"a": 2}]) == [(None, ())] * 2

    def test_by_the_values_of_a_grid(self):
        vary = {"network": NETWORKS, "x": [1, 2], "y": [True, False]}
        given = {"network": {"fast": 3, "slow": 1}, "x": {1: 0.5, 2: 2}}
        over = ("network", "x")
        expected = [(0.5, over), (0.5, over), (2.0, over), (2.0, over), (1.5, over), (1.5, over), (6.0, over)]
        assert weights(vary, given) == [*expected, (6.0, over)]

    def test_a_list_with_every_point_of_a_grid(self):
        found = settings(Points(PATHS, VARIANTS))
        assert [(one.params["bottleneck.rate"], one.params["flows[0].cc"], one.weight) for one in found[:3]] == [
            ("2Mbps", "reno", 1),
            ("2Mbps", "cubic", 1),
            ("4Mbps", "reno", 3),
        ]
        assert {one.population for one in found} == {("bottleneck.rate", "bottleneck.delay")}

    @pytest.mark.parametrize(
        ("vary", "given", "told"),
        [
            ([{"a": 1, "weight": -1}, {"a": 2}, {"a": 3, "weight": math.nan}], None,
             "point 1: no weight; point 0: weight -1; point 2: weight nan; accepted: a finite number"),
            ([{"a": 1, "weight": 0}, {"a": 2, "weight": 0}], None, "all weights are zero"),
            ([{"a": 1, "weight": True}], None, "weight True"),
            ({"a": [1, 2]}, {"a": {1: 1, 3: "x"}}, "a has no value 3; weights: a=2: no weight; weights: a=3: 'x'"),
            ({"a": [1, 2]}, {"a": {1: 0, 2: 0}}, "all weights are zero"),
            ({"a": [1, 2]}, {"b": {1: 1}}, "b does not vary; what varies is a"),
            ({"a": [1, 2]}, {}, "weights is empty"),
            ({"a": [1, 2]}, {"a": [1, 2]}, "a: expected a dict of values and weights"),
            (PATHS, {"a": {1: 1}}, "each point has a key 'weight'"),
            (LatinHypercube({"a": Range(0, 1)}, 2), {"a": {1: 1}}, "weights are for the values of a grid"),
            (Points(PATHS, {"bottleneck.rate": ["1Mbps"]}), None, "bottleneck.rate: both in the list"),
        ],
    )  # fmt: skip
    def test_what_makes_no_sense_is_refused(self, vary, given, told):
        with pytest.raises(SweepError, match=told):
            settings(vary, given)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    out = tmp_path_factory.mktemp("weights") / "store"
    with ackclock.sweep(SWEPT, Points(PATHS, VARIANTS), seeds=6, out=out) as made:
        yield made


def values_at(store, rate, cc):
    return next(
        one.values
        for one in store.values(GOODPUT)
        if (one.params["bottleneck.rate"], one.params["flows[0].cc"]) == (rate, cc)
    )


class TestPopulation:
    def test_the_mean_is_weighted_and_has_an_interval_over_the_seeds(self, store):
        found = store.population(GOODPUT)
        assert [dict(one.params) for one in found] == [{"flows[0].cc": "reno"}, {"flows[0].cc": "cubic"}]
        for one in found:
            cc = one.params["flows[0].cc"]
            sums = (values_at(store, "2Mbps", cc) + 3 * values_at(store, "4Mbps", cc)) / 4
            plain = stats.mean(sums)
            assert one.estimate.value == pytest.approx(plain.value)
            assert (one.estimate.low, one.estimate.high) == pytest.approx((plain.low, plain.high))
            assert (one.estimate.n, len(one.points), list(one.missing)) == (6, 2, [])

    def test_more_names_can_be_told_apart(self, store):
        found = store.population(GOODPUT, by=["bottleneck.rate"])
        assert len(found) == 6
        assert found[0].estimate.value == pytest.approx(values_at(store, "2Mbps", "reno").mean())
        assert found[4].estimate is None, "a population whose only point has weight 0"

    def test_an_effect_is_that_of_the_weighted_differences(self, store):
        [*points, whole] = store.contrasts("flows[0].cc", "reno", [GOODPUT])
        assert [one.population for one in points] == [False] * 3
        assert whole.population
        assert dict(whole.params) == {}
        both = [
            values_at(store, rate, "cubic") - values_at(store, rate, "reno") for rate in ("2Mbps", "4Mbps", "6Mbps")
        ]
        for one, differences in zip(points, both, strict=True):
            assert one.difference == stats.mean(differences)
        plain = stats.mean((both[0] + 3 * both[1]) / 4)
        assert whole.difference.value == pytest.approx(plain.value)
        assert whole.difference.high == pytest.approx(plain.high)
        control = [values_at(store, rate, "reno").mean() for rate in ("2Mbps", "4Mbps")]
        assert whole.control_mean == pytest.approx((control[0] + 3 * control[1]) / 4)

    def test_a_point_without_a_value_leaves_no_mean(self, tmp_path):
        def measure(result):
            if (
                result.links["rate_bps"][0] == 2e6
                if "rate_bps" in result.links
                else result.flows["goodput_bps"][0] < 2e6
            ):
                raise RuntimeError("no luck")
            return {"x": float(result.seed)}

        with ackclock.sweep(SWEPT, PATHS, seeds=2, out=tmp_path / "s", measure=measure) as made:
            (found,) = made.population("measures.x")
        assert found.estimate is None
        assert list(found.missing) == [0]
        assert found.document() == {"params": {}, "points": 2, "missing": [0], "mean": None, "ci": None, "n": 0}

    def test_a_store_without_weights_says_how_to_get_them(self, tmp_path):
        with (
            ackclock.sweep(SWEPT, VARIANTS, seeds=1, out=tmp_path / "s") as made,
            pytest.raises(StoreError, match=r"have no weights; give .* a column weight"),
        ):
            made.population(GOODPUT)

    @pytest.mark.parametrize("last", [{"weight": 2}, {"bottleneck.rate": "6Mbps"}])
    def test_an_effect_needs_the_same_points_and_weights_on_both_sides(self, tmp_path, caplog, last):
        given = [("reno", "2Mbps"), ("reno", "4Mbps"), ("cubic", "2Mbps"), ("cubic", "4Mbps")]
        listed = [{"flows[0].cc": cc, "bottleneck.rate": rate, "weight": 1} for cc, rate in given]
        with ackclock.sweep(SWEPT, listed, seeds=2, out=tmp_path / "s") as made:
            assert [one.population for one in made.contrasts("flows[0].cc", "reno", [GOODPUT])] == [False, False, True]
        assert caplog.messages == []
        listed[3].update(last)
        with ackclock.sweep(SWEPT, listed, seeds=2, out=tmp_path / "t") as made:
            assert not any(one.population for one in made.contrasts("flows[0].cc", "reno", [GOODPUT]))
        (told,) = caplog.messages
        assert told.endswith("the points with flows[0].cc=cubic and with flows[0].cc=reno have different weights")


def test_other_weights_run_nothing_again(tmp_path):
    out = tmp_path / "s"
    means = []
    for weight in (1, 9, None):
        listed = [{**PATHS[0], "weight": weight}, PATHS[1]] if weight else [dict(one) for one in PATHS[:2]]
        for one in listed if weight is None else []:
            del one["weight"]
        with ackclock.sweep(SWEPT, listed, seeds=2, out=out) as made:
            assert made.provenance()[-1]["finished"] == (4 if weight == 1 else 0)
            assert len(made.sweeps) == 1
            means.append(made.population(GOODPUT)[0].estimate.value if weight else made.sweeps[0].weights)
    with ackclock.open(out, covered=True) as made:
        assert len(made.sweeps) == 1, "the same sweep with other weights is no other sweep"
        first, second = (one.values.mean() for one in made.values(GOODPUT))
    assert means == [pytest.approx((first + 3 * second) / 4), pytest.approx((9 * first + 3 * second) / 12), None]


@pytest.mark.parametrize("wrong", [-1, "heavy", [1], float("nan")])
def test_a_damaged_weight_is_told(tmp_path, wrong):
    out = tmp_path / "s"
    with ackclock.sweep(SWEPT, PATHS, seeds=1, out=out) as made:
        path = out / "sweeps" / f"{made.sweeps[0].id}.json"
    document = json.loads(path.read_text())
    document["points"][1]["weight"] = wrong
    path.write_text(json.dumps(document))
    with pytest.raises(StoreError, match="damaged; the sweep, started again, writes it anew"):
        ackclock.open(out)


class TestCommand:
    @pytest.fixture
    def folder(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "hello.toml").write_text(SWEPT)
        (tmp_path / "paths.csv").write_text("bottleneck.rate,weight,bottleneck.delay\n2Mbps,1,30ms\n4Mbps,3,10ms\n")
        return tmp_path

    def test_points_and_a_grid(self, folder, capsys):
        command = ["sweep", "hello.toml", "--points", "paths.csv", "--vary", "flows[0].cc=reno,cubic", "--seeds", "3"]
        assert main([*command, "--of", GOODPUT, "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        assert document["weights"] == [1, 1, 3, 3]
        assert document["points"][0] == {"bottleneck.rate": "2Mbps", "bottleneck.delay": "30ms", "flows[0].cc": "reno"}
        means = [one["mean"] for one in document["measures"][GOODPUT]]
        reno, cubic = document["population"][GOODPUT]
        assert (reno["params"], cubic["params"]) == ({"flows[0].cc": "reno"}, {"flows[0].cc": "cubic"})
        assert reno["mean"] == pytest.approx(np.average([means[0], means[2]], weights=[1, 3]))
        assert main([*command, "--of", GOODPUT]) == 0
        assert "population: means weighted by the points' weights" in capsys.readouterr().out
        assert main(["compare", "out/hello", "--against", "flows[0].cc=reno", "--of", GOODPUT]) == 0
        printed = capsys.readouterr().out
        assert " comparisons; after Holm's correction" in printed
        assert any(line.split()[:3] == ["population", "population", "cubic"] for line in printed.splitlines())

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("bottleneck.rate,weight\n2Mbps,-1\n4Mbps,heavy\n6Mbps,nan\n",
             "paths.csv: weight: line 2: -1, line 3: 'heavy', line 4: 'nan'; accepted: a finite number of at least 0"),
            ("bottleneck.rate,weight\n2Mbps,0\n4Mbps,0\n", "all weights are zero; accepted: at least one above 0"),
        ],
    )  # fmt: skip
    def test_wrong_weights_are_all_told(self, folder, capsys, text, told):
        (folder / "paths.csv").write_text(text)
        assert main(["sweep", "hello.toml", "--points", "paths.csv"]) == 2
        assert told in capsys.readouterr().err
        assert not (folder / "out").exists()
