"""A store of twelve runs, and copies of it."""

import shutil

import pytest

import ackclock
from tests.helpers.scenarios import SWEPT
from tests.helpers.stores import CC_GRID


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A store of twelve runs in parts of five."""
    out = tmp_path_factory.mktemp("made") / "store"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ackclock.store.writer.PART_RUNS", 5)
        ackclock.sweep(SWEPT, CC_GRID, seeds=6, out=out).close()
    return out


@pytest.fixture
def store(made, tmp_path, monkeypatch):
    """A copy of the store, which a test may damage."""
    monkeypatch.setattr("ackclock.store.writer.PART_RUNS", 5)
    return shutil.copytree(made, tmp_path / "store")
