"""A sweep of a thousand runs that is killed twenty times."""

import pytest

import ackclock
from tests.sweeps.stopping import stopped

pytestmark = pytest.mark.slow


def test_a_thousand_runs_killed_twenty_times(tmp_path):
    whole, broken = stopped(tmp_path, 500, "150ms", kills=20, kill="SIGKILL")
    assert whole == broken
    with ackclock.open(tmp_path / "broken") as store:
        assert (store.finished, store.failed, store.complete) == (1000, 0, True)
        assert len(store.sql("SELECT DISTINCT run FROM flows")) == 1000
        assert len(store.table("flows")) == 1000
