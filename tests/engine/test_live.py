"""The endpoint on the wire: HTTP with nginx and curl over the kernel's own TCP, in a network namespace of its own."""

import filecmp
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.places import ROOT

SIZE = 100_000_000
KERNEL, OURS = "10.9.0.1", "10.9.0.2"
KERNEL6, OURS6 = "fd00:9::1", "fd00:9::2"
DEVICE = "tun0"
IMPAIRED = ["--loss", "1500", "--reorder", "3000", "--hold", "1000", "--seed", "7"]

NGINX = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 16; }}
http {{
    access_log off;
    client_body_temp_path {folder};
    proxy_temp_path {folder};
    fastcgi_temp_path {folder};
    uwsgi_temp_path {folder};
    scgi_temp_path {folder};
    server {{ listen {KERNEL}:80; listen [{KERNEL6}]:80; root {folder}/www; }}
}}
"""


def missing():
    """Reason for which the kernel cannot be used here, in a plain word; None where it can."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return "not root"
    if not Path("/dev/net/tun").exists():
        return "no /dev/net/tun"
    for tool in ("ip", "nginx", "curl", "cargo"):
        if shutil.which(tool) is None:
            return f"no {tool}"
    return None


pytestmark = pytest.mark.skipif(missing() is not None, reason=f"meeting the kernel needs more: {missing()}")


@pytest.fixture(scope="module")
def http():
    """The example, built as the Rust tests build it."""
    command = ["cargo", "build", "--quiet", "--profile", "test", "--package", "ackclock-tun", "--example", "http"]
    command += ["--message-format", "json"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    return next(message["executable"] for message in messages if message.get("executable"))


@pytest.fixture(scope="module")
def namespace():
    """A network namespace with a TUN device, on which the kernel has its addresses."""
    name = f"ackclock-{os.getpid()}"

    def ip(*arguments):
        return subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)

    made = ip("netns", "add", name)
    if made.returncode:
        pytest.skip(f"no network namespace can be made: {made.stderr.strip()}")
    try:
        for arguments in (
            ["link", "set", "lo", "up"],
            ["tuntap", "add", "dev", DEVICE, "mode", "tun"],
            ["addr", "add", f"{KERNEL}/24", "dev", DEVICE],
            ["addr", "add", f"{KERNEL6}/64", "dev", DEVICE, "nodad"],
            ["link", "set", DEVICE, "up"],
        ):
            done = ip("-n", name, *arguments)
            assert done.returncode == 0, done.stderr
        yield ["ip", "netns", "exec", name]
    finally:
        ip("netns", "delete", name)


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    """A folder for nginx that holds the file to fetch."""
    folder = tmp_path_factory.mktemp("nginx")
    folder.chmod(0o755)
    for parent in folder.parents:
        if not parent.stat().st_mode & 0o001:
            parent.chmod(parent.stat().st_mode | 0o001)
    (folder / "www").mkdir()
    (folder / "www" / "file").write_bytes(random.Random(1).randbytes(SIZE))
    return folder


