"""Formats besides those of scenarios and stores: measurements, baselines, logs of searches, packs, kernels, tables.

Each has a whole file, and the command that reads it; `tests.helpers.damage` damages them.
"""

from __future__ import annotations

import gzip
import json
import os
from contextlib import redirect_stdout
from io import StringIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Command = Callable[[Path], list[str]]

SCENARIO = """
duration = "300ms"
[bottleneck]
rate = "1Mbps"
delay = "1ms"
queue = "9 packets"
[[flows]]
name = "a"
app = "bulk"
start_jitter = "20ms"
"""
SS = """1700000000.{n}
ESTAB 0      0          10.0.0.1:39006    10.0.0.2:5201
\t cubic wscale:7,7 rto:204 rtt:{n}.5/0.75 mss:1448 cwnd:{n} ssthresh:20 bytes_acked:{n}000 retrans:0/{n}
"""
OTHERS = [
    "iperf3",
    "log of ss",
    "data of flent",
    "compressed data of flent",
    "baseline of a gate",
    "settings of a gate",
    "points of a sweep",
    "log of a search",
    "table of a search",
    "table of sizes",
    "delay table",
    "verdicts of a study",
    "kernel of the cache",
    "pack",
    "results of a run",
]


def others(folder: Path) -> dict[str, tuple[str, bytes, Command]]:
    """By the name of the format: the name of a file, its bytes, and the command."""
    import ackclock
    from ackclock import cli, learn
    from ackclock.judge import packs
    from tests.helpers.designs import DESIGN

    place = folder / "others"
    place.mkdir()
    scenario = place / "a.toml"
    scenario.write_text(SCENARIO, encoding="utf-8")
    row = {"socket": 5, "start": 0.0, "end": 0.1, "bytes": 125, "retransmits": 1, "snd_cwnd": 9000, "rtt": 9000}
    iperf = [{"streams": [row | {"start": n / 10, "end": (n + 1) / 10}]} for n in range(5)]
    test = {
        "x_values": [n / 10 for n in range(5)],
        "results": {"TCP upload": [0.5, 0.5, None, 0.4, 0.3], "Ping (ms) ICMP": [1.5, 2.5, None, 3.0, 9.0]},
        "metadata": {"SERIES_META": {}, "NAME": "tcp_nup"},
    }
    flent = json.dumps(test).encode()
    one = ["--threads", "1"]
    take = ["gate", str(scenario), "--baseline", str(place / "gate.json"), "--update", "--reason", "x", *one]
    with redirect_stdout(StringIO()):
        assert cli.main(take) == 0
    design = place / "design.toml"
    design.write_text(DESIGN.replace('duration = "2s"', 'duration = "300ms"'), encoding="utf-8")
    settings: dict[str, Any] = {"specimens": 2, "validation": 2, "rules": 4, "patience": 1}
    searched = learn.train(design, place / "x.dna", threads=1, **settings)
    ackclock.sweep(SCENARIO, seeds=2, out=place / "store", threads=1).close()
    packs.pack(place / "store", place / "x.zip", without_wheel=True)
    claim = {
        "id": "one", "statement": "x", "published": "1", "measured": 1.0, "ci": [0.5, 1.5], "verdict": "reproduced",
        "unit": "", "note": "", "readings": [],
    }  # fmt: skip
    study = {
        "study": "x", "version": "1", "title": "x", "quick": False, "seeds": [1], "command": "x", "scenario_hashes": {},
        "claims": [claim],
    }  # fmt: skip
    built = {"version": "6.12.1", "hz": 1000, "source": "x.tar.xz", "digest": "0" * 16, "missing": []}
    table = "# a table of netem\n" + "".join(f"{(n - 50) * 300} " + "\n" * (n % 8 == 7) for n in range(100))

    def beside(name: str, content: bytes, *words: str) -> Command:
        """A command over a folder that has another file, too; FILE is the damaged one, and HERE its folder."""

        def command(file: Path) -> list[str]:
            if name and not (file.parent / name).exists():
                (file.parent / name).write_bytes(content)
            return [word.replace("FILE", str(file)).replace("HERE", str(file.parent)) for word in words]

        return command

    def cached(file: Path) -> list[str]:
        home = file.parent / "cache.toml" / "ackclock" / "kernels" / ("0" * 16)
        home.mkdir(parents=True, exist_ok=True)
        (home / "kernel.json").write_bytes(file.read_bytes())
        os.environ["XDG_CACHE_HOME"] = str(home.parents[2])
        return ["kernel", "list"]

    text = SCENARIO.encode()
    drawn = ("plot", "HERE/a.toml", "cwnd", "--reference", "FILE", "--out", "HERE/x.out.svg")
    rated = ("plot", "HERE/a.toml", "throughput", *drawn[3:])
    log, dna = searched.log.read_bytes(), searched.table.read_bytes()
    delays = 'netem = { delay = "5ms", jitter = "1ms", distribution = { kind = "table", file = "t" } }'
    netem = SCENARIO.replace('delay = "1ms"', f'delay = "1ms"\n{delays}')
    return {
        "iperf3": ("iperf.json", json.dumps({"intervals": iperf}).encode(), beside("a.toml", text, *drawn)),
        "log of ss": ("ss.log", "".join(SS.format(n=n) for n in range(1, 9)).encode(), beside("a.toml", text, *drawn)),
        "data of flent": ("x.flent", flent, beside("a.toml", text, *rated)),
        "compressed data of flent": ("x.flent.gz", gzip.compress(flent, mtime=0), beside("a.toml", text, *rated)),
        "baseline of a gate": (
            "gate.json", (place / "gate.json").read_bytes(),
            beside("a.toml", text, "gate", "HERE/a.toml", "--baseline", "FILE", "--threads", "1"),
        ),
        "settings of a gate": (
            "gate.toml", b'[gate]\nmeasures = ["sum(flows.goodput_bps)"]\nseeds = 20\nfirst = 6\nlevel = 0.99\n',
            beside(
                "a.toml", text, "gate", "HERE/a.toml", "--baseline", "HERE/x.out", "--config", "FILE", "--update",
                "--reason", "x", "--threads", "1",
            ),
        ),
        "points of a sweep": (
            "points.csv", b"bottleneck.rate,flows[0].cc,weight\n1Mbps,reno,1\n2Mbps,cubic,2.5\n",
            beside("a.toml", text, "sweep", "HERE/a.toml", "--points", "FILE", "--out", "HERE/s.toml", *one),
        ),
        "log of a search": ("x.learn.jsonl", log, beside("x.dna", dna, "learn", "check", "HERE/x.dna", *one)),
        "table of a search": (
            "x.dna", dna, beside("x.learn.jsonl", log, "learn", "check", "FILE", "--threads", "1"),
        ),
        "table of sizes": (
            "x.sizes", b"300kbps,750kbps\n1000,2000\n1500,2500\n", beside("", b"", "mpd", "FILE", "--segment", "4"),
        ),
        "delay table": ("t", table.encode(), beside("b.toml", netem.encode(), "check", "HERE/b.toml")),
        "verdicts of a study": (
            "verdicts.json", json.dumps(study).encode(), beside("", b"", "report", "HERE", "--out", "HERE/x.out"),
        ),
        "kernel of the cache": ("kernel.json", json.dumps(built).encode(), cached),
        "pack": ("x.zip", (place / "x.zip").read_bytes(), beside("", b"", "verify", "FILE", "--threads", "1")),
        "results of a run": (
            "ackclock.json", b'{"written_by": "ackclock", "files": ["a.txt"]}',
            beside("a.txt", b"", "run", str(scenario), "--out", "HERE"),
        ),
    }  # fmt: skip
