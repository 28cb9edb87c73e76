"""The study newcwv-http on the real engine, at a size of seconds; its verdicts and measures on made numbers."""

import math

import numpy as np
import pytest

from ackclock.engine.run import Job
from ackclock.results.result import Result
from ackclock.studies import newcwv_http
from ackclock.studies.framework import Grid, Lab, Reading, load_claims, study_file
from ackclock.studies.framework.setups.http_vectors import LOADS, vectors_name, with_own_vectors
from ackclock.studies.framework.setups.newcwv import PACINGS
from ackclock.studies.framework.setups.newcwv_2014 import in_rfc
from ackclock.studies.newcwv_http import COMPARED, authors, measures, places, verdicts
from ackclock.studies.newcwv_http import generator as traffic
from ackclock.studies.newcwv_http.readings import CLOSED, KEPT, MAIN, VECTORS, pages, readings
from tests.helpers.tables import make_table

SEEDS = 8


@pytest.fixture(scope="module")
def study():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(newcwv_http, "readings", lambda folder: readings(folder)[:1])
        theirs = authors.readings
        patch.setattr(authors, "readings", lambda folder: theirs(folder)[:1])
        patch.setattr(newcwv_http, "QUICK_REPLICATIONS", SEEDS)
        return newcwv_http.STUDY.reproduce(Lab(quick=True))


def test_every_claim_is_judged_against_both_controls(study):
    assert [one.claim.id for one in study.claims] == list(
        load_claims(study_file("ackclock.studies.newcwv_http", "claims.toml"))
    )
    for one in study.claims:
        assert one.measured.n == SEEDS
        if one.claim.id in verdicts.PAGES:
            delays = ("pages, 200 ms round trip", "pages, 200 ms one-way")
            assert list(one.readings) == [*delays, *map(in_rfc, delays)]
            continue
        forms = [f"; {name}" for name in PACINGS] if "pacing" in one.claim.id else [""]
        paced = "pacing" in one.claim.id
        assert list(one.readings) == [
            *(
                f"{main}{form}{control}"
                for main in (MAIN, in_rfc(MAIN))
                for form in forms
                for control in ("", "; RFC 5681's NewReno")
            ),
            *(f"the authors' generator{form}" for form in authors.claimed(paced=paced)),
        ]


def test_the_stable_claim_holds(study):
    assert {one.claim.id: one for one in study.claims}["persistent-saves-time"].verdict == "reproduced"


def test_the_losses_of_rfc_7661_exceed_those_of_the_module(study):
    readings = {one.claim.id: one for one in study.claims}["newcwv-loses-more"].readings
    (module, _), (rfc, verdict) = readings[MAIN], readings[in_rfc(MAIN)]
    assert verdict == "reproduced"
    assert rfc.value > module.value


def test_the_report_has_its_figures_and_all_vectors(study, tmp_path):
    study.write(tmp_path)
    assert (tmp_path / "report.html").read_text().count('class="intervals"') == 3
    names = {path.name for path in tmp_path.glob("*.cvec")}
    seeds = range(1, SEEDS + 1)
    own = {vectors_name(load, seed) for load in LOADS for seed in seeds}
    assert names == own | {traffic.generated_name(load, seed) for load in traffic.LOADS for seed in seeds}


def test_each_replication_has_its_own_traffic(study):
    runs = next(sheet for sheet in study.sheets if sheet.name == "runs")
    drops = runs.columns.index("drops")
    variant = runs.columns.index("variant")
    assert len({row[drops] for row in runs.rows if row[variant] == "newcwv"}) > SEEDS / 2


def test_newcwv_loses_more_in_the_first_round_trip_after_idle(study):
    sheet = next(sheet for sheet in study.sheets if sheet.name == "places")
    rows = {row[0]: dict(zip(sheet.columns[1:], row[1:], strict=True)) for row in sheet.rows}
    assert list(rows) == [*places.PLACES, "all"]
    for label in sheet.columns[1:]:
        assert sum(rows[place][label] for place in places.PLACES) == rows["all"][label]
    after_idle = rows["first round trip after idle"]
    assert after_idle["newCWV"] > 1.4 * after_idle["NewReno (Linux)"]
    assert after_idle["newCWV, paced over an SRTT"] < after_idle["newCWV with pacing"] < after_idle["newCWV"]


