"""The runs that the page lists and opens with, and their panels in one."""

import json
import math
from types import SimpleNamespace

import numpy as np
import pytest

import ackclock
from ackclock.plot.palette import style_of
from ackclock.report.experiment.traces import DOTTED
from ackclock.report.figures import Lane, Plot, Series
from ackclock.report.serve.listing import HANDFUL, opening
from ackclock.report.serve.overlay import RUN_COLOURS, colours_of, overlaid
from tests.helpers.scenarios import SWEPT
from tests.helpers.serving import asked
from tests.helpers.tables import make_result, make_table


def sweep_of(points, seeds=2):
    """A sweep of these points, whose runs have names such as p3s1."""
    runs = [(f"p{point}s{seed}", point, seed, "") for seed in range(1, seeds + 1) for point in range(len(points))]
    return SimpleNamespace(points=points, runs=runs)


class TestOpening:
    def test_the_first_seed_of_each_of_a_handful_of_settings(self):
        sweep = sweep_of([{"cc": cc} for cc in ("reno", "cubic", "bbr")])
        assert opening([sweep], {run for run, *_ in sweep.runs}) == ["p0s1", "p1s1", "p2s1"]
        # A run that has not finished is not there; its second seed stands for the setting.
        assert opening([sweep], {"p0s1", "p1s2", "p2s1"}) == ["p0s1", "p1s2", "p2s1"]

    def test_of_many_settings_what_was_varied_first(self):
        points = [{"cc": cc, "queue": queue, "rate": rate} for cc in "abc" for queue in "xy" for rate in (1, 2)]
        sweep = sweep_of(points)
        every = {run for run, *_ in sweep.runs}
        assert opening([sweep], every) == ["p0s1", "p4s1", "p8s1"]
        # If none of these has finished, what has finished.
        assert opening([sweep], {"p5s1", "p6s1"}) == ["p5s1", "p6s1"]

    def test_of_many_values_some_that_are_spread(self):
        sweep = sweep_of([{"rate": rate} for rate in range(26)])
        found = opening([sweep], {run for run, *_ in sweep.runs})
        assert len(found) == HANDFUL
        assert (found[0], found[-1]) == ("p0s1", "p25s1")

    def test_a_field_that_is_the_same_everywhere_was_not_varied(self):
        points = [{"fixed": 1, "cc": cc, "rate": rate} for cc in "ab" for rate in range(5)]
        sweep = sweep_of(points, seeds=1)
        assert opening([sweep], {run for run, *_ in sweep.runs}) == ["p0s1", "p5s1"]

    def test_the_last_sweep_that_has_finished_runs(self):
        first, last = sweep_of([{"a": 1}]), sweep_of([{"b": 1}])
        last.runs = [(f"last-{run}", *rest) for run, *rest in last.runs]
        assert opening([first, last], {"p0s1", "last-p0s1"}) == ["last-p0s1"]
        assert opening([first, last], {"p0s1"}) == ["p0s1"]
        assert opening([first, last], set()) == []


class TestSharedRuns:
    def test_a_run_that_sweeps_share_is_listed_once_with_all_of_them(self, tmp_path):
        out = tmp_path / "store"
        ackclock.sweep(SWEPT, {"flows[0].cc": ["cubic"], "bottleneck.queue": ["1bdp", "2bdp"]}, out=out).close()
        ackclock.sweep(SWEPT, {"flows[0].cc": ["reno", "cubic"]}, out=out).close()
        found = json.loads(asked(out, "/api/runs")[1])
        assert found["names"] == ["flows[0].cc", "bottleneck.queue"]
        assert len(found["sweeps"]) == 2
        # The shared run has what both sweeps say of it.
        told = {tuple(run["values"]): run["sweeps"] for run in found["runs"]}
        assert told == {("reno", "-"): [1], ("cubic", "1 BDP"): [0, 1], ("cubic", "2 BDP"): [0]}
        # The page opens with what was asked for last, the shared run included.
        values = {run["run"]: run["values"] for run in found["runs"]}
        assert [values[run] for run in found["opening"]] == [["reno", "-"], ["cubic", "1 BDP"]]


