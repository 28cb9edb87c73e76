"""Sweeps: the settings that vary, the results, and failures."""

import math

import numpy as np
import pytest
from scipy.stats import qmc

import ackclock
from ackclock import LatinHypercube, Range
from ackclock.sweeps import SweepError
from ackclock.sweeps.vary import settings
from tests.helpers.scenarios import SWEPT
from tests.helpers.stores import bytes_of


class TestWhatVaries:
    def test_grid(self):
        found = settings({"a": [1, 2], "b": ["x", "y", "z"]})
        assert [tuple(one.params.values()) for one in found] == [
            (1, "x"), (1, "y"), (1, "z"), (2, "x"), (2, "y"), (2, "z"),
        ]  # fmt: skip
        assert all(one.params == one.overrides for one in found)

    def test_names_that_stand_for_several_paths(self):
        found = settings({"variant": {"plain": {}, "both": {"x": 1, "y": 2}}, "z": [5]})
        assert [dict(one.params) for one in found] == [{"variant": "plain", "z": 5}, {"variant": "both", "z": 5}]
        assert [dict(one.overrides) for one in found] == [{"z": 5}, {"x": 1, "y": 2, "z": 5}]

    def test_list(self):
        found = settings([{"a": 1}, {"b": {"kind": "dash"}}])
        assert [dict(one.params) for one in found] == [{"a": 1}, {"b": '{"kind": "dash"}'}]
        assert found[1].overrides == {"b": {"kind": "dash"}}

    def test_latin_hypercube_covers_each_range_evenly(self):
        points = 20
        found = settings(
            LatinHypercube({"r": Range("1Mbps", "100Mbps", log=True), "x": Range(0, 1), "c": ["a", "b"]}, points)
        )
        assert len(found) == points
        shares = sorted(one.params["x"] for one in found)
        assert [int(share * points) for share in shares] == list(range(points))
        rates = sorted(float(one.params["r"].removesuffix("Mbps")) for one in found)
        assert [int(math.log(rate) / math.log(100) * points) for rate in rates] == list(range(points))
        assert sorted(one.params["c"] for one in found) == ["a"] * 10 + ["b"] * 10
        assert found == settings(
            LatinHypercube({"r": Range("1Mbps", "100Mbps", log=True), "x": Range(0, 1), "c": ["a", "b"]}, points)
        )

    def test_a_latin_hypercube_has_the_places_of_scipys(self):
        for points, seed in ((1, 0), (7, 5), (40, 9)):
            found = settings(LatinHypercube({"x": Range(0, 1), "y": Range(0, 1)}, points, seed))
            places = [[one.params["x"], one.params["y"]] for one in found]
            theirs = qmc.LatinHypercube(d=2, rng=seed).random(points)
            np.testing.assert_allclose(places, theirs, atol=1e-6)

    @pytest.mark.parametrize(
        ("vary", "told"),
        [
            ({"a": []}, "a: expected a list of values"),
            ({"a": "cubic"}, "not 'cubic'"),
            ([], "the list of points is empty"),
            ({"run": [1]}, "'run' cannot be varied"),
            (LatinHypercube({"a": Range("1Mbps", "1s")}, 3), "different units"),
            (LatinHypercube({"a": Range(2, 1)}, 3), "the lower first"),
            (LatinHypercube({"a": Range(0, 1, log=True)}, 3), "above zero"),
            (LatinHypercube({"a": Range("fast", "2")}, 3), "no number with a unit"),
            (LatinHypercube({"a": [1]}, 0), "at least one point"),
        ],
    )
    def test_what_makes_no_sense_is_refused(self, vary, told):
        with pytest.raises(SweepError, match=told):
            settings(vary)


