"""Scenarios over the sockets of kernels: the running one, and one in virtual time where the cache has one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import ackclock
from ackclock import ScenarioError, kernel
from ackclock.kernel import live
from ackclock.kernel.backends import Backend
from ackclock.kernel.builds import Built
from ackclock.kernel.compared import compare_backends

RIGHTS = sys.platform == "linux" and os.geteuid() == 0 and Path("/dev/net/tun").exists()
needs_rights = pytest.mark.skipif(not RIGHTS, reason="needs root and /dev/net/tun")
KERNELS = [one for one in kernel.built() if one.version.startswith("6.12.") and one.hz == 1000]
needs_kernel = pytest.mark.skipif(not KERNELS, reason="needs `ackclock kernel build`")

PATIENCE = 6000
"""Looks, a hundredth of a second apart, after which what should have gone is there to stay."""

LINK: dict[str, Any] = {"rate": "8Mbps", "delay": "10ms", "queue": "50 packets"}


def scenario(*flows: dict[str, Any], duration: str = "2s", link: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"duration": duration, "bottleneck": LINK | (link or {}), "flows": list(flows)}


APPLICATIONS: dict[str, dict[str, Any]] = {
    "bulk": {"kind": "bulk"},
    "transfer": {"kind": "transfer", "size": "100kB"},
    "dash": {"kind": "dash", "ladder": ["200kbps", "400kbps"], "segment": "1s"},
    "live": {"kind": "live", "ladder": ["200kbps", "400kbps"], "segment": "1s", "chunk": "250ms"},
    "moq": {"kind": "moq", "rate": "400kbps", "streams": "one"},
    "bursts": {"kind": "bursts", "size": "20kB", "interval": "300ms"},
    "onoff": {"kind": "onoff", "on": "200ms", "off": "100ms"},
    "list": {"kind": "list", "items": [{"at": "100ms", "size": "10kB"}, {"at": "500ms", "size": "20kB"}]},
    "web": {"kind": "web", "users": 2, "object_size": "10kB", "objects": 3, "think": "200ms"},
    "rpc": {"kind": "rpc", "request_size": "1kB", "response_size": "20kB", "think": "100ms"},
    "cbr": {"kind": "cbr", "rate": "200kbps"},
    "voip": {"kind": "voip"},
}


@needs_rights
@pytest.mark.parametrize("name", APPLICATIONS)
def test_every_application_fills_the_tables_of_the_simulator(name: str) -> None:
    text = scenario({"name": "one", "app": APPLICATIONS[name]})
    ours, theirs = ackclock.run(text), ackclock.run(text, backend="linux")
    assert theirs.tables.keys() == ours.tables.keys()
    for table, rows in ours.tables.items():
        assert set(theirs.tables[table].column_names) == set(rows.column_names), table
    [row] = theirs.tables["flows"].rows()
    assert row["bytes_delivered"] > 0
    forward = next(theirs.tables["links"].rows())
    assert forward["bytes"] > row["bytes_delivered"]


@needs_rights
def test_tmix_connections_are_replayed_over_sockets(tmp_path: Path) -> None:
    vectors = tmp_path / "two.cvec"
    vectors.write_text("SEQ 0 1\n> 300\n< 10000\nSEQ 500000 2\n> 200\n< 20000\n")
    text = scenario({"name": "one", "app": {"kind": "tmix", "vectors": {"file": str(vectors)}, "records": True}})
    ours, theirs = ackclock.run(text), ackclock.run(text, backend="linux")
    assert theirs.tables.keys() == ours.tables.keys()
    [us], [them] = ([*one.tables["flows"].rows()] for one in (ours, theirs))
    assert them["bytes_delivered"] == us["bytes_delivered"] == 30_000


@needs_rights
def test_a_transfer_is_complete_and_the_listed_packets_are_lost() -> None:
    link = {"loss": {"kind": "list", "packets": [20, 30]}}
    flow = {"name": "one", "app": {"kind": "transfer", "size": "300kB"}, "cc": "reno"}
    result = ackclock.run(scenario(flow, link=link, duration="8s"), backend="linux")
    [transfer] = result.tables["transfers"].rows()
    assert transfer["bytes"] == 300_000
    # 300 kB take 0.3 s at 8 Mbit/s without headers.
    assert transfer["duration_s"] > 0.3
    [row] = result.tables["flows"].rows()
    assert row["bytes_delivered"] == 300_000
    assert row["retransmits"] >= 2
    assert next(result.tables["links"].rows())["losses"] == 2


@needs_rights
def test_meta_says_which_kernel_and_how_late() -> None:
    result = ackclock.run(scenario({"app": "bulk"}, duration="1s"), backend="linux", seed=5)
    meta = result.meta
    assert (meta["backend"], meta["seed"], meta["duration_s"], meta["rtt_ms"]) == ("linux", 5, 1.0, 20.0)
    assert meta["kernel"]["release"] == os.uname().release
    assert meta["kernel"]["clock"] == "real"
    assert meta["lateness"]["packets"] > 100
    assert meta["scenario_hash"] == ackclock.run(scenario({"app": "bulk"}, duration="1s")).meta["scenario_hash"]
    document = result.document()
    assert document["backend"] == "linux"
    json.dumps(document)


@needs_rights
def test_settings_reach_the_kernel() -> None:
    bursts = {"kind": "bursts", "size": "60kB", "interval": "1s"}
    flows = [
        {"name": "small", "app": bursts, "cc": "reno", "initial_window": 3, "sack": False, "timestamps": False},
        {"name": "idle", "app": bursts, "cc": "reno", "initial_window": 20, "restart_after_idle": "off"},
        {"name": "paced", "app": bursts, "cc": "cubic", "pacing": "fq", "nagle": False},
    ]
    text = scenario(*flows, duration="3s", link={"rate": "50Mbps"}) | {"probes": {"window": True, "interval": "1ms"}}
    result = ackclock.run(text, backend="linux")
    window = result.tables["window"]
    first = {name: window["cwnd"][window["flow"] == name][0] for name in ("small", "idle", "paced")}
    # Without timestamps a segment has 1,460 bytes of payload, and 1,448 with them.
    assert first["small"] == 3 * 1460
    assert first["idle"] == 20 * 1448
    assert first["paced"] == 10 * 1448
    used = result.meta["kernel"]["sysctls"]
    assert used[0]["net.ipv4.tcp_sack"] == "0"
    assert used[1]["net.ipv4.tcp_slow_start_after_idle"] == "0"


@needs_rights
def test_queues_and_rates_are_recorded() -> None:
    text = scenario({"name": "one", "app": "bulk"}) | {"probes": {"queues": True, "rates": True, "interval": "100ms"}}
    result = ackclock.run(text, backend="linux")
    rates = result.tables["rates"]
    assert rates["bytes_delivered"].sum() == next(result.tables["flows"].rows())["bytes_delivered"]
    queues = result.tables["queues"]
    ahead = queues["link"] == "bottleneck"
    assert 0 < queues["packets"][ahead].max() <= 50


def test_what_a_kernel_cannot_do_is_refused_with_every_path() -> None:
    text = scenario(
        {"name": "a", "app": "bulk", "stack": "rfc"},
        {"name": "b", "app": "bulk", "cc": "newreno-of-nobody"} | {"cc": "bbr3", "validation": "newcwv"},
        {"name": "c", "app": "bulk", "ecn": "l4s", "count": 200},
        {"name": "d", "app": {"kind": "cbr", "rate": "100kbps", "packet_size": "30B"}},
        link={"queue": "xcp", "gso": "whole", "reverse_gso": "queue", "host_queue": True},
    )
    with pytest.raises(ScenarioError) as caught:
        live.checked(ackclock.scenario.load(text | {"probes": {"packets": True}}), Backend(None), [])
    paths = {problem["path"] for problem in caught.value.problems}
    wanted = {"flows[0].stack", "flows[1].cc", "flows[1].validation", "flows[2].ecn", "flows"}
    assert wanted | {"flows[3].app.packet_size", "bottleneck.queue", "probes.packets"} <= paths
    assert {"bottleneck.gso", "bottleneck.reverse_gso", "bottleneck.host_queue"} <= paths


@pytest.mark.parametrize("stack", ["linux", "linux-6.18", "linux-6.12", "linux-6.1"])
def test_a_kernel_is_asked_for_its_own_version(stack: str) -> None:
    kernel = Built("6.12.117", 1000, "linux.tar.xz", "0" * 16, ("TCP_CONG_CUBIC",), Path("kernel"))
    source = ackclock.scenario.load(scenario({"name": "one", "app": "bulk", "stack": stack, "cc": "reno"}))
    if stack in ("linux", "linux-6.12"):
        live.checked(source, Backend(kernel), [])
        return
    with pytest.raises(ScenarioError, match=r'flows\[0\]\.stack: .*accepted: "linux", "linux-6\.12"'):
        live.checked(source, Backend(kernel), [])


def test_buffers_are_memory_of_the_namespaces() -> None:
    fields = {"send_buffer": "64KiB", "receive_buffer": "100kB", "notsent_lowat": "16KiB"}
    tuned = {"send_buffer_max": "8MiB", "receive_buffer_max": "16MiB"}
    flows = [{"name": "fixed", "app": "bulk", **fields}, {"name": "tuned", "app": "bulk", **tuned}]
    _, _, question = live.checked(ackclock.scenario.load(scenario(*flows)), Backend(None), [])
    fixed, grown = (flow["sysctls"] for flow in question["flows"])
    # SO_SNDBUF is doubled. With segments of 1,448 bytes the kernel makes a window of 160/256 of the memory.
    assert fixed["net.ipv4.tcp_wmem"] == "4096 131072 131072"
    assert fixed["net.ipv4.tcp_rmem"] == "4096 160000 160000"
    assert fixed["net.ipv4.tcp_notsent_lowat"] == "16384"
    assert grown["net.ipv4.tcp_wmem"] == f"4096 16384 {16 << 20}"
    assert grown["net.ipv4.tcp_rmem"] == f"4096 131072 {32 << 20}"


def test_backends_never_mix_unnoticed() -> None:
    run = ackclock.run(scenario({"app": "bulk"}, duration="1s"))
    other = ackclock.Result(run.meta | {"backend": "linux:6.12.117"}, run.tables)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"different backends are no replications: linux:6\.12\.117, sim"):
        ackclock.Replications([run, other])


@needs_rights
def test_a_sweep_has_the_backend_as_a_dimension(tmp_path: Path) -> None:
    grid = {"backend": ["sim", "linux"], "flows[0].cc": ["reno", "cubic"]}
    text = scenario({"name": "one", "app": "bulk"}, duration="1s")
    with ackclock.sweep(text, grid, seeds=1, out=tmp_path / "store") as store:
        rows = list(store.sql("SELECT backend, goodput_bps FROM flows JOIN runs USING (run)").rows())
        live_run = next(store.sql("SELECT run FROM runs WHERE backend = 'linux'").rows())["run"]
        assert store.result(live_run).meta["backend"] == f"linux:{os.uname().release}"
    assert sorted(row["backend"] for row in rows) == ["linux", "linux", "sim", "sim"]
    assert all(row["goodput_bps"] > 0 for row in rows)


def test_a_sweep_refuses_what_a_kernel_cannot_do(tmp_path: Path) -> None:
    if not RIGHTS:
        pytest.skip("needs root")
    text = scenario({"name": "one", "app": "bulk", "stack": "rfc"}, duration="1s")
    with pytest.raises(ScenarioError, match=r"flows\[0\].stack"):
        ackclock.sweep(text, {"backend": ["sim", "linux"]}, out=tmp_path / "store")
    assert not (tmp_path / "store").exists()


@needs_rights
def test_a_comparison_says_what_differs(tmp_path: Path) -> None:
    text = scenario({"name": "one", "app": "bulk", "cc": "reno"}, duration="3s", link={"queue": "1000 packets"})
    measures = ["flows[one].goodput_bps", "links[bottleneck].drops"]
    found = compare_backends(text, ["sim", "linux"], measures, seeds=2)
    assert [(one.measure, one.backend) for one in found.residuals] == [(name, "linux") for name in measures]
    # How near the two are depends on how busy the machine is.
    assert found.residuals[0].reference > 0
    assert found.residuals[0].value > 0
    document = found.document()
    assert document["backends"]["linux"]["kernel"]["release"] == os.uname().release
    found.write(tmp_path)
    assert (tmp_path / "overlay.png").stat().st_size > 10_000
    assert (tmp_path / "backend-1" / "window.csv").exists()


def test_a_difference_is_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two simulators stand for two kernels, one of which has another buffer."""
    from ackclock.kernel import backends, compared

    real = compared.run

    def run(text: Any, **given: Any) -> Any:
        changed = {"linux:new": [("bottleneck.queue", "4bdp")]}.get(given.pop("backend"), [])
        return real(text, **given | {"overrides": [*given["overrides"], *changed]})

    monkeypatch.setattr(compared, "run", run)
    monkeypatch.setattr(backends, "backend", lambda _: Backend(None))
    text = scenario({"name": "one", "app": "bulk", "start_jitter": "300ms", "cc": "reno"}, duration="5s")
    names = ["linux:old", "linux:same", "linux:new"]
    found = compare_backends(text, names, ["links[bottleneck].queue_delay_mean_ms"], seeds=5)
    assert [(one.backend, one.verdict) for one in found.residuals] == [("linux:same", "same"), ("linux:new", "differs")]
    assert [one.backend for one in found.differing] == ["linux:new"]
    [_, new] = found.residuals
    assert new.low > 0.01 * new.reference
    single = compare_backends(text, names, ["links[bottleneck].queue_delay_mean_ms"], seeds=1)
    assert [one.verdict for one in single.residuals] == ["open", "open"]


