"""Congestion controls that are loaded into the running kernel: what they do, what stays, and what is refused."""

from __future__ import annotations

import fcntl
import os
import platform
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import ackclock
from ackclock.cli import main
from ackclock.kernel import KernelError, modules
from ackclock.kernel.modules import MODULES, libbpf
from tools.newcwv.rules import RULES, Rule, scenario_of

pytestmark = pytest.mark.slow

STRUCT_OPS_PROGRAM = 27
"""Type of the programs in the modules (BPF_PROG_TYPE_STRUCT_OPS)."""


def loadable() -> bool:
    """Whether this process may load such programs, and everything is there for it."""
    there = sys.platform == "linux" and os.geteuid() == 0 and modules.BTF.exists() and Path("/dev/net/tun").exists()
    if not there or not all(one.object.exists() for one in MODULES.values()):
        return False
    try:
        return libbpf.library().functions.libbpf_probe_bpf_prog_type(STRUCT_OPS_PROGRAM, None) == 1
    except KernelError:
        return False


needs_rights = pytest.mark.skipif(not loadable(), reason="needs root, BPF with BTF, /dev/net/tun and `make bpf`")
ALGORITHMS = [algorithm for one in MODULES.values() for algorithm in one.algorithms]

Left = Callable[[], Counter[str]]

PATIENCE = 6000
"""Looks, a hundredth of a second apart, after which what should have gone is there to stay."""


def there() -> Counter[str]:
    """Parts of the modules that are in the kernel."""
    found = Counter(name for name, _ in libbpf.library().struct_ops() if name in ALGORITHMS)
    return found + Counter(one for one in modules.available() if one in ALGORITHMS)


@pytest.fixture
def left() -> Iterator[Left]:
    """Says what is in the kernel to stay and was not before; no other test of this machine loads modules meanwhile."""
    with modules.BTF.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        before = there()

        def more() -> Counter[str]:
            # The kernel frees what nothing uses any more a little later.
            for _ in range(PATIENCE):
                if not there() - before:
                    break
                time.sleep(0.01)
            return there() - before

        yield more
        for name in MODULES:
            if any(one in modules.available() for one in MODULES[name].algorithms):
                modules.unload(name)


@needs_rights
@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.duration_s < 60], ids=lambda rule: rule.name)
def test_simulator_and_kernel_obey_rfc_7661(left: Left, rule: Rule) -> None:
    for backend in ("sim", "linux"):
        outcome = rule.read(ackclock.run(scenario_of(rule, "reno", "newcwv"), backend=backend))
        assert outcome.obeyed, f"{backend}: {outcome.shown}"
    assert not left(), "what was loaded for a run leaves with it"


def test_the_simulator_halves_a_window_after_five_minutes() -> None:
    [rule] = [rule for rule in RULES if rule.name == "five-minutes"]
    outcome = rule.read(ackclock.run(scenario_of(rule, "reno", "newcwv")))
    assert outcome.obeyed, outcome.shown


@pytest.mark.parametrize("name", ["idle", "no-growth", "losses", "timeout"])
def test_without_newcwv_a_rule_is_not_obeyed(name: str) -> None:
    [rule] = [rule for rule in RULES if rule.name == name]
    assert not rule.read(ackclock.run(scenario_of(rule, "reno", "linux"))).obeyed


@needs_rights
def test_cubic_keeps_its_window_and_compound_is_that_of_the_simulator(left: Left) -> None:
    [idle] = [rule for rule in RULES if rule.name == "idle"]
    assert idle.read(ackclock.run(scenario_of(idle, "cubic", "newcwv"), backend="linux")).obeyed
    assert not idle.read(ackclock.run(scenario_of(idle, "cubic", "linux"), backend="linux")).obeyed
    link = {"rate": "50Mbps", "delay": "40ms", "queue": {"kind": "drop-tail", "limit": "0.5bdp"}}
    for cc in ("compound", "reno"):
        flow = {"name": "one", "stack": "linux", "cc": cc, "app": "bulk"}
        text = {"duration": "8s", "bottleneck": link, "flows": [flow], "probes": {"window": True, "interval": "1ms"}}
        ours = growth(ackclock.run(text))
        if cc == "compound":
            assert ours.max() > 4
            # Late packets look like a queue and halt the second window, in the worst case for all of a run.
            assert any(growth(ackclock.run(text, backend="linux")).max() > ours.max() / 2 for _ in range(5))
        else:
            assert np.median(ours) <= 1.5
            assert np.median(growth(ackclock.run(text, backend="linux"))) <= 1.5


