"""The answers of a store's server: runs, lines, bars, data and headers."""

import csv
import io
import json
import math
import shutil

import pytest
from arro3.io import read_ipc_stream, read_parquet

import ackclock
from ackclock.cc import registry
from tests.helpers.scenarios import PROBED
from tests.helpers.serving import Served, asked
from tests.helpers.stores import CC_GRID


class TestAnswers:
    def test_runs(self, served, folder):
        found = served.json("/api/runs")
        with ackclock.open(folder) as store:
            assert [row["run"] for row in found["runs"]] == list(store.runs["run"])
        assert found["names"] == ["flows[0].cc"]
        assert found["titles"] == ["Congestion control of one"]
        assert sorted(row["values"] for row in found["runs"]) == [["cubic"], ["cubic"], ["reno"], ["reno"]]
        assert (found["asked"], found["finished"], found["failed"]) == (4, 4, 0)

    def test_sweeps_of_one_store_are_told_apart(self, folder, tmp_path):
        copy = shutil.copytree(folder, tmp_path / "store")
        ackclock.sweep(PROBED, CC_GRID, overrides={"duration": "1s"}, out=copy).close()
        one = Served(copy)
        try:
            found = one.json("/api/runs")
        finally:
            one.end()
        assert found["names"] == ["flows[0].cc"]
        assert len({*found["sweeps"]}) == 2
        assert all(one.startswith("a small sweep (") for one in found["sweeps"])
        assert sorted(row["sweeps"] for row in found["runs"]) == [[0]] * 4 + [[1]] * 2

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
    ackclock.sweep(PROBED, grid, out=out).close()
    del registry._entries["breaks"]
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
        measures = [one["measure"] for one in found["measures"]]
        assert "flows[one].goodput_bps" in measures
        assert "dash.stall_s" in measures
        assert "voip.mos" not in measures

    def test_no_more_than_there_is_room_for(self, folder, monkeypatch):
        every = json.loads(asked(folder, "/api/runs")[1])
        keys = [row["run"] for row in every["runs"]]
        monkeypatch.setattr("ackclock.report.serve.app.MOST_LISTED", 3)
        found = json.loads(asked(folder, "/api/runs")[1])
        assert (len(found["runs"]), found["done"]) == (3, 4)
        monkeypatch.setattr("ackclock.report.serve.app.MOST_RUNS", 2)
        # The same one twice is one.
        assert asked(folder, f"/api/bars?runs={keys[0]},{keys[0]},{keys[1]}")[0] == 200
        status, body = asked(folder, f"/api/bars?runs={','.join(keys[:3])}")
        assert (status, json.loads(body)["error"]) == (404, "3 runs at once; at most 2")

    def test_lines_of_many_runs_are_told_apart_and_thinned(self, folder, monkeypatch):
        monkeypatch.setattr("ackclock.report.serve.app.POINTS", 200)
        keys = [row["run"] for row in json.loads(asked(folder, "/api/runs")[1])["runs"]]
        points = {}
        for count in (1, 4):
            figures = json.loads(asked(folder, f"/api/lines?runs={','.join(keys[:count])}")[1])["figures"]
            queue = next(one for one in figures if one["title"] == "Queue")["series"]
            assert len({one["colour"] for one in queue}) == count == len(queue)
            points[count] = len(queue[0]["x"])
        assert points[4] <= 150 < points[1] <= 300
