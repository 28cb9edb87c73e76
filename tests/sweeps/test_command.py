"""`ackclock sweep`: what varies, where the results go, failures, and wrong options."""

import functools
import json
import logging
import subprocess
import sys

import pytest

import ackclock
from ackclock.sweeps.scheduler import is_news
from tests.helpers.scenarios import SWEPT


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
            "hello.toml", "--vary", 'flows[0].cc={kind="vegas-paper", alpha=2},reno', "--json", cwd=folder
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


def sync():
    def cancel():
        return None

    return cancel


def test_the_failed_cancellation_of_an_interrupted_call_is_no_news(caplog):
    """The names are those of the client of a cluster, whose callback fails when a signal comes early."""
    log = logging.getLogger("tornado.application")
    log.addFilter(is_news)
    try:
        for callback in (sync(), sync):
            log.error("Exception in callback %r", functools.partial(callback))
    finally:
        log.removeFilter(is_news)
    (kept,) = caplog.records
    assert "cancel" not in kept.getMessage()
