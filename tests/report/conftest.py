"""The store that the reports are made of."""

import pytest

import ackclock
from ackclock.cli import main
from tests.helpers.scenarios import PROBED
from tests.helpers.stores import REPORT_GRID


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A store of a grid, and its report."""
    out = tmp_path_factory.mktemp("report") / "store"
    ackclock.sweep(PROBED, REPORT_GRID, seeds=2, out=out).close()
    assert main(["report", str(out), "--against", "flows[0].cc=reno"]) == 0
    return out