class TestOverlay:
    @staticmethod
    def results(*algorithms):
        return [make_result(1, flows=make_table(flow=[*"abc"][: len(each)], cc=list(each))) for each in algorithms]

    def test_colours_follow_what_differs(self):
        own = [style_of(name).colour for name in ("reno", "cubic", "bbr")]
        assert colours_of(self.results(["reno"], ["cubic"], ["bbr"])) == own
        assert colours_of(self.results(["reno", "cubic"], ["reno", "bbr"])) == own[1:]
        # Of one algorithm, or of several, runs have colours of their own.
        assert colours_of(self.results(["reno"], ["reno"])) == RUN_COLOURS[:2]
        assert colours_of(self.results(["reno"], ["cubic"], ["cubic"])) == RUN_COLOURS[:3]
        assert colours_of(self.results(["reno", "cubic"], ["bbr", "vegas"])) == RUN_COLOURS[:2]

    def test_events_have_a_row_for_each_run(self):
        nothing = [math.nan] * 2
        lost = [
            Series("loss", x, nothing, "#000000", "marks", lane=[0, 1], count=count)
            for x, count in (([1, 4], 2), ([2, 3], 9))
        ]
        lines = [Series("cwnd", [0, 1], [1, 2], "#0072b2"), Series("other", [0, 1], [1, 2], "#e69f00")]
        plots = [Plot("t", "x", "y", [*lines, one], lanes=[Lane("a", "#0072b2"), Lane("b", "#e69f00")]) for one in lost]
        (plot,) = overlaid([[plots[0]], [plots[1]]], ["#111111", "#222222"])
        told = [(one.label, one.colour, bool(one.dash)) for one in plot.series[:4]]
        assert told == [
            ("1: cwnd", "#111111", False), ("1: other", "#111111", True),
            ("2: cwnd", "#222222", False), ("2: other", "#222222", True),
        ]  # fmt: skip
        data = plot.series[4].data()
        assert (data["label"], data["x"], data["lane"]) == ("loss (11)", [1, 2, 3, 4], [0, 1, 1, 0])
        assert [lane.data()["colour"] for lane in plot.lanes] == ["#111111", "#222222"]

    @pytest.mark.parametrize(("count", "lines"), [(3, 9), (4, 4)])
    def test_of_many_runs_the_main_line_is_drawn_alone(self, count, lines):
        cwnd = Series("a cwnd", [0, 1], [1, 2], "#0072b2", "step")
        beside = [
            Series("a in flight", [0, 1], [1, 2], "#0072b2", "step", faint=True),
            Series("a ssthresh", [0, 1], [1, 2], "#0072b2", "step", dash=DOTTED),
        ]
        (plot,) = overlaid([[Plot("t", "x", "y", [*beside, cwnd])]] * count, RUN_COLOURS[:count])
        assert len(plot.series) == lines
        assert sum(one.label.endswith("cwnd") for one in plot.series) == count
        assert ("up to 3 runs" in plot.caption) == (count > 3)

    def test_a_flow_has_the_same_dash_in_every_run(self):
        flows = [Series("a cwnd", [0, 1], [1, 2], "#009e73"), Series("b cwnd", [0, 1], [1, 2], "#d55e00")]
        (plot,) = overlaid([[Plot("t", "x", "y", flows)], [Plot("t", "x", "y", flows[::-1])]], RUN_COLOURS[:2])
        assert {one.label: bool(one.dash) for one in plot.series} == {
            "1: a cwnd": False, "1: b cwnd": True, "2: a cwnd": False, "2: b cwnd": True,
        }  # fmt: skip

    def test_states_of_runs_share_their_names(self):
        plots = [
            Plot("t", "x", "", [Series("s", [0, 1, 2], y, "#000000")], y_names=names)
            for y, names in (([0, 1, math.nan], ("startup", "drain")), ([0, 1, 0], ("drain", "probe_bw")))
        ]
        (plot,) = overlaid([[one] for one in plots], ["#111111", "#222222"])
        assert list(plot.y_names) == ["startup", "drain", "probe_bw"]
        np.testing.assert_array_equal(plot.series[0].y, [0, 1, math.nan])
        np.testing.assert_array_equal(plot.series[1].y, [1, 2, 1])

    def test_a_capacity_that_runs_share_is_drawn_once(self):
        same, other = (Series("capacity of bottleneck", [0, 1], [y, y], "#7a7a7a", "step") for y in (5, 9))
        plots = [Plot("Goodput", "x", "y", [capacity]) for capacity in (same, same, other)]
        (plot,) = overlaid([[one] for one in plots], RUN_COLOURS[:3])
        assert [one.y for one in plot.series] == [[5, 5], [9, 9]]


class TestStretches:
    def test_a_stretch_of_time_has_every_row_of_it(self, folder):
        run = json.loads(asked(folder, "/api/runs")[1])["runs"][0]["run"]
        figures = json.loads(asked(folder, f"/api/lines?runs={run}&from=1.0&to=1.1")[1])["figures"]
        shown = {one["title"]: {series["label"]: series for series in one["series"]} for one in figures}
        with ackclock.open(folder) as store:
            table = store.result(run).window
        mine = table["time_s"][table["flow"] == "one"]
        inside = mine[(mine >= 1.0) & (mine <= 1.1)]
        drawn = np.array(shown["Congestion window"]["one cwnd"]["x"])
        assert 3 < len(inside) <= len(drawn) <= len(inside) + 2
        np.testing.assert_allclose(drawn[(drawn >= 1.0) & (drawn <= 1.1)], inside, rtol=1e-4)

    @pytest.mark.parametrize("part", ["from=1", "to=1", "from=2&to=1", "from=x&to=1", "from=nan&to=1", "from=0&to=inf"])
    def test_a_stretch_that_is_none_is_refused(self, folder, part):
        run = json.loads(asked(folder, "/api/runs")[1])["runs"][0]["run"]
        status, body = asked(folder, f"/api/lines?runs={run}&{part}")
        assert (status, json.loads(body)["error"]) == (404, "from and to are seconds, and from is the smaller one")

    def test_what_the_page_knows_is_not_told_again(self, served):
        found = served.json("/api/runs")
        assert served.json(f"/api/runs?known={found['version']}") == {"version": found["version"]}
        assert served.json("/api/runs?known=other") == found
