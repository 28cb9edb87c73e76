"""Stopping a sweep never loses a run: started again, it ends with the same store."""

import pytest

import ackclock
from tests.helpers.scenarios import SWEPT
from tests.sweeps.stopping import stopped

pytestmark = pytest.mark.slow


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
            assert len(store.sweeps) == 1, "the larger sweep covers the smaller one"
        with ackclock.open(out, covered=True) as store:
            assert len(store.sweeps) == 2

    @pytest.mark.parametrize("kill", ["SIGKILL", "SIGINT", "SIGTERM"])
    def test_a_sweep_that_was_stopped_ends_with_the_same_store(self, tmp_path, kill):
        """A short form of the thousand runs."""
        killed, runs = stopped(tmp_path, 60, "200ms", kills=4, kill=kill)
        assert killed == runs
