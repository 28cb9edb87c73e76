"""Marks of events in figures over time: where the table has them, one entry of the legend a kind, and not too many."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

from ackclock.plot.marks import MOST
from tests.helpers.tables import make_result, make_table

mpl.use("Agg")

FLOWS = make_table(flow=["a", "b"], cc=["reno", "cubic"], validation=["none"] * 2, pacing=["off"] * 2)
WINDOW = make_table(
    time_s=[0.0, 0.0, 5.0, 10.0, 10.0],
    flow=["a", "b", "a", "a", "b"],
    cwnd=[10_000, 10_000, 20_000, 10_000, 30_000],
    pipe=[10_000] * 5,
    ssthresh=[None, None, 10_000, 10_000, None],
    srtt_ms=[40.0] * 5,
)
EVENTS = [
    (1.0, "a", "recovery_started", None),
    (1.2, "a", "recovery_ended", None),
    (1.5, "a", "probe_sent", None),
    (2.0, None, "outage_started", "bottleneck"),
    (2.0, None, "outage_started", "bottleneck.reverse"),
    (2.5, "a", "timeout", None),
    (3.0, None, "outage_ended", "bottleneck"),
    (3.0, None, "outage_ended", "bottleneck.reverse"),
    (3.1, "a", "undone", None),
    (4.0, "b", "ecn_reduction", None),
    (6.0, "a", "timeout", None),
    (9.0, None, "outage_started", "bottleneck"),
    (9.5, "b", "delay_reduction", None),
]


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def result_of(events):
    names = ("time_s", "flow", "event", "link")
    table = make_table(**dict(zip(names, map(list, zip(*events, strict=True)), strict=True)))
    return make_result(1, window=WINDOW, flows=FLOWS, events=table)


def marks(axes):
    """The times of the marks by event, and the times of the shaded areas."""
    points = {
        one.get_label().lstrip("_"): list(one.get_offsets()[:, 0]) for one in axes.collections if len(one.get_offsets())
    }
    return points, [(one.get_x(), one.get_x() + one.get_width()) for one in axes.patches]


def entries(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_events_of_the_shown_flows_are_marked_and_outages_shaded_once():
    points, shaded = marks(result_of(EVENTS).plot.cwnd("a"))
    assert points == {"recovery_started": [1.0], "recovery_ended": [1.2], "timeout": [2.5, 6.0], "undone": [3.1]}
    # Both directions are down at the same time, and the last outage does not end in the table.
    assert shaded == [(2.0, 3.0), (9.0, 9.5)]
    assert marks(result_of(EVENTS).plot.rtt("b"))[0] == {"ecn_reduction": [4.0], "delay_reduction": [9.5]}


def test_each_kind_has_one_entry_in_the_legend():
    above, below = result_of(EVENTS).plot.window("a")
    assert entries(above)[4:] == ["loss detected", "timeout", "undone", "recovery ended", "outage"]
    assert below.get_legend() is None
    assert marks(below) == marks(above)
    figure = above.figure
    figure.canvas.draw()
    top = above.transAxes.transform((0, 1))[1]
    for one in above.collections:
        assert one.get_window_extent(figure.canvas.get_renderer()).y1 < top


def test_marks_do_not_change_the_limits():
    result = result_of(EVENTS)
    for method in ("cwnd", "rtt"):
        bare, marked = getattr(result.plot, method)("a", events=False), getattr(result.plot, method)("a")
        assert (marked.get_xlim(), marked.get_ylim()) == (bare.get_xlim(), bare.get_ylim())
        np.testing.assert_array_equal(marked.dataLim.get_points(), bare.dataLim.get_points())
        assert marks(bare) == ({}, [])


def test_several_flows_have_rows_of_marks_in_their_colours_above_the_lines():
    result = result_of(EVENTS)
    for method in ("cwnd", "rtt"):
        bare, axes = getattr(result.plot, method)(events=False), getattr(result.plot, method)()
        colours = {name: line(axes, name).get_color() for name in "ab"}
        heights = {}
        for one in axes.collections:
            # One collection has the marks of one flow alone.
            owner = {"recovery_started": "a", "recovery_ended": "a", "timeout": "a", "undone": "a"}
            flow = owner.get(one.get_label().lstrip("_"), "b")
            assert mpl.colors.to_hex(one.get_facecolor()[0]) == colours[flow]
            heights.setdefault(flow, set()).update(one.get_offsets()[:, 1])
        assert all(len(found) == 1 for found in heights.values())
        assert max(heights["a"]) > max(heights["b"])
        # The lines end below the lowest row.
        low, high = axes.get_ylim()
        assert (bare.get_ylim()[1] - low) / (high - low) < min(heights["b"])
        np.testing.assert_array_equal(axes.dataLim.get_points(), bare.dataLim.get_points())


def line(axes, label):
    return next(one for one in axes.lines if one.get_label() == label)


def test_many_events_are_thinned_to_the_first_of_each_part_of_the_time():
    times = [round(0.001 * number**1.5, 6) for number in range(3000)]
    points, _ = marks(result_of([(time, "a", "timeout", None) for time in times]).plot.cwnd())
    part = times[-1] / MOST
    firsts = {}
    for time in times:
        firsts.setdefault(min(int(time / part), MOST - 1), time)
    assert points["timeout"] == list(firsts.values())
    assert len(points["timeout"]) <= MOST
    few = [(float(second), "a", "timeout", None) for second in range(MOST)]
    assert marks(result_of(few).plot.cwnd())[0]["timeout"] == [time for time, *_ in few]


def test_a_run_without_the_table_has_no_marks():
    axes = make_result(1, window=WINDOW, flows=FLOWS).plot.cwnd()
    assert marks(axes) == ({}, [])
    assert entries(axes)[-1] == "ssthresh"
