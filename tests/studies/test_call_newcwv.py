"""The study call-newcwv: some cells on the real engine, and its verdicts and figures on made numbers."""

import numpy as np
import pytest

from ackclock.scenario import Text
from ackclock.studies import call_newcwv
from ackclock.studies.call_newcwv import cells, figures, verdicts
from ackclock.studies.framework import Grid, Lab, Reading
from ackclock.studies.framework.setups.newcwv import NEWCWV, NEWRENO, PACED, SPREAD

STUDY = call_newcwv.STUDY
HOME = cells.Cell(cells.LINKS[1])
BESIDES = [cells.Beside(one, cells.LINKS[1]) for one in (cells.ALONE, cells.RENO_FILE, cells.CUBIC_FILE)]


@pytest.fixture(scope="module")
def others():
    return Lab().grid(cells.beside_readings(STUDY, BESIDES), [call_newcwv.AS_IT_IS], [1], cells.measure)


def test_a_file_fills_the_buffer_of_the_link(others):
    delay = {one.traffic: others.values(one.name, "call", "delay_p50_ms")[0] for one in BESIDES}
    # Propagation takes 25 ms, and the buffer of one BDP 50 ms.
    assert 25 < delay[cells.ALONE] < 40
    assert 45 < delay[cells.RENO_FILE] < delay[cells.CUBIC_FILE] < 80
    assert others.values(BESIDES[0].name, "call", "level_mbps")[0] == 0


def test_a_video_plays_beside_the_call():
    grid = Lab().grid(cells.readings(STUDY, [HOME]), [NEWRENO, NEWCWV], [1], cells.measure)
    for sender in (NEWRENO, NEWCWV):
        call, level, time = (
            grid.values(HOME.name, sender.name, one)[0] for one in ("call_mbps", "level_mbps", "s_per_mbit")
        )
        assert 0.05 < call < 2.5
        assert 0.5 < level < 3
        # A Mbit takes a third of a second at the rate of the link, and longer where others share it.
        assert 1 / 3 < time < 1
        assert grid.values(HOME.name, sender.name, "played_percent")[0] > 90


@pytest.mark.parametrize(
    ("name", "pair"),
    [("newCWV off", (NEWCWV, NEWRENO)), ("pacing off", (SPREAD, NEWCWV)), ("IW3", (NEWRENO, cells.IW3))],
)
def test_without_its_mechanism_a_pair_is_one_scenario(name, pair):
    lab = Lab(without=STUDY.nulls[name])
    grid = lab.grid(cells.readings(STUDY, [HOME]), pair, [1], cells.measure)
    first, second = (grid.cells[HOME.name, one.name] for one in pair)
    assert all(np.array_equal(first[measure], second[measure]) for measure in first)


def test_without_video_and_without_cubic_a_call_is_as_alone_or_beside_reno(others):
    alone, reno, cubic = BESIDES
    quiet = Lab(without=STUDY.nulls["no video"]).grid(
        cells.beside_readings(STUDY, BESIDES), [call_newcwv.AS_IT_IS], [1], cells.measure
    )
    values = [quiet.values(one.name, "call", "delay_p50_ms")[0] for one in BESIDES]
    assert values[0] == others.values(alone.name, "call", "delay_p50_ms")[0]
    assert values == pytest.approx([values[0]] * 3, abs=0.5)
    same = Lab(without=STUDY.nulls["no CUBIC"]).grid(
        cells.beside_readings(STUDY, [reno, cubic]), [call_newcwv.AS_IT_IS], [1], cells.measure
    )
    assert same.values(reno.name, "call", "delay_mean_ms") == same.values(cubic.name, "call", "delay_mean_ms")


def test_settings_belong_to_the_call_or_to_the_video():
    [reading] = cells.readings(STUDY, [cells.Cell(cells.LINKS[0], choice="even frames")])
    assert reading.overrides["flows[1].app.size_scale"] == 0
    [reading] = cells.readings(STUDY, [cells.Cell(cells.LINKS[0], choice="segments of 2 s")])
    assert reading.overrides["flows[0].app.segment"] == "2s"
    assert reading.overrides["bottleneck.delay"] == "100ms"
    alone, file = cells.beside_readings(
        STUDY, [cells.Beside(one, cells.LINKS[0], "GCC of the papers") for one in (cells.ALONE, cells.RENO_FILE)]
    )
    assert alone.overrides["flows[0].app.control"] == file.overrides["flows[1].app.control"] == "gcc-draft"


