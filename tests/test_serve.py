"""The page of a store: who is answered, what may be asked, and that it shows what a sweep writes."""

import asyncio
import csv
import http.client
import io
import json
import math
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from arro3.io import read_ipc_stream, read_parquet
from starlette.datastructures import Headers

import ackclock
from ackclock import _registry
from ackclock.cli import main
from ackclock.serve.app import application
from ackclock.serve.guard import refusal
from ackclock.serve.shelf import Shelf
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
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
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
        _, error = self.process.communicate(timeout=600)
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


def asked(folder, path):
    """What the application of a store answers, without a server."""

    async def ask():
        sent = []
        address, _, query = path.partition("?")
        scope = {
            "type": "http", "method": "GET", "path": address, "query_string": query.encode(), "root_path": "",
            "headers": [(b"host", b"localhost")], "http_version": "1.1", "scheme": "http",
        }  # fmt: skip

        async def receive():
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message):
            sent.append(message)

        await application(folder)(scope, receive, send)
        return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])

    return asyncio.run(ask())


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
        kinds = {
            "csv": "text/csv",
            "parquet": "application/vnd.apache.parquet",
            "arrow": "application/vnd.apache.arrow",
        }
        for form, kind in kinds.items():
            headers = served.ask(f"/data/window.{form}?{address}")[0].headers
            assert headers["Content-Type"].startswith(kind)
            assert headers["Content-Disposition"] == f'attachment; filename="window.{form}"'
        assert [row["run"] for row in rows[: len(first)]] == [runs[0]] * len(first)
        assert [float(row["time_s"]) for row in rows[: len(first)]] == list(first["time_s"])
        assert rows[0]["ssthresh"] == ""
        assert math.isnan(first["ssthresh"][0])

    def test_headers(self, served):
        asked = [served.ask(path)[0] for path in ("/", "/page.js", "/api/runs", "/nothing", "/api/bars")]
        asked += [served.ask("/", host="evil.example")[0], served.ask("/", Origin="null")[0]]
        assert [one.status for one in asked] == [200, 200, 200, 404, 404, 421, 403]
        for headers in (one.headers for one in asked):
            policy = dict(one.split(maxsplit=1) for one in headers["Content-Security-Policy"].split(";"))
            for directive in ("default-src", "frame-ancestors", "base-uri", "form-action"):
                assert policy[directive] == "'none'"
            assert policy["script-src"] == policy["connect-src"] == "'self'"
            assert headers["X-Frame-Options"] == "DENY"
            assert headers["X-Content-Type-Options"] == "nosniff"
            assert headers["Referrer-Policy"] == "no-referrer"
            assert headers["Cross-Origin-Resource-Policy"] == headers["Cross-Origin-Opener-Policy"] == "same-origin"
            assert headers["Cache-Control"] == "no-store"
            assert "Access-Control-Allow-Origin" not in headers
        assert [one.headers.get_content_type() for one in asked[:3]] == [
            "text/html", "text/javascript", "application/json",
        ]  # fmt: skip

    def test_a_head_without_its_body(self, served):
        answer, body = served.ask("/", method="HEAD")
        assert (answer.status, body) == (200, b"")


@pytest.fixture(scope="module")
def uneven(tmp_path_factory):
    """A store of which one algorithm fails, and of which some runs have transfers."""

    @ackclock.congestion_control("breaks")
    class Breaks(ackclock.CongestionControl):
        def on_ack(self, *_):
            raise ZeroDivisionError("on purpose")

        on_congestion = on_timeout = on_ack

    kinds = {"bulk": {"flows[1].app": "bulk"}, "both": {}}
    out = tmp_path_factory.mktemp("uneven") / "store"
    grid = {"flows[0].cc": ["reno", "breaks"], "second": kinds}
    ackclock.sweep(SCENARIO, grid, out=out).close()
    del _registry._entries["breaks"]
    return out


