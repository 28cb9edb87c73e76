"""Fixtures of all tests, the check of every run, and the order of the tests."""

from __future__ import annotations

import os
import random
import signal

import pytest
from hypothesis import settings

from ackclock import _core
from ackclock.cc import registry
from ackclock.cli import main
from tests.helpers.scenarios import SMALL

# Workers of a parallel run have a width, at which tables would fold.
os.environ.pop("COLUMNS", None)

# Examples repeat from run to run, and how long one takes says nothing on a busy machine.
settings.register_profile("ackclock", deadline=None, derandomize=True)
settings.load_profile("ackclock")


@pytest.fixture(autouse=True)
def own_registry():
    """Leaves no congestion control of a test behind for the next."""
    before = dict(registry._entries)
    yield
    registry._entries.clear()
    registry._entries.update(before)


@pytest.fixture
def small() -> str:
    return SMALL


@pytest.fixture
def scenario_file(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    return path


@pytest.fixture
def cluster(tmp_path, monkeypatch):
    """A scheduler whose workers the test starts. A busy machine may take long to connect."""
    from tests.helpers.clusters import Cluster

    monkeypatch.setattr("ackclock.sweeps.scheduler.CONNECT_S", 600)
    made = Cluster(tmp_path)
    yield made
    made.stop()


def pytest_addoption(parser):
    parser.addoption(
        "--shuffle", type=int, metavar="SEED", help="run the files, and the tests of each, in a drawn order"
    )


def pytest_collection_modifyitems(config, items):
    """Puts the slow files first, so that none of them runs alone at the end, or draws an order from `--shuffle`.

    A drawn order shows tests that depend on each other. Tests of a file stay together, for they share costly fixtures.
    """
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
    seed = config.getoption("--shuffle")
    if seed is not None:
        draw = random.Random(seed)
        keys = {path: draw.random() for path in sorted({item.path for item in items})}
        items.sort(key=lambda item: (keys[item.path], draw.random()))


def check_every_run():
    """Compares the tables of every run of the tests with each other: a run whose tables disagree raises."""
    plain = _core.run

    def checked(*args, **kwargs):
        return plain(*args, **{"check": True, **kwargs})

    _core.run = checked


check_every_run()


def pytest_configure():
    """Lets signals through that whoever started the tests has switched off: nohup, or a shell's background job.

    The command line obeys such a choice, and so would the processes that the tests of signals start.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


@pytest.fixture
def cli(tmp_path, monkeypatch, capsys):
    """Runs a command line in an empty folder; gives its status, standard output and standard error."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call
