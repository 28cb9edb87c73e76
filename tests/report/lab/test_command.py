"""`ackclock lab`: the files, the server and its answers."""

import http.client
import signal
import subprocess
import sys

import pytest

from ackclock.base.files import MARKER
from ackclock.cli import main
from ackclock.report.lab import LabError, Server, files
from ackclock.report.lab.content import PLACES
from tests.helpers.everywhere import Trial, full, killed, undisturbed
from tests.helpers.node import needs_engine
from tools.lab.measured import compressed
from tools.lab.page import MOST_FIRST_LOAD


@pytest.fixture
def here(monkeypatch):
    """An installation with all files, whether the engine was built or not."""
    content = {name: f"content of {name}".encode() for name in PLACES}
    for place in ("ackclock.report.lab.content.files", "ackclock.report.lab.server.files"):
        monkeypatch.setattr(place, lambda: content)
    return content


def asked(server, path, method="GET"):
    connection = http.client.HTTPConnection(*server.server_address[:2], timeout=600)
    connection.request(method, path)
    server.handle_request()
    answer = connection.getresponse()
    found = answer.status, answer.headers["Content-Type"], answer.read()
    connection.close()
    return found


class TestServer:
    def test_it_serves_the_files_and_nothing_else(self, here):
        with Server(0) as server:
            assert server.server_address[0] == "127.0.0.1"
            assert asked(server, "/") == (200, "text/html; charset=utf-8", here["index.html"])
            assert asked(server, "/engine_bg.wasm?x=1") == (200, "application/wasm", here["engine_bg.wasm"])
            assert asked(server, "/worker.js", "HEAD") == (200, "text/javascript; charset=utf-8", b"")
            for path in ("/files.py", "/../lab/files.py", "/lab/", "//etc/passwd", "/%2e%2e/serve/app.py"):
                assert asked(server, path)[0] == 404, path

    def test_a_port_in_use(self, here, capsys):
        with Server(0) as server:
            port = server.server_address[1]
            assert main(["lab", "--no-browser", "--port", str(port)]) == 2
        assert f"port {port} of 127.0.0.1 is in use; --port names another" in capsys.readouterr().err
        assert main(["lab", "--port", "70000"]) == 2


class TestFiles:
    def test_they_are_written_for_another_server(self, here, tmp_path, capsys):
        site = tmp_path / "site"
        for _ in range(2):
            assert main(["lab", "--out", str(site)]) == 0
            assert {path.name: path.read_bytes() for path in site.iterdir() if path.name != MARKER} == here
        (site / "notes").write_text("mine", encoding="utf-8")
        assert main(["lab", "--out", str(site)]) == 2
        assert "site holds what ackclock did not write (notes); name another folder" in capsys.readouterr().err
        assert {path.name for path in site.iterdir()} == {*here, MARKER, "notes"}

    def test_a_fault_leaves_all_of_them_or_none(self, here, tmp_path):
        def state(folder):
            return {path.name: path.read_bytes() for path in (folder / "site").iterdir()}

        def sound(folder):
            assert not (folder / "site").exists() or state(folder) == state(tmp_path / "whole/work")

        trial = Trial(lambda _: None, lambda folder: main(["lab", "--out", str(folder / "site")]), state, sound)
        undisturbed(trial, tmp_path)
        for fault in (killed, full):
            tried, wrong = fault(trial, tmp_path)
            assert wrong == []
            assert tried > len(here)

    def test_without_the_engine_it_says_what_builds_it(self, monkeypatch, tmp_path):
        files.cache_clear()
        monkeypatch.setitem(PLACES, "engine_bg.wasm", "engine/absent")
        monkeypatch.setattr("ackclock.report.lab.content.MADE_BY", {"engine/absent": "make wasm"})
        with pytest.raises(LabError, match=r"lacks (engine\.js, )?engine_bg\.wasm, which .*`make wasm`"):
            files()
        files.cache_clear()


@needs_engine
def test_a_signal_ends_it():
    command = [sys.executable, "-m", "ackclock", "lab", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert "the laboratory is at http://127.0.0.1:" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=600)
    assert process.returncode == 130
    assert "Traceback" not in error


@needs_engine
def test_the_first_load_is_small():
    assert sum(compressed().values()) < MOST_FIRST_LOAD
