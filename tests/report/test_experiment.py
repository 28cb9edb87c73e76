"""The figures of a store's report: axes, roles, curves, clouds and completion times have what the store says."""

import re

import numpy as np
import pytest

import ackclock
from ackclock.plot.palette import STYLES
from ackclock.report import Cloud, Clouds
from ackclock.report.experiment.axes import axes_of
from ackclock.report.experiment.curves import figures_of, roles_of
from ackclock.report.experiment.measures import PointMean, Shown, default_measures, shown
from ackclock.report.experiment.samples import completion_times, throughput_delay
from ackclock.stats import Estimate
from tests.helpers.pages import Page
from tests.helpers.scenarios import PROBED
from tests.helpers.stores import REPORT_GRID


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


class TestFigures:
    """The figures show the numbers of the store."""

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
        for plot, queue in zip(self.plots(made, "Goodput of one"), ("1bdp", "2bdp"), strict=True):
            assert (plot["x_label"], plot["y_label"]) == ("Rate of the bottleneck (Mbit/s)", "Goodput of one (Mbit/s)")
            assert [one["label"] for one in plot["series"]] == ["reno", "cubic"]
            for series in plot["series"]:
                expected = [
                    one.estimate.scaled(1e-6)
                    for rate in REPORT_GRID["bottleneck.rate"]
                    for one in store.estimates("flows[one].goodput_bps")
                    if [*one.params.values()] == [series["label"], rate, queue]
                ]
                assert series["x"] == [2, 5, 10]
                for name, part in (("y", "value"), ("low", "low"), ("high", "high")):
                    assert series[name] == pytest.approx([getattr(one, part) for one in expected], rel=1e-6)
                style = STYLES[series["label"]]
                assert (series["colour"], series["marker"]) == (style.colour, style.marker)

    def test_differences_are_from_the_control_and_absolute_with_few_pairs(self, made, store):
        plot = self.plots(made, "Difference: Goodput of one")[0]
        (series,) = plot["series"]
        runs = {
            (row["flows[0].cc"], row["bottleneck.rate"], row["seed"]): row["run"]
            for row in store.runs.rows()
            if row["bottleneck.queue"] == "1bdp"
        }

        def goodput(cc, rate, seed):
            flows = store.result(runs[cc, rate, seed]).flows
            return flows["goodput_bps"][list(flows["flow"]).index("one")]

        expected = [
            np.mean([goodput("cubic", rate, seed) - goodput("reno", rate, seed) for seed in (1, 2)]) / 1e6
            for rate in REPORT_GRID["bottleneck.rate"]
        ]
        assert series["label"] == "cubic"
        assert series["y"] == pytest.approx(expected, rel=1e-6)
        assert plot["y_label"] == "Difference: Goodput of one (Mbit/s)"
        assert self.plots(made, "Relative change: Goodput of one") == []

    def test_rates_have_the_unit_they_are_read_in(self, store):
        film, all_flows = shown(store, "flows[film].goodput_bps"), shown(store, "sum(flows.goodput_bps)")
        assert (film.unit, all_flows.unit) == ("kbit/s", "Mbit/s")
        for one, factor in ((film, 1e3), (all_flows, 1e6)):
            estimate = store.estimates(one.measure)[0].estimate
            assert one.cells[0].estimate.value * factor == pytest.approx(estimate.value)
            assert one.cells[0].estimate.high * factor == pytest.approx(estimate.high)

    def test_clouds_are_the_runs(self, store):
        choice = throughput_delay(store, self.roles(store), "")
        name, clouds = choice.options[0]
        assert name == "Rate of the bottleneck = 2 Mbit/s, Buffer = 1 BDP"
        assert [(one.label, one.colour) for one in clouds.clouds] == [
            (cc, STYLES[cc].colour) for cc in ("reno", "cubic")
        ]
        keys = [
            row["run"] for row in store.runs.rows() if [row[path] for path in REPORT_GRID] == ["reno", "2Mbps", "1bdp"]
        ]
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
        with ackclock.sweep(PROBED, seeds=2, overrides=large, out=tmp_path / "s") as store:
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
        one = Shown("m", "s", [PointMean(point, estimate) for point in points])
        choice, *_ = figures_of(one, roles_of(axes_of(points), 6), "")[0]
        assert choice.options[0][1].x_log
        points = [{"f.cc": cc, "v": v} for cc in ("reno", "cubic") for v in "ab"]
        one = Shown("m", "s", [PointMean(point, estimate) for point in points])
        (intervals,), _ = figures_of(one, roles_of(axes_of(points), 4), "")
        assert [(row.group, row.label, row.colour) for row in intervals.rows] == [
            (f"v = {v}", cc, STYLES[cc].colour) for v in "ab" for cc in ("reno", "cubic")
        ]
        assert "95 % interval" in intervals.caption
