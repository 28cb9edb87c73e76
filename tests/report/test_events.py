"""Events above lines over time, and the columns that tell of a congestion control."""

import numpy as np
import pytest

import ackclock
from ackclock.report.experiment import events, traces
from ackclock.report.experiment.events import events_of
from ackclock.report.experiment.traces import panels
from ackclock.report.packing import packed
from tests.helpers.pages import unpacked
from tests.helpers.scenarios import PROBED
from tests.helpers.tables import make_result, make_table, sequence_of

FLOWS = {"one": "#0072b2", "two": "#009e73"}


def table_of(*rows):
    """A table `events` of rows (time, flow, event, link)."""
    columns = zip(*rows, strict=True)
    return make_table(**dict(zip(("time_s", "flow", "event", "link"), map(list, columns), strict=True)))


def by_label(found):
    return {one.label: one for one in found.series}


class TestEvents:
    def test_recoveries_are_spans_and_their_causes_marks(self):
        table = table_of(
            (1.0, "one", "recovery_started", None),
            (1.5, "two", "recovery_started", None),
            (2.0, "one", "recovery_ended", None),
            (2.5, "two", "timeout", None),
            (3.0, "two", "recovery_ended", None),
            (4.0, "one", "timeout", None),
        )
        found = events_of(table, FLOWS)
        drawn = by_label(found)
        assert list(drawn) == ["recovery", "loss detected", "RTO"]
        spans = drawn["recovery"].data()
        # A timeout within a recovery goes on with it, and the last recovery has no end.
        assert (spans["x"], spans["to"], spans["lane"]) == ([1, 1.5, 4], [2, 3, None], [0, 1, 0])
        assert spans["label"] == "recovery (3)"
        assert [list(drawn["loss detected"].x), list(drawn["loss detected"].lane)] == [[1, 1.5], [0, 1]]
        rto = drawn["RTO"].data()
        assert (rto["x"], rto["lane"], rto["label"], rto["y"]) == ([2.5, 4], [1, 0], "RTO (2)", [])
        assert [(lane.label, lane.colour) for lane in found.lanes] == list(FLOWS.items())
        assert found.note == ""

    def test_outages_have_a_lane_of_their_link(self):
        table = table_of(
            (1.0, None, "outage_started", "bottleneck"),
            (2.0, "one", "timeout", None),
            (3.0, None, "outage_ended", "bottleneck"),
        )
        found = events_of(table, FLOWS, main=True)
        drawn = by_label(found)
        assert (list(drawn["outage"].x), list(drawn["outage"].to), list(drawn["outage"].lane)) == ([1], [3], [2])
        assert found.lanes[2].label == "link bottleneck"
        assert list(drawn["RTO"].x) == [2]

    def test_panels_that_are_not_of_the_window_have_timeouts_alone(self):
        table = table_of((1.0, "one", "recovery_started", None), (2.0, "one", "timeout", None))
        assert list(by_label(events_of(table, FLOWS, main=True))) == ["RTO"]

    def test_many_events_are_thinned_and_it_is_said(self):
        rows = []
        for at in range(1000):
            rows += [
                (at + 0.0, "one", "recovery_started", None),
                (at + 0.1 + 0.5 * (at < 3), "one", "recovery_ended", None),
            ]
        found = events_of(table_of(*rows), FLOWS)
        drawn = by_label(found)
        assert len(drawn["loss detected"].x) <= events.MOST_MARKS
        assert np.diff(drawn["loss detected"].x).max() < 1000 / events.MOST_MARKS + 2
        assert drawn["loss detected"].data()["label"] == "loss detected (1,000)"
        # The shortest gaps are closed first: those after the three long recoveries.
        spans = drawn["recovery"]
        assert len(spans.x) == events.MOST_MARKS
        assert (spans.x[0], spans.to[-1]) == (0, 999.1)
        assert "1,000 times of recovery are drawn as 120" in found.note
        assert "of 1,000 times of loss detected are marked" in found.note
        # A stretch that is zoomed to has all of its own, under the same names.
        near = events_of(table_of(*rows), FLOWS, start=100.5, end=110.5)
        zoomed = by_label(near)
        assert list(zoomed["loss detected"].x) == list(range(101, 111))
        assert list(zoomed["recovery"].x) == list(range(101, 111))
        assert [one.data()["label"] for one in near.series] == [one.data()["label"] for one in found.series]

    def test_a_run_without_losses_has_none(self):
        assert events_of(None, FLOWS).series == ()
        assert events_of(table_of((1.0, "other", "timeout", None)), FLOWS).series == ()

    def test_the_window_of_a_run_has_its_events(self):
        result = ackclock.run(PROBED, overrides={"bottleneck.loss": "3%"})
        window = next(plot for plot in panels(result, 800) if plot.title == "Congestion window")
        mine = result.events["flow"] == "one"
        times = result.events["time_s"][mine & (result.events["event"] == "recovery_started")]
        lost = next(series for series in window.series if series.label == "loss detected")
        assert len(times) > 3
        lane = [lane.label for lane in window.lanes].index("one")
        assert list(np.asarray(lost.x)[np.asarray(lost.lane) == lane]) == list(times)