def test_a_drop_has_the_place_of_its_sender():
    def sent(time_s, conn=0, length=1448):
        return {"time_ns": int(time_s * 1e9), "event": "segment_sent", "side": "source", "conn": conn, "len": length}

    def dropped(time_s, conn=0, link="bottleneck", side="source"):
        return sent(time_s, conn) | {"event": "dropped", "link": link, "side": side}

    def window(time_s, cwnd, ssthresh, in_recovery=False):
        state = {"cwnd": cwnd, "ssthresh": ssthresh, "in_recovery": in_recovery}
        return sent(time_s) | {"event": "window_updated"} | state

    events = [
        *[sent(0.0), dropped(0.1), sent(0.4), dropped(0.5)],  # first round trip, then first slow start
        *[window(0.9, 20_000, 30_000), sent(0.9), dropped(0.95)],  # later slow start
        *[window(1.0, 30_000, 30_000), sent(1.0), dropped(1.05)],  # congestion avoidance
        *[sent(1.0) | {"event": "recovery_started"}, dropped(1.1), sent(1.1) | {"event": "recovery_ended"}],
        *[sent(2.5), dropped(2.6)],  # after idle
        *[sent(2.9, length=0), sent(3.4), dropped(3.45)],  # an ACK begins no burst, and 0.9 s are no idle period
        *[dropped(3.5, link="access"), dropped(3.5, side="sink"), sent(3.5, conn=1), dropped(3.5, conn=1)],
    ]
    assert places.places_of(events) == {
        "first round trip of a connection": 2,
        "first slow start": 1,
        "later slow start": 1,
        "congestion avoidance": 2,
        "recovery": 1,
        "first round trip after idle": 1,
    }


def test_exchanges_count_after_idle_and_by_size():
    epochs = make_table(
        index=[0, 1, 2, 3, 4, 5],
        idle_s=[9.0, 1.0, 0.5, 2.0, 2.0, 3.0],
        acceptor_bytes=[100, 14_600, 100, 14_601, 60_000, 50],
        duration_s=[50.0, 1.0, 70.0, 4.0, 16.0, 4.0],
    )
    links = make_table(link=["bottleneck"], drop_rate=[0.05], drops=[3])
    measured = measures.traffic(Result({"seed": 1}, {"links": links, "tmix_epochs": epochs}))
    assert measured["loss_percent"] == pytest.approx(5)
    assert measured["small_s"] == pytest.approx(2)
    assert measured["middle_s"] == pytest.approx(4)
    assert measured["large_s"] == pytest.approx(16)
    assert measured["all_s"] == pytest.approx(math.prod([1, 4, 16, 4]) ** 0.25)


OTHER = "2 BDP"


def made_grid():
    """Two readings of three seeds; every measure of every variant has its own number in every seed."""
    generator = np.random.default_rng(7)
    measured = ("loss_percent", "drops", *newcwv_http.BINS)
    cells = {
        (reading, variant.name): {name: generator.uniform(1, 3, 3) for name in measured}
        for reading in (MAIN, OTHER)
        for variant in COMPARED
    }
    return Grid(tuple(Reading(name, None) for name in (MAIN, OTHER)), COMPARED, {}, cells)


def made_pages():
    """Both readings of the delay, and both ways to use connections."""
    generator = np.random.default_rng(8)
    shown = pages()
    cells = {
        (reading.name, variant.name): {name: generator.uniform(1, 3, 3) for name in verdicts.PAGES.values()}
        for reading in shown
        for variant in (KEPT, CLOSED)
    }
    return Grid(tuple(shown), (KEPT, CLOSED), {}, cells)


@pytest.fixture(scope="module")
def judged():
    grid = made_grid()
    return grid, {one.claim.id: one for one in verdicts.assess_claims(grid, made_pages())}


CONTROLS = [(MAIN, "newreno"), (OTHER, "newreno-rfc5681")]


def named(reading, variant, control):
    """The name of a reading with its form and its control."""
    pacing = {variant.name: f"; {name}" for name, variant in PACINGS.items()}.get(variant, "")
    return f"{reading}{pacing}" + ("" if control == "newreno" else "; RFC 5681's NewReno")


@pytest.mark.parametrize(("reading", "control"), CONTROLS)
@pytest.mark.parametrize(
    ("claim", "variant"),
    [
        ("newcwv-loss", "newcwv"),
        ("newcwv-loses-more", "newcwv"),
        ("pacing-loss", "newcwv-pacing"),
        ("pacing-loses-less", "newcwv-spread"),
    ],
)
def test_losses_are_shares_relative_to_the_control(judged, claim, variant, reading, control):
    grid, claims = judged
    name = named(reading, variant, control)
    mine, theirs = (grid.cells[reading, one]["loss_percent"].mean() for one in (variant, control))
    assert claims[claim].readings[name][0].value == pytest.approx(100 * (mine / theirs - 1))


