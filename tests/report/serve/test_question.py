"""The question's view of a store: the question, the answer, the figure and the points, and runs that are run again."""

import json
import shutil

import pytest

import ackclock
from ackclock.report.experiment.beginning import beginning
from ackclock.report.serve.again import Again, AgainError
from tests.helpers.browser import DRAWN, Browser, needs_browser
from tests.helpers.serving import Served, asked

RIVALS = """
name = "rivals"
duration = "4s"

[bottleneck]
rate = "10Mbps"
delay = "10ms"
queue = "1bdp"

[[flows]]
name = "cubic"
app = "bulk"
cc = "cubic"
start_jitter = "200ms"

[[flows]]
name = "bbr"
app = "bulk"
cc = "bbr"
start_jitter = "200ms"
"""

SPOKEN = """(() => {
  window.spoken = new Set();
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
    spoken.add(text);
    return fillText.call(this, text, ...place);
  };
})()"""
"""Keeps the texts that are drawn."""

GRID = {"bottleneck.queue": ["0.25bdp", "1bdp", "4bdp", "8bdp"]}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """The sweep of the README, shorter: CUBIC and BBR over the size of the buffer, without probes."""
    out = tmp_path_factory.mktemp("rivals") / "store"
    ackclock.sweep(RIVALS, GRID, seeds=3, out=out).close()
    return out


@pytest.fixture(scope="module")
def served(store):
    one = Served(store)
    yield one
    one.end()


def of(path, address="/api/question"):
    status, body = asked(path, address)
    assert status == 200, body
    return json.loads(body)


class TestAnswers:
    def test_question_answer_and_figure_are_those_of_the_report(self, store):
        found = of(store)
        with ackclock.open(store) as one:
            begun = beginning(one)
            means = {name: [cell.estimate.value / 1e6 for cell in one.estimates(f"flows[{name}].goodput_bps")]
                     for name in ("cubic", "bbr")}  # fmt: skip
        assert found["question"] == begun.question
        assert "cubic or bbr" in found["question"]
        assert found["answer"] == list(begun.sentences)
        (option,) = found["figure"]["options"]
        plot = option["plot"]
        assert (plot["x_label"], plot["y_label"]) == ("Buffer (BDP)", "Goodput of each flow (Mbit/s)")
        assert {one["label"] for one in plot["series"]} == {"cubic", "bbr"}
        for series in plot["series"]:
            assert series["y"] == pytest.approx(means[series["label"]], rel=1e-5)
            assert all(low < y < high for low, y, high in zip(series["low"], series["y"], series["high"], strict=True))

    def test_points_have_their_values_numbers_and_runs(self, store):
        found = of(store)
        assert found["axes"] == ["Buffer"]
        assert [point["values"] for point in found["points"]] == [["0.25 BDP"], ["1 BDP"], ["4 BDP"], ["8 BDP"]]
        assert found["measures"][0]["label"] == "Goodput of cubic (Mbit/s)"
        assert all("[" in point["numbers"][0] for point in found["points"])
        runs = [run for point in found["points"] for run in point["runs"]]
        with ackclock.open(store) as one:
            assert sorted(run["run"] for run in runs) == sorted(one.runs["run"])
        assert [run["seed"] for run in found["points"][0]["runs"]] == [1, 2, 3]

    def test_a_single_number_is_no_figure(self, store, tmp_path):
        alone = RIVALS[: RIVALS.index("[[flows]]")] + RIVALS[RIVALS.rindex("[[flows]]") :]
        ackclock.sweep(alone, seeds=2, out=tmp_path / "s").close()
        found = of(tmp_path / "s")
        assert found["figure"] is None
        assert len(found["points"]) == 1

    def test_another_sweep_of_the_store(self, store, tmp_path):
        copy = shutil.copytree(store, tmp_path / "store")
        ackclock.sweep(RIVALS, {"bottleneck.rate": ["5Mbps", "8Mbps"]}, out=copy).close()
        assert of(copy)["axes"] == ["Rate"] or "rate" in of(copy)["axes"][0].lower()
        assert of(copy, "/api/question?sweep=0")["axes"] == ["Buffer"]
        assert asked(copy, "/api/question?sweep=2")[0] == 404
        assert asked(copy, "/api/question?sweep=x")[0] == 404


