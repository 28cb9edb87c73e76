"""Figures of one run: what is drawn is what the tables hold, with units, and a missing probe is named."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

import ackclock
from ackclock.plot import series
from ackclock.plot.palette import COLOURS, STYLES
from tests.helpers.scenarios import SMALL
from tests.helpers.tables import make_result, make_table

mpl.use("Agg")

LINKS = make_table(link=["bottleneck", "bottleneck.reverse", "far"], rate_bps=[2_000_000, 2_000_000, 1_000_000])


WEB = {"kind": "web", "users": 2, "objects": 3, "object_size": "2kB", "think": "100ms"}


@pytest.fixture(scope="module")
def result():
    return ackclock.run(SMALL, overrides={f"probes.{name}": True for name in ("delays", "queues", "rates")})


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def flows_table(**cc):
    names, size = list(cc), len(cc)
    return make_table(flow=names, cc=[*cc.values()], validation=["none"] * size, pacing=["off"] * size)


def rates_table(rows):
    """A result with these times and the bytes of one flow after the other."""
    cells = [(time, flow, bytes_) for time, *of in rows for flow, bytes_ in zip("abc", of, strict=False)]
    return make_table(
        **dict(zip(("time_s", "flow", "bytes_delivered"), map(list, zip(*cells, strict=True)), strict=True))
    )


def line(axes, label):
    (found,) = [one for one in axes.lines if one.get_label() == label]
    return found


def drawn(axes, label):
    """The numbers behind a line."""
    return np.asarray(line(axes, label).get_xdata()), np.asarray(line(axes, label).get_ydata())


def entries(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def labels(axes):
    return axes.get_xlabel(), axes.get_ylabel()


def test_window_has_the_rtt_below_on_the_same_time_axis(result):
    above, below = result.plot.window("one")
    mine = result.window["flow"] == "one"
    time = result.window["time_s"][mine]
    columns = {"one": "cwnd", "_one in flight": "pipe", "_one ssthresh": "ssthresh"}
    for label, column in columns.items():
        x, y = drawn(above, label)
        np.testing.assert_array_equal(x, time)
        np.testing.assert_array_equal(y, result.window[column][mine] / 1e3)
    np.testing.assert_array_equal(drawn(below, "one")[1], result.window["srtt_ms"][mine])
    assert labels(above) == ("", "window (kB)")
    assert labels(below) == ("time (s)", "SRTT (ms)")
    assert above.get_shared_x_axes().joined(above, below)
    marks = ["loss detected", "recovery ended"]
    assert entries(above) == ["one", "cwnd", "in flight", "ssthresh", *marks]
    assert below.get_legend() is None
    styles = {line(above, label).get_linestyle() for label in columns}
    assert styles == {"-", ":"}


def test_several_flows_or_all_and_an_axes_of_ones_own(result):
    _, axes = plt.subplots()
    assert result.plot.cwnd(["film", "one"], events=False, ax=axes) is axes
    assert entries(axes)[:2] == ["film", "one"]
    assert len(result.plot.cwnd().lines) == 9
    # A second run on the same axes adds to the legend, and says once what lines mean.
    result.plot.cwnd("two", events=False, ax=axes)
    assert entries(axes) == ["film", "one", "two", "cwnd", "in flight", "ssthresh"]
    with pytest.raises(ValueError, match="no flow 'four'; there are two, one, film"):
        result.plot.cwnd("four")
    with pytest.raises(ValueError, match="no flow is named"):
        result.plot.cwnd([])


RFC = {"flows[*].stack": "rfc"}


def test_colours_are_those_of_algorithms_and_shades_tell_flows_apart():
    run = ackclock.run(
        SMALL,
        overrides=RFC
        | {"flows[0].cc": "cubic", "flows[1].validation": "newcwv", "flows[2].count": 3, "duration": "2s"},
    )
    axes = run.plot.rtt()
    assert line(axes, "one").get_color() == STYLES["cubic"].colour
    assert line(axes, "two").get_color() == STYLES["reno+newcwv"].colour
    shades = [sum(mpl.colors.to_rgb(line(axes, f"film.{copy}").get_color())) for copy in range(3)]
    assert shades == sorted(shades)
    assert len({*shades}) == 3
    many = ackclock.run(SMALL, overrides=RFC | {"flows[2].count": 12, "duration": "1500ms"}).plot.cwnd(events=False)
    assert entries(many)[:1] == ["reno-rfc5681, 14 flows"]
    assert len(entries(many)) == 4


def test_flows_of_one_algorithm_have_colours_of_their_own():
    run = ackclock.run(SMALL, overrides=RFC | {"flows[2].count": 3, "duration": "2s"})
    axes = run.plot.rtt()
    names = ["one", "two", *(f"film.{copy}" for copy in range(3))]
    assert [line(axes, name).get_color() for name in names] == list(COLOURS.values())[:5]


def test_goodput_is_before_the_capacity_behind():
    # Intervals of 100 ms; the last one is shorter.
    rows = [(0.1, 1000, 0), (0.2, 3000, 0), (0.3, 2000, 500), (0.4, 0, 1500), (0.45, 500, 0)]
    run = make_result(1, rates=rates_table(rows), links=LINKS, flows=flows_table(a="cubic", b="mine"))
    axes = run.plot.throughput()
    x, y = drawn(axes, "a")
    np.testing.assert_allclose(x, [0, 0.1, 0.2, 0.3, 0.4, 0.45], atol=1e-12)
    np.testing.assert_allclose(y, [0.08, 0.24, 0.16, 0, 0.08, 0.08])
    np.testing.assert_allclose(drawn(axes, "b")[1], [0, 0, 0.04, 0.12, 0, 0])
    assert drawn(axes, "capacity of bottleneck")[1].tolist() == [2, 2]
    assert axes.patches[0].get_height() == 2
    assert labels(axes) == ("time (s)", "goodput (Mbit/s)")
    assert line(axes, "a").get_drawstyle() == "steps-post"
    # The bytes add up over longer intervals.
    wide = run.plot.throughput("a", link="far", interval_s=0.225)
    x, y = drawn(wide, "a")
    np.testing.assert_allclose(x, [0, 0.2, 0.45])
    np.testing.assert_allclose(y[:2] * np.diff(x), np.array([4000, 2500]) * 8 / 1e6)
    assert drawn(wide, "capacity of far")[1].tolist() == [1, 1]


def queues_table(times, **columns):
    """The utilisation of the bottleneck; no interval ends with the first row."""
    cells = {name: [0 if name == "sent" else None, *values] for name, values in columns.items()}
    return make_table(time_s=[float(time) for time in times], link=["bottleneck"] * len(times), **cells)


@pytest.mark.parametrize(
    ("times", "mbps", "expected"),
    [
        ([0, 0.1, 0.2, 0.3, 0.4], [1, 3, 2, 4], [2, 3]),  # what comes after the last row is not known
        ([0, 0.15, 0.3, 0.45], [2, 4, 6], [(0.15 * 2 + 0.05 * 4) / 0.2, (0.1 * 4 + 0.15 * 6) / 0.25]),
        ([0.1, 0.15, 0.2], [1, 7], [4, np.nan]),
        ([0, 0.45], [5], [5, 5]),
        ([0], [], [2, 2]),
    ],
)
def test_capacity_that_varies_is_its_mean_over_the_intervals_of_the_figure(times, mbps, expected):
    rows = [(0.1, 1000, 0), (0.2, 3000, 0), (0.3, 2000, 500), (0.4, 0, 1500), (0.45, 500, 0)]
    queues = queues_table(times, capacity_bps=[1e6 * rate for rate in mbps])
    run = make_result(1, rates=rates_table(rows), links=LINKS, flows=flows_table(a="cubic", b="mine"), queues=queues)
    axes = run.plot.throughput("a", interval_s=0.225)
    x, y = drawn(axes, "capacity of bottleneck")
    if expected[0] == expected[1]:
        assert (axes.patches[0].get_height(), y.tolist()) == (expected[0], expected)
        assert not axes.collections
    else:
        np.testing.assert_allclose(x, [0, 0.2, 0.45])
        np.testing.assert_allclose(y, [*expected, expected[-1]])
        assert line(axes, "capacity of bottleneck").get_drawstyle() == "steps-post"
        (area,) = axes.collections
        assert area.get_datalim(axes.transData).bounds[1::2] == (0, pytest.approx(np.nanmax(expected)))


def test_capacity_of_a_table_without_it_is_the_mean_rate():
    table = make_table(time_s=[0.0, 0.1], link=["bottleneck"] * 2, packets=[0, 1], bytes=[0, 40])
    rows = [(0.1, 1000), (0.2, 3000)]
    run = make_result(1, rates=rates_table(rows), links=LINKS, flows=flows_table(a="cubic"), queues=table)
    assert drawn(run.plot.throughput(), "capacity of bottleneck")[1].tolist() == [2, 2]


def test_a_link_cannot_send_more_than_its_capacity():
    steps = [{"at": "0s", "rate": "4Mbps"}, {"at": "1230ms", "rate": "1Mbps"}, {"at": "3s", "rate": "2500kbps"}]
    rate = {"kind": "steps", "steps": steps}
    run = ackclock.run(SMALL, overrides={"bottleneck.rate": rate, "probes.queues": True, "bottleneck.queue": "2bdp"})
    axes = run.plot.throughput(interval_s=0.5)
    edges, capacity = drawn(axes, "capacity of bottleneck")
    assert len(edges) == 11
    # The figure begins with the first packet; the rate drops within its third interval.
    between = (1.23 - edges[2]) / (edges[3] - edges[2])
    assert capacity[[0, 2, 4, 8]] == pytest.approx([4, 1 + 3 * between, 1, 2.5])
    sums = sum(drawn(axes, flow)[1] for flow in ("one", "two", "film"))
    assert (sums[:-1] > 0.5).all()
    # Data that arrives now was sent before.
    assert (np.cumsum(sums[:-1]) <= np.cumsum(capacity[:-1])).all()


def test_throughput_is_of_the_packets_delivered_where_they_are_recorded(result):
    axes = result.plot.throughput("one", interval_s=0.5)
    edges, mbps = drawn(axes, "one")
    packets = result.packets
    got = (packets["flow"] == "one") & (packets["side"] == "source") & (packets["event"] == "delivered")
    assert len(edges) == 11
    assert labels(axes) == ("time (s)", "throughput (Mbit/s)")
    total = np.sum(mbps[:-1] * np.diff(edges)) * 1e6 / 8
    assert total == pytest.approx(packets["len"][got].sum())
    third = got & (packets["time_s"] > edges[2]) & (packets["time_s"] <= edges[3])
    assert mbps[2] == pytest.approx(packets["len"][third].sum() * 8 / (edges[3] - edges[2]) / 1e6)
    for interval in (0, -1, np.nan, np.inf):
        with pytest.raises(ValueError, match="above 0 s"):
            result.plot.throughput(interval_s=interval)


def test_jain_counts_the_flows_that_are_there():
    # b comes in the third interval and pauses in the fourth; c has a single interval; at the end a is alone.
    rows = [(1, 100, 0, 0), (2, 100, 0, 0), (3, 300, 100, 0), (4, 100, 0, 0), (5, 100, 100, 100), (6, 100, 0, 0)]
    run = make_result(1, rates=rates_table(rows), links=LINKS, flows=flows_table(a="reno", b="reno", c="reno"))
    axes = run.plot.jain()
    x, y = axes.lines[0].get_xdata(), axes.lines[0].get_ydata()
    assert list(x) == [0, 1, 2, 3, 4, 5, 6]
    np.testing.assert_allclose(y[:6], [np.nan, np.nan, 0.8, 0.5, 1, np.nan])
    assert labels(axes) == ("time (s)", "Jain's index")
    with pytest.raises(ValueError, match="are active at the same time"):
        run.plot.jain("a")


def corners(area):
    """The times and heights of a shaded area."""
    return {tuple(point) for path in area.get_paths() for point in path.vertices.tolist()}


def test_queues_are_packets_and_how_long_those_that_left_were_there():
    table = make_table(
        time_s=[time for time in (0.0, 1.0, 2.0, 3.0) for _ in range(3)],
        link=["bottleneck", "bottleneck.reverse", "far"] * 4,
        packets=[0, 0, 3, 4, 1, 2, 5, 0, 2, 6, 0, 1],
        sent=[0, 0, 0, 2, 1, 0, 0, 0, 0, 1, 0, 4],
        sojourn_ms=[None, None, None, 6.0, 0.0, None, None, None, None, 40.0, None, 12.5],
        sojourn_max_ms=[None, None, None, 9.0, 0.0, None, None, None, None, 40.0, None, 20.0],
    )
    run = make_result(1, queues=table, links=LINKS)
    above, below = run.plot.queue()
    assert drawn(above, "bottleneck")[1].tolist() == [0, 4, 5, 6]
    # The mean of an interval is drawn from its beginning on.
    x, y = drawn(below, "bottleneck")
    assert x.tolist() == [0, 1, 2, 3]
    np.testing.assert_array_equal(y, [6, np.nan, 40, 40])
    assert line(below, "bottleneck").get_drawstyle() == "steps-post"
    (area,) = below.collections
    assert {(0.0, 9.0), (1.0, 9.0), (0.0, 6.0), (2.0, 40.0)} <= corners(area)
    assert (labels(above), labels(below)) == (("", "queue (packets)"), ("time (s)", "sojourn time (ms)"))
    assert entries(above) == ["bottleneck", "mean sojourn", "up to the longest"]
    assert below.get_legend() is None
    both = run.plot.wait(["bottleneck", "far"])
    np.testing.assert_array_equal(drawn(both, "far")[1], [np.nan, np.nan, 12.5, 12.5])
    assert entries(both) == ["bottleneck", "far", "mean sojourn", "up to the longest"]
    with pytest.raises(ValueError, match="no link 'near'"):
        run.plot.occupancy("near")
    first = make_result(1, queues=table.where(table["time_s"] == 0), links=LINKS)
    with pytest.raises(ValueError, match="a single time"):
        first.plot.wait()


def test_sojourn_times_of_longer_intervals_are_means_over_packets():
    table = queues_table(
        [0, 1, 2, 3, 4, 5, 6],
        sent=[1, 3, 0, 0, 2, 0],
        sojourn_ms=[10.0, 2.0, None, None, 5.0, None],
        sojourn_max_ms=[10.0, 4.0, None, None, 7.0, None],
    )
    edges, mean, longest = series.sojourns(table, "bottleneck", 3)
    assert edges.tolist() == [0, 2, 4, 6]
    np.testing.assert_allclose(mean, [4, np.nan, 5])
    np.testing.assert_allclose(longest, [10, np.nan, 7])
    edges, mean, _ = series.sojourns(table, "bottleneck", 6)
    assert edges.tolist() == [0, 1, 2, 3, 4, 5, 6]
    np.testing.assert_array_equal(mean, [10, 2, np.nan, np.nan, 5, np.nan])


def test_queues_and_goodput_of_a_run(result):
    above, below = result.plot.queue()
    mine = result.queues["link"] == "bottleneck"
    np.testing.assert_array_equal(drawn(above, "bottleneck")[0], result.queues["time_s"][mine])
    np.testing.assert_array_equal(drawn(above, "bottleneck")[1], result.queues["packets"][mine])
    longest = result.links["queue_delay_max_ms"][0]
    sent, mean = result.queues["sent"][mine], result.queues["sojourn_ms"][mine]
    np.testing.assert_array_equal(drawn(below, "bottleneck")[1][:-1], mean[1:])
    np.testing.assert_array_equal(drawn(below, "bottleneck")[0], result.queues["time_s"][mine])
    assert below.collections[0].get_datalim(below.transData).ymax == longest
    # Three packets still wait at the end.
    assert np.nansum(sent * mean) / sent.sum() == pytest.approx(result.links["queue_delay_mean_ms"][0], rel=1e-2)
    bare = make_result(1, **{name: table for name, table in result.tables.items() if name != "packets"})
    axes = bare.plot.throughput("one")
    edges, mbps = drawn(axes, "one")
    assert (edges[0], edges[-1], len(edges)) == (0, 5, 101)
    total = result.rates["bytes_delivered"][result.rates["flow"] == "one"].sum()
    assert np.sum(mbps[:-1] * np.diff(edges)) * 1e6 / 8 == pytest.approx(total)
    assert axes.get_ylabel() == "goodput (Mbit/s)"


def test_sequence_has_what_was_sent_dropped_and_acknowledged():
    losing = ackclock.run(SMALL, overrides={"bottleneck.queue": "3 packets"})
    axes = losing.plot.sequence("one")
    packets = losing.packets
    mine = (packets["flow"] == "one") & (packets["side"] == "source") & (packets["len"] > 0)
    sent, again = packets["event"] == "sent", packets["retransmission"] == True  # noqa: E712 -- None is neither
    for label, rows in {
        "sent": sent & ~again,
        "retransmitted": sent & again,
        "dropped": packets["event"] == "dropped",
    }.items():
        x, y = drawn(axes, label)
        assert len(x) > 0
        np.testing.assert_array_equal(x, packets["time_s"][mine & rows])
        np.testing.assert_array_equal(y, packets["seq"][mine & rows] / 1e3)
    x, y = drawn(axes, "acknowledged")
    assert (np.diff(y) >= 0).all()
    told = (packets["flow"] == "one") & (packets["side"] == "sink") & (packets["event"] == "delivered")
    assert y[-1] == packets["ack"][told].max() / 1e3
    np.testing.assert_array_equal(x, packets["time_s"][told])
    assert labels(axes) == ("time (s)", "stream offset of one (kB)")


def test_sequence_has_the_sack_blocks_that_the_source_gets_but_for_duplicates():
    packets = make_table(
        time_s=[0.0, 1.0],
        flow=["a", "a"],
        side=["source", "sink"],
        event=["sent", "delivered"],
        seq=[0.0, None],
        len=[1000, 0],
        ack=[None, 1000.0],
        retransmission=[False, None],
    )
    blocks = make_table(
        time_s=[0.5, 1.0, 1.0, 1.5, 2.0, 2.0],
        flow=["a", "a", "a", "b", "a", "a"],
        side=["sink", "sink", "sink", "sink", "source", "sink"],
        event=["sent", "delivered", "delivered", "delivered", "delivered", "delivered"],
        left=[2000, 500, 2000, 2000, 7000, 2000],
        right=[3000, 1000, 3000, 4000, 8000, 5000],
        duplicate=[False, True, False, False, False, False],
    )
    run = make_result(1, packets=packets, sack_blocks=blocks, flows=flows_table(a="reno"))
    axes = run.plot.sequence("a")
    (bars,) = axes.collections
    assert [bar.tolist() for bar in bars.get_segments()] == [[[1, 2], [1, 3]], [[2, 2], [2, 5]]]
    assert entries(axes)[:2] == ["acknowledged", "SACK"]
    # Without blocks, and of a version without the table, there is neither bar nor entry.
    for tables in ({"sack_blocks": blocks.where(blocks["flow"] == "b")}, {"sack_blocks": make_table()}, {}):
        plain = make_result(1, packets=packets, flows=flows_table(a="reno"), **tables).plot.sequence("a")
        assert "SACK" not in entries(plain)
        assert not plain.collections


def test_sack_blocks_of_a_run_are_of_what_was_sent():
    losing = ackclock.run(SMALL, overrides={"bottleneck.queue": "3 packets"})
    (bars,) = losing.plot.sequence("one").collections
    blocks, packets = losing.sack_blocks, losing.packets
    mine = (blocks["flow"] == "one") & (blocks["event"] == "delivered")
    assert len(bars.get_segments()) == mine.sum() - blocks["duplicate"][mine].sum() > 10
    sent = packets["seq"][(packets["flow"] == "one") & (packets["side"] == "source") & (packets["event"] == "sent")]
    assert np.isin(blocks["left"][mine], sent).all()
    assert (blocks["right"][mine] > blocks["left"][mine]).all()


def test_acknowledgments_that_others_overtook_change_nothing_and_connections_begin_at_zero():
    table = make_table(
        time_s=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        flow=["a", "a", "a", "a", "b", "a"],
        side=["sink", "sink", "sink", "sink", "sink", "source"],
        event=["delivered"] * 6,
        ack=[0.0, 2000.0, 1000.0, 0.0, 9.0, 9.0],
    )
    time, offset = series.acknowledged(table, "a")
    assert time.tolist() == [1, 2, 3, 4]
    assert offset.tolist() == [0, 2000, 2000, 0]


def dash_result():
    table = make_table(
        flow=["v"] * 4,
        request_s=[0.0, 1.0, 2.0, 6.0],
        done_s=[0.5, 1.5, 5.0, None],
        level_bps=[1_000_000, 2_000_000, 2_000_000, 500_000],
        buffer_s=[2.0, 3.0, 2.0, None],
        stall_s=[0.0, 0.0, 0.5, None],
    )
    return make_result(1, dash_segments=table, flows=flows_table(v="cubic"))


def test_dash_has_levels_buffer_and_stalls():
    above, below = dash_result().plot.dash()
    x, y = drawn(above, "v")
    assert (x.tolist(), y.tolist()) == ([0, 1, 2, 6], [1000, 2000, 2000, 500])
    x, y = drawn(above, "_v stalls")
    assert (x.tolist(), y.tolist()) == ([2], [2000])
    x, y = drawn(below, "v")
    # Segments of 2 s. One second is played until the second one is there, and all three until the third is missing.
    # The run ends at 5 s.
    assert x.tolist() == [0.5, 0.5, 0.5, 1.5, 1.5, 4.5, 5, 5, 5]
    assert y.tolist() == [0, 2, 2, 1, 3, 0, 0, 2, 2]
    (stall,) = below.patches
    assert (stall.get_x(), stall.get_width()) == (4.5, 0.5)
    assert entries(above) == ["v", "segment with a stall", "stall"]
    assert entries(dash_result().plot.dash_buffer()) == ["v", "stall"]
    assert (labels(above), labels(below)) == (("", "level (kbit/s)"), ("time (s)", "buffer (s)"))


def test_dash_of_a_run(result):
    above, below = result.plot.dash()
    mine = result.dash_segments
    np.testing.assert_array_equal(drawn(above, "film")[1], mine["level_bps"] / 1e3)
    time, buffer = drawn(below, "film")
    done = np.isfinite(mine["done_s"])
    for at, level in zip(mine["done_s"][done], mine["buffer_s"][done], strict=True):
        np.testing.assert_allclose(buffer[np.flatnonzero(time == at)[-1]], level)
    # It falls by a second in a second and rises when a segment is there.
    slopes = np.diff(buffer)[np.diff(time) > 0] / np.diff(time)[np.diff(time) > 0]
    assert np.all((np.abs(slopes) < 1e-6) | (np.abs(slopes + 1) < 1e-6))


def test_completion_times_count_what_is_not_complete():
    run = ackclock.run(SMALL, overrides={"duration": "4.3s", "flows[1].app.count": 100, "flows[2].app": WEB})
    axes = run.plot.completion_cdf("two")
    x, y = drawn(axes, "two")
    times = run.transfers["duration_s"]
    done = np.sort(times[np.isfinite(times)])
    assert done.size < times.size
    np.testing.assert_array_equal(x[1:], done)
    np.testing.assert_allclose(y, np.arange(done.size + 1) / times.size)
    assert labels(axes) == ("completion time (s)", "share of transfers")
    assert run.plot.completion_cdf("two", log=False).get_xscale() == "linear"
    everything = run.plot.completion_cdf()
    assert entries(everything) == ["two, transfer", "film, object", "film, page"]
    assert (everything.get_xscale(), everything.get_ylabel()) == ("log", "share of items")
    bins = run.completion_bins
    objects = bins["what"] == "object"
    x, y = drawn(everything, "film, object")
    np.testing.assert_array_equal(x[1:], bins["upto_s"][objects])
    whole = run.completions["count"][1] + run.completions["open"][1]
    assert y[-1] == pytest.approx(bins["count"][objects].sum() / whole)
    assert entries(run.plot.completion_cdf(what="page")) == ["film"]
    with pytest.raises(ValueError, match="no what 'song'; there are transfer, object, page"):
        run.plot.completion_cdf(what="song")


def test_one_way_delays(result):
    axes = result.plot.delay_cdf("one")
    mine = result.delay_cdf["flow"] == "one"
    x, y = drawn(axes, "one")
    np.testing.assert_array_equal(x, result.delay_cdf["delay_ms"][mine])
    np.testing.assert_array_equal(y, result.delay_cdf["quantile"][mine])
    assert labels(axes) == ("one-way delay (ms)", "share of packets")
    assert result.plot.delay_cdf("one", log=True).get_xscale() == "log"


@pytest.mark.parametrize(
    ("figure", "probe"),
    [
        ("window", "window"),
        ("cwnd", "window"),
        ("rtt", "window"),
        ("throughput", "rates = true or probes.packets"),
        ("jain", "rates = true or probes.packets"),
        ("queue", "queues"),
        ("sequence", "packets"),
        ("delay_cdf", "delays"),
    ],
)
def test_what_a_figure_needs_is_named(figure, probe):
    bare = ackclock.run(SMALL, overrides={"probes.window": False, "probes.packets": False, "duration": "1500ms"})
    with pytest.raises(KeyError, match=rf"probes\.{probe} = true"):
        getattr(bare.plot, figure)()
    assert not plt.get_fignums()


def test_a_run_without_an_application_says_what_it_has(result):
    bulk = ackclock.run(SMALL, overrides={"flows[1].app": "bulk", "flows[2].app": "bulk", "duration": "2s"})
    for figure, table in (("dash", "dash_segments"), ("completion_cdf", "completions")):
        with pytest.raises(KeyError, match=f"no table '{table}'.*flows, links"):
            getattr(bulk.plot, figure)()
    empty = make_result(1, window=make_table(flow=[]))
    with pytest.raises(ValueError, match="the table is empty"):
        empty.plot.window()


def test_names_are_no_formulas_and_none_is_left_out():
    name = "_$a$"
    table = make_table(flow=[name] * 2, time_s=[0.0, 1.0], srtt_ms=[1.0, 2.0])
    run = make_result(1, window=table, flows=make_table(flow=[name], cc=["reno"], validation=["none"], pacing=["off"]))
    axes = run.plot.rtt()
    axes.figure.draw_without_rendering()
    assert entries(axes) == ["\u200b_\\$a\\$"]
    assert line(axes, entries(axes)[0]).get_color() == STYLES["reno"].colour
