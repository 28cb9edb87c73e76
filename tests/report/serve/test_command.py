"""`ackclock serve`: new runs, signals, ports, and its extra."""

import http.client
import shutil
import signal
import sys
from pathlib import Path

import pytest

import ackclock
from ackclock.cli import main
from tests.helpers.scenarios import PROBED
from tests.helpers.serving import Served
from tests.helpers.stores import CC_GRID


class TestCommand:
    def test_new_runs_appear(self, folder, tmp_path):
        copy = shutil.copytree(folder, tmp_path / "store")
        one = Served(copy)
        try:
            before = one.json("/api/runs")
            assert before["done"] == 4
            ackclock.sweep(PROBED, CC_GRID, seeds=3, out=copy).close()
            assert one.json("/api/runs")["done"] == 6
        finally:
            one.end()

    @pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
    def test_a_signal_ends_it(self, folder, number, status):
        one = Served(folder)
        assert one.ask("/")[0].status == 200
        ended, error = one.end(number)
        assert ended == status
        assert "Traceback" not in error

    def test_a_port_in_use(self, folder, served, capsys):
        assert main(["serve", str(folder), "--port", str(served.port)]) == 2
        assert f"port {served.port} of 127.0.0.1 is in use" in capsys.readouterr().err

    def test_what_is_no_store(self, tmp_path, capsys):
        assert main(["serve", str(tmp_path), "--port", "0"]) == 2
        assert "no store" in capsys.readouterr().err
        assert main(["serve", str(tmp_path), "--port", "70000"]) == 2

    def test_without_its_extra(self, folder, monkeypatch, capsys):
        for name in [name for name in sys.modules if name.startswith(("ackclock.report.serve", "starlette"))]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, "starlette", None)
        assert main(["serve", str(folder)]) == 2
        assert "pip install 'ackclock[serve]'" in capsys.readouterr().err

    def test_ipv6_where_asked(self, folder):
        if not Path("/proc/net/if_inet6").exists():
            pytest.skip("needs IPv6")
        one = Served(folder, "--ipv6")
        try:
            assert f"http://[::1]:{one.port}/?token={one.token}" in one.said
            connection = http.client.HTTPConnection("::1", one.port, timeout=600)
            connection.request("GET", "/", headers={"Authorization": f"Bearer {one.token}"})
            assert connection.getresponse().status == 200
            connection.close()
        finally:
            one.end()
