"""Somebody who comes from ns-3 and follows the table that translates its concepts."""

import collections
import csv
import os
import shutil
import statistics

import pytest

from tests.helpers.crates import needs_cargo
from tests.helpers.places import ROOT
from tests.helpers.terminal import Terminal

PAGE = (ROOT / "docs" / "coming-from" / "ns-3.md").read_text(encoding="utf-8")
needs_tshark = pytest.mark.skipif(shutil.which("tshark") is None, reason="needs tshark")
LINKS = ("bottleneck", "second", "third")
ROUTES = {"through": LINKS, "first": LINKS[:1], "second": LINKS[1:2], "third": LINKS[2:]}


@pytest.fixture
def shell(tmp_path):
    with Terminal(tmp_path) as one:
        one.run("ackclock new scenario parking-lot")
        yield one


def translated(concept):
    """The cell beside a concept of ns-3, from the table."""
    (row,) = [line for line in PAGE.splitlines() if line.startswith("|") and f"`{concept}`" in line]
    return row.split("|")[2]


def table(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_runs_of_rngrun_are_the_seeds_and_flowmonitor_is_the_tables(shell, tmp_path):
    assert "`--seeds`" in translated("RngRun")
    single = {}
    for seed in (2, 3):
        document = shell.json(f"ackclock run parking-lot.toml --set duration=2s --seed {seed}  --json")
        assert document["seed"] == seed
        single[seed] = [flow["goodput_bps"] for flow in document["flows"]]
    assert single[2] != single[3]
    many = shell.json("ackclock run parking-lot.toml --set duration=2s --seeds 3 --json")
    assert {run["seed"]: [flow["goodput_bps"] for flow in run["flows"]] for run in many["runs"][1:]} == single
    told = shell.run("ackclock run parking-lot.toml --set duration=2s --seeds 3")
    row = next(line.split() for line in told.splitlines() if line.startswith(" through"))
    mean = statistics.fmean(run["flows"][0]["goodput_bps"] for run in many["runs"])
    assert row[1] == f"{mean / 1e6:.3f}"

    assert all(f"`{name}`" in translated("FlowMonitor") for name in ("flows", "links", "completions", "delays"))
    shell.run("ackclock run parking-lot.toml --set duration=3s --set probes.delays=true --out out/monitor"
              """ --set 'flows.first.app={ kind = "bursts", size = "20kB", interval = "300ms" }'""")  # fmt: skip
    tables = {path.stem: table(path) for path in (tmp_path / "out" / "monitor").glob("*.csv")}
    assert {"flows", "links", "delays"} <= {*tables}, [*tables]
    delays = {row["flow"]: row for row in tables["delays"]}
    # On each link, a packet needs 10 ms and its transmission time, and waits for at most the 60 ms of a full queue.
    for flow, links in ROUTES.items():
        least = len(links) * (10 + 1500 * 8 / 10e6 * 1e3)
        assert float(delays[flow]["mean_ms"]) >= least
        assert least < float(delays[flow]["max_ms"]) <= least + len(links) * 62
    (completions,) = tables["completions"]
    assert (completions["flow"], completions["what"]) == ("first", "burst")
    # The flow starts in the first second, and a burst follows every 300 ms.
    assert 6 <= int(completions["count"]) + int(completions["open"]) <= 10


@needs_tshark
def test_the_captures_of_all_links_are_read_by_tshark(shell, tmp_path):
    assert "`--pcap bottleneck`" in translated("EnablePcapAll")
    shell.run(
        "ackclock run parking-lot.toml --set duration=3s --out out/traced --pcap bottleneck --pcap through.source"
    )
    out = tmp_path / "out" / "traced"
    shell.run("tshark -r out/traced/bottleneck.pcapng -T fields -e frame.interface_name -e ip.src -e tcp.len"
              " -e frame.comment 2> errors.txt > packets.txt")  # fmt: skip
    packets = [line.split("\t") for line in (tmp_path / "packets.txt").read_text(encoding="utf-8").splitlines()]
    assert {interface.removesuffix(".reverse") for interface, *_ in packets} == {*LINKS}
    # The route of a flow is the links that carry its data.
    places = collections.defaultdict(set)
    for interface, source, length, _ in packets:
        if int(length):
            places[source].add(interface)
    assert sorted(map(sorted, places.values())) == sorted(map(sorted, ROUTES.values()))
    links = {row["link"]: row for row in table(out / "links.csv")}
    for link in LINKS:
        dropped = sum(interface == link and "dropped" in comment for interface, _, _, comment in packets)
        assert dropped == int(links[link]["drops"])
    assert sum(int(links[link]["drops"]) for link in LINKS) > 0
    # The host's own capture has every segment that it sent.
    shell.run(
        "tshark -r out/traced/through.source.pcapng -Y 'tcp.srcport && ip.src == 10.0.0.1' 2> errors.txt > sent.txt"
    )
    (sent,) = [row["segments_sent"] for row in table(out / "flows.csv") if row["flow"] == "through"]
    assert len((tmp_path / "sent.txt").read_text(encoding="utf-8").splitlines()) == int(sent)


@needs_cargo
def test_a_tcpcongestionops_becomes_a_class_or_a_crate_with_the_same_numbers(shell, tmp_path, monkeypatch):
    assert "a Python class, or a crate in Rust" in translated("TcpCongestionOps")
    shell.run("ackclock new cc my-reno && ackclock new cc fast-reno --rust")
    # Half of the cuts of Reno, in both languages.
    for name in ("my_reno.py", "fast-reno/src/lib.rs"):
        path = tmp_path / name
        text = path.read_text(encoding="utf-8")
        assert text.count("0.5, 0.1") == 1
        path.write_text(text.replace("0.5, 0.1", "0.75, 0.1"), encoding="utf-8")
    unset = " ".join(f"-u {name}" for name in os.environ if name.startswith(("CARGO_", "RUSTFLAGS")))
    # A folder of cargo without a registry: the crate brings what it needs.
    shell.run(f"env {unset} CARGO_HOME=$PWD/cargo cargo build --quiet --offline --release"
              " --manifest-path fast-reno/Cargo.toml")  # fmt: skip
    command = "ackclock run parking-lot.toml --set duration=4s --json --set flows.through.cc="
    plain = shell.json(f"{command}reno")
    python = shell.json(f"{command}my-reno --load my_reno.py")
    rust = shell.json(f"{command}fast-reno --load fast-reno")
    assert python["links"] == rust["links"] != plain["links"]
    for one, other in zip(python["flows"], rust["flows"], strict=True):
        assert one | {"cc": ""} == other | {"cc": ""}
    assert (python["flows"][0]["cc"], rust["flows"][0]["cc"]) == ("my-reno", "fast-reno")
