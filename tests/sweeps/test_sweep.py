"""Sweeps: what varies, what comes of it, and that stopping never loses a run."""

import json
import math
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ackclock
from ackclock import LatinHypercube, Range
from ackclock.sweeps import SweepError
from ackclock.sweeps.vary import settings
from tests.helpers.scenarios import SWEPT
from tests.helpers.stores import bytes_of


def runs_on_disk(root: Path) -> set[Path]:
    """The files of finished runs and the parts in a store."""
    return {path for folder in ("pending", "parts") for path in root.glob(f"{folder}/[!.]*")}


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


class TestResumption:
    def test_what_has_finished_is_not_run_again(self, tmp_path):
        out = tmp_path / "out"
        ran = []

        def measure(result):
            ran.append(result.seed)
            return {"x": float(result.seed)}

        ackclock.sweep(SWEPT, seeds=3, measure=measure, out=out).close()
        ackclock.sweep(SWEPT, seeds=3, measure=measure, out=out).close()
        assert sorted(ran) == [1, 2, 3]
        # A larger sweep takes over what a smaller one has done.
        with ackclock.sweep(SWEPT, seeds=5, measure=measure, out=out) as store:
            assert sorted(ran) == [1, 2, 3, 4, 5]
            assert list(store.table("measures")["x"]) == [1, 2, 3, 4, 5]
        with ackclock.open(out) as store:
            assert len(store.runs) == 5
            assert len(store.sweeps) == 2

    @pytest.mark.parametrize("kill", ["SIGKILL", "SIGINT", "SIGTERM"])
    def test_a_sweep_that_was_stopped_ends_with_the_same_store(self, tmp_path, kill):
        """A short form of the thousand runs below."""
        killed, runs = self._stopped(tmp_path, 60, "200ms", kills=4, kill=kill)
        assert killed == runs

    @staticmethod
    def _stopped(tmp_path, seeds, duration, kills, kill):
        scenario = tmp_path / "scenario.toml"
        scenario.write_text(SWEPT.replace("500ms", duration))
        command = [sys.executable, "-m", "ackclock", "sweep", str(scenario), "--seeds", str(seeds)]
        command += ["--vary", "flows[0].cc=reno,cubic"]
        whole, broken = tmp_path / "whole", tmp_path / "broken"
        subprocess.run([*command, "--out", str(whole)], check=True, capture_output=True)
        draw = random.Random(7)
        for _ in range(kills):
            process = subprocess.Popen(
                [*command, "--out", str(broken)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            )
            # Once it has put so many files of runs on disk: a time would be another moment on another machine.
            left = draw.randint(1, 5)
            known = runs_on_disk(broken)
            while process.poll() is None and len(runs_on_disk(broken) - known) < left:
                time.sleep(0.002)
            process.send_signal(getattr(signal, kill))
            told = process.communicate()[1].decode()
            assert "Traceback" not in told
            assert process.returncode in (0, -signal.SIGKILL, 128 + getattr(signal, kill)), told
        subprocess.run([*command, "--out", str(broken)], check=True, capture_output=True)
        return bytes_of(whole), bytes_of(broken)

    def test_a_thousand_runs_killed_twenty_times(self, tmp_path):
        whole, broken = self._stopped(tmp_path, 500, "150ms", kills=20, kill="SIGKILL")
        assert whole == broken
        with ackclock.open(tmp_path / "broken") as store:
            assert (store.finished, store.failed, store.complete) == (1000, 0, True)
            assert len(store.sql("SELECT DISTINCT run FROM flows")) == 1000
            assert len(store.table("flows")) == 1000


class TestCommand:
    def run(self, *arguments, cwd, check=True):
        done = subprocess.run(
            [sys.executable, "-m", "ackclock", "sweep", *arguments], cwd=cwd, capture_output=True, text=True
        )
        assert "Traceback" not in done.stderr
        if check:
            assert done.returncode == 0, done.stderr
        return done

    @pytest.fixture
    def folder(self, tmp_path):
        (tmp_path / "hello.toml").write_text(SWEPT)
        return tmp_path

    def test_grid_into_the_default_folder(self, folder):
        done = self.run(
            "hello.toml", "--vary", "flows[0].cc=reno,cubic", "--vary", "bottleneck.rate=2Mbps,4Mbps", "--seeds", "2",
            "--of", "flows.goodput_bps", "--json", cwd=folder,
        )  # fmt: skip
        document = json.loads(done.stdout)
        assert (document["runs"], document["failed"]) == (8, 0)
        assert document["points"][1] == {"flows[0].cc": "reno", "bottleneck.rate": "4Mbps"}
        estimates = document["measures"]["flows.goodput_bps"]
        assert [one["n"] for one in estimates] == [2, 2, 2, 2]
        assert 1e6 < estimates[0]["mean"] < 2e6 < estimates[1]["mean"] < 4e6
        with ackclock.open(folder / "out" / "hello") as store:
            assert store.complete
        assert "results in out/hello" in done.stderr

    def test_numbers_that_no_seed_moves_are_told(self, folder):
        arguments = ["--vary", "flows[0].start_jitter=0ms,100ms", "--seeds", "2", "--of", "flows.goodput_bps"]
        done = self.run("hello.toml", *arguments, "--of", "links[bottleneck].losses", cwd=folder)
        told = [line for line in done.stderr.splitlines() if "no width" in line]
        assert [line.partition(": nothing")[0] for line in told] == [
            "ackclock: flows.goodput_bps: the same under all seeds at 1 of 2 points",
            "ackclock: links[bottleneck].losses: the same under all seeds at 2 of 2 points",
        ]
        done = self.run("hello.toml", *arguments[:2], "--of", "flows.goodput_bps", cwd=folder)
        assert "no width" not in done.stderr, "one seed has no interval"
        assert done.stdout.startswith("hello: 2 runs of 2 points; ")
        assert self.run("hello.toml", cwd=folder).stdout.startswith("hello: 1 run of 1 point; ")

    def test_points_from_a_file(self, folder):
        (folder / "points.csv").write_text("bottleneck.rate,bottleneck.delay\n2Mbps,5ms\n3Mbps,50ms\n")
        done = self.run("hello.toml", "--points", "points.csv", "--json", cwd=folder)
        assert json.loads(done.stdout)["points"][1] == {"bottleneck.rate": "3Mbps", "bottleneck.delay": "50ms"}

    def test_latin_hypercube(self, folder):
        done = self.run(
            "hello.toml", "--lhs", "5", "--vary", "bottleneck.rate=1Mbps..10Mbps:log",
            "--vary", "flows[0].cc=reno,cubic", "--json", cwd=folder,
        )  # fmt: skip
        points = json.loads(done.stdout)["points"]
        assert len(points) == 5
        assert all(1 <= float(point["bottleneck.rate"].removesuffix("Mbps")) <= 10 for point in points)

    def test_values_with_commas_inside(self, folder):
        done = self.run(
            "hello.toml", "--vary", 'flows[0].cc={kind="vegas", alpha=2},reno', "--json", cwd=folder
        )  # fmt: skip
        assert len(json.loads(done.stdout)["points"]) == 2

    def test_failures_are_told_and_change_the_exit_status(self, folder):
        (folder / "bad.py").write_text(
            "import ackclock\n\n@ackclock.congestion_control('bad')\nclass Bad(ackclock.WindowRules):\n"
            "    '''Bad.'''\n    def increase(self, *_):\n        raise ValueError('never')\n"
        )
        done = self.run(
            "hello.toml", "--load", "bad.py", "--vary", "flows[0].cc=reno,bad", "--json", cwd=folder, check=False
        )
        assert done.returncode == 1
        assert "never" in json.loads(done.stdout)["failures"][0]["error"]

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (["--vary", "flows[0].cc"], "expected PATH=VALUE"),
            (["--vary", "a=1", "--vary", "a=2"], "names a path twice"),
            (["--vary", "bottleneck.rate=1Mbps..2Mbps"], "goes with --lhs"),
            (["--lhs", "3"], "--vary"),
            (["--points", "none.csv"], "none.csv: cannot be read: No such file"),
            (["--seeds", "0"], "--seeds 0"),
            (["--vary", "bottleneck.rat=1Mbps"], "bottleneck.rat"),
            (["--cluster", "tcp://127.0.0.1:1"], "no Dask scheduler answers"),
            (["--of", "flows.goodputt"], "goodputt"),
        ],
    )
    def test_wrong_options(self, folder, arguments, told):
        done = self.run("hello.toml", *arguments, cwd=folder, check=False)
        assert done.returncode == 2
        assert told in done.stderr
        assert len(done.stderr.splitlines()) <= 3

    def test_a_csv_of_the_wrong_shape(self, folder):
        for text, told in (("a,b\n1\n", "line 2"), ("a,a\n1,2\n", "line 1"), ("a\n", "a line for each point")):
            (folder / "points.csv").write_text(text)
            assert told in self.run("hello.toml", "--points", "points.csv", cwd=folder, check=False).stderr
