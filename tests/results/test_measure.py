"""Measures: what their texts mean, of a result and in a store's tables."""

import math

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ackclock
from ackclock.base.table import stack
from ackclock.results.measure import Measure, MeasureError
from tests.helpers.scenarios import SMALL
from tests.helpers.tables import make_result, make_table

FLOWS = make_table(
    flow=["video.0", "video.1", "video.10", "web", "video2"],
    cc=["reno", "cubic", "cubic", "cubic", "bbr"],
    goodput_bps=[100.0, 200.0, 400.0, 700.0, None],
    retransmits=[1, 2, 3, 4, 5],
)
LINKS = make_table(link=["core", "core.reverse"], utilisation=[0.9, 0.1])
WINDOW = make_table(
    flow=["web", "web", "web", None], srtt_ms=[None, math.nan, 30.0, 50.0], in_recovery=[True, False, None, True]
)


def value(text, **tables):
    return Measure.parse(text).of(make_result(1, **(tables or {"flows": FLOWS, "links": LINKS, "window": WINDOW})))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("flows.goodput_bps", 350.0),
        ("mean(flows.goodput_bps)", 350.0),
        ("sum(flows.goodput_bps)", 1400.0),
        ("median(flows.goodput_bps)", 300.0),
        ("min(flows.goodput_bps)", 100.0),
        ("max(flows.goodput_bps)", 700.0),
        ("count(flows.goodput_bps)", 4.0),
        ("count(flows.retransmits)", 5.0),
        ("count(flows.cc)", 5.0),
        ("p50(flows.goodput_bps)", 300.0),
        ("p75(flows.goodput_bps)", 475.0),
        ("p12.5(flows.retransmits)", 1.5),
        ("p0(flows.goodput_bps)", 100.0),
        ("p100(flows.goodput_bps)", 700.0),
        ("jain(flows.retransmits)", 225 / (5 * 55)),
        ("sum(flows[video].goodput_bps)", 700.0),
        ("sum(flows[video.1].goodput_bps)", 200.0),
        ("flows[web].goodput_bps", 700.0),
        ("flows[video2].goodput_bps", math.nan),
        ("count(flows[video2].goodput_bps)", 0.0),
        ("links[core].utilisation", 0.9),
        ("links[core.reverse].utilisation", 0.1),
        ("window.srtt_ms", 40.0),
        ("count(window.srtt_ms)", 2.0),
        ("window[web].srtt_ms", 30.0),
        ("window.in_recovery", 2 / 3),
        ("count(window.in_recovery)", 3.0),
        ("count(window.flow)", 3.0),
        (" max ( flows [ web ] . goodput_bps ) ".replace("flows [", "flows["), 700.0),
    ],
)
def test_what_a_text_means(text, expected):
    assert value(text) == pytest.approx(expected, nan_ok=True)


def test_no_rows_have_no_value_but_a_count():
    empty, bare = make_table(flow=[], goodput_bps=[]), make_table()
    for flows in (empty, bare):
        assert math.isnan(value("flows.goodput_bps", flows=flows))
        assert value("count(flows.goodput_bps)", flows=flows) == 0
    # The flow is there, and sent nothing that has a row.
    assert math.isnan(value("window[video].srtt_ms"))
    assert value("count(window[video.10].srtt_ms)") == 0


