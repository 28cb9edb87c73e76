"""A store of four runs, its server, and the keys of its runs."""

import pytest

import ackclock
from tests.helpers.scenarios import PROBED
from tests.helpers.serving import Served
from tests.helpers.stores import CC_GRID


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("serve") / "store"
    ackclock.sweep(PROBED, CC_GRID, seeds=2, out=out).close()
    return out


@pytest.fixture(scope="session")
def served(folder):
    one = Served(folder)
    yield one
    one.end()


@pytest.fixture(scope="session")
def runs(served):
    return [row["run"] for row in served.json("/api/runs")["runs"]]