def command(*arguments: str, code: int) -> str:
    line = (sys.executable, "-m", "ackclock", *arguments)
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done.stderr


def test_wrong_input_on_the_command_line_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "scenario.toml"
    path.write_text('duration = "1s"\n[bottleneck]\nrate = "1Mbps"\ndelay = "10ms"\n[[flows]]\napp = "bulk"\n')
    assert "--backend wrong: accepted: sim, linux," in command("run", str(path), "--backend", "wrong", code=2)
    assert "--verify: only the simulator" in command("run", str(path), "--backend", "linux", "--verify", code=2)
    assert "at least two different" in command("compare", str(path), "--backends", "sim", code=2)
    assert "at least two different" in command("compare", str(path), "--backends", "sim,sim", code=2)
    assert "--tolerance 3: expected" in command(
        "compare", str(path), "--backends", "sim,linux", "--tolerance", "3", code=2
    )
    assert "no kernel 1.2" in command("run", str(path), "--backend", "linux:1.2", code=2)


@needs_rights
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_run_leaves_nothing(number: signal.Signals, tmp_path: Path) -> None:
    path = tmp_path / "scenario.toml"
    path.write_text('duration = "10min"\n[bottleneck]\nrate = "1Mbps"\ndelay = "10ms"\n[[flows]]\napp = "bulk"\n')
    line = (sys.executable, "-m", "ackclock", "run", str(path), "--backend", "linux")

    def children() -> list[Path]:
        found = []
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
                text = (stat.parent / "cmdline").read_text()
            except OSError:
                continue
            if "runner.py" in text and int(fields[1]) == process.pid:
                found.append(stat.parent)
        return found

    with subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while not (runners := children()):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(number)
        process.wait()
    # The kernel ends the process, and with it the namespaces; how long that takes is its own affair.
    for _ in range(PATIENCE):
        if not any((runner / "exe").exists() for runner in runners):
            return
        time.sleep(0.01)
    pytest.fail(f"still there: {runners}")


@needs_kernel
def test_a_kernel_in_virtual_time_agrees_with_the_simulator() -> None:
    text = scenario({"name": "one", "app": "bulk", "cc": "reno"}, duration="5s")
    backend = f"linux:{KERNELS[0].digest}"
    ours, theirs = ackclock.run(text), ackclock.run(text, backend=backend)
    assert theirs.meta["backend"] == f"linux:{KERNELS[0].version}"
    assert theirs.meta["valid"]
    [us], [them] = ([*one.tables["flows"].rows()] for one in (ours, theirs))
    assert them["goodput_bps"] == pytest.approx(us["goodput_bps"], rel=0.03)
    assert them["recoveries"] == us["recoveries"]