class TestUnevenStores:
    def test_runs_that_failed_are_counted_and_not_shown(self, uneven):
        found = json.loads(asked(uneven, "/api/runs")[1])
        assert (found["asked"], found["finished"], found["failed"], found["done"]) == (4, 4, 2, 2)
        assert [row["values"] for row in found["runs"]] == [["reno", "bulk"], ["reno", "both"]]
        with ackclock.open(uneven) as store:
            failed = next(iter(store.failures.rows()))["run"]
        for path in ("/api/lines", "/api/bars", "/data/flows.csv"):
            status, body = asked(uneven, f"{path}?runs={failed}")
            assert (status, json.loads(body)["error"]) == (404, f"no finished run '{failed}'")

    def test_runs_that_are_missing_are_not_finished(self, uneven, tmp_path):
        copy = shutil.copytree(uneven, tmp_path / "store")
        shutil.rmtree(next((copy / "parts").iterdir()))
        found = json.loads(asked(copy, "/api/runs")[1])
        assert (found["asked"], found["finished"], found["failed"], found["runs"]) == (4, 0, 0, [])

    def test_a_measure_that_one_run_has_not(self, uneven):
        bulk, both = (row["run"] for row in json.loads(asked(uneven, "/api/runs")[1])["runs"])
        status, body = asked(uneven, f"/api/bars?runs={bulk},{both}&of=transfers.duration_s")
        nothing, seconds = json.loads(body)["values"]
        assert (status, nothing) == (200, None)
        assert 0 < seconds < 3
        lines = asked(uneven, f"/data/transfers.csv?runs={bulk},{both}")[1].decode().splitlines()
        assert all(line.startswith(both) for line in lines[1:])
        assert len(lines) == 4

    def test_measures_to_choose_are_of_tables_that_are_there(self, uneven):
        found = json.loads(asked(uneven, "/api/runs")[1])
        assert "flows.goodput_bps" in found["measures"]
        assert "dash.stall_s" in found["measures"]
        assert "voip.mos" not in found["measures"]

    def test_no_more_than_there_is_room_for(self, folder, monkeypatch):
        every = json.loads(asked(folder, "/api/runs")[1])
        keys = [row["run"] for row in every["runs"]]
        monkeypatch.setattr("ackclock.serve.app.MOST_LISTED", 3)
        found = json.loads(asked(folder, "/api/runs")[1])
        assert (len(found["runs"]), found["done"]) == (3, 4)
        monkeypatch.setattr("ackclock.serve.app.MOST_RUNS", 2)
        # The same one twice is one.
        assert asked(folder, f"/api/bars?runs={keys[0]},{keys[0]},{keys[1]}")[0] == 200
        status, body = asked(folder, f"/api/bars?runs={','.join(keys[:3])}")
        assert (status, json.loads(body)["error"]) == (404, "3 runs at once; at most 2")

    def test_lines_of_many_runs_are_told_apart_and_thinned(self, folder, monkeypatch):
        monkeypatch.setattr("ackclock.serve.app.POINTS", 200)
        keys = [row["run"] for row in json.loads(asked(folder, "/api/runs")[1])["runs"]]
        points = {}
        for count in (1, 4):
            figures = json.loads(asked(folder, f"/api/lines?runs={','.join(keys[:count])}")[1])["figures"]
            queue = next(one for one in figures if one["title"] == "Queue")["series"]
            assert len({tuple(one.get("dash", ())) for one in queue}) == count == len(queue)
            points[count] = len(queue[0]["x"])
        assert points[4] <= 150 < points[1] <= 300


