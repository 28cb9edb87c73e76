"""The beginning of a report: the question, and an answer that is computed from the runs."""

import numpy as np
import pytest

import ackclock
from ackclock.cli import main
from ackclock.report.experiment.answer import answer_of, question_of
from ackclock.report.experiment.axes import axes_of
from ackclock.report.experiment.curves import figures_of, roles_of
from ackclock.report.experiment.differences import Comparisons, Difference, Rivals, comparisons, rivals_of
from ackclock.report.experiment.measures import PointMean, Shown, default_measures, flow_groups, shown
from ackclock.stats import Estimate
from tests.helpers.pages import BAD, Page
from tests.helpers.scenarios import PROBED

RIVALS = """
duration = "2s"
[bottleneck]
rate = "5Mbps"
delay = "10ms"
queue = "1bdp"
[[flows]]
name = "old"
start_jitter = "100ms"
app = "bulk"
[[flows]]
name = "new"
count = 2
start_jitter = "100ms"
app = "bulk"
"""


def varied(points, flows=()):
    axes = axes_of(points, flows)
    return axes, roles_of(axes, len(points))


def first_of(points, estimates, title="Goodput of new", unit="Mbit/s"):
    return Shown(title, unit, [PointMean(*one) for one in zip(points, estimates, strict=True)], measure="m")


@pytest.fixture(scope="module")
def rivals(tmp_path_factory):
    """A sweep over algorithms and two buffers, with three seeds."""
    out = tmp_path_factory.mktemp("answer") / "rivals"
    grid = {"flows[1].cc": ["reno", "cubic"], "bottleneck.queue": ["0.5bdp", "2bdp"]}
    ackclock.sweep(RIVALS, grid, seeds=3, out=out).close()
    return out


class TestQuestion:
    def test_it_names_what_was_varied_and_measured(self):
        points = [{"flows[1].cc": cc, "bottleneck.queue": q} for cc in ("reno", "cubic") for q in ("1bdp", "2bdp")]
        axes, roles = varied(points, ["old", "new"])
        first = first_of(points, [Estimate(1, 0, 2, 3)] * 4)
        assert question_of("s", first, roles, axes[0]) == (
            "How does the congestion control of new (reno, cubic) change the goodput of new? "
            "The sweep also varies the buffer (1 BDP, 2 BDP)."
        )
        _, none = varied([{}])
        assert question_of("s", first, none, None) == "What is the goodput of new in the scenario s?"

    def test_many_numbers_are_a_range(self):
        points = [{"bottleneck.rate": f"{rate}Mbps"} for rate in range(1, 20)]
        axes, roles = varied(points)
        first = first_of(points, [Estimate(1, 0, 2, 3)] * 19)
        assert "(1 Mbit/s to 19 Mbit/s)" in question_of("s", first, roles, axes[0])


