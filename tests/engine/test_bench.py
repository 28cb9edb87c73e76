"""The benchmark's arithmetic, and that its workloads are the ones agreed on."""

from importlib import resources

import pytest

import ackclock
from ackclock._errors import RefusedError
from ackclock.cli import main
from ackclock.engine import bench
from ackclock.engine.bench import leaf_spine, ns2
from ackclock.engine.bench.worker import fabric_row, peak_rss_bytes, row_of
from tests.helpers.crates import needs_cargo
from tests.helpers.tables import make_table

# rate, round-trip time in ms, flows, seconds
AGREED = {
    "W1": ("1Mbps", 200, 2, "600s"),
    "W2": ("100Mbps", 40, 10, "100s"),
    "W3": ("1Gbps", 104, 80, "60s"),
    "W4": ("1Gbps", 50, 1000, "20s"),
}


def milliseconds(text):
    units = {"ms": 1.0, "us": 1e-3, "s": 1e3}
    unit = next(unit for unit in ("ms", "us", "s") if text.endswith(unit))
    return float(text.removesuffix(unit)) * units[unit]


@pytest.mark.parametrize("name", AGREED)
def test_workloads_are_the_agreed_ones(name):
    rate, rtt, flows, duration = AGREED[name]
    text = resources.files("ackclock.engine.bench").joinpath(f"{name}.toml").read_text()
    scenario = ackclock.check(text)
    access, bottleneck, (flow,) = scenario["access"], scenario["bottleneck"], scenario["flows"]
    side = milliseconds(access["source_delay"])
    assert side == milliseconds(access["sink_delay"]) == pytest.approx(0.05 * rtt)
    assert 2 * (2 * side + milliseconds(bottleneck["delay"])) == pytest.approx(rtt)
    assert ackclock.check(text, {"bottleneck.rate": rate, "duration": duration}) == scenario
    assert (flow["count"], flow["cc"], flow["sack"], flow["app"]["kind"]) == (flows, "cubic-rfc9438", True, "bulk")
    assert (access["rate"], scenario["packet_size"]) == ("10x", "1500B")
    assert "1bdp" in str(bottleneck["queue"])


def test_names_are_the_files():
    assert bench.names() == [*AGREED, "leaf-spine", "python-cc", "rust-cc"]


def test_the_fabric_has_a_thousand_hosts_and_the_same_bytes_on_two_threads(caplog):
    text = leaf_spine.text("300us")
    scenario = ackclock.check(text)
    copies = [(flow["count"], flow["app"].get("servers", 1)) for flow in scenario["flows"]]
    assert sum(count * (servers + 1) for count, servers in copies) == leaf_spine.HOSTS == 1024
    one, two = (ackclock.run(text, threads=threads) for threads in (1, 2))
    # A run that is not divided says so.
    assert not caplog.records
    for name, table in one.tables.items():
        assert list(table.rows()) == list(two.tables[name].rows()), name
    assert one.links["marks"].sum() > 0
    assert fabric_row(one.links, cpu_s=0.5)["packets"] == one.links["packets"].sum() > 10_000


@pytest.mark.parametrize(("name", "cc"), [("python-cc", "bench-counting"), ("rust-cc", "bench-spread")])
def test_algorithms_outside_the_engine_are_measured_on_one_of_the_workloads(name, cc):
    text, other = (resources.files("ackclock.engine.bench").joinpath(f"{one}.toml").read_text() for one in (name, "W2"))
    mine, theirs = (ackclock.check(text.replace(cc, "cubic")) for text in (text, other))
    assert mine.pop("name") == name
    assert theirs.pop("name") == "W2"
    assert mine == theirs


def test_python_is_measured_by_its_acks():
    (row,) = bench.measure(["python-cc"])["workloads"]
    # An ACK for two packets; those of slow start and recovery go elsewhere.
    assert 0.45 * row["packets"] < row["python_acks"] < 0.51 * row["packets"]
    assert row["python_acks_per_cpu_s"] == pytest.approx(row["python_acks"] / row["cpu_s"])


@needs_cargo
def test_the_algorithm_in_rust_is_the_one_in_python():
    python, rust = bench.measure(["python-cc", "rust-cc"])["workloads"]
    same = ("packets", "utilisation", "loss")
    assert [rust[name] for name in same] == [python[name] for name in same]


def test_without_cargo_the_workload_in_rust_is_refused(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RefusedError, match="rust-cc needs cargo"):
        bench.measure(["rust-cc"])


def test_packets_are_the_data_packets_that_crossed():
    links = make_table(
        link=["bottleneck", "bottleneck.reverse"], packets=[1000, 400], utilisation=[0.9, 0.1], drop_rate=[0.01, 0.0]
    )
    flows = make_table(flow=["a", "b"], segments_sent=[600, 420], data_segments_sent=[598, 417])
    row = row_of(links, flows, cpu_s=0.5)
    assert row == {"packets": 995, "cpu_s": 0.5, "packets_per_cpu_s": 1990, "utilisation": 0.9, "loss": 0.01}


def test_a_workload_is_measured_in_its_own_process():
    ballast = bytearray(200 * 1024 * 1024)
    assert peak_rss_bytes() > len(ballast)
    document = bench.measure(["W1"], repeat=2)
    (row,) = document["workloads"]
    assert {"name", "packets", "cpu_s", "packets_per_cpu_s", "peak_rss_mib", "utilisation", "loss"} <= row.keys()
    assert row["name"] == "W1"
    assert row["packets"] > 40_000
    assert row["packets_per_cpu_s"] == pytest.approx(row["packets"] / row["cpu_s"])
    assert 5 < row["peak_rss_mib"] < 200
    with pytest.raises(ValueError, match="repeat"):
        bench.measure(["W1"], repeat=0)


def fake_ns(folder, monkeypatch, script):
    program = folder / "ns"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_ns2_gets_the_links_flows_and_seconds_of_the_workloads():
    assert ns2.settings_of("W2") == ["100Mb", "16ms", "2ms", "10", "100"]
    assert ns2.settings_of("W3") == ["1Gb", "41.6ms", "5.2ms", "80", "60"]
    assert ns2.settings_of("W4") == ["1Gb", "20ms", "2.5ms", "1000", "20"]


def test_ratios_are_those_of_the_pairs():
    assert ns2.ratio_of([2.0, 9.0, 4.0], [1.0, 3.0, 4.0]) == (2.0, 1.0, 3.0)


def test_ns2_is_measured_beside_every_stack(tmp_path, monkeypatch):
    fake_ns(tmp_path, monkeypatch, 'test "$2 $5" = "100Mb 10" && echo packets 1000000 drops 3')
    document = ns2.beside_ns2(["W2"])
    assert [(row["name"], row["stack"]) for row in document["workloads"]] == [("W2", "linux"), ("W2", "rfc")]
    for row in document["workloads"]:
        assert row["ratio"] == row["packets_per_cpu_s"] / row["ns2_packets_per_cpu_s"] > 0


def test_an_ns2_that_fails_or_is_missing_is_named(tmp_path, monkeypatch, capsys):
    fake_ns(tmp_path, monkeypatch, "echo cannot; exit 3")
    assert main(["bench", "--against", "ns2", "--only", "W2"]) == 2
    assert "ns-2 failed on W2 with status 3: 'cannot" in capsys.readouterr().err
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    assert main(["bench", "--against", "ns2"]) == 2
    assert "ns-2 is not installed" in capsys.readouterr().err
    assert main(["bench", "--against", "ns2", "--only", "W1"]) == 2
    assert "accepted: W2, W3, W4" in capsys.readouterr().err
