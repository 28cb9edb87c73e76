"""packetdrill scripts on kernels: in one of the user's cache, and on the running one for root."""

import json
import os
from pathlib import Path

import pytest

from ackclock import kernel
from ackclock.cli import main
from ackclock.judge import drill
from ackclock.kernel import KernelError, scripts
from ackclock.kernel.builds import Built
from ackclock.kernel.scripts import Backend

SERVER = """
    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0 setsockopt(3, SOL_SOCKET, SO_REUSEADDR, [1], 4) = 0
   +0 bind(3, ..., ...) = 0
   +0 listen(3, 1) = 0
   +0 < S 0:0(0) win 32792 <mss 1000,sackOK,nop,nop,nop,wscale 7>
   +0 > S. 0:0(0) ack 1 <mss 1460,nop,nop,sackOK,nop,wscale 8>
  +.1 < . 1:1(0) ack 1 win 257
   +0 accept(3, ..., ...) = 4
"""
SETTINGS = "`sysctl -q net.ipv4.tcp_timestamps=0 net.ipv4.tcp_rmem='4096 540000 15728640'`\n"

SCRIPTS = {
    "passes": (SETTINGS + SERVER + "+0 write(4, ..., 1000) = 1000\n+0 > P. 1:1001(1000) ack 1\n", "pass", ""),
    "retransmits": (
        SETTINGS + SERVER + "+0 write(4, ..., 100) = 100\n+0 > P. 1:101(100) ack 1\n"
        "+.2~+.31 > P. 1:101(100) ack 1\n+0 %{ assert tcpi_snd_cwnd > 0 }%\n",
        "pass",
        "",
    ),
    "blocks": (
        SETTINGS + SERVER + "+0...0.3 read(4, ..., 1000) = 7\n+.3 < P. 1:8(7) ack 1 win 257\n+0 > . 1:1(0) ack 8\n",
        "pass",
        "",
    ),
    "differs": (
        SETTINGS + SERVER + "+0 write(4, ..., 1000) = 1000\n+0 > P. 1:901(900) ack 1\n",
        "fail",
        "payload 1000 instead of 900",
    ),
    "orders": (
        (SETTINGS + SERVER).replace("<mss 1460,nop,nop,sackOK,", "<nop,nop,sackOK,mss 1460,"),
        "fail",
        "options <mss 1460,nop,nop,sackOK,nop,wscale 8> instead of <nop,nop,sackOK,mss 1460,nop,wscale 8>",
    ),
    "returns": (SERVER.replace("listen(3, 1) = 0", "listen(3, 1) = -1 EBADF"), "fail", "listen returned 0"),
    "waits": (SETTINGS + SERVER + "+0 read(4, ..., 1000) = 7\n", "fail", "read is still blocked at"),
    "asserts": (SETTINGS + SERVER + "+0 %{ assert tcpi_snd_cwnd == 77, tcpi_snd_cwnd }%\n", "fail", "== 77"),
    "commands": ("`exit 3`\n" + SERVER, "fail", "ended with status 3"),
    "is set": ("`sysctl -q net.ipv4.tcp_syn_retries=2`\n" + SERVER.partition("+0 <")[0], "pass", ""),
    "is not set": ("`test $(sysctl -n net.ipv4.tcp_syn_retries) = 6`\n" + SERVER.partition("+0 <")[0], "pass", ""),
    "lacks": ("`cat /proc/sys/net/ipv4/tcp_no_such_setting`\n" + SERVER, "unsupported", "tcp_no_such_setting"),
    "is beyond": ("0 socket(..., SOCK_STREAM, IPPROTO_MPTCP) = 3\n", "unsupported", "MPTCP"),
}
VERSION_6 = "--ip_version=ipv6\n--mtu=1520\n" + SCRIPTS["passes"][0]


@pytest.fixture
def built():
    found = [one for one in kernel.built() if one.version.startswith("6.12.") and one.hz == 1000 and one.is_current]
    if not found:
        pytest.skip("no present kernel 6.12 with 1000 Hz in the user's cache; `ackclock kernel build` builds one")
    return Backend(found[0])


@pytest.fixture
def running():
    if not Path("/dev/net/tun").exists():
        pytest.skip("this machine has no /dev/net/tun")
    try:
        return scripts.backend("linux")
    except KernelError as error:
        pytest.skip(str(error))