class TestResults:
    def test_as_single_runs(self):
        grid = {"bottleneck.rate": ["5Mbps", "8Mbps"], "flows[0].cc": ["reno", "cubic"]}
        with ackclock.sweep(SWEPT, grid, seeds=3) as store:
            rows = list(store.runs.rows())
            assert len(rows) == 12
            assert {row["status"] for row in rows} == {"done"}
            # Every point under one seed before any under the next.
            assert [row["seed"] for row in rows] == [1] * 4 + [2] * 4 + [3] * 4
            for row in rows[::5]:
                overrides = {path: row[path] for path in grid}
                alone = ackclock.run(SWEPT, seed=row["seed"], overrides=overrides)
                assert alone.meta["scenario_hash"] == row["scenario_hash"]
                again = store.result(row["run"])
                assert again.meta == alone.meta
                assert {name: list(table.rows()) for name, table in again.tables.items()} == {
                    name: list(table.rows()) for name, table in alone.tables.items() if len(table)
                }
            asked = store.sql(
                'SELECT "flows[0].cc" AS cc, avg(goodput_bps) AS mean FROM flows JOIN runs USING (run) '
                'WHERE "bottleneck.rate" = ? GROUP BY ALL ORDER BY cc',
                ["8Mbps"],
            )
            assert list(asked["cc"]) == ["cubic", "reno"]
            assert (asked["mean"] > 1e6).all()

    def test_the_same_bytes_on_any_number_of_threads(self, tmp_path):
        for threads in (1, 4):
            out = tmp_path / str(threads)
            ackclock.sweep(SWEPT, {"flows[0].cc": ["reno", "cubic"]}, seeds=20, out=out, threads=threads).close()
        assert bytes_of(tmp_path / "1") == bytes_of(tmp_path / "4")
        assert any(name.endswith("flows.parquet") for name in bytes_of(tmp_path / "1"))

    def test_tables_and_measures_that_are_kept(self):
        def measure(result):
            return {"goodput_mbps": result.flows["goodput_bps"].sum() / 1e6, "seed": result.seed}

        with ackclock.sweep(SWEPT, seeds=[4, 9], tables=["links"], measure=measure) as store:
            assert store.tables == ["links", "measures", "runs"]
            table = store.table("measures")
            assert list(table["seed"]) == [4, 9]
            assert (table["goodput_mbps"] > 1).all()

    def test_the_seeds_may_vary(self):
        with ackclock.sweep(SWEPT, {"seeds": [3, 5], "bottleneck.rate": ["5Mbps"]}) as store:
            assert list(store.runs["seed"]) == [3, 5]
        with pytest.raises(SweepError, match="twice"):
            ackclock.sweep(SWEPT, {"seeds": [3, 5]}, seeds=2)

    def test_nothing_runs_if_a_point_is_wrong(self, tmp_path):
        out = tmp_path / "out"
        with pytest.raises(ackclock.ScenarioError) as raised:
            ackclock.sweep(SWEPT, {"flows[0].cc": ["reno", "cubik"], "bottleneck.rate": ["1Mbps", "2parsec"]}, out=out)
        message = str(raised.value)
        assert "cubik" in message
        assert "2parsec" in message
        assert "point 3" in message
        assert not out.exists()

    def test_a_failing_run_is_recorded_and_stops_no_other(self):
        def measure(result):
            if result.seed == 2:
                raise RuntimeError("two is bad luck")
            return {"x": 1.0}

        with ackclock.sweep(SWEPT, seeds=4, measure=measure) as store:
            assert (store.finished, store.failed, store.complete) == (4, 1, True)
            failure = next(store.failures.rows())
            assert failure["seed"] == 2
            assert failure["error"] == "RuntimeError: two is bad luck"
            assert "bad luck" in failure["details"]
            assert len(store.table("measures")) == 3
            with pytest.raises(KeyError, match="failed"):
                store.result(failure["run"])

    def test_an_algorithm_that_raises(self):
        @ackclock.congestion_control("sweep-raises")
        class Raises(ackclock.WindowRules):
            """Raises."""

            def increase(self, *_):
                raise ZeroDivisionError("no way")

        with ackclock.sweep(SWEPT, {"flows[0].cc": ["reno", "sweep-raises"]}, seeds=2) as store:
            assert list(store.runs["status"]) == ["done", "failed", "done", "failed"]
            failure = next(store.failures.rows())
            assert "no way" in failure["error"]
            assert "ZeroDivisionError" in failure["details"]