def test_a_call_starves_in_a_window_with_less_than_a_part_of_half_of_the_link():
    received = np.full(25, 100e3)
    received[:10] = 20e3
    # Of two whole windows the first has less than 5 % of half of 1 Mbit/s.
    assert cells._starved(received, 1e6) == 0.5
    received[:10] = 26e3
    assert cells._starved(received, 1e6) == 0


def made(names, variants, value):
    """A grid in which `value` gives each number from the names of reading, variant and measure."""
    measures = (*verdicts.MEASURES, *verdicts.OF_VIDEO, "jitter_p95_ms", "delay_mean_ms")
    readings = tuple(Reading(name, Text("")) for name in names)
    found = {
        (name, variant.name): {one: np.array([value(name, variant.name, one)] * 2) for one in measures}
        for name in names
        for variant in variants
    }
    return Grid(readings, tuple(variants), dict.fromkeys(names, (1, 2)), found)


PLACES = {one.name: float(place) for place, one in enumerate(cells.SENDERS, 1)}


def grids(*, quick):
    wanted, besides = cells.wanted(quick=quick), cells.beside(quick=quick)
    videos = made([one.name for one in wanted], cells.senders(quick=quick), lambda _, sender, __: PLACES[sender])
    traffic = {cells.ALONE: 0.5, cells.RENO_FILE: 10.0, cells.CUBIC_FILE: 30.0}
    of = {one.name: traffic[one.traffic] for one in besides}
    return videos, wanted, made(of, [call_newcwv.AS_IT_IS], lambda name, *_: of[name]), besides


def test_every_claim_is_measured_where_it_is_made():
    results = verdicts.assess_claims(*grids(quick=False))
    measured = {one.claim.id: one.measured.value for one in results}
    reno, newcwv, spread, iw3 = (PLACES[one.name] for one in (NEWRENO, NEWCWV, SPREAD, cells.IW3))
    assert measured == pytest.approx(
        {
            "burst-jitter": newcwv - reno,
            "burst-loss": newcwv - reno,
            "pacing-jitter": spread - newcwv,
            "pacing-loss": spread - newcwv,
            "lower-loss": spread - reno,
            "burst-times": 100 * (spread / reno - 1),
            "starves": newcwv,
            "co-exists": 100 * newcwv / reno,
            "volatile-jitter": reno - 0.5,
            "standing-queue": 9.5,
            "iw10-jitter": reno - iw3,
            "modified-latency": 20,
        }
    )


def test_readings_are_links_queues_senders_and_definitions():
    by_id = {one.claim.id: one for one in verdicts.assess_claims(*grids(quick=False))}
    links = {one.name for one in cells.LINKS}
    calls = {"GCC of the papers", "even frames"}
    usual = {cells.MAIN, *links, *calls, "segments of 2 s", "half a BDP", "4 BDP", "FQ-CoDel"}
    assert set(by_id["pacing-jitter"].readings) == usual | {
        "the authors' module", "FQ of Linux 3.12", "95th percentile", "frames, 95 %",
    }  # fmt: skip
    # Its main reading has half a BDP of buffer, and the usual one is a cell.
    assert set(by_id["burst-loss"].readings) == {
        cells.MAIN, *links, "1 BDP", "the authors' module", "RFC 5681 for NewReno", "all losses", "4 BDP", "FQ-CoDel",
    }  # fmt: skip
    assert set(by_id["modified-latency"].readings) == {cells.MAIN, *links, *calls, "video"}
    kinds = by_id["pacing-jitter"].kinds
    assert (kinds["FQ-CoDel"], kinds["95th percentile"], kinds["even frames"]) == ("cell", "definition", "assumption")
    assert by_id["pacing-loss"].readings["FQ of Linux 3.12"][0].value == PLACES[PACED.name] - PLACES[NEWCWV.name]


def test_the_figures_and_the_tables_have_every_sender():
    videos, wanted, others, besides = grids(quick=True)
    results = verdicts.assess_claims(videos, wanted, others, besides)
    assert all(one.measured is not None for one in results)
    for figure in (figures.jitter(videos, ""), figures.losses(videos, "")):
        # A fifth sender of a quick run has a smaller initial window, and no place in the figures.
        assert len(figure.rows) == len(cells.LINKS) * 4
    assert len(figures.jitter(grids(quick=False)[0], "").rows) == len(cells.LINKS) * len(figures.SHOWN)
    assert len(verdicts.videos_sheet(videos).rows) == len(wanted) * len(cells.senders(quick=True))
    rows = verdicts.beside_sheet(others).rows
    assert rows[0][:3] == [cells.MAIN, cells.ALONE, cells.LINKS[0].name]
