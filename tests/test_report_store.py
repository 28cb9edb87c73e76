"""The report of a store: what is chosen, what is left out, and the page as a browser has it."""

import itertools
import json
import re

import numpy as np
import pytest

import ackclock
from ackclock.cli import main
from ackclock.palette import STYLES
from ackclock.report import Choice, Cloud, Clouds, HeatMap, Intervals, Plot, Report, Row, Series, front_page
from ackclock.report.colours import CONTRAST, DARK_PAGE, _channels, _luminance, on_dark, readable_on
from ackclock.report.experiment import _spans
from ackclock.report.experiment.axes import axes_of
from ackclock.report.experiment.curves import figures_of, roles_of
from ackclock.report.experiment.measures import Cell, Shown, default_measures, shown
from ackclock.report.experiment.samples import completion_times, throughput_delay
from ackclock.report.experiment.traces import panels, runs_over_time, thin
from ackclock.report.filters import filtered_table
from ackclock.stats import Estimate
from tests.browser import Browser, needs_browser
from tests.conftest import make_result, make_table
from tests.test_report import BAD, Page

SCENARIO = """
name = "a small sweep"
duration = "3s"
[bottleneck]
rate = "5Mbps"
delay = "10ms"
queue = "1bdp"
[[flows]]
name = "one"
start_jitter = "100ms"
app = "bulk"
[[flows]]
name = "two"
start_jitter = "100ms"
app = { kind = "transfer", size = "20kB", count = 3, gap = "100ms" }
[[flows]]
name = "film"
app = { kind = "dash", ladder = ["100kbps", "300kbps"], segment = "1s", segments = 2 }
[probes]
window = true
queues = true
rates = true
delays = true
packets = true
"""
GRID = {"flows[0].cc": ["reno", "cubic"], "bottleneck.rate": ["2Mbps", "10Mbps"], "bottleneck.queue": ["1bdp", "2bdp"]}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A store of a grid, and its report."""
    out = tmp_path_factory.mktemp("report") / "store"
    ackclock.sweep(SCENARIO, GRID, seeds=2, out=out).close()
    assert main(["report", str(out), "--against", "flows[0].cc=reno"]) == 0
    return out


class TestAxes:
    def test_numbers_have_one_unit(self):
        points = [{"r": "500kbps", "q": "1bdp", "t": 5, "c": "reno", "same": 1}, {"r": "2Mbps", "q": "0.5bdp"}]
        points += [{"r": "10Mbps", "q": "4bdp", "t": 1.5, "c": "cubic"}]
        axes = {axis.name: axis for axis in axes_of(points)}
        assert (axes["r"].numbers, axes["r"].unit) == ((0.5, 2.0, 10.0), "Mbit/s")
        assert axes["q"].values == ("0.5bdp", "1bdp", "4bdp")
        assert axes["c"].numbers is None
        assert axes["t"].numbers is None  # one point has none

    def test_kinds_do_not_mix(self):
        assert axes_of([{"q": "1bdp"}, {"q": "50 packets"}])[0].numbers is None
        assert axes_of([{"q": True}, {"q": False}])[0].numbers is None
        assert axes_of([{"d": "1ms"}, {"d": "0.5s"}, {"d": "20ms"}])[0].numbers == (1.0, 20.0, 500.0)

    def test_algorithms_have_the_colours_and_the_longest_axis_is_x(self):
        points = [{"v": v, "f.cc": c, "r": r} for v in "ab" for c in ("reno", "cubic") for r in (1, 2, 3)]
        roles = roles_of(axes_of(points), len(points))
        assert roles.scheme.name == "f.cc"
        assert roles.x.name == "r"
        assert [axis.name for axis in roles.without(roles.scheme, roles.x)] == ["v"]
        assert not roles.scattered
        anywhere = [{"a": i, "b": 7 * i % 20} for i in range(20)]
        assert roles_of(axes_of(anywhere), 20).scattered


class TestParts:
    def test_thinned_lines_keep_their_extremes(self):
        x = np.arange(10_000.0)
        y = np.sin(x)
        y[1234], y[7777] = 9, -9
        kept = thin(x, y, 300)
        assert 150 <= len(kept) <= 300
        assert {0, 1234, 7777} <= {*kept}
        assert (np.diff(kept) > 0).all()
        assert list(thin(x[:5], y[:5], 300)) == [0, 1, 2, 3, 4]

    def test_the_budget_bounds_the_lines_over_time(self, made):
        with ackclock.open(made) as store:
            for budget in (3_000, 12_000):
                choice, told = runs_over_time(store, budget, "")
                points = sum(
                    len(series.x) for _, part in choice.options for plot in part.plots for series in plot.series
                )
                assert 0 < points <= budget
                assert f"{len(choice.options)} of 16 finished runs" in told

    def test_the_time_sequence_graph_has_what_the_tables_say(self):
        result = ackclock.run(SCENARIO, overrides={"bottleneck.loss": "3%"})
        packets, blocks = result.packets, result.sack_blocks
        (plot,) = [plot for plot in panels(result, 10**6) if plot.title == "Time-sequence graph"]
        drawn = {one.label: one for one in plot.series}
        assert list(drawn) == ["acknowledged", "SACK", "sent", "sent again", "dropped"]
        mine = (packets["flow"] == "one") & (packets["side"] == "source") & (packets["len"] > 0)
        for label, event, again in (
            ("sent", "sent", False),
            ("sent again", "sent", True),
            ("dropped", "dropped", None),
        ):
            rows = mine & (packets["event"] == event)
            rows = rows if again is None else rows & (packets["retransmission"].astype(bool) == again)
            assert list(drawn[label].x) == list(packets["time_s"][rows])
            assert list(drawn[label].y) == list(packets["seq"][rows] / 1e3)
        told = (blocks["flow"] == "one") & (blocks["event"] == "delivered") & ~blocks["duplicate"]
        assert list(drawn["SACK"].low) == list(blocks["left"][told] / 1e3)
        assert list(drawn["SACK"].high) == list(blocks["right"][told] / 1e3)
        acks = (packets["flow"] == "one") & (packets["side"] == "sink") & (packets["event"] == "delivered")
        assert np.max(drawn["acknowledged"].y) * 1e3 == pytest.approx(np.nanmax(packets["ack"][acks]))
        assert plot.caption == "Of one, the first of 3 flows."
        one = ackclock.run(SCENARIO, overrides={"bottleneck.queue": "unlimited", "duration": "1s"})
        (plot,) = [plot for plot in panels(one, 100) if plot.title == "Time-sequence graph"]
        assert [one.label for one in plot.series] == ["acknowledged", "sent"], "nothing was lost"

    def test_goodput_is_that_of_applications_where_packets_were_recorded_too(self):
        asked = {"probes.packets": False}
        both = [
            {plot.title: plot for plot in panels(ackclock.run(SCENARIO, overrides=one), 800)} for one in ({}, asked)
        ]
        one, other = (plots["Goodput"].series[1] for plots in both)
        assert list(one.x) == list(other.x)
        assert list(one.y) == list(other.y)

    def test_a_capacity_that_varies_is_filled(self):
        steps = {"kind": "steps", "steps": [{"at": "0s", "rate": "4Mbps"}, {"at": "1500ms", "rate": "1Mbps"}]}
        varying = ackclock.run(SCENARIO, overrides={"bottleneck.rate": steps})
        lines = {plot.title: plot.series[0] for plot in panels(varying, 800)}
        capacity = lines["Goodput"]
        assert (capacity.label, capacity.filled, capacity.kind) == ("capacity of bottleneck", True, "step")
        np.testing.assert_allclose(capacity.y, [4] * 50 + [1] * 51)
        fixed = {plot.title: plot.series[0] for plot in panels(ackclock.run(SCENARIO), 800)}["Goodput"]
        assert (fixed.filled, fixed.y.tolist(), fixed.x.tolist()) == (False, [5, 5], [0, 3])

    def test_sojourn_times_are_aggregated_and_old_tables_have_none(self):
        result = ackclock.run(SCENARIO)
        found = {plot.title: plot for plot in panels(result, 30)}
        longest, mean = found["Sojourn time in the queue"].series
        assert (longest.label, longest.faint, mean.label) == ("bottleneck longest", True, "bottleneck mean")
        assert len(mean.x) == len(longest.x) == 31
        assert np.nanmax(longest.y) == result.links["queue_delay_max_ms"][0]
        assert (np.nan_to_num(mean.y) <= np.nan_to_num(longest.y)).all()
        columns = {name: result.queues[name].tolist() for name in ("time_s", "link", "packets", "bytes")}
        bare = {name: make_table(**columns) if name == "queues" else table for name, table in result.tables.items()}
        titles = [plot.title for plot in panels(make_result(1, **bare), 30)]
        assert "Queue" in titles
        assert "Sojourn time in the queue" not in titles

    def test_colours_are_seen_on_the_dark_page(self):
        for colour in ("#0000ff", "#800066", "#000", "#0072b2"):
            light = (_luminance(_channels(on_dark(colour))) + 0.05) / (DARK_PAGE + 0.05)
            assert light >= CONTRAST
        assert on_dark("#f0e442") == "#f0e442"
        assert (readable_on("#ffffff"), readable_on("#08519c")) == ("#000000", "#ffffff")

    def test_a_change_says_from_what(self, made):
        html = (made / "report.html").read_text(encoding="utf-8")
        assert "The change of the mean from flows[0].cc = reno, over runs of the same seeds, against" in html
        assert "in %. Of a number in parentheses the 95 % interval holds zero." in html
        assert "The mean over the seeds, in Mbit/s." in html

    def test_a_heat_map_says_what_is_sure(self):
        sure, unsure = Estimate(5, 4, 6, 9), Estimate(-5, -6, 1, 9)
        html = HeatMap("x", "y", ["1", "2"], ["3"], {(0, 0): sure, (1, 0): unsure}, "%", diverging=True).html("f")
        assert ">+5<" in html
        assert ">(-5)<" in html
        assert "95 % interval -6 to 1" in html
        assert HeatMap("x", "y", ["1", "2"], ["3"], {(0, 0): sure}).html("f").count('class="none"') == 1

    def test_a_heat_map_is_blue_above_zero_and_grows_upwards(self):
        cells = {(0, 0): Estimate(-8, -9, -7, 9), (0, 1): Estimate(8, 7, 9, 9)}
        html = HeatMap("x", "y", ["1"], ["low", "high"], cells, diverging=True).html("f")
        assert re.findall(r'row">(\w+)</th><td style="background:(#\w+);', html) == [
            ("high", "#2166ac"), ("low", "#b2182b"),
        ]  # fmt: skip

    def test_a_filter_has_a_list_for_what_differs(self):
        html = filtered_table(["a"], [[1], [2]], {"k<": ["x", "y"], "same": [1, 1]}, what="rows")
        assert "k&lt; <select>" in html
        assert "same" not in html
        assert html.count("<tr data-of=") == 2
        with pytest.raises(ValueError, match="k: 1 values for 2 rows"):
            filtered_table(["a"], [[1], [2]], {"k": ["x"]}, what="rows")

    def test_what_cannot_be_drawn_is_refused(self):
        with pytest.raises(ValueError, match="nothing to choose from"):
            Choice("t", "w", []).html("f")
        with pytest.raises(ValueError, match="no place for 0"):
            Plot("t", "x", "y", [Series("s", [0, 1], [1, 2], "#000")], x_log=True).html("f")


class TestFigures:
    """What is drawn is what the store says."""

    @pytest.fixture
    def store(self, made):
        with ackclock.open(made) as opened:
            yield opened

    @staticmethod
    def roles(store):
        points = store.sweeps[0].points
        return roles_of(axes_of(points), len(points))

    @staticmethod
    def plots(made, title):
        """The plots of the page that have a title, one for each setting."""
        page = Page((made / "report.html").read_text(encoding="utf-8"))
        return [one for one in page.plots if one["title"] == title]

    def test_curves_are_the_means_and_their_intervals(self, made, store):
        for plot, queue in zip(self.plots(made, "flows.goodput_bps"), ("1bdp", "2bdp"), strict=True):
            assert (plot["x_label"], plot["y_label"]) == ("bottleneck.rate (Mbit/s)", "Mbit/s")
            assert [one["label"] for one in plot["series"]] == ["reno", "cubic"]
            for series in plot["series"]:
                expected = [
                    one.estimate.scaled(1e-6)
                    for rate in ("2Mbps", "10Mbps")
                    for one in store.estimates("flows.goodput_bps")
                    if [*one.params.values()] == [series["label"], rate, queue]
                ]
                assert series["x"] == [2, 10]
                for name, part in (("y", "value"), ("low", "low"), ("high", "high")):
                    assert series[name] == pytest.approx([getattr(one, part) for one in expected], rel=1e-6)
                style = STYLES[series["label"]]
                assert (series["colour"], series["marker"]) == (style.colour, style.marker)

    def test_changes_are_from_the_control(self, made, store):
        plot = self.plots(made, "change of flows.goodput_bps")[0]
        (series,) = plot["series"]
        pairs = store.compare("flows[0].cc", "cubic", "reno", "flows.goodput_bps")
        expected = [
            100 * one.comparison.relative.value
            for rate in ("2Mbps", "10Mbps")
            for one in pairs
            if [*one.params.values()] == [rate, "1bdp"]
        ]
        assert series["label"] == "cubic"
        assert series["y"] == pytest.approx(expected, rel=1e-6)
        assert plot["y_label"] == "%"

    def test_rates_have_the_unit_they_are_read_in(self, store):
        film, all_flows = shown(store, "flows[film].goodput_bps"), shown(store, "sum(flows.goodput_bps)")
        assert (film.unit, all_flows.unit) == ("kbit/s", "Mbit/s")
        for one, factor in ((film, 1e3), (all_flows, 1e6)):
            estimate = store.estimates(one.name)[0].estimate
            assert one.cells[0].estimate.value * factor == pytest.approx(estimate.value)
            assert one.cells[0].estimate.high * factor == pytest.approx(estimate.high)

    def test_clouds_are_the_runs(self, store):
        choice = throughput_delay(store, self.roles(store), "")
        name, clouds = choice.options[0]
        assert name == "bottleneck.rate = 2Mbps, bottleneck.queue = 1bdp"
        assert [(one.label, one.colour) for one in clouds.clouds] == [
            (cc, STYLES[cc].colour) for cc in ("reno", "cubic")
        ]
        keys = [row["run"] for row in store.runs.rows() if [row[path] for path in GRID] == ["reno", "2Mbps", "1bdp"]]
        results = [store.result(key) for key in keys]
        delay = [run.links["queue_delay_mean_ms"][list(run.links["link"]).index("bottleneck")] for run in results]
        assert clouds.clouds[0].x == pytest.approx(delay)
        assert clouds.clouds[0].y == pytest.approx([run.flows["goodput_bps"].mean() / 1e6 for run in results])

    def test_better_is_to_the_right(self):
        clouds = Clouds("t", "x", "y", [Cloud("slow", [50, 50], [1, 1], "#000"), Cloud("fast", [5, 5], [2, 2], "#111")])
        dots = re.findall(r'<circle cx="([0-9.]+)" cy="([0-9.]+)"', clouds.html("f"))
        (slow, low), (fast, high) = ([float(one) for one in dot] for dot in dots)
        assert fast > slow
        assert high < low  # SVG counts from above

    def test_labels_of_clouds_do_not_cover_each_other(self):
        near = [Cloud(f"cloud {n}", [10, 10], [1 + n / 1000] * 2, "#000") for n in range(5)]
        html = Clouds("t", "x", "y", near).html("f")
        heights = sorted(float(one) for one in re.findall(r'y="([0-9.]+)"[^>]*>cloud [0-9]</text>', html))
        assert len(heights) == 5
        assert min(np.diff(heights)) >= 15

    def test_what_was_not_complete_is_in_the_share(self, tmp_path):
        large = {"flows[1].app": {"kind": "transfer", "size": "400kB", "count": 3, "gap": "100ms"}}
        with ackclock.sweep(SCENARIO, seeds=2, overrides=large, out=tmp_path / "s") as store:
            seconds = store.table("transfers")["duration_s"]
            done = np.sort(seconds[np.isfinite(seconds)])
            assert 0 < done.size < seconds.size
            (series,) = completion_times(store, self.roles(store), "").options[0][1].series
        assert series.y[-1] == pytest.approx(done.size / seconds.size)
        assert series.x[-1] == pytest.approx(done[-1])
        assert (np.diff(series.y) > 0).all()

    def test_a_flow_alone_has_no_fairness(self, tmp_path):
        alone = (
            'duration = "1s"\n[bottleneck]\nrate = "5Mbps"\ndelay = "10ms"\nqueue = "1bdp"\n[[flows]]\napp = "bulk"\n'
        )
        with ackclock.sweep(alone, out=tmp_path / "s") as store:
            names = default_measures(store)
        assert "flows.goodput_bps" in names
        assert "jain(flows.goodput_bps)" not in names

    def test_wide_axes_are_logarithmic_and_names_have_intervals(self):
        estimate = Estimate(5, 4, 6, 9)
        points = [{"f.cc": cc, "r": rate} for cc in ("reno", "cubic") for rate in ("1Mbps", "10Mbps", "100Mbps")]
        one = Shown("m", "s", [Cell(point, estimate) for point in points])
        choice, *_ = figures_of(one, roles_of(axes_of(points), 6), "")[0]
        assert choice.options[0][1].x_log
        points = [{"f.cc": cc, "v": v} for cc in ("reno", "cubic") for v in "ab"]
        one = Shown("m", "s", [Cell(point, estimate) for point in points])
        (intervals,), _ = figures_of(one, roles_of(axes_of(points), 4), "")
        assert [(row.group, row.label, row.colour) for row in intervals.rows] == [
            (f"v = {v}", cc, STYLES[cc].colour) for v in "ab" for cc in ("reno", "cubic")
        ]
        assert "95 % interval" in intervals.caption


class TestCommand:
    def test_the_page_has_all_that_was_run(self, made):
        page = Page((made / "report.html").read_text(encoding="utf-8"))
        for words in (
            "a small sweep", "16 runs of 8 points", "flows[0].cc", "reno, cubic", "1, 2", "16 of 16 have finished",
            "change of flows.goodput_bps", "Throughput against delay", "Completion times", "One-way delays",
            "Over time", "What is left out", "ackclock report", "queue = \"1bdp\"",
        ):  # fmt: skip
            assert words in page.words, words
        assert page.loads == []
        assert (made / "report.html").stat().st_size < 1_000_000

    def test_numbers_are_those_of_the_store(self, made, tmp_path, capsys):
        target = tmp_path / "one.html"
        status = main(["report", str(made), "--of", "sum(flows.goodput_bps)", "--out", str(target), "--json"])
        document = json.loads(capsys.readouterr().out)
        assert status == 0
        assert document["measures"] == ["sum(flows.goodput_bps)"]
        assert document["bytes"] == target.stat().st_size
        with ackclock.open(made) as store:
            estimate = store.estimates("sum(flows.goodput_bps)")[0].estimate.scaled(1e-6)
        words = Page(target.read_text(encoding="utf-8")).words
        assert f"{estimate.value:.4g} [{estimate.low:.4g}, {estimate.high:.4g}]" in words

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (["--against", "flows[0].cc=bbr"], "flows[0].cc is reno, cubic"),
            (["--against", "speed=1"], "that is flows[0].cc, bottleneck.rate"),
            (["--of", "flows.goodput"], "table flows has no column goodput; there are run, flow"),
            (["--of", "nonsense"], "not a column of a table"),
            (["--sweep", "mine"], "no sweep 'mine'"),
            (["--out", "nowhere/x.html"], "is no folder"),
            (["--out", "."], "a folder; name the file"),
        ],
    )
    def test_what_is_refused(self, made, arguments, told, capsys):
        assert main(["report", str(made), *arguments]) == 2
        error = capsys.readouterr().err
        assert told in error
        assert "Traceback" not in error

    def test_one_run_alone_has_its_numbers_in_the_table(self, tmp_path, capsys):
        ackclock.sweep(SCENARIO, out=tmp_path / "one").close()
        assert main(["report", str(tmp_path / "one"), "--json"]) == 0
        figures = json.loads(capsys.readouterr().out)["figures"]
        assert figures == ["Completion times", "One-way delays", "Over time"]
        page = Page((tmp_path / "one" / "report.html").read_text(encoding="utf-8"))
        assert "1 run of 1 point; ackclock" in page.words
        assert "flows.goodput_bps (Mbit/s)" in page.words

    def test_numbers_that_no_seed_moves_are_told(self, tmp_path):
        grid = {"flows[0].start_jitter": ["0ms", "100ms"]}
        short = {"duration": "1s", "flows[1].start_jitter": "0ms"}
        told = "so that the interval means nothing: flows[one].goodput_bps (points: 1), flows.timeouts (points: 2)."
        for seeds in (2, 1):
            out = tmp_path / str(seeds)
            ackclock.sweep(SCENARIO, grid, seeds=seeds, overrides=short, out=out).close()
            assert main(["report", str(out), "--of", "flows[one].goodput_bps", "--of", "flows.timeouts"]) == 0
            words = Page((out / "report.html").read_text(encoding="utf-8")).words
            assert (told in words) is (seeds == 2), "one run has no interval"

    def test_a_truth_value_is_written_as_in_the_scenario(self, tmp_path, capsys):
        grid = {"flows[0].sack": [True, False], "bottleneck.rate": ["2Mbps", "4Mbps"]}
        ackclock.sweep(SCENARIO, grid, seeds=2, out=tmp_path / "s", overrides={"duration": "1s"}).close()
        report = ["report", str(tmp_path / "s"), "--of", "flows.goodput_bps", "--json", "--against"]
        assert main([*report, "flows[0].sack=true"]) == 0
        assert "change of flows.goodput_bps" in json.loads(capsys.readouterr().out)["figures"]

    def test_what_a_run_wrote_is_no_store(self, tmp_path, capsys):
        ackclock.run(SCENARIO, overrides={"duration": "1s"}).write(tmp_path)
        assert main(["report", str(tmp_path)]) == 2
        assert "what `ackclock run` wrote, no store" in capsys.readouterr().err

    def test_a_folder_that_is_none(self, tmp_path, capsys):
        assert main(["report", str(tmp_path)]) == 2
        assert "no store" in capsys.readouterr().err
        assert not (tmp_path / "report.html").exists()

    def test_several_sweeps_are_named(self, made, tmp_path, capsys):
        import shutil

        both = shutil.copytree(made, tmp_path / "both")
        ackclock.sweep(SCENARIO, {"flows[0].cc": ["reno"]}, overrides={"duration": "1s"}, out=both).close()
        assert main(["report", str(both)]) == 2
        assert "choose it with --sweep" in capsys.readouterr().err
        with ackclock.open(both) as store:
            second = store.sweeps[1].id
        assert main(["report", str(both), "--sweep", second]) == 0

    def test_names_of_a_sweep_cannot_become_markup(self, tmp_path, monkeypatch):
        bad = f"bad{BAD}"
        monkeypatch.setattr("sys.argv", ["ackclock", "sweep", "<x-bad>"])

        @ackclock.congestion_control("breaks")
        class Breaks(ackclock.CongestionControl):
            def on_ack(self, *_):
                raise ZeroDivisionError(BAD)

            on_congestion = on_timeout = on_ack

        settings = {bad: {"flows[0].cc": "reno"}, "b": {"flows[0].cc": "cubic"}, "c": {"flows[0].cc": "breaks"}}
        grid = {bad: settings, "bottleneck.rate": ["2Mbps", "4Mbps"], "bottleneck.queue": ["1bdp", "2bdp"]}
        out = tmp_path / "<x-bad>"
        ackclock.sweep(f"# {bad}\n{SCENARIO}", grid, seeds=2, out=out, overrides={"duration": "1s"}).close()
        assert main(["report", str(out), "--against", f"{bad}={bad}"]) == 0
        page = Page((out / "report.html").read_text(encoding="utf-8"))
        assert "x-bad" not in page.tags
        assert "Made with ackclock sweep '<x-bad>'" in page.words
        assert "Runs that failed: 8" in page.words
        assert page.words.count(BAD) > 20
        assert {bad, "b"} == {series["label"] for series in page.plots[0]["series"]}

    def test_tables_are_bounded(self, tmp_path, monkeypatch, capsys):
        @ackclock.congestion_control("breaks")
        class Breaks(ackclock.CongestionControl):
            def on_ack(self, *_):
                raise ZeroDivisionError("on purpose")

            on_congestion = on_timeout = on_ack

        monkeypatch.setattr("ackclock.report.experiment.MOST_ROWS", 1)
        monkeypatch.setattr("ackclock.report.experiment.MOST_FAILURES", 2)
        grid = {"flows[0].cc": ["breaks", "reno"]}
        ackclock.sweep(SCENARIO, grid, seeds=3, out=tmp_path / "s", overrides={"duration": "1s"}).close()
        assert main(["report", str(tmp_path / "s"), "--json"]) == 0
        assert "Points in the table: 1 of 2." in json.loads(capsys.readouterr().out)["left_out"]
        page = Page((tmp_path / "s" / "report.html").read_text(encoding="utf-8"))
        assert "Points: 1 point" in page.words
        assert "Runs that failed: 3" in page.words
        assert "and 1 more." in page.words
        assert page.words.count("on purpose") == 2

    @pytest.mark.parametrize(
        ("seeds", "told"),
        [([1], "1"), ([1, 2], "1, 2"), ([4, 5, 6], "4 to 6"), ([1, 2, 4], "1, 2, 4"), ([1, 3, 5], "1, 3, 5")],
    )
    def test_seeds_are_told_as_they_are(self, seeds, told):
        assert _spans(seeds) == told

    def test_failures_are_told(self, tmp_path):
        grid = {"flows[0].cc": ["reno", "breaks"]}

        @ackclock.congestion_control("breaks")
        class Breaks(ackclock.CongestionControl):
            def on_ack(self, *_):
                raise ZeroDivisionError("on purpose")

            on_congestion = on_timeout = on_ack

        with ackclock.sweep(SCENARIO, grid, out=tmp_path / "s", overrides={"duration": "1s"}) as store:
            failed = store.failed
        assert failed == 1
        assert main(["report", str(tmp_path / "s")]) == 0
        words = Page((tmp_path / "s" / "report.html").read_text(encoding="utf-8")).words
        assert "1 failed" in words
        assert "Runs that failed: 1" in words
        assert "1 breaks 0 of 1 - - " in words
        assert "on purpose" in words


def verdicts(study, found, *, quick=False):
    claim = {
        "statement": "it <rises>", "published": 5.0, "measured": 4.2, "ci": [4.0, 4.4], "unit": "%", "readings": [],
        "holds_under": [],
    }  # fmt: skip
    claims = [claim | {"verdict": verdict} for verdict in found]
    return {"study": study, "title": "A study", "version": "1", "quick": quick, "seeds": [1, 2], "claims": claims}


class TestFrontPage:
    def test_every_claim_and_the_counts(self):
        documents = [verdicts("a", ["reproduced", "not reproduced"]), verdicts("b", ["withdrawn"], quick=True)]
        page = Page(front_page(documents, links={"a": "a/report.html"}))
        assert page.loads == ["a/report.html"] * 3
        assert "3 claims of 2 studies" in page.words
        assert page.words.count("it <rises>") == 3
        assert "withdrawn (quick)" in page.words
        assert "all 3 1 1 0 1" in page.words

    def test_a_folder_of_studies(self, tmp_path, capsys):
        for name in ("a", "b"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "verdicts.json").write_text(json.dumps(verdicts(name, ["reproduced"])))
            (tmp_path / name / "report.html").write_text("")
        assert main(["report", str(tmp_path), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["studies"] == ["a", "b"]
        page = Page((tmp_path / "report.html").read_text(encoding="utf-8"))
        assert {*page.loads} == {"a/report.html", "b/report.html"}
        assert main(["report", str(tmp_path / "a")]) == 2
        assert "this study has its report" in capsys.readouterr().err
        assert main(["report", str(tmp_path), "--of", "flows.goodput_bps"]) == 2
        (tmp_path / "b" / "verdicts.json").write_text('{"study": "b"}')
        assert main(["report", str(tmp_path)]) == 2
        assert "lack" in capsys.readouterr().err


DRAWN = """(() => [...document.querySelectorAll("canvas")].filter((one) => !one.closest("[hidden]")).map((one) => {
  const copy = Object.assign(document.createElement("canvas"), { width: one.width, height: one.height });
  const context = copy.getContext("2d", { willReadFrequently: true });
  context.drawImage(one, 0, 0);
  const data = context.getImageData(0, 0, one.width, one.height).data;
  const seen = new Set();
  for (let at = 0; at < data.length; at += 4)
    if (data[at + 3] > 200 && Math.max(data[at], data[at + 1], data[at + 2]) -
      Math.min(data[at], data[at + 1], data[at + 2]) > 60) seen.add(`${data[at]},${data[at + 1]},${data[at + 2]}`);
  return seen.size;
}))()"""
"""Of each plot in sight, how many colours it has that are no grey: none where no line is drawn."""

NEXT = """document.querySelectorAll(".choice select").forEach((one) => {
  one.selectedIndex = (one.selectedIndex + 1) % one.options.length;
  one.dispatchEvent(new Event("change"));
})"""

SMALLEST = """Math.min(...[...document.querySelectorAll("main *")].filter((one) => one.offsetParent &&
  [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim())).map((one) =>
  parseFloat(getComputedStyle(one).fontSize)))"""

LEGEND = """(() => {
  for (const wide of document.querySelectorAll(".uplot")) {
    const names = [...wide.querySelectorAll(".u-label")].map((one) => one.textContent);
    const marks = [...wide.querySelectorAll(".u-marker")].map((one) => one.style.border);
    if (names.includes("one ssthresh")) return Object.fromEntries(names.map((name, at) => [name, marks[at]]));
  }
})()"""
"""The marks of the legend of the congestion window, by their names."""

PIXELS = """(() => {
  const one = document.querySelector("#small canvas");
  const data = one.getContext("2d").getImageData(0, 0, one.width, one.height).data;
  let full = 0, pale = 0;
  for (let at = 0; at < data.length; at += 4) {
    if (data[at] < 200 || Math.abs(data[at + 1] - GREEN) > 30) continue;
    data[at + 3] > 200 ? full++ : data[at + 3] > 20 && pale++;
  }
  return [full, pale];
})()"""
"""Pixels of that colour of the plot that was drawn last, full and pale."""

LISTEN = """(() => {
  window.written = new Map();
  const own = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
    if (!written.has(this.canvas)) written.set(this.canvas, []);
    written.get(this.canvas).push(text);
    return own.call(this, text, ...place);
  };
})()"""
"""Hears what is written on plots from now on."""

AXES = """(() => {
  const found = [...document.querySelectorAll(".uplot canvas")].filter((one) => one.offsetParent).map((one) =>
    written.get(one));
  written.clear();
  return found;
})()"""
"""What was written on each plot in sight: the label of x, its numbers, the label of y, its numbers."""

SVG_SMALLEST = """Math.min(...[...document.querySelectorAll("svg text")].map((one) =>
  parseFloat(getComputedStyle(one).fontSize) * one.getScreenCTM().a).filter((size) => size > 0))"""


@pytest.fixture(scope="module")
def browser():
    with Browser() as one:
        one.offline()
        yield one


@needs_browser
class TestInABrowser:
    @pytest.fixture
    def page(self, browser, made):
        browser.errors.clear()
        browser.requests.clear()
        browser.dark(False)
        browser.size(1100, 900)
        browser.open(made / "report.html")
        yield browser
        assert browser.errors == []
        assert browser.requests == []

    def test_every_figure_is_drawn(self, page):
        plots = page.run("document.querySelectorAll('script[data-plot]').length")
        # What no choice shows has not been drawn.
        assert (
            page.run("document.querySelectorAll('[hidden] canvas').length")
            == 0
            < page.run("document.querySelectorAll('canvas').length")
        )
        longest = page.run("Math.max(...[...document.querySelectorAll('.choice select')].map(one => one.length))")
        assert longest > 1
        for _ in range(longest):
            colours = page.run(DRAWN)
            assert len(colours) > 10
            assert all(colours), colours
            page.run(NEXT)
            page.settle()
        assert page.run("document.querySelectorAll('canvas').length") == plots
        assert page.run("document.querySelectorAll('svg polygon').length") > 0
        assert page.run("[...document.querySelectorAll('.heat td[style]')].length") > 8

    def test_filters_leave_rows_out(self, page):
        box = "document.querySelector('.points .filtered')"
        shown = f"[...{box}.querySelectorAll('tbody tr')].filter(one => one.offsetParent).length"
        assert page.run(shown) == 8
        choose = (
            f"(() => {{ const one = {box}.querySelectorAll('select')[0]; one.selectedIndex = 2; "
            "one.dispatchEvent(new Event('change')); return one.options[2].text })()"
        )
        assert page.run(choose) == "cubic"
        assert page.run(shown) == 4
        assert page.run(f"{box}.querySelector('output').textContent") == "4 of 8"
        rows = (
            f"[...{box}.querySelectorAll('tbody tr')].filter(one => one.offsetParent).map(one => [1, 2, 3].map(at => "
        )
        rows += "one.cells[at].textContent))"
        assert {row[0] for row in page.run(rows)} == {"cubic"}
        page.run(choose.replace("[0]", "[2]", 1).replace("= 2", "= 1"))
        assert page.run(rows) == [["cubic", "2Mbps", "1bdp"], ["cubic", "10Mbps", "1bdp"]]
        assert page.run(f"{box}.querySelector('output').textContent") == "2 of 8"

    def test_hovering_tells_the_values(self, page):
        values = "[...document.querySelectorAll('.uplot')[0].querySelectorAll('.u-value')].map(one => one.textContent)"
        page.run("document.querySelectorAll('.uplot')[0].scrollIntoView({block: 'center'})")
        place = page.run(
            "(() => { const box = document.querySelector('.u-over').getBoundingClientRect(); "
            "return [box.left + 8, box.top + box.height / 2] })()"
        )
        page.hover(*place)
        rate, *means = page.run(values)
        assert rate == "2"
        assert len(means) == 2
        assert all(0 < float(one) < 2 for one in means)

    def test_steps_end_at_a_gap_and_an_area_is_below_them(self, browser, tmp_path):
        browser.errors.clear()
        browser.size(1000, 800)
        report = Report("steps", command="")
        steps = Series("steps", [0, 1, 2, 3, 4], [1, np.nan, 2, 2, 2], "#0000ff", "step", filled=True)
        other = Series("other", [0.5, 1.5], [0, 0], "#ff0000")
        report.add_figure(Plot("t", "x", "y", [steps, other]))
        report.write(tmp_path / "steps.html")
        browser.open(tmp_path / "steps.html")
        # How many pixels of a column above the other line are blue.
        script = """(() => {
          const plot = document.querySelector("canvas");
          const box = document.querySelector(".u-over");
          const copy = Object.assign(document.createElement("canvas"), { width: plot.width, height: plot.height });
          const context = copy.getContext("2d", { willReadFrequently: true });
          context.drawImage(plot, 0, 0);
          const ratio = plot.width / plot.clientWidth;
          const left = (box.offsetLeft + %s * box.clientWidth) * ratio;
          const data = context.getImageData(left, box.offsetTop * ratio, 1, 0.9 * box.clientHeight * ratio);
          let blue = 0;
          for (let at = 0; at < data.data.length; at += 4)
            if (data.data[at + 3] && data.data[at + 2] > data.data[at] + 20) blue++;
          return blue / (0.9 * box.clientHeight * ratio);
        })()"""
        filled = [browser.run(script % place) for place in (0.1, 0.2, 0.3, 0.45, 0.6, 0.95)]
        # The axis ends at 2.1: 1 is half way up, 2 almost at the top. The lowest tenth is left out.
        for found, expected in zip(filled, (0.42, 0.42, 0, 0, 0.94, 0.94), strict=True):
            assert abs(found - expected) < 0.03, filled
        values = "[...document.querySelectorAll('.u-value')].slice(1).map(one => one.textContent)"
        told = []
        for place in (0.13, 0.38, 0.8):
            at = browser.run(
                "(() => { const box = document.querySelector('.u-over').getBoundingClientRect(); "
                f"return [box.left + {place} * box.width, box.top + box.height / 2] }})()"
            )
            browser.hover(*at)
            told.append(browser.run(values))
        assert told == [["1", "0"], ["-", "0"], ["2", "0"]]
        assert browser.errors == []

    def test_a_phone_needs_no_scrolling_sideways(self, page):
        page.size(390, 800, phone=True)
        page.settle()
        for dark in (False, True):
            page.dark(dark)
            page.settle()
            assert page.run("document.documentElement.scrollWidth") <= 390
            assert page.run(SMALLEST) >= 11
            assert page.run(SVG_SMALLEST) >= 9.5
            assert page.run("getComputedStyle(document.body).backgroundColor") == (
                "rgb(20, 23, 27)" if dark else "rgb(255, 255, 255)"
            )
            assert all(page.run(DRAWN))

    @staticmethod
    def draw(page, series, **options):
        """A plot at the end of the page, and in sight."""
        lines = [{"colour": "#ff0000", "dark": "#ff8080", "kind": "line", "marker": "o"} | one for one in series]
        figure = {"x_label": "x", "y_label": "y", "from_zero": True, "series": lines} | options
        page.run(
            "document.querySelector('main').append(Object.assign(document.createElement('div'), {id: 'small'})), "
            f"ackclock.plot(document.querySelector('#small'), {json.dumps(figure)}) && "
            "document.querySelector('#small').scrollIntoView()"
        )
        page.settle()

    @staticmethod
    def hovered(page, across):
        """What the legend tells with the mouse so far across that plot."""
        left, top, width, height = page.run(
            "(() => { const box = document.querySelector('#small .u-over').getBoundingClientRect(); "
            "return [box.left, box.top, box.width, box.height] })()"
        )
        page.hover(left + across * width, top + height / 2)
        names, values = (
            page.run(f"[...document.querySelectorAll('#small .u-{what}')].map(one => one.textContent)")
            for what in ("label", "value")
        )
        return dict(zip(names, values, strict=True))

    def test_hovering_tells_what_holds_there(self, page):
        """Where a line has no point of its own: a step's last value, the nearest of others."""
        far = {"x": [0, 10], "y": [1, 9]}
        often = {"label": "often", "x": list(range(11)), "y": [4] * 11}
        self.draw(page, [far | {"label": "step", "kind": "step"}, far | {"label": "line"}, often])
        assert self.hovered(page, 0.7) == {"x": "7", "step": "1", "line": "9", "often": "4"}
        assert self.hovered(page, 0.3) == {"x": "3", "step": "1", "line": "1", "often": "4"}
        assert self.hovered(page, 0.99) == {"x": "10", "step": "9", "line": "9", "often": "4"}

    def test_a_logarithmic_axis_has_its_own_numbers(self, page):
        page.run(LISTEN)
        self.draw(page, [{"label": "s", "x": [1, 10, 100], "y": [3, 2, 1]}], x_log=True)
        written = page.run(AXES)[-1]
        assert written[written.index("x") + 1 : written.index("y")] == ["1", "10", "100"]
        assert self.hovered(page, 0.5) == {"x": "10", "s": "2"}
        assert self.hovered(page, 0.99) == {"x": "100", "s": "1"}

    @pytest.mark.parametrize("dark", [False, True])
    @pytest.mark.parametrize("kind", ["line", "points", "band", "interval"])
    def test_every_kind_is_drawn_in_its_colour(self, page, kind, dark):
        page.dark(dark)
        self.draw(
            page, [{"label": "s", "kind": kind, "x": [0, 5, 10], "y": [5, 5, 5], "low": [1, 1, 1], "high": [9, 9, 9]}]
        )
        full, pale = page.run(PIXELS.replace("GREEN", "128" if dark else "0"))
        width, height = page.run("(box => [box.width, box.height])(document.querySelector('#small .u-over'"
                                 ").getBoundingClientRect())")  # fmt: skip
        if kind == "band":
            assert 0.5 * width * height < pale < 0.9 * width * height
            assert full > width  # the line, and marks on it
        else:
            assert pale < 0.02 * width * height
            # A line goes from one side to the other; marks are three of nine pixels, whiskers three of half the width.
            least, most = {"line": (1.5, 2.5), "points": (0.1, 0.5), "interval": (2, 8)}[kind]
            assert least * width < full < most * width

    def test_numbers_of_axes_are_what_they_stand_for(self, page):
        page.run(LISTEN)
        self.draw(page, [{"label": "s", "x": [0, 1e6], "y": [0, 0.0225]}])
        written = page.run(AXES)[-1]
        across, up = (written[written.index("x") + 1 : written.index("y")], written[written.index("y") + 1 :])
        steps = np.diff([float(one) for one in up])
        assert len(up) > 4
        assert np.allclose(steps, steps[0], rtol=1e-9), up
        assert "1,000,000" in across

    def test_drawing_anew_keeps_the_range(self, page):
        page.run(LISTEN)
        seen = []
        for dark in (True, False, True, False):
            page.dark(dark)
            page.settle()
            seen.append(page.run(AXES))
        assert seen[0][0]
        assert all(one == seen[0] for one in seen)

    @staticmethod
    def is_number(text):
        return text.replace(".", "").isdigit()

    def test_panels_have_one_range_and_zoom_together(self, page):
        def ranges():
            page.dark(True)
            page.settle()
            page.run("written.clear()")
            page.dark(False)
            page.settle()
            panels = [itertools.takewhile(self.is_number, one[1:]) for one in page.run(AXES) if one[0] == "time (s)"]
            return [[float(one) for one in panel] for panel in panels]

        page.run("document.querySelector('[data-sync]').scrollIntoView()")
        page.run(LISTEN)
        whole = ranges()
        assert len(whole) > 5
        assert min(whole[0]) == 0
        assert max(whole[0]) == 3
        assert all(one == whole[0] for one in whole)
        left, middle, width = page.run(
            "(() => { const box = document.querySelector('[data-sync] .u-over').getBoundingClientRect(); "
            "return [box.left, box.top + box.height / 2, box.width] })()"
        )
        page.hover(left + 0.3 * width, middle)
        page.mouse("mousePressed", left + 0.3 * width, middle)
        page.mouse("mouseMoved", left + 0.6 * width, middle)
        page.mouse("mouseReleased", left + 0.6 * width, middle)
        for _ in range(2):
            zoomed = ranges()
            assert all(0.8 < min(one) < max(one) < 1.9 for one in zoomed), zoomed
        for clicks in (1, 2):
            page.mouse("mousePressed", left + 0.5 * width, middle, clicks)
            page.mouse("mouseReleased", left + 0.5 * width, middle, clicks)
        assert ranges() == whole

    def test_a_legend_tells_lines_of_one_colour_apart(self, page):
        marks = page.run(LEGEND)
        assert "2px solid" in marks["one cwnd"]
        assert "2px dotted" in marks["one ssthresh"]
        assert "1px solid" in marks["one in flight"]

    def test_intervals_and_wide_tables_fit_a_phone(self, browser, tmp_path):
        report = Report("t")
        report.add_figure(Intervals("t", "x", [Row("group", "a label of some words", Estimate(5, 4, 6, 9), "#000")]))
        report.add_table("wide", [f"column {n}" for n in range(20)], [list(range(20))])
        report.write(tmp_path / "report.html")
        browser.size(390, 800, phone=True)
        browser.open(tmp_path / "report.html")
        assert browser.run("document.documentElement.scrollWidth") <= 390
        assert browser.run("document.querySelector('.track').clientWidth") > 250
        assert browser.run("(one => one.scrollWidth > one.clientWidth)(document.querySelector('.scroll'))")

    def test_panels_share_their_time(self, page):
        page.run("document.querySelector('[data-sync]').scrollIntoView()")
        place = page.run(
            "(() => { const box = document.querySelector('[data-sync] .u-over').getBoundingClientRect(); "
            "return [box.left + box.width / 2, box.top + box.height / 2] })()"
        )
        page.hover(*place)
        times = page.run(
            "[...document.querySelectorAll('[data-sync]')][0].querySelectorAll('.uplot').length && "
            "[...[...document.querySelectorAll('[data-sync]')][0].querySelectorAll('.uplot')].map(one => "
            "parseFloat(one.querySelector('.u-value').textContent))"
        )
        # One whose own time has ended by then shows none.
        times = [one for one in times if one is not None]
        assert len(times) >= 5
        assert max(times) - min(times) < 0.5