class TestAnswer:
    def test_it_is_the_paired_difference(self, rivals):
        with ackclock.open(rivals) as store:
            _, roles = varied(store.sweeps[0].points, flow_groups(store))
            first = shown(store, "flows[new].goodput_bps")
            sentences, details = answer_of(first, roles, comparisons(store, ["flows[new].goodput_bps"], roles))
            assert details == []
            keys = {(row["flows[1].cc"], row["bottleneck.queue"], row["seed"]): row["run"] for row in store.runs.rows()}

            def goodput(*key):
                flows = store.result(keys[key]).flows
                return np.mean([row["goodput_bps"] for row in flows.rows() if row["flow"].startswith("new")]) / 1e6

            assert len(sentences) == 2
            for sentence, queue, text in zip(sentences, ("0.5bdp", "2bdp"), ("0.5 BDP", "2 BDP"), strict=True):
                sides = [np.array([goodput(cc, queue, seed) for seed in (1, 2, 3)]) for cc in ("cubic", "reno")]
                difference = sides[0] - sides[1]
                half = 4.302652729911275 * difference.std(ddof=1) / np.sqrt(3)
                sure = abs(difference.mean()) > half
                assert sentence.startswith(f"With buffer = {text}, the goodput of new with cubic ")
                assert ("does not differ clearly" in sentence) is not sure
                assert f"{abs(difference.mean()):.4g} [" in sentence
                assert f"over 3 pairs ({sides[0].mean():.4g} against {sides[1].mean():.4g} Mbit/s)." in sentence

    def test_a_clear_difference_has_a_direction(self):
        points = [{"f.cc": "reno"}, {"f.cc": "cubic"}]

        def compared(estimate, relative=None):
            difference = Difference(first, points[1], estimate, relative)
            return Comparisons(axes_of(points)[0], "reno", [difference], [], {})

        _, roles = varied(points)
        first = first_of(points, [Estimate(5, 4, 6, 4), Estimate(4, 3, 5, 4)])
        (sentence,), _ = answer_of(first, roles, compared(Estimate(-1, -1.5, -0.5, 4)))
        assert sentence == (
            "The goodput of new with cubic is 1 [0.5, 1.5] Mbit/s lower than with reno, over 4 pairs "
            "(4 against 5 Mbit/s)."
        )
        (sentence,), _ = answer_of(first, roles, compared(Estimate(1, 0.5, 1.5, 25), Estimate(20, 10, 30, 25)))
        assert "1 [0.5, 1.5] Mbit/s higher than with reno (+20 %), over 25 pairs" in sentence

    def test_many_settings_are_counted_and_folded(self):
        points = [{"f.cc": cc, "v": v} for v in "abcde" for cc in ("reno", "cubic")]
        axes, roles = varied(points)
        first = first_of(points, [Estimate(5, 4, 6, 4)] * 10)
        ends = [(1, 0.5, 1.5), (3, 2, 4), (-1, -2, -0.5), (0, -1, 1), (0.1, -1, 1)]
        differences = [
            Difference(first, params, Estimate(*one, 4), None) for params, one in zip(points[1::2], ends, strict=True)
        ]
        compared = Comparisons(axes[0], "reno", differences, [], {})
        sentences, details = answer_of(first, roles, compared)
        (sentence,) = sentences
        assert sentence == (
            "The goodput of new with cubic instead of reno is higher by 1 to 3 Mbit/s with v = a and with v = b, "
            "lower by 1 Mbit/s with v = c, not clearly different with v = d and with v = e "
            "(95 % intervals of differences paired by seed)."
        )
        assert len(details) == 5
        assert details[2].startswith("With v = c, the goodput of new with cubic is 1 [0.5, 2] Mbit/s lower than with ")

    def test_points_without_pairs_have_a_lowest_and_a_highest(self):
        points = [{"a": i, "b": 7 * i % 20} for i in range(20)]
        _, roles = varied(points)
        assert roles.scattered
        first = first_of(points, [Estimate(i, i, i + 1, 3) for i in range(20)])
        (sentence,), _ = answer_of(first, roles, None)
        assert sentence == (
            "The goodput of new is lowest, 0 [0, 1] Mbit/s, with a = 0, b = 0, and highest, 19 [19, 20] Mbit/s, "
            "with a = 19, b = 13."
        )

    def test_no_value_is_told(self):
        _, roles = varied([{}])
        assert answer_of(first_of([{}], [None]), roles, None)[0] == ["No run has a value of the goodput of new."]


