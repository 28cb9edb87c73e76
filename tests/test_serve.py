"""The page of a store: who is answered, what may be asked, and that it shows what a sweep writes."""

import csv
import http.client
import io
import json
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from arro3.io import read_ipc_stream, read_parquet

import ackclock
from ackclock.cli import main
from tests.browser import Browser, needs_browser
from tests.test_report_store import SCENARIO

GRID = {"flows[0].cc": ["reno", "cubic"]}


class Served:
    """A server of its own process."""

    def __init__(self, folder, *options):
        command = [sys.executable, "-m", "ackclock", "serve", str(folder), "--port", "0", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.said = self.process.stdout.readline()
        assert " is at http://127.0.0.1:" in self.said, self.process.stderr.read()
        self.port = int(self.said.partition("127.0.0.1:")[2].partition("/")[0])

    def ask(self, path, method="GET", host=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in ({"Host": host or f"127.0.0.1:{self.port}"} | headers).items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer, body

    def json(self, path):
        answer, body = self.ask(path)
        assert answer.status == 200, body
        return json.loads(body)

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        _, error = self.process.communicate(timeout=60)
        return self.process.returncode, error


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("serve") / "store"
    ackclock.sweep(SCENARIO, GRID, seeds=2, out=out).close()
    return out


@pytest.fixture(scope="module")
def served(folder):
    one = Served(folder)
    yield one
    one.end()


@pytest.fixture(scope="module")
def runs(served):
    return [row["run"] for row in served.json("/api/runs")["runs"]]


class TestAnswers:
    def test_runs(self, served, folder):
        found = served.json("/api/runs")
        with ackclock.open(folder) as store:
            assert [row["run"] for row in found["runs"]] == list(store.runs["run"])
        assert found["names"] == ["flows[0].cc"]
        assert sorted(row["values"] for row in found["runs"]) == [["cubic"], ["cubic"], ["reno"], ["reno"]]
        assert (found["asked"], found["finished"], found["failed"]) == (4, 4, 0)

    def test_sweeps_of_one_store_are_told_apart(self, folder, tmp_path):
        copy = shutil.copytree(folder, tmp_path / "store")
        ackclock.sweep(SCENARIO, GRID, overrides={"duration": "1s"}, out=copy).close()
        one = Served(copy)
        try:
            found = one.json("/api/runs")
        finally:
            one.end()
        assert found["names"] == ["flows[0].cc", "sweep"]
        told = [row["values"][1] for row in found["runs"]]
        assert len(told) == 6
        assert len({*told}) == 2
        assert all(one.startswith("a small sweep (") for one in told)

    def test_lines_of_two_runs(self, served, runs):
        figures = {one["title"]: one for one in served.json(f"/api/lines?runs={runs[0]},{runs[3]}")["figures"]}
        assert {"Congestion window", "Goodput", "Queue"} <= figures.keys()
        labels = [series["label"] for series in figures["Congestion window"]["series"]]
        assert {"1: one cwnd", "2: one cwnd"} <= {*labels}
        (low, high), *others = (figure["x_range"] for figure in figures.values())
        assert all(other == [low, high] for other in others)
        assert low == 0
        assert 2.9 < high <= 3

    def test_bars_are_measures_of_runs(self, served, runs, folder):
        found = served.json(f"/api/bars?runs={runs[1]},{runs[2]}&of=p95(flows.srtt_ms)")
        with ackclock.open(folder) as store:
            expected = [ackclock.Measure.parse("p95(flows.srtt_ms)").of(store.result(run)) for run in runs[1:3]]
        assert found["values"] == pytest.approx(expected)

    def test_data_in_every_form(self, served, runs, folder):
        address = f"runs={runs[0]},{runs[1]}"
        answer, text = served.ask(f"/data/window.csv?{address}")
        rows = list(csv.DictReader(io.StringIO(text.decode())))
        assert answer.headers["Content-Disposition"] == 'attachment; filename="window.csv"'
        parquet = read_parquet(io.BytesIO(served.ask(f"/data/window.parquet?{address}")[1])).read_all()
        arrow = read_ipc_stream(io.BytesIO(served.ask(f"/data/window.arrow?{address}")[1])).read_all()
        with ackclock.open(folder) as store:
            first = store.result(runs[0]).window
            count = len(first) + len(store.result(runs[1]).window)
        assert len(rows) == parquet.num_rows == arrow.num_rows == count
        assert [row["run"] for row in rows[: len(first)]] == [runs[0]] * len(first)
        assert [float(row["time_s"]) for row in rows[: len(first)]] == list(first["time_s"])

    def test_headers(self, served):
        for path in ("/", "/page.js", "/api/runs", "/nothing", "/api/bars"):
            headers = served.ask(path)[0].headers
            assert "default-src 'none'" in headers["Content-Security-Policy"], path
            assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
            assert headers["X-Content-Type-Options"] == "nosniff"
            assert headers["Referrer-Policy"] == "no-referrer"
            assert "Access-Control-Allow-Origin" not in headers


class TestRefusals:
    @pytest.mark.parametrize(
        "host",
        ["evil.example", "evil.example:8090", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1", ""],
    )
    def test_hosts_that_are_not_loopback(self, served, host):
        answer, body = served.ask("/api/runs", host=host or " ")
        assert answer.status in (400, 421)
        assert b"runs" not in body

    def test_hosts_that_are(self, served):
        for host in ("localhost", f"LOCALHOST:{served.port}", "[::1]:1", "127.0.0.1"):
            assert served.ask("/api/runs", host=host)[0].status == 200

    @pytest.mark.parametrize(
        "headers",
        [
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
            {"Origin": "http://127.0.0.1:1"},
            {"Referer": "https://evil.example/"},
            {"Referer": "http://127.0.0.1.evil.example/"},
            {"Sec_Fetch_Site": "cross-site"},
            {"Sec_Fetch_Site": "same-site"},
        ],
    )
    def test_requests_of_other_sites(self, served, headers):
        answer, body = served.ask("/api/runs", **headers)
        assert answer.status == 403
        assert b"finished" not in body

    def test_a_referrer_whose_name_begins_as_the_own(self, served):
        answer, _ = served.ask("/api/runs", host="127.0.0.1", Referer="http://127.0.0.1.evil.example/")
        assert answer.status == 403

    def test_requests_of_the_page_itself(self, served):
        own = f"http://127.0.0.1:{served.port}"
        for headers in ({"Origin": own}, {"Referer": f"{own}/"}, {"Sec_Fetch_Site": "same-origin"}):
            assert served.ask("/api/runs", **headers)[0].status == 200

    @pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
    def test_it_only_reads(self, served, method):
        assert served.ask("/api/runs", method=method)[0].status == 405

    @pytest.mark.parametrize(
        "path",
        [
            "/../ackclock-store.json", "/%2e%2e/ackclock-store.json", "/ackclock-store.json", "//etc/passwd",
            "/data/../../etc/passwd", "/data/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "/data//etc/passwd",
            "/data/%2fetc%2fpasswd",
            "/data/flows.parquet/../runs.parquet", "/data/..%2fflows.parquet", "/data/runs.csv", "/data/nothing.csv",
            "/data/flows.json", "/data/flows\".csv", "/page.js/../serve.js", "/static/page.js",
        ],
    )  # fmt: skip
    def test_paths(self, served, runs, path):
        answer, body = served.ask(f"{path}?runs={runs[0]}")
        assert answer.status in (400, 404), (answer.status, body[:200])
        assert b"root:" not in body
        assert b"written_by" not in body

    @pytest.mark.parametrize(
        "runs",
        ["", "nothing", "../x", "%2e%2e%2fx", "'%20OR%201=1--", "/etc/passwd", ",".join(str(n) for n in range(99))],
    )
    def test_runs_that_are_none(self, served, runs):
        for path in ("/api/lines", "/api/bars", "/data/flows.csv"):
            assert served.ask(f"{path}?runs={runs}")[0].status == 404

    @pytest.mark.parametrize("of", ["flows.nothing", "nothing.x", "1", "avg(x)", "flows.goodput_bps;DROP", "x'y.z"])
    def test_measures_that_are_none(self, served, runs, of):
        from urllib.parse import quote

        answer, body = served.ask(f"/api/bars?runs={runs[0]}&of={quote(of)}")
        assert answer.status in (404, 409)
        assert json.loads(body)["error"]

    def test_symbolic_links_that_lead_out(self, folder, tmp_path):
        copy = shutil.copytree(folder, tmp_path / "store")
        table = next(copy.glob("parts/*/flows.parquet"))
        outside = tmp_path / "flows.parquet"
        table.rename(outside)
        table.symlink_to(outside)
        one = Served(copy)
        try:
            answer, body = one.ask("/api/runs")
            assert answer.status == 409
            assert b"leads out of the store" in body
            assert one.ask("/")[0].status == 200
        finally:
            one.end()

    def test_nobody_else_is_listened_to(self, served):
        with socket.socket() as other:
            other.settimeout(5)
            with pytest.raises(OSError, match="refused"):
                other.connect(("127.0.0.2", served.port))


class TestCommand:
    def test_new_runs_appear(self, folder, tmp_path):
        copy = shutil.copytree(folder, tmp_path / "store")
        one = Served(copy)
        try:
            before = one.json("/api/runs")
            assert before["done"] == 4
            ackclock.sweep(SCENARIO, GRID, seeds=3, out=copy).close()
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
        for name in [name for name in sys.modules if name.startswith(("ackclock.serve", "starlette"))]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, "starlette", None)
        assert main(["serve", str(folder)]) == 2
        assert "install ackclock[serve]" in capsys.readouterr().err

    def test_ipv6_where_asked(self, folder):
        if not Path("/proc/net/if_inet6").exists():
            pytest.skip("needs IPv6")
        one = Served(folder, "--ipv6")
        try:
            assert f"http://[::1]:{one.port}/" in one.said
            connection = http.client.HTTPConnection("::1", one.port, timeout=60)
            connection.request("GET", "/")
            assert connection.getresponse().status == 200
            connection.close()
        finally:
            one.end()


@needs_browser
def test_runs_are_chosen_and_overlaid_in_a_browser(served):
    with Browser() as page:
        page.size(390, 800, phone=True)
        page.open(f"http://127.0.0.1:{served.port}/")
        page.until("document.querySelectorAll('#runs input').length === 4")
        page.run("[0, 2].forEach(at => document.querySelectorAll('#runs input')[at].click())")
        page.until("document.querySelectorAll('#bars meter').length === 2")
        page.until("document.querySelectorAll('#lines canvas').length >= 5")
        labels = page.run("[...document.querySelectorAll('#lines .u-label')].map(one => one.textContent)")
        assert {"1: one cwnd", "2: one cwnd"} <= {*labels}
        assert page.run("document.querySelectorAll('#data a').length") > 10
        assert page.run("document.documentElement.scrollWidth") <= 390
        page.run(
            "(() => { const one = document.querySelector('#filters select'); one.selectedIndex = 1; "
            "one.dispatchEvent(new Event('change')) })()"
        )
        assert page.run("document.querySelectorAll('#runs input').length") == 2
        own = f"http://127.0.0.1:{served.port}/"
        assert all(address.startswith(own) for address in page.requests)
        assert page.errors == []