class TestAgain:
    def test_a_run_gives_the_same_numbers_with_probes(self, store):
        again = Again()
        with ackclock.open(store) as one:
            key = one.runs["run"][4]
            assert again.get(key) is None
            again.run(one, key)
            found, before = again.get(key), one.result(key)
        assert list(found.flows["goodput_bps"]) == list(before.flows["goodput_bps"])
        assert {"window", "rates", "queues"} <= found.tables.keys()

    def test_lines_are_those_of_the_run_that_was_run_again(self, served):
        run = served.json("/api/runs")["runs"][-1]["run"]
        assert served.json(f"/api/lines?runs={run}")["figures"] == []
        assert served.json(f"/api/again?runs={run}") == {"runs": [run]}
        titles = [one["title"] for one in served.json(f"/api/lines?runs={run}")["figures"]]
        assert {"Congestion window", "Goodput", "Queue"} <= {*titles}

    def test_one_of_another_version_is_refused(self, store, tmp_path, monkeypatch):
        with ackclock.open(store) as one:
            key = one.runs["run"][0]
            real = one.result
            other = real(one.runs["run"][1], ["flows"])
            monkeypatch.setattr(one, "result", lambda run, tables: other)
            with pytest.raises(AgainError, match="gives other numbers with this version"):
                Again().run(one, key)

    def test_a_large_one_is_refused(self, store, monkeypatch):
        monkeypatch.setattr("ackclock.report.serve.again.MOST_PACKETS", 100)
        with ackclock.open(store) as one, pytest.raises(AgainError, match="runs at most 1e\\+02"):
            Again().run(one, one.runs["run"][0])


@pytest.mark.slow
@needs_browser
class TestPage:
    def test_the_first_screen_has_the_question_and_leads_to_lines_over_time(self, served):
        with Browser() as page:
            page.size(1200, 900)
            page.send("Page.addScriptToEvaluateOnNewDocument", source=SPOKEN)
            page.open(served.address)
            page.until("!document.getElementById('question').hidden")
            assert "cubic or bbr" in page.run("document.getElementById('asked').textContent")
            assert "goodput" in page.run("document.getElementById('answer').textContent")
            assert page.run("document.querySelectorAll('#first canvas').length") == 1
            assert page.run("document.querySelector('#first canvas').getBoundingClientRect().top") < 900
            assert page.run(DRAWN)[0] >= 2
            text = page.run("document.querySelector('main').innerText")
            assert "flows[" not in text
            assert "bottleneck.queue" not in text
            assert "bps" not in text
            assert "4bdp" not in text
            assert "4 BDP" in page.run("document.getElementById('runs').innerText")
            # All of the label of the axis has room, and on a phone its unit.
            label = "[...spoken].some(one => one.startsWith('Goodput of'))"
            assert page.run(label)
            page.run("spoken.clear()")
            page.size(390, 800, phone=True)
            page.until("spoken.has('Mbit/s')")
            assert not page.run(label)
            page.size(1200, 900)
            # A point leads to its runs.
            page.run("document.querySelectorAll('#points button')[1].click()")
            page.until("document.querySelectorAll('#bars meter').length === 3")
            # A run leads to its time series, which is made by running it again.
            page.run("document.querySelector('#runs button').click()")
            page.until("document.querySelectorAll('#bars meter').length === 1")
            page.until("document.querySelector('#lines button')?.textContent === 'Run it again with probes'")
            page.run("document.querySelector('#lines button').click()")
            page.until("document.querySelectorAll('#lines canvas').length >= 3")
            assert page.errors == []

    def test_categories_are_intervals(self, tmp_path):
        ackclock.sweep(RIVALS, {"flows[1].cc": ["reno", "vegas"]}, seeds=2, out=tmp_path / "s").close()
        one = Served(tmp_path / "s")
        try:
            with Browser() as page:
                page.size(390, 800, phone=True)
                page.open(one.address)
                page.until("document.querySelectorAll('#first .intervals .dot').length >= 2")
                assert page.run("document.documentElement.scrollWidth") <= 390
                assert page.errors == []
        finally:
            one.end()