@pytest.mark.parametrize(
    ("text", "shortest", "unit"),
    [
        ("flows.goodput_bps", "flows.goodput_bps", "bps"),
        ("mean( transfers.duration_s )", "transfers.duration_s", "s"),
        ("p99.9(links[core 1+2].queue_delay_p95_ms)", "p99.9(links[core 1+2].queue_delay_p95_ms)", "ms"),
        ("sum(flows.bytes_delivered)", "sum(flows.bytes_delivered)", "bytes"),
        ("links.bytes", "links.bytes", "bytes"),
        ("flows.retransmits", "flows.retransmits", ""),
        ("dash.s", "dash.s", ""),
        ("count(transfers.end_s)", "count(transfers.end_s)", ""),
        ("jain(flows.goodput_bps)", "jain(flows.goodput_bps)", ""),
    ],
)
def test_units_and_shortest_forms(text, shortest, unit):
    measure = Measure.parse(text)
    assert str(measure) == shortest
    assert Measure.parse(str(measure)) == measure
    assert measure.unit == unit


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "'': is not a column of a table; accepted: a column such as flows.goodput_bps"),
        ("flows", "'flows': is not a column"),
        ("flows.goodput_bps.x", "is not a column"),
        ("flows[].goodput_bps", "is not a column"),
        ("flows[ ].goodput_bps", "is not a column"),
        ("flows[a]].goodput_bps", "is not a column"),
        ("flows[a\x00b].goodput_bps", "is not a column"),
        ('flows."goodput_bps"', "is not a column"),
        ("flows.goodput_bps; DROP TABLE flows", "is not a column"),
        ("sum()", "'' is not a column"),
        (
            "medan(flows.x)",
            "measure 'medan\\(flows.x\\)': medan is not a function, did you mean median\\?; accepted: .*count",
        ),
        ("p101(flows.x)", "p101 is not a function"),
        ("p(flows.x)", "p is not a function"),
        ("p1.(flows.x)", "p1. is not a function"),
    ],
)
def test_what_is_no_measure_is_refused_with_what_is(text, words):
    with pytest.raises(MeasureError, match=words):
        Measure.parse(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("flow.goodput_bps", "there is no table flow, did you mean flows\\?; there are flows, links, window$"),
        ("packets.time_s", "no table packets; set probes.packets = true in the scenario; there are"),
        (
            "flows.goodput",
            "no column goodput, did you mean goodput_bps\\?; there are cc, flow, goodput_bps, retransmits$",
        ),
        (
            "flows[vidoe].goodput_bps",
            "there is no flow vidoe, did you mean video\\?; there are video, video.0, video.1",
        ),
        ("flows[vide].goodput_bps", "there is no flow vide"),
        ("flows[video.].goodput_bps", "there is no flow video."),
        ("window[vidoe].srtt_ms", "there is no flow vidoe, did you mean video"),
        ("links[video].utilisation", "there is no link video; there are core"),
        ("flows.cc", "flows.cc is text; accepted for text: count"),
        ("jain(flows.change)", "measure jain\\(flows.change\\): shares must not be negative"),
        ("totals[web].sum", "totals has no column flow; leave out \\[web\\]"),
    ],
)
def test_what_a_run_lacks_is_told_with_what_it_has(text, words):
    tables = {"flows": FLOWS, "links": LINKS, "window": WINDOW}
    if "change" in text:
        tables["flows"] = make_table(flow=["a"], change=[-1.0])
    if "totals" in text:
        tables["totals"] = make_table(sum=[1.0])
    with pytest.raises(MeasureError, match=words):
        value(text, **tables)


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect(config={"threads": 1}) as connection:
        yield connection


def queried(connection, text, results, runs=None):
    """The measure of each run as DuckDB has it, by seed."""
    for name in results[0].tables:
        tables = [result.tables[name] for result in results]
        connection.register(name, stack(tables, "run", [result.seed for result in results]))
    connection.register("runs", make_table(run=[result.seed for result in results]))
    answer = connection.execute(Measure.parse(text).sql(runs=runs))
    assert [column[0] for column in answer.description] == ["run", "value"]
    rows = answer.fetchall()
    assert rows == sorted(rows)
    assert all(type(one) is float for _, one in rows)
    return dict(rows)


CELL = st.none() | st.just(math.nan) | st.floats(0, 1e9)
ROW = st.tuples(
    st.sampled_from(["video", "video.0", "video.12", "video.x", "video-1", "vide", "it's", "a%"]),
    CELL,
    st.integers(0, 9),
)


EVERY = ("mean", "sum", "median", "min", "max", "count", "jain", "p95", "p0", "p99.9")


def items(rows):
    """A table of rows, of the right types even if there is none."""
    flow, x, k = zip(*rows, ("it's", 0.5, 1), strict=True)
    return make_table(flow=[*flow], x=[*x], k=[*k]).where(np.arange(len(rows) + 1) < len(rows))


