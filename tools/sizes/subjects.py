"""Subjects that grow, and the commands that are measured at each size."""

from __future__ import annotations

import itertools
import json
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tools.sizes.measured import Measured, measured

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["SUBJECTS", "Grown"]

MOST_PACKED = 100_000
"""Runs of the largest store that is made as a sweep makes it; of larger ones, the parts are written alone."""
POINTS = 200
"""Points of the stores whose number of runs grows."""
CONNECTIONS = """
duration = "{duration}s"
[bottleneck]
rate = "20Gbps"
delay = "1ms"
queue = "20000 packets"
[[flows]]
name = "web"
app = {{ kind = "web", sessions_per_second = 200000.0, object_size = "1kB" }}
"""
PER_SECOND = 200_000
FLOWS = """
duration = "2s"
[bottleneck]
rate = "{rate}Mbps"
delay = "20ms"
queue = "0.2bdp"
[access]
source_delay = "2.5ms"
sink_delay = "2.5ms"
[[flows]]
name = "bulk"
count = {flows}
app = "bulk"
start_jitter = "1s"
"""
PER_FLOW_MBPS = 1
SECONDS = """
duration = "{duration}s"
[bottleneck]
rate = "100Mbps"
delay = "20ms"
queue = "1bdp"
[[flows]]
name = "bulk"
count = 10
app = "bulk"
start_jitter = "500ms"
"""
LOG = """
duration = "{duration}s"
[bottleneck]
rate = "100Mbps"
delay = "10ms"
queue = "1bdp"
[[flows]]
name = "one"
app = "bulk"
[[flows]]
name = "two"
app = "bulk"
"""


@dataclass(frozen=True)
class Grown:
    """Something whose size grows."""

    name: str
    unit: str
    """Things that the sizes count."""
    sizes: tuple[int, ...]
    steps: Callable[[Path, int], Iterator[tuple[str, Measured, int]]]
    """The commands at a size, with what each took, and the bytes on disk afterwards."""


def ackclock(folder: Path, *words: str) -> Measured:
    """A command of ackclock."""
    return measured(["ackclock", *words], folder)


def bytes_in(folder: Path) -> int:
    """Bytes of the files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def runs(folder: Path, size: int) -> Iterator[tuple[str, Measured, int]]:
    """A store of so many runs."""
    words = ["tools.sizes.stores", "store", str(POINTS), str(size // POINTS)]
    made, more = ("made", []) if size <= MOST_PACKED else ("made, without a file of each run", ["--parts"])
    yield made, measured([*words, *more], folder), bytes_in(folder)
    for name, words in {
        "ls": ["ls", "store"],
        "sql": ["sql", "store", "SELECT count(*), avg(goodput_bps) FROM flows"],
        "export --of": ["export", "store", "--of", "flows.goodput_bps", "--out", "points.csv"],
        "export --table": ["export", "store", "--table", "flows", "--out", "flows.parquet"],
        "compare": ["compare", "store", "--against", "flows[0].cc=reno", "--of", "flows.goodput_bps"],
        "report": ["report", "store", "--out", "report.html"],
    }.items():
        yield name, ackclock(folder, *words), bytes_in(folder)
    yield "the same sweep again", measured(words, folder), bytes_in(folder)
    yield "serve, up to its page", measured(["tools.sizes.served", "store"], folder), 0
    yield "pack", ackclock(folder, "pack", "store", "--out", "pack.zip", "--without-wheel"), bytes_in(folder)


def points(folder: Path, size: int) -> Iterator[tuple[str, Measured, int]]:
    """A report of so many points, each under five seeds."""
    yield "made", measured(["tools.sizes.stores", "store", str(size), "5"], folder), 0
    done = ackclock(folder, "report", "store", "--out", "report.html")
    yield "report", done, (folder / "report.html").stat().st_size
    yield "compare", ackclock(folder, "compare", "store", "--against", "flows[0].cc=reno"), 0


def events(folder: Path, size: int) -> Iterator[tuple[str, Measured, int]]:
    """Logs of a run of so many seconds."""
    (folder / "log.toml").write_text(LOG.format(duration=size), encoding="utf-8")
    for option in ("--events", "--qlog", "--pcap=one.source"):
        done = ackclock(folder, "run", "log.toml", option, "--out", "out")
        yield f"run {option}", done, bytes_in(folder / "out")
        shutil.rmtree(folder / "out")


def connections(folder: Path, size: int) -> Iterator[tuple[str, Measured, int]]:
    """A run of so many connections."""
    text = CONNECTIONS.format(duration=size / PER_SECOND)
    (folder / "web.toml").write_text(text, encoding="utf-8")
    yield "run", ackclock(folder, "run", "web.toml", "--json"), 0


def flows(folder: Path, size: int) -> Iterator[tuple[str, Measured, int]]:
    """A run of so many bulk flows at once, with the same rate for each."""
    text = FLOWS.format(flows=size, rate=size * PER_FLOW_MBPS)
    (folder / "flows.toml").write_text(text, encoding="utf-8")
    yield "run", ackclock(folder, "run", "flows.toml", "--json"), 0


def links(folder: Path, size: int) -> Iterator[tuple[str, Measured, int]]:
    """A run over so many links in a row, each with a flow of its own and one flow over all."""
    nodes = ["left", "right", *(f"n{number}" for number in range(2, size + 1))]
    ends = list(itertools.pairwise(nodes))
    parts = ['duration = "2s"\n[bottleneck]\nrate = "10Mbps"\ndelay = "1ms"\nqueue = "50 packets"\n']
    parts += [
        f'[[links]]\nname = "l{number}"\nends = ["{one}", "{other}"]\nrate = "10Mbps"\ndelay = "1ms"\n'
        'queue = "50 packets"\n'
        for number, (one, other) in enumerate(ends[1:], 1)
    ]
    routes = [nodes, *ends]
    parts += [
        f'[[flows]]\nname = "f{number}"\napp = "bulk"\nroute = {json.dumps(route)}\n'
        for number, route in enumerate(routes)
    ]
    (folder / "links.toml").write_text("".join(parts), encoding="utf-8")
    yield "run", ackclock(folder, "run", "links.toml", "--json"), 0


def seconds(folder: Path, size: int) -> Iterator[tuple[str, Measured, int]]:
    """A run of so many simulated seconds."""
    (folder / "long.toml").write_text(SECONDS.format(duration=size), encoding="utf-8")
    yield "run", ackclock(folder, "run", "long.toml", "--json"), 0


SUBJECTS = (
    Grown("runs", "runs of a store", (10_000, 100_000, 1_000_000), runs),
    Grown("points", "points of a report", (20, 200, 2000), points),
    Grown("events", "seconds of a log of two flows at 100 Mbit/s", (1, 10, 100, 600), events),
    Grown("connections", "connections of a run", (100_000, 1_000_000, 10_000_000), connections),
    Grown("flows", "flows of a run at once, 2 s at 1 Mbit/s each", (10, 100, 1000, 10_000, 100_000, 1_000_000), flows),
    Grown("links", "links of a run in a row, 2 s at 10 Mbit/s each", (1, 10, 100, 1000), links),
    Grown("seconds", "simulated seconds, ten flows at 100 Mbit/s", (1, 10, 100, 1000), seconds),
)
