"""Figures say what they show: capacity, colours, dashes, ticks, whole markers, axes that the data fill."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

from ackclock.plot import benefit_curves, cdfs, throughput_delay
from ackclock.plot.canvas import INK
from ackclock.plot.cloud import around
from ackclock.plot.flows import looks, other_colours
from ackclock.plot.palette import COLOURS, style_of
from ackclock.stats import mean
from tests.helpers.tables import make_result, make_table

mpl.use("Agg")


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def flows(**algorithms):
    count = len(algorithms)
    return make_table(
        flow=list(algorithms), cc=list(algorithms.values()), validation=["none"] * count, pacing=["off"] * count
    )


def run(mbit, events=None, **more):
    """A run of one flow over 10 Mbit/s, with the goodput in Mbit/s of each second."""
    tables = {
        "flows": flows(a="cubic-linux"),
        "links": make_table(link=["bottleneck"], rate_bps=[10_000_000]),
        "rates": make_table(
            time_s=[float(at + 1) for at in range(len(mbit))],
            flow=["a"] * len(mbit),
            bytes_delivered=[int(one * 1e6 / 8) for one in mbit],
        ),
        **more,
    }
    if events is not None:
        names = ("time_s", "flow", "event", "link")
        tables["events"] = make_table(**dict(zip(names, map(list, zip(*events, strict=True)), strict=True)))
    return make_result(1, **tables)


def entries(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def hatched(axes):
    return [one for one in axes.collections if one.get_hatch()]


def test_goodput_above_the_capacity_is_hatched_and_explained():
    axes = run([9, 0, 18, 9]).plot.throughput()
    (area,) = hatched(axes)
    corners = area.get_paths()[0].vertices
    assert (corners[:, 0].min(), corners[:, 0].max()) == (2.0, 3.0)
    assert (corners[:, 1].min(), corners[:, 1].max()) == (10.0, 18.0)
    assert entries(axes)[-1] == "arrived earlier, waited for a retransmission"
    # Nothing is clipped.
    assert axes.get_ylim()[1] > 18


def test_goodput_below_the_capacity_needs_no_explanation():
    axes = run([9, 9.5, 9, 9]).plot.throughput()
    assert hatched(axes) == []
    assert entries(axes) == ["capacity of bottleneck", "a"]


def test_the_capacity_is_zero_during_outages():
    down = [(1.0, None, "outage_started", "bottleneck"), (2.5, None, "outage_ended", "bottleneck")]
    other = [(0.0, None, "outage_started", "bottleneck.reverse")]
    axes = run([9, 0, 2, 9], sorted([*down, *other])).plot.throughput()
    capacity = next(one for one in axes.lines if one.get_label() == "capacity of bottleneck")
    np.testing.assert_allclose(capacity.get_ydata(), [10, 0, 5, 10, 10])
    endless = run([9, 0, 0, 0], down[:1]).plot.throughput()
    capacity = next(one for one in endless.lines if one.get_label() == "capacity of bottleneck")
    np.testing.assert_allclose(capacity.get_ydata(), [10, 0, 0, 0, 0])


def test_a_line_is_dashed_only_beside_one_of_its_colour():
    assert style_of("cubic-linux").dash
    alone = make_result(1, flows=flows(a="cubic-linux"))
    assert looks(alone, ["a"])["a"].style.linestyle == "solid"
    three = make_result(1, flows=flows(a="cubic", b="cubic-linux", c="reno"))
    dashes = {name: look.style.dash for name, look in looks(three, ["a", "b", "c"]).items()}
    assert dashes == {"a": (), "b": style_of("cubic-linux").dash, "c": ()}


def test_curves_are_solid_where_their_colours_tell_them_apart():
    one = {size: mean([size - 1, size, size + 1]) for size in (2.0, 4.0)}
    axes = benefit_curves({"smallest timeout 200 ms": one}, x_label="servers", y_label="goodput")
    assert [line.get_linestyle() for line in axes.lines if line.get_marker() not in ("", "None")] == ["-"]
    axes = cdfs({"codel": [1.0, 2.0, 3.0], "pie": [2.0, 3.0, 4.0]}, x_label="time (s)")
    assert {line.get_linestyle() for line in axes.lines} == {"-"}


def test_a_flow_has_one_colour_in_all_figures_of_its_run():
    result = make_result(1, flows=flows(a="reno", b="reno", c="cubic"))
    whole = {name: look.style.colour for name, look in looks(result, ["a", "b", "c"]).items()}
    assert len({*whole.values()}) == 3
    for some in (["a"], ["b"], ["a", "b"], ["b", "c"]):
        assert {name: look.style.colour for name, look in looks(result, some).items()} == {
            name: whole[name] for name in some
        }


def test_links_have_colours_that_no_flow_has():
    result = make_result(1, flows=flows(a="reno", b="cubic"))
    taken = {look.style.colour for look in looks(result, ["a", "b"]).values()}
    assert taken.isdisjoint(other_colours(result, 1))
    others = other_colours(result, 4)
    assert len({*others}) == 4
    assert taken.isdisjoint(others)
    assert len({*other_colours(result, len(COLOURS))}) == len(COLOURS)


def test_a_single_link_has_the_ink_of_what_is_no_flow():
    names = ["near", "far"]
    table = make_table(
        time_s=[0.0, 0.0, 1.0, 1.0],
        link=names * 2,
        packets=[0, 1, 2, 3],
    )
    result = make_result(1, flows=flows(a="reno"), queues=table)
    assert [one.get_color() for one in result.plot.occupancy("near").lines] == [INK]
    colours = [one.get_color() for one in result.plot.occupancy(names).lines]
    assert len({*colours, looks(result, ["a"])["a"].style.colour}) == 3


SIZES = [0.25, 0.5, 1, 2, 4, 8, 16]


def test_the_ticks_of_a_logarithmic_axis_are_the_points():
    curve = {size: mean([size, size + 1]) for size in SIZES}
    axes = benefit_curves({"cubic": curve}, log=True, x_label="buffer")
    axes.figure.canvas.draw()
    assert axes.get_xticks().tolist() == SIZES
    assert [text.get_text() for text in axes.get_xticklabels()] == ["0.25", "0.5", "1", "2", "4", "8", "16"]


@pytest.mark.parametrize("places", [np.geomspace(1, 100, 30).tolist(), [1, 1.01, 1.02, 1000]])
def test_points_without_room_get_round_ticks(places):
    curve = {place: mean([1, 2]) for place in places}
    axes = benefit_curves({"cubic": curve}, log=True, x_label="x")
    assert axes.get_xticks().tolist() != sorted(places)
    assert {f"{tick:.0e}"[0] for tick in axes.get_xticks()} <= {"1", "2", "5"}


def test_markers_at_the_ends_are_whole():
    curve = {size: mean([size, size + 1]) for size in SIZES}
    assert [one.get_clip_on() for one in benefit_curves({"cubic": curve}, x_label="x").lines[1:]] == [False]
    assert [one.get_clip_on() for one in cdfs({"cubic": [1.0, 2.0]}, x_label="x").lines] == [False]


def test_clouds_fill_their_axes():
    rng = np.random.default_rng(1)
    close = {
        name: (rng.lognormal(np.log(delay), 0.05, 30), rng.normal(rate, 0.05, 30))
        for name, delay, rate in (("cubic", 120, 9.5), ("reno", 90, 9.3))
    }
    low, high = throughput_delay(close).get_ylim()
    assert 8 < low < 9.2
    assert 9.6 < high < 11
    # Throughputs that differ much are shown from zero.
    far = {"cubic": close["cubic"], "vegas": (close["reno"][0], close["reno"][1] - 7)}
    assert throughput_delay(far).get_ylim()[0] == 0


@pytest.mark.parametrize(
    ("values", "least", "expected"),
    [
        ([1, 10], 0.1, (0, 10.6)),
        ([9, 10], 0.1, (9.5 - 0.62, 9.5 + 0.62)),
        ([10, 10], 0.1, (10 - 0.62, 10 + 0.62)),
        ([-1, 10], 0.1, (-1, 10.66)),
        ([0, 0], 0.1, (0, 1e-9)),
    ],
)
def test_limits_around_values(values, least, expected):
    np.testing.assert_allclose(around(values, least), expected)