class TestPage:
    def test_question_answer_and_figure_come_before_the_contents(self, rivals, tmp_path):
        target = tmp_path / "page.html"
        assert main(["report", str(rivals), "--out", str(target), "--question", f"Why {BAD}?"]) == 0
        html = target.read_text(encoding="utf-8")
        places = [html.index(text) for text in ("<h2>The question", "<h2>The answer", "<h2>Goodput of new", "<nav")]
        assert places == sorted(places)
        assert html.index("<nav") < html.index(">What was run</h2>") < html.index("<footer>")
        page = Page(html)
        assert f"The question Why {BAD}? The answer" in page.words
        assert "x-bad" not in page.tags
        assert "--question" in page.words, "the command repeats it"

    def test_each_group_of_flows_has_its_goodput_and_the_varied_one_is_first(self, rivals):
        with ackclock.open(rivals) as store:
            assert flow_groups(store) == ["old", "new"]
            names = default_measures(store)
        assert names[:3] == ["flows[new].goodput_bps", "flows[old].goodput_bps", "jain(flows.goodput_bps)"]

    def test_flows_are_in_the_order_of_the_scenario(self, made):
        with ackclock.open(made) as store:
            assert flow_groups(store) == ["one", "two", "film"]
            (axis, *_) = axes_of(store.sweeps[0].points, flow_groups(store))
            assert axis.title == "Congestion control of one"

    def test_the_number_of_comparisons_is_told(self, rivals):
        with ackclock.open(rivals) as store:
            _, roles = varied(store.sweeps[0].points, flow_groups(store))
            names = default_measures(store)
            found = comparisons(store, names, roles)
        assert len(found.differences) == 2 * len(names)
        known = [one for at, one in enumerate(found.differences) if at in found.kept]
        missing = sum(not one.estimate.low <= 0 <= one.estimate.high for one in known)
        assert f"makes {len(known)} comparisons" in found.note
        assert f"{missing} miss zero; {sum(found.kept.values())} remain after Holm's correction" in found.note
        assert sum(found.kept.values()) <= missing

    def test_relative_changes_need_enough_pairs(self, tmp_path):
        grid = {"flows[0].cc": ["reno", "cubic"]}
        for seeds in (2, 20):
            out = tmp_path / str(seeds)
            overrides = {"duration": "600ms"}
            ackclock.sweep(RIVALS, grid, seeds=seeds, overrides=overrides, out=out, tables=["flows"]).close()
            assert main(["report", str(out), "--of", "flows[old].goodput_bps", "--against", "flows[0].cc=reno"]) == 0
            words = Page((out / "report.html").read_text(encoding="utf-8")).words
            assert ("Relative change: Goodput of old" in words) is (seeds == 20)
            assert ("Relative changes need 20 pairs and are left out." in words) is (seeds == 2)


class TestCategories:
    @pytest.mark.parametrize(
        ("values", "line"),
        [
            (["0.5bdp", "2bdp"], False),
            (["0.5bdp", "1bdp", "2bdp"], True),
            (["a", "b", "c"], False),
            ([True, False], False),
            ([1, 2, 3], True),
            (["1bdp", "50 packets", "2bdp"], False),
        ],
    )
    def test_a_line_needs_three_numbers(self, values, line):
        points = [{"x": value} for value in values]
        axes, roles = varied(points)
        assert axes[0].is_line is line
        assert (roles.x is not None) is line
        (figure,), _ = figures_of(first_of(points, [Estimate(5, 4, 6, 9)] * len(values)), roles, "")
        assert type(figure).__name__ == ("Choice" if line else "Intervals")

    def test_many_categories_have_a_list_for_the_first_setting(self):
        points = [
            {"f.cc": cc, "v": v, "q": q} for cc in ("reno", "cubic", "bbr") for v in "abcd" for q in ("1bdp", "2bdp")
        ]
        _, roles = varied(points)
        (figure,), left = figures_of(first_of(points, [Estimate(5, 4, 6, 9)] * 24), roles, "")
        assert [name for name, _ in figure.options] == ["v = a", "v = b", "v = c", "v = d"]
        assert [(row.group, row.label) for row in figure.options[0][1].rows] == [
            (f"q = {q} BDP", cc) for q in (1, 2) for cc in ("reno", "cubic", "bbr")
        ]
        assert left == []


def test_completion_times_have_a_logarithmic_axis(tmp_path):
    from ackclock.report.experiment.samples import completion_times

    with ackclock.sweep(PROBED, seeds=2, overrides={"duration": "2s"}, out=tmp_path / "s") as store:
        choice = completion_times(store, varied(store.sweeps[0].points)[1], "")
    assert all(plot.x_log and plot.x_label == "Completion time (s)" for _, plot in choice.options)