@pytest.fixture(scope="module")
def nginx(namespace, content):
    configuration = content / "nginx.conf"
    configuration.write_text(NGINX.format(folder=content, KERNEL=KERNEL, KERNEL6=KERNEL6), encoding="utf-8")
    command = [*namespace, "nginx", "-p", str(content), "-e", "stderr", "-c", str(configuration)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            up = ["curl", "--silent", "--show-error", "--fail", "--head", "--retry-connrefused"]
            up += ["--retry", "600", "--retry-delay", "1", f"http://{KERNEL}/file"]
            subprocess.run([*namespace, *up], check=True, stdout=subprocess.DEVNULL)
            yield
        finally:
            server.terminate()
            server.communicate(timeout=600)


def kernel_checksum_errors(namespace):
    """Segments of ours that the kernel found damaged."""
    lines = subprocess.run([*namespace, "cat", "/proc/net/snmp"], capture_output=True, text=True, check=True).stdout
    names, values = (line.split()[1:] for line in lines.splitlines() if line.startswith("Tcp:"))
    counters = dict(zip(names, map(int, values), strict=True))
    assert counters["InSegs"] > 0
    return counters["InCsumErrors"] + counters["InErrs"]


@pytest.mark.parametrize(
    ("ours", "peer", "impaired"),
    [(OURS, f"{KERNEL}:80", []), (OURS, f"{KERNEL}:80", IMPAIRED), (OURS6, f"[{KERNEL6}]:80", IMPAIRED)],
    ids=["clean", "lossy", "lossy, IPv6"],
)
def test_a_file_comes_from_nginx_byte_for_byte(http, namespace, nginx, content, tmp_path, ours, peer, impaired):
    out = tmp_path / "file"
    command = [http, "get", "--tun", DEVICE, "--address", ours, "--peer", peer, "--path", "/file", "--file", str(out)]
    done = subprocess.run([*namespace, *command, *impaired], capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["bytes"] == SIZE
    assert filecmp.cmp(out, content / "www" / "file", shallow=False)
    assert report["damaged"] == 0
    assert kernel_checksum_errors(namespace) == 0
    assert (report["lost"][0] > 50) == bool(impaired)
    assert (report["held_back"][0] > 50) == bool(impaired)


@pytest.mark.parametrize("impaired", [[], IMPAIRED], ids=["clean", "lossy"])
def test_a_file_goes_to_curl_byte_for_byte(http, namespace, content, tmp_path, impaired):
    out = tmp_path / "file"
    command = [http, "serve", "--tun", DEVICE, "--address", OURS, "--port", "8080", "--file", content / "www" / "file"]
    command += ["--requests", "1"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([*namespace, *map(str, command), *impaired], **pipes) as server:
        assert server.stderr.readline() == "listening\n"
        curl = ["curl", "--silent", "--show-error", "--fail", "--max-time", "600", "--output", str(out)]
        fetched = subprocess.run(
            [*namespace, *curl, f"http://{OURS}:8080/"], capture_output=True, text=True, check=False
        )
        if fetched.returncode:
            server.kill()
        printed, complaints = server.communicate(timeout=600)
    assert fetched.returncode == 0, fetched.stderr + complaints
    assert server.returncode == 0, complaints
    report = json.loads(printed)
    assert filecmp.cmp(out, content / "www" / "file", shallow=False)
    assert report["damaged"] == 0
    assert kernel_checksum_errors(namespace) == 0
    assert (report["lost"][1] > 50) == bool(impaired)
    # Lost segments were retransmitted. Without loss, a timer may still expire on a busy machine.
    assert not impaired or report["retransmits"] > 50


VISITORS = f"""
import socket, sys
idle = socket.create_connection(("{OURS}", 8081))          # says nothing
reset = socket.create_connection(("{OURS}", 8081))
reset.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, bytes([1, 0, 0, 0, 0, 0, 0, 0]))
reset.send(b"GET / HTTP/1.1\\r\\n")
reset.close()                                               # by a reset, in the middle of its request
with socket.create_connection(("{OURS}", 8081)) as endless:
    endless.settimeout(240)
    try:
        while True:                                         # a request without an end
            endless.sendall(b"x" * 65536)
            endless.setblocking(False)
            try:
                answer = endless.recv(100)
                break
            except BlockingIOError:
                endless.settimeout(240)
    except (ConnectionResetError, BrokenPipeError):
        # The server has answered and closed, and a reset for the data that came later has overtaken its answer.
        answer = b"HTTP/1.1 431 "
    assert answer.startswith(b"HTTP/1.1 431 "), answer
for path in ("/one", "/two"):
    with socket.create_connection(("{OURS}", 8081)) as visitor:
        visitor.settimeout(240)
        visitor.sendall(f"GET {{path}} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n".encode())
        answer = b""
        while piece := visitor.recv(65536):
            answer += piece
    assert answer.endswith(b"\\r\\n\\r\\nthe file"), answer
print("all were served")
"""


def test_one_server_serves_many_connections_and_no_endless_request(http, namespace, tmp_path):
    """Connections that are idle, reset or never end their request do not keep the server from answering the others."""
    (tmp_path / "file").write_bytes(b"the file")
    command = [http, "serve", "--tun", DEVICE, "--address", OURS, "--port", "8081", "--file", str(tmp_path / "file")]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([*namespace, *command, "--requests", "2"], **pipes) as server:
        assert server.stderr.readline() == "listening\n"
        visitors = [*namespace, sys.executable, "-c", VISITORS]
        done = subprocess.run(visitors, capture_output=True, text=True, check=False, timeout=900)
        if done.returncode:
            server.kill()
        printed, complaints = server.communicate(timeout=300)
    assert (done.returncode, done.stdout) == (0, "all were served\n"), done.stderr + complaints
    assert server.returncode == 0, complaints
    assert [json.loads(line)["bytes"] for line in printed.splitlines()] == [8, 8]


def test_a_device_that_cannot_be_had_is_one_message(http, namespace):
    command = [http, "get", "--tun", "a-name-that-is-too-long", "--address", OURS]
    done = subprocess.run([*namespace, *command], capture_output=True, text=True, check=False)
    message = "http: --tun a-name-that-is-too-long: the name of a device has 1 to 15 bytes\n"
    assert (done.returncode, done.stderr) == (1, message)
