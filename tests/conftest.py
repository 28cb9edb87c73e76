"""Scenarios and stand-ins that several tests use."""

from __future__ import annotations

import random
import signal

import pytest
from arro3.core import Array, DataType
from arro3.core import Table as ArrowTable
from hypothesis import settings

from ackclock import _core, _registry
from ackclock.result import Result
from ackclock.table import Table

# Examples repeat from run to run, and how long one takes says nothing on a busy machine.
settings.register_profile("ackclock", deadline=None, derandomize=True)
settings.load_profile("ackclock")

SMALL = """
name = "small"
duration = "5s"

[bottleneck]
rate = "1Mbps"
delay = "20ms"

[[flows]]
name = "one"
app = "bulk"
start_jitter = "500ms"

[[flows]]
name = "two"
app = { kind = "transfer", size = "20kB", count = 3, gap = "200ms" }

[[flows]]
name = "film"
start = "1s"
app = { kind = "dash", ladder = ["50kbps", "100kbps"], segment = "1s", segments = 3 }

[probes]
window = true
packets = true
"""

TYPES = {int: DataType.int64(), float: DataType.float64(), str: DataType.string(), bool: DataType.bool()}


def make_table(**columns: list[object]) -> Table:
    """A table from lists; the first cell that is not None decides the type of a column."""
    arrays = {}
    for name, cells in columns.items():
        kind = next((type(cell) for cell in cells if cell is not None), float)
        arrays[name] = Array(cells, type=TYPES[kind])
    return Table(ArrowTable.from_pydict(arrays))


def make_result(seed: int, **tables: Table) -> Result:
    """A result that no engine made."""
    meta = {"name": "made", "scenario_hash": "0" * 16, "version": "0", "seed": seed, "duration_s": 5.0}
    return Result(meta, tables)


@pytest.fixture(autouse=True)
def registry():
    """Leaves no congestion control of a test behind for the next."""
    before = dict(_registry._entries)
    yield
    _registry._entries.clear()
    _registry._entries.update(before)


@pytest.fixture
def small() -> str:
    return SMALL


@pytest.fixture
def scenario_file(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    return path


def pytest_addoption(parser):
    parser.addoption(
        "--shuffle", type=int, metavar="SEED", help="run the files, and the tests of each, in a drawn order"
    )


def pytest_collection_modifyitems(config, items):
    """Shows tests that depend on each other. Those of a file stay together, for they share what is costly to make."""
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