class TestRivals:
    def test_two_groups_are_compared_in_the_same_runs(self, tmp_path):
        grid = {"bottleneck.queue": ["0.5bdp", "2bdp"]}
        overrides = {"flows[0].cc": "reno", "flows[1].cc": "cubic", "flows[1].count": 1}
        measures = ["flows[old].goodput_bps", "flows[new].goodput_bps"]
        with ackclock.sweep(RIVALS, grid, seeds=3, overrides=overrides, out=tmp_path / "s") as store:
            axes, roles = varied(store.sweeps[0].points, flow_groups(store))
            rivals = rivals_of(store, measures, roles)
            assert (rivals.names, rivals.unit) == (("old", "new"), "Mbit/s")
            for cell, queue in zip(rivals.cells, grid["bottleneck.queue"], strict=True):
                runs = [store.result(row["run"]) for row in store.runs.rows() if row["bottleneck.queue"] == queue]
                rates = [dict(zip(run.flows["flow"], run.flows["goodput_bps"], strict=True)) for run in runs]
                expected = np.mean([one["old"] - one["new"] for one in rates]) / 1e6
                assert cell.estimate.value == pytest.approx(expected)
            assert rivals_of(store, measures[:1], roles) is None
            compared = comparisons(store, measures, roles, rivals=rivals)
            assert "makes 4 comparisons" in compared.note, "two of rivals, and two of buffers"
            first = shown(store, measures[0])
        asked = question_of("s", first, roles, axes[0], rivals)
        assert asked == (
            "Which has the higher goodput, old or new, and how does it change with the buffer (0.5 BDP, 2 BDP)?"
        )
        sentences, _ = answer_of(first, roles, compared, rivals)
        assert sentences[0].startswith("With buffer = 0.5 BDP, the goodput")
        assert sentences[2].startswith("The goodput of old with buffer = 2 BDP ")
        assert "buffer = 0.5 BDP" in sentences[2]

    def test_one_figure_has_all_groups(self, tmp_path):
        out = tmp_path / "s"
        grid = {"bottleneck.queue": ["0.5bdp", "1bdp", "2bdp"]}
        ackclock.sweep(RIVALS, grid, seeds=2, overrides={"flows[0].cc": "cubic"}, out=out).close()
        assert main(["report", str(out)]) == 0
        page = Page((out / "report.html").read_text(encoding="utf-8"))
        plot = page.plots[0]
        assert (plot["title"], plot["y_label"]) == ("Goodput of each flow", "Goodput of each flow (Mbit/s)")
        assert [one["title"] for one in page.plots].count("Goodput of old") == 0
        with ackclock.open(out) as store:
            expected = {
                name: [one.estimate.value / 1e6 for one in store.estimates(f"flows[{name}].goodput_bps")]
                for name in ("old", "new")
            }
        assert {one["label"] for one in plot["series"]} == {*expected}
        for one in plot["series"]:
            assert one["y"] == pytest.approx(expected[one["label"]], rel=1e-6)

    def test_many_points_are_counted(self):
        points = [{"q": f"{n}bdp"} for n in range(1, 6)]
        ends = [(1, 0.5, 1.5), (3, 2, 4), (-1, -2, -0.5), (0, -1, 1), (0.1, -1, 1)]
        cells = [PointMean(params, Estimate(*one, 4)) for params, one in zip(points, ends, strict=True)]
        _, roles = varied(points)
        first = first_of(points, [Estimate(5, 4, 6, 4)] * 5)
        sentences, _ = answer_of(first, roles, None, Rivals(("a", "b"), "Mbit/s", cells))
        assert sentences[0] == (
            "The goodput of a, compared with that of b in the same runs, is higher by 1 to 3 Mbit/s with the q up to "
            "2 BDP, lower by 1 Mbit/s with q = 3 BDP, not clearly different with the q from 4 BDP on."
        )

    def test_varied_algorithms_are_compared_instead(self, rivals):
        with ackclock.open(rivals) as store:
            _, roles = varied(store.sweeps[0].points)
            assert rivals_of(store, ["flows[old].goodput_bps", "flows[new].goodput_bps"], roles) is None


def test_throughput_against_delay_compares_schemes_or_is_not_drawn(rivals, tmp_path):
    """Without schemes, each setting would have a single dot."""
    drawn = tmp_path / "schemes.html"
    assert main(["report", str(rivals), "--out", str(drawn)]) == 0
    assert "Throughput against delay" in drawn.read_text(encoding="utf-8")
    out = tmp_path / "buffers"
    ackclock.sweep(RIVALS, {"bottleneck.queue": ["0.5bdp", "1bdp", "2bdp"]}, seeds=3, out=out).close()
    assert main(["report", str(out)]) == 0
    assert "Throughput against delay" not in (out / "report.html").read_text(encoding="utf-8")