@settings(max_examples=40)
@given(
    runs=st.lists(st.lists(ROW, max_size=6), min_size=1, max_size=4),
    function=st.sampled_from(EVERY),
    of=st.sampled_from(["", "[video]", "[it's]"]),
    column=st.sampled_from(["x", "x", "k"]),
)
def test_a_result_and_a_store_agree(connection, runs, function, of, column):
    names = make_table(flow=["video", "it's"])
    results = [make_result(seed, flows=names, items=items(rows)) for seed, rows in enumerate(runs)]
    text = f"{function}(items{of}.{column})"
    expected = {result.seed: Measure.parse(text).of(result) for result in results}
    there = {seed: one for seed, one in expected.items() if not math.isnan(one)}
    assert queried(connection, text, results, runs="runs") == pytest.approx(there, rel=1e-12)


@pytest.mark.parametrize("function", EVERY)
def test_a_result_and_a_store_agree_in_every_function(connection, function):
    runs = [
        [("video.0", 3.0, 4), ("video.x", 9.0, 9), ("video", None, 1), ("video.12", math.nan, 2), ("video", 0.1, 3)],
        [("video.0", None, 0), ("vide", 5.0, 1), ("video-1", 6.0, 5), ("movie.1", 6.0, 5)],
        [("a%", 5.0, 1)],
        [],
    ]
    results = [make_result(seed, flows=make_table(flow=["video"]), items=items(rows)) for seed, rows in enumerate(runs)]
    for column in ("x", "k"):
        measure = Measure.parse(f"{function}(items[video].{column})")
        there = {result.seed: measure.of(result) for result in results if not math.isnan(measure.of(result))}
        assert len(there) == (4 if function == "count" else 2 if column == "k" else 1)
        assert queried(connection, str(measure), results, runs="runs") == pytest.approx(there, rel=1e-12)


def test_the_store_knows_of_a_run_without_rows_by_its_list_of_runs(connection):
    results = [make_result(seed, items=items([("a", 1.0, 1)] * seed)) for seed in (0, 1, 2)]
    assert queried(connection, "count(items.x)", results) == {1: 1, 2: 2}
    assert queried(connection, "count(items.x)", results, runs="runs") == {0: 0, 1: 1, 2: 2}
    assert queried(connection, "sum(items.x)", results, runs="runs") == {1: 1, 2: 2}


def test_runs_that_do_not_count_are_left_out(connection):
    connection.register("items", stack([items([("a", 1.0, 1)])] * 2, "run", [1, 2]))
    connection.register("finished", make_table(run=[2]))
    for text in ("items.x", "count(items.x)"):
        assert connection.execute(Measure.parse(text).sql(runs="finished")).fetchall() == [(2, 1.0)]


def test_names_cannot_leave_their_quotes(connection):
    name = "a' OR 'b' = 'b"
    connection.register("plain", make_table(run=[1, 1], flow=[name, "other"], **{'x"y': [3.0, 4.0]}))
    connection.execute("CREATE TABLE kept AS SELECT 1")
    connection.execute('CREATE TABLE "i""; DROP TABLE kept; --" AS SELECT * FROM plain')
    assert connection.execute(Measure("sum", 'i"; DROP TABLE kept; --', 'x"y', name).sql()).fetchall() == [(1, 3.0)]
    assert connection.execute("SELECT count(*) FROM kept").fetchall() == [(1,)]


def test_jain_in_a_store_refuses_negative_shares_too():
    with duckdb.connect() as connection, pytest.raises(duckdb.Error, match="shares must not be negative"):
        queried(connection, "jain(items.x)", [make_result(1, items=items([("a", -1.0, 1), ("a", 2.0, 1)]))])


def test_measures_of_a_run_of_the_engine(connection):
    runs = list(ackclock.run(SMALL, seeds=2))
    for text in (
        "sum(flows.goodput_bps)",
        "links[bottleneck].utilisation",
        "transfers[two].duration_s",
        "p95(window[one].cwnd)",
        "dash.mean_level_bps",
        "window.in_recovery",
        "count(packets.cause)",
    ):
        expected = {run.seed: Measure.parse(text).of(run) for run in runs}
        assert all(one > 0 for one in expected.values())
        assert queried(connection, text, runs) == pytest.approx(expected, rel=1e-12)