class TestColumns:
    @staticmethod
    def result(**more):
        rows = {
            "time_s": [0.0, 1.0, 2.0, 3.0],
            "flow": ["one"] * 4,
            "cwnd": [1000, 2000, 3000, 4000],
            "ssthresh": [None, None, 5, 5],
            "pipe": [1, 2, 3, 4],
            "srtt_ms": [10.0, 11.0, 12.0, 13.0],
        }
        flows = make_table(flow=["one"], cc=["bbr"], validation=["off"], pacing=["off"])
        return make_result(1, window=make_table(**rows, **more), flows=flows)

    def test_rates_and_round_trip_times_are_drawn_where_the_table_has_them(self):
        found = {
            plot.title: {one.label: list(one.y) for one in plot.series}
            for plot in panels(
                self.result(
                    latest_rtt_ms=[None, 20.0, 21.0, 22.0],
                    min_rtt_ms=[None, 9.0, 9.0, 8.0],
                    pacing_bps=[1e6, 2e6, 2e6, 3e6],
                    delivery_bps=[None, 5e5, 1e6, 1e6],
                ),
                800,
            )
        }
        assert list(found["Round-trip time"]) == ["one latest", "one minimum", "one SRTT"]
        assert found["Round-trip time"]["one minimum"][1:] == [9, 9, 8]
        assert found["Pacing and delivery rate"]["one pacing rate"] == [1, 2, 2, 3]
        assert found["Pacing and delivery rate"]["one delivery rate"][1:] == [0.5, 1, 1]

    def test_tables_of_earlier_versions_have_what_they_have(self):
        found = {plot.title: [one.label for one in plot.series] for plot in panels(self.result(), 800)}
        assert found == {
            "Congestion window": ["one in flight", "one ssthresh", "one cwnd"],
            "Round-trip time": ["one SRTT"],
        }

    def test_a_column_that_is_empty_has_no_line(self):
        found = {plot.title for plot in panels(self.result(pacing_bps=[None] * 4, cc_state=["", "", "", ""]), 800)}
        assert found == {"Congestion window", "Round-trip time"}

    def test_states_are_steps_between_names(self):
        found = panels(self.result(cc_state=["startup", "startup", "drain", "startup"]), 800)
        plot = next(plot for plot in found if plot.title == "State of the congestion control")
        assert list(plot.y_names) == ["startup", "drain"]
        assert (list(plot.series[0].x), list(plot.series[0].y)) == ([0, 2, 3], [0, 1, 0])
        assert plot.data()["y_names"] == ["startup", "drain"]


class TestPacking:
    @pytest.mark.parametrize("parts", [1, 1000, 10**6])
    def test_numbers_come_back_to_their_precision(self, parts):
        generator = np.random.default_rng(parts)
        values = np.concatenate(
            [generator.normal(0, scale, 50) for scale in (1e-3, 1, 1e6)] + [[0, -1, 63, 64, -64, -65]]
        )
        np.testing.assert_allclose(unpacked(packed(values, parts)), values, atol=0.5001 / parts, rtol=0)
        assert unpacked(packed([], parts)) == []

    def test_steps_of_a_segment_take_few_bytes(self):
        size = len(packed(np.arange(0, 1_448_000, 1448) / 1e3, 1000)["deltas"])
        assert size <= 1000 * 2 * 4 / 3 + 4

    def test_what_does_not_fit_is_refused(self):
        for bad in (np.nan, np.inf, 1e15):
            with pytest.raises(ValueError, match="NaN, infinity or a number of more than 15 digits"):
                packed([1, bad], 1000)


class TestSequence:
    def test_all_points_are_drawn_as_far_as_the_bound_goes(self):
        (plot,) = panels(sequence_of(20_000), 300, 30_000)
        drawn = {one.label: one for one in plot.series}
        assert len(drawn["sent"].x) == 20_000
        np.testing.assert_allclose(unpacked(drawn["sent"].data()["x"]), np.arange(20_000) / 1e3, atol=5e-7)
        np.testing.assert_allclose(unpacked(drawn["sent"].data()["y"]), np.arange(20_000) * 1.448, atol=5e-4)
        assert plot.caption == ""

    def test_beyond_the_bound_rare_points_are_kept_and_it_is_said(self):
        (plot,) = panels(sequence_of(20_000), 300, 6000)
        drawn = {one.label: len(one.x) for one in plot.series}
        assert drawn["retransmitted"] == drawn["dropped"] == 200
        assert 2000 < drawn["sent"] <= 5600
        assert f"{sum(drawn.values()):,} of 20,400 points are drawn" in plot.caption

    def test_a_stretch_has_all_of_its_segments(self):
        (plot,) = panels(sequence_of(20_000), 300, 300, (5.0, 5.2))
        sent = next(one for one in plot.series if one.label == "sent")
        # One more on each side, for what comes into view.
        assert list(sent.x) == [place / 1e3 for place in range(4999, 5201)]

    def test_the_points_of_a_file_are_bounded(self, made):
        with ackclock.open(made) as store:
            choice, told = traces.runs_over_time(store, 12_000, "")
        each = [sum(len(one.x) for plot in part.plots if plot.title == traces.SEQUENCE for one in plot.series)
                for _, part in choice.options]  # fmt: skip
        bound = traces.MOST_PACKETS // len(each)
        assert 0 < max(each) <= bound
        assert f"at most {bound:,} of a time-sequence graph" in told