@pytest.fixture
def files(tmp_path):
    for name, (text, *_) in SCRIPTS.items():
        (tmp_path / f"{name}.pkt").write_text(text)
    return [tmp_path / f"{name}.pkt" for name in SCRIPTS]


def check(results):
    for result in results:
        name = Path(result.path).stem
        _, verdict, reason = SCRIPTS[name]
        assert (name, result.verdict) == (name, verdict), result.reason
        assert reason in result.reason


def test_a_kernel_gives_verdicts_and_scripts_do_not_change_each_other(built, files):
    first = drill.run_on_kernel(built, files)
    check(first)
    again = drill.run_on_kernel(built, files[:4])
    assert [(one.verdict, one.line) for one in again] == [(one.verdict, one.line) for one in first[:4]]


def test_the_running_kernel_gives_verdicts(running, files):
    check(drill.run_on_kernel(running, files))


def test_scripts_of_both_versions_of_ip_run(built, tmp_path):
    mapped = VERSION_6.replace("ipv6\n--mtu=1520", "ipv4-mapped-ipv6")
    names = []
    for name, text in {"six": VERSION_6, "mapped": mapped}.items():
        names.append(tmp_path / f"{name}.pkt")
        names[-1].write_text(text)
    assert [(one.verdict, one.reason) for one in drill.run_on_kernel(built, names)] == [("pass", "")] * 2


def test_the_document_names_backend_and_kernel(built, files, capsys):
    assert main(["drill", "--backend", f"linux:{built.kernel.digest}", str(files[0]), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["backend"] == f"linux:{built.version}"
    assert document["kernel"] == {
        "version": built.version,
        "hz": 1000,
        "digest": built.kernel.digest,
        "clock": "virtual",
    }
    assert document["summary"] == {"pass": 1, "fail": 0, "unsupported": 0}


def fake(tmp_path, script):
    """A kernel that is a shell script; the folder of question and answers is its last argument."""
    folder = tmp_path / "kernel"
    folder.mkdir()
    (folder / "linux").write_text(f"#!/bin/sh\nfor folder; do :; done\n{script}\n")
    (folder / "linux").chmod(0o755)
    return Backend(Built("6.12.117", 1000, "source", "0" * 16, (), folder))


def test_a_script_that_never_ends_fails_and_the_others_run(tmp_path, files):
    verdict = '{\\"verdict\\": \\"pass\\", \\"line\\": null, \\"reason\\": \\"\\", \\"snippets\\": []}'
    stuck = fake(
        tmp_path,
        f"""
        case $(cat "$folder/question.json") in
        *'"numbers": [0'*) echo 0 > "$folder/begun.json"; sleep 600;;
        *) echo "{verdict}" > "$folder/1.json"; echo '{{"release": "6.12"}}' > "$folder/answer.json";;
        esac
        """,
    )
    outcomes = scripts.run(stuck, files[:2], silence_s=1.0)
    assert [one["verdict"] for one in outcomes] == ["fail", "pass"]
    assert outcomes[0]["reason"] == "gave no verdict within 1 s of real time"


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("echo panic >&2", "gave no answer; its last lines:\npanic"),
        ("""echo '{"error": "no room"}' > "$folder/answer.json" """, "failed:\nno room"),
        ("""echo '{"release": "6.12"}' > "$folder/answer.json" """, "gave no verdict on every script"),
    ],
)
def test_a_machine_that_fails_is_an_error(tmp_path, files, script, says):
    with pytest.raises(KernelError) as error:
        scripts.run(fake(tmp_path, script), files[:1])
    assert says in str(error.value)


@pytest.mark.parametrize("name", ["minix", "linux:", "minix:6.12"])
def test_names_of_no_kernel_are_refused(name, files, capsys):
    assert main(["drill", "--backend", name, str(files[0])]) == 2
    assert f"--backend {name}: accepted: sim, linux, linux:VERSION" in capsys.readouterr().err


def test_a_kernel_has_its_own_stack(files, capsys):
    assert main(["drill", "--backend", "linux:6.12", "--stack", "rfc", str(files[0])]) == 2
    assert "--stack: a kernel has its own" in capsys.readouterr().err


def test_the_running_kernel_needs_root(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(KernelError, match="needs root"):
        scripts.backend("linux")


def test_the_running_kernel_needs_cubic(monkeypatch, tmp_path):
    allowed = tmp_path / "allowed"
    allowed.write_text("reno bbr\n")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(scripts, "ALLOWED", allowed)
    with pytest.raises(KernelError, match="does not have cubic"):
        scripts.backend("linux")