@pytest.mark.parametrize(("reading", "control"), CONTROLS)
@pytest.mark.parametrize(("claim", "variant"), [("newcwv-faster", "newcwv"), ("pacing-faster", "newcwv-pacing")])
def test_times_are_those_of_all_sizes_geometrically(judged, claim, variant, reading, control):
    grid, claims = judged
    name = named(reading, variant, control)
    ratios = grid.cells[reading, variant]["all_s"] / grid.cells[reading, control]["all_s"]
    assert claims[claim].readings[name][0].value == pytest.approx(100 * (math.prod(ratios) ** (1 / 3) - 1))


@pytest.mark.parametrize(("reading", "control"), CONTROLS)
@pytest.mark.parametrize(
    ("claim", "variant"), [("larger-gain-more", "newcwv"), ("larger-gain-more-pacing", "newcwv-pacing")]
)
def test_larger_is_the_change_of_large_answers_less_that_of_small_ones(judged, claim, variant, reading, control):
    grid, claims = judged
    name = named(reading, variant, control)
    mine, theirs = grid.cells[reading, variant], grid.cells[reading, control]
    steeper = 100 * (mine["large_s"] / theirs["large_s"] - mine["small_s"] / theirs["small_s"])
    assert claims[claim].readings[name][0].value == pytest.approx(steeper.mean())


def test_the_main_reading_decides(judged):
    _, claims = judged
    for one in claims.values():
        main = verdicts.main_of(one.claim.id)
        if one.claim.id in verdicts.PAGES:
            assert (len(one.readings), main) == (2, "pages, 200 ms round trip")
        elif "pacing" in one.claim.id:
            assert (len(one.readings), one.beside) == (8, tuple(main[1:]))
            assert main == [f"{MAIN}; {name}" for name in PACINGS]
        else:
            assert (len(one.readings), main) == (4, MAIN)
        assert one.measured == one.readings[main if isinstance(main, str) else main[0]][0]


def test_persistent_connections_against_one_for_each_object(judged):
    _, claims = judged
    pages = made_pages()
    kept, closed = (pages.cells["pages, 200 ms round trip", one.name] for one in (KEPT, CLOSED))
    saved = claims["persistent-saves-time"].measured.value
    assert saved == pytest.approx(100 * (math.prod(kept["object_s"] / closed["object_s"]) ** (1 / 3) - 1))
    steadier = claims["persistent-more-stable"].measured.value
    assert steadier == pytest.approx(100 * (kept["variation"].mean() / closed["variation"].mean() - 1))


def test_measures_of_pages():
    packets = make_table(
        time_s=[10.0, 20.5, 21.5, 21.6, 22.5, 22.6],
        event=["delivered", "delivered", "delivered", "delivered", "delivered", "sent"],
        side=["source", "source", "source", "sink", "source", "source"],
        len=[900, 100, 300, 300, 200, 900],
    )
    objects = make_table(duration_s=[1.0, 4.0])
    measured = measures.of_pages(Result({"seed": 1, "duration_s": 23.0}, {"packets": packets, "web_objects": objects}))
    assert measured["object_s"] == pytest.approx(2)
    assert measured["variation"] == pytest.approx(np.std([100, 300, 200]) / 200)


def test_the_sheet_has_the_means_of_every_cell(judged):
    grid, _ = judged
    sheet = verdicts.sizes_sheet(grid, newcwv_http.BINS)
    assert sheet.columns[2:] == ["loss %", "all", "up to 14.6 kB", "14.6 to 58.4 kB", "above 58.4 kB"]
    assert len(sheet.rows) == 2 * len(COMPARED)
    expected = [grid.cells[OTHER, "newcwv"][name].mean() for name in ("loss_percent", *newcwv_http.BINS)]
    (row,) = (row[2:] for row in sheet.rows if row[:2] == [OTHER, "newCWV"])
    assert row == pytest.approx(expected)


def test_a_replication_is_given_its_own_file_of_its_load():
    ran = []
    own = with_own_vectors(lambda job, cancel, note: ran.append(job), VECTORS)
    for overrides in ((), ((VECTORS, vectors_name("-heavy", 1)), ("bottleneck.delay", "100ms"))):
        own(Job(None, overrides, 12), None, None)
    assert ran[0].overrides == ((VECTORS, "http-12.cvec"),)
    assert ran[1].overrides == (("bottleneck.delay", "100ms"), (VECTORS, "http-heavy-12.cvec"))