def growth(result: ackclock.Result) -> np.ndarray:
    """Growth of the congestion window in each smoothed RTT of congestion avoidance, in segments of 1,448 bytes."""
    window = result.window
    time, cwnd, threshold = (np.asarray(window[name], dtype=float) for name in ("time_s", "cwnd", "ssthresh"))
    until = np.searchsorted(time, time + np.asarray(window["srtt_ms"], dtype=float) / 1e3)
    found = []
    for start, end in enumerate(until):
        part = slice(start, end)
        if end < len(time) and np.all(cwnd[part] >= threshold[part]) and np.all(np.diff(cwnd[part]) >= 0):
            found.append((cwnd[end - 1] - cwnd[start]) / 1448)
    return np.array(found)


@needs_rights
def test_what_is_loaded_stays_until_it_is_unloaded(left: Left, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kernel", "load", "newcwv"]) == 0
    assert capsys.readouterr().out == "loaded newcwv and newcwv_np into the running kernel\n"
    assert main(["kernel", "load", "newcwv"]) == 2
    assert "is loaded already" in capsys.readouterr().err
    assert main(["kernel", "status"]) == 0
    assert "newcwv_np" in capsys.readouterr().out
    assert {one.algorithm: one.loaded for one in modules.status()} == {
        name: name.removesuffix("_np") == "newcwv" for name in ALGORITHMS
    }
    assert main(["kernel", "unload", "newcwv"]) == 0
    assert not left()
    capsys.readouterr()
    assert main(["kernel", "unload", "newcwv"]) == 2
    assert "is not loaded" in capsys.readouterr().err


@needs_rights
def test_a_default_is_not_unloaded(left: Left) -> None:
    modules.load("newcwv")
    # A network namespace of its own has a default of its own.
    code = "import ackclock.cli, sys; sys.exit(ackclock.cli.main(['kernel', 'unload', 'newcwv']))"
    change = "echo newcwv > /proc/sys/net/ipv4/tcp_congestion_control"
    command = ["unshare", "--net", "sh", "-c", f'{change} && exec "$0" -c "$1"', sys.executable, code]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "newcwv: is the default congestion control" in ended.stderr
    assert "newcwv" in modules.available()


@needs_rights
def test_a_hundred_loads_drop_no_connection_and_leave_nothing(left: Left) -> None:
    block = bytes(range(256)) * 64
    received = bytearray()

    def sink(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            while more := connection.recv(1 << 16):
                received.extend(more)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=sink, args=(listener,))
        thread.start()
        with socket.create_connection(listener.getsockname()) as sender:
            for number in range(100):
                modules.load("newcwv")
                if number % 2:
                    sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"newcwv")
                    sender.sendall(block)
                    assert modules.unload("newcwv")["newcwv"] == 1
                    sender.sendall(block)
                else:
                    modules.unload("newcwv")
        thread.join()
    assert bytes(received) == block * 100
    assert not left()