class TestGuard:
    """Who is refused, whatever the server in front does with odd requests."""

    @staticmethod
    def status(*headers, method="GET"):
        raw = [(name.encode(), value.encode()) for name, value in headers]
        refused = refusal(method, Headers(raw=raw))
        return None if refused is None else refused[0]

    @pytest.mark.parametrize(
        "hosts",
        [[], ["127.0.0.1", "127.0.0.1"], ["localhost:"], ["127.0.0.1:80@evil.example"], ["[::1]:123456"], ["::1"],
         ["127.0.0.1:80/"], ["localhost:\u0668"]],
    )  # fmt: skip
    def test_hosts(self, hosts):
        assert self.status(*(("host", host) for host in hosts)) == 421

    @pytest.mark.parametrize("site", ["none", "same-origin", "SAME-ORIGIN"])
    def test_an_address_that_was_typed(self, site):
        assert self.status(("host", "localhost:8090"), ("sec-fetch-site", site)) is None

    def test_hosts_are_told_without_their_case(self):
        own = ("host", "LOCALHOST:8090")
        assert self.status(own, ("origin", "http://localhost:8090"), ("referer", "http://localhost:8090/x")) is None
        assert self.status(own, ("origin", "http://localhost:80900")) == 403
        assert self.status(own, ("referer", "http://localhost:80901/")) == 403

    def test_methods(self):
        assert self.status(("host", "localhost"), method="HEAD") is None
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "get", "CONNECT"):
            assert self.status(("host", "localhost"), method=method) == 405


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

    @pytest.mark.parametrize(
        ("change", "told"),
        [
            (lambda store, out: (store / "parts" / "more").symlink_to(out, target_is_directory=True), "leads out"),
            (lambda store, _: next(store.glob("parts/*")).joinpath("A table.parquet").touch(), "no table of a store"),
            (lambda store, _: (store / "ackclock-store.json").write_text("{"), "damaged"),
            (lambda store, _: (store / "ackclock-store.json").write_text('{"format": 99, "sweeps": []}'), "later"),
            (lambda store, _: next(store.glob("parts/*/runs.parquet")).write_bytes(b""), "0 bytes, not the"),
            (lambda store, _: next(store.glob("sweeps/*")).write_text("{}"), "damaged"),
            (lambda store, _: shutil.rmtree(store), "no such folder"),
        ],
        ids=["link", "name", "manifest", "later", "part", "sweep", "gone"],
    )
    def test_stores_that_are_none_any_more(self, folder, tmp_path, change, told):
        """What is wrong is said, and nothing of it is shown; the page itself stays."""
        copy = shutil.copytree(folder, tmp_path / "store")
        outside = tmp_path / "outside"
        outside.mkdir()
        with Shelf(copy).store() as store:
            key = store.runs["run"][0]
        assert asked(copy, f"/api/lines?runs={key}")[0] == 200
        change(copy, outside)
        for path in ("/api/runs", f"/api/lines?runs={key}", f"/data/flows.csv?runs={key}"):
            status, body = asked(copy, path)
            assert status == 409
            assert told in json.loads(body)["error"]
        assert asked(copy, "/")[0] == 200

    def test_a_link_to_itself(self, folder, tmp_path):
        copy = shutil.copytree(folder, tmp_path / "store")
        (copy / "loop").symlink_to("loop")
        assert asked(copy, "/api/runs")[0] in (200, 409)  # it leads nowhere, not out: Python 3.13 minds it no more

    def test_what_vanishes_meanwhile_is_no_error(self, folder, monkeypatch):
        def gone(*_):
            raise FileNotFoundError(2, "No such file or directory")

        monkeypatch.setattr(Path, "rglob", gone)
        with Shelf(folder).store() as store:
            assert store.finished == 4

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
            connection = http.client.HTTPConnection("::1", one.port, timeout=600)
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
        page.run("[0, 3].forEach(at => document.querySelectorAll('#runs input')[at].click())")
        page.until("document.querySelectorAll('#bars meter').length === 2")
        page.until("document.querySelectorAll('#lines canvas').length >= 5")
        labels = page.run("[...document.querySelectorAll('#lines .u-label')].map(one => one.textContent)")
        assert {"1: one cwnd", "2: one cwnd"} <= {*labels}
        every = served.json("/api/runs")["runs"]
        chosen = f"runs={every[0]['run']},{every[3]['run']}"
        values = served.json(f"/api/bars?{chosen}&of=flows.goodput_bps")["values"]
        told = page.run("[...document.querySelectorAll('#bars .bar-row')].map(one => [...one.querySelectorAll('span')]"
                        ".map(one => one.textContent))")  # fmt: skip
        assert told == [
            [f"{place}: {run['values'][0]}, seed {run['seed']}", f"{float(f'{value:.5g}'):,.0f} bps"]
            for place, run, value in zip((1, 2), (every[0], every[3]), values, strict=True)
        ]
        lengths = page.run("[...document.querySelectorAll('#bars meter')].map(one => one.value / one.max)")
        assert lengths == pytest.approx([value / max(values) for value in values])
        addresses = page.run("[...document.querySelectorAll('#data a')].map(one => one.getAttribute('href'))")
        assert len(addresses) > 10
        assert all(address.endswith(f"?{chosen}") for address in addresses)
        assert f"data/window.csv?{chosen}" in addresses
        assert page.run("document.documentElement.scrollWidth") <= 390
        page.run(
            "(() => { const one = document.querySelector('#filters select'); one.selectedIndex = 1; "
            "one.dispatchEvent(new Event('change')) })()"
        )
        assert page.run("document.querySelectorAll('#runs input').length") == 2
        # What is not in sight stays chosen.
        assert page.run("document.querySelectorAll('#runs input:checked').length") == 1
        assert "2 chosen of 4" in page.run("document.querySelector('#chosen').textContent")
        page.run(
            "(() => { const one = document.querySelector('#measure'); one.value = 'flows.nonsense'; "
            "one.dispatchEvent(new Event('change')) })()"
        )
        assert "flows" in page.until("document.querySelector('#bars .error')?.textContent")
        page.run("document.querySelector('#clear').click()")
        page.until("document.querySelectorAll('canvas').length === 0")
        assert page.run("document.querySelectorAll('#runs input:checked').length") == 0
        assert page.run("document.querySelector('#bars').textContent") == "Choose runs above."
        page.errors[:] = [one for one in page.errors if "409" not in one]  # the refusal of that measure
        own = f"http://127.0.0.1:{served.port}/"
        assert all(address.startswith(own) for address in page.requests)
        assert page.errors == []


@needs_browser
def test_no_more_runs_can_be_chosen_than_are_drawn(tmp_path):
    ackclock.sweep(SCENARIO, seeds=13, out=tmp_path / "s", overrides={"duration": "1s"}, tables=["flows"]).close()
    one = Served(tmp_path / "s")
    try:
        with Browser() as page:
            page.open(f"http://127.0.0.1:{one.port}/")
            page.until("document.querySelectorAll('#runs input').length === 13")
            page.run("document.querySelectorAll('#runs input').forEach(one => one.click())")
            page.until("document.querySelectorAll('#bars meter').length === 12")
            assert page.run("document.querySelector('#chosen').textContent") == "12 chosen of 13; at most 12 together."
            assert page.run("[...document.querySelectorAll('#runs input')].map(one => one.checked)") == [True] * 12 + [
                False
            ]
            page.until(
                "document.querySelector('#lines').textContent === 'Nothing of these runs was recorded over time.'"
            )
            assert page.errors == []
    finally:
        one.end()