@needs_rights
def test_what_was_loaded_for_a_run_ends_with_its_process(left: Left) -> None:
    code = (
        "import sys\nfrom ackclock.kernel import modules\n"
        "with modules.loaded_for(['newcwv', 'ctcp']):\n"
        "    print(*modules.available(), flush=True)\n    sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert {b"newcwv", b"newcwv_np", b"ctcp"} <= set(process.stdout.readline().split())
        process.send_signal(signal.SIGKILL)
    assert not left()


def refused(monkeypatch: pytest.MonkeyPatch, **changes: object) -> str:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    for name, value in changes.items():
        monkeypatch.setattr(modules, name, value)
    with pytest.raises(KernelError) as caught:
        modules.load("newcwv")
    return str(caught.value)


@pytest.mark.skipif(sys.platform != "linux", reason="a kernel module is Linux's")
def test_each_reason_against_loading_has_its_message(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert "needs /nowhere" in refused(monkeypatch, BTF=Path("/nowhere"))
    assert "has not been compiled" in refused(monkeypatch, BTF=tmp_path, OBJECTS=tmp_path)
    monkeypatch.setattr(platform, "release", lambda: "5.15.0-1-amd64")
    assert "needs Linux 6.1 or later; this is Linux 5.15.0-1-amd64" in refused(monkeypatch)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(KernelError, match="needs root"):
        modules.load("newcwv")
    with pytest.raises(KernelError, match=r"^bbr9: is no module; accepted: newcwv, newcwv_cubic, ctcp$"):
        modules.load("bbr9")
    monkeypatch.setattr(libbpf, "NAMES", ("libbpf-nowhere.so.1",))
    with pytest.raises(KernelError, match=r"libbpf-nowhere\.so\.1 is not on this machine"):
        libbpf.library()


@needs_rights
def test_a_damaged_object_leaves_nothing(left: Left, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    whole = MODULES["newcwv"].object.read_bytes()
    monkeypatch.setattr(modules, "OBJECTS", tmp_path)
    for length in (0, 100, len(whole) // 2):
        (tmp_path / "newcwv.bpf.o").write_bytes(whole[:length])
        with pytest.raises(KernelError, match=r"newcwv\.bpf\.o: cannot be read as a BPF object"):
            modules.load("newcwv")
        assert not left()


def test_a_unit_for_systemd_loads_and_unloads(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kernel", "unit", "ctcp"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert f'ExecStart="{sys.executable}" -m ackclock kernel load ctcp' in lines
    assert f'ExecStop="{sys.executable}" -m ackclock kernel unload ctcp' in lines


def test_a_kernel_that_loads_nothing_refuses_newcwv() -> None:
    from ackclock.kernel.asked import asked

    def problems(**flow: object) -> list[str]:
        canonical = {
            "duration": "1s",
            "packet_size": "1500B",
            "probes": dict.fromkeys(("packets", "timeouts", "delays"), False),
            "bottleneck": {},
            "flows": [{"name": "one", "count": 1, "stack": "linux", "app": {"kind": "bulk"}, **flow}],
        }
        found = asked(canonical, ["reno", "cubic", "bbr"], "Linux 6.12", loads=loads)[1]
        return [f"{one['path']}: {one['message']}" for one in found]

    loads = False
    assert problems(cc="reno-linux", validation="newcwv") == [
        (
            'flows[0].validation: "newcwv" is a BPF program, which Linux 6.12 cannot load; accepted: "linux", or '
            "--backend linux"
        )
    ]
    loads = True
    assert problems(cc="reno-linux", validation="newcwv") == []
    assert problems(cc="compound") == []
    assert problems(cc="bbr1", validation="newcwv") == [
        'flows[0].validation: "newcwv" stands in front of reno or cubic, and not of bbr; accepted: "linux"'
    ]
    assert problems(cc="reno-linux", validation="rfc2861") == [
        'flows[0].validation: "rfc2861" is nothing that Linux can be told; accepted: "linux", "newcwv"'
    ]
    assert problems(cc="reno-linux", pacing={"kind": "after-idle"}) == [
        (
            'flows[0].pacing.kind: "after-idle" is what newCWV does in Linux; accepted: "off", "fq", or '
            'validation = "newcwv"'
        )
    ]


@needs_rights
def test_who_loaded_a_module_waits_for_those_who_use_it(left: Left) -> None:
    """One process loads newCWV and wants to end; another uses it, and it is there until that one has ended, too."""
    code = (
        "import sys\n"
        "from ackclock.kernel.modules import loaded_for\n"
        "with loaded_for(['newcwv']):\n"
        "    print('loaded', flush=True)\n"
        "    sys.stdin.readline()\n"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", code], **pipes) as one:
        assert one.stdout.readline() == "loaded\n"
        with subprocess.Popen([sys.executable, "-c", code], **pipes) as two:
            assert two.stdout.readline() == "loaded\n"
            one.stdin.write("\n")
            one.stdin.flush()
            # It cannot end as long as the other has not: waiting for a moment finds one that does not wait.
            with pytest.raises(subprocess.TimeoutExpired):
                one.wait(1)
            assert "newcwv" in modules.available()
            two.stdin.write("\n")
            two.stdin.flush()
            assert two.wait() == 0
        assert one.wait() == 0
    assert not left()
