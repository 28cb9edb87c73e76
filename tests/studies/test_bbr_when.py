"""The study bbr-when: some cells on the real engine, and its verdicts and figures on made numbers."""

import numpy as np
import pytest

from ackclock.scenario import Text
from ackclock.studies import bbr_when
from ackclock.studies.bbr_when import cells, figures, verdicts
from ackclock.studies.bbr_when.published import DEEP, SHALLOW, gains
from ackclock.studies.framework import Grid, Lab, Reading, Variant, load_claims, study_file

TOGETHER = Variant("", "both")
CLAIMS = load_claims(study_file("ackclock.studies.bbr_when", "claims.toml"))


def test_a_shallow_buffer_favours_bbr_which_retransmits_more():
    text = bbr_when.STUDY.scenario("lan.toml")
    readings = cells.readings(text, [(SHALLOW, 100, 200)], {cells.MAIN: {"duration": "30s"}})
    grid = Lab().grid(readings, cells.VARIANTS, [1, 2], cells.single)
    at = cells.name(SHALLOW, 100, 200)
    assert verdicts.gain(grid, at).value > 10
    bbr, cubic = (grid.values(at, one.name, "resent") for one in (cells.BBR, cells.CUBIC))
    assert (bbr > 10 * cubic).all()
    assert grid.mean(at, cells.BBR.name, "goodput_mbps").value < 100


def test_the_smaller_the_buffer_the_more_bbr_takes_from_cubic():
    text = bbr_when.STUDY.scenario("mix.toml")
    short = {cells.MAIN: {"duration": "10s", "bottleneck.rate": "50Mbps"}}
    grid = Lab().grid(cells.mixes(text, (10_000, 1_000_000), short), (TOGETHER,), [1, 2], cells.both)
    small, large = (grid.mean(cells.mix_name(size), "", "bbr_percent").value for size in (10_000, 1_000_000))
    assert small > 80 > 60 > large


def test_the_published_gains_are_those_of_the_figure():
    told = gains()
    assert len(told.gain_percent) == 2 * len(told.rates_mbps) * len(told.rtts_ms) == 128
    assert told.gain_percent[SHALLOW, 500, 200] == CLAIMS["headline-gain"].published
    assert told.gain_percent[DEEP, 10, 200] == -34
    for buffer, name in ((SHALLOW, "grid-shallow"), (DEEP, "grid-deep")):
        each = [told.gain_percent[cell] for cell in cells.grid_cells(cells.RATES, cells.RTTS) if cell[0] == buffer]
        assert len(each) == 20
        assert np.mean(each) == pytest.approx(CLAIMS[name].published, abs=0.05)


def test_the_published_counts_are_those_of_the_table():
    for size, counts in cells.TABLE.items():
        for who, count in zip(("bbr", "cubic"), counts, strict=True):
            claim = CLAIMS.get(f"table-{who}-{size}")
            if claim is not None and count:
                assert claim.published == pytest.approx(cells.powers(count), abs=0.005)


def made_cells(choice=cells.MAIN, **goodputs):
    """A grid in which CUBIC has 100 Mbit/s in every cell and BBR `goodputs`, by buffer."""
    where = cells.grid_cells((500,), (25, 200))
    readings = tuple(Reading(cells.name(*one, choice), Text("")) for one in where)
    found = {}
    for (buffer, _, _), reading in zip(where, readings, strict=True):
        goodput = goodputs["shallow" if buffer == SHALLOW else "deep"]
        for variant, mbps, resent in ((cells.CUBIC, 100.0, 10.0), (cells.BBR, goodput, 1000.0)):
            numbers = {"goodput_mbps": mbps, "resent": resent, "resent_percent": resent / 100, "dropped_percent": 7.0}
            found[reading.name, variant.name] = {name: np.array([value] * 2) for name, value in numbers.items()}
    return Grid(readings, cells.VARIANTS, {}, found)


def made_mixes(sizes=cells.MIX_SIZES):
    readings = tuple(Reading(cells.mix_name(size), Text("")) for size in sizes)
    numbers = {"bbr_resent": 100.0, "cubic_resent": 10.0, "bbr_resent_powers": 2.0, "cubic_resent_powers": 1.0}
    numbers |= {"bbr_percent": 60.0, "total_mbps": 950.0}
    values = {name: np.array([value] * 2) for name, value in numbers.items()}
    return Grid(readings, (TOGETHER,), {}, {(one.name, ""): values for one in readings})


def test_every_claim_is_measured_where_it_is_made():
    other = made_cells("fq", shallow=120.0, deep=95.0)
    measured = verdicts.Measured(made_cells(shallow=150.0, deep=90.0), other, [made_mixes()])
    by_id = {one.claim.id: one for one in verdicts.assess_claims(measured)}
    values = {name: one.measured.value for name, one in by_id.items()}
    assert set(values) == set(CLAIMS)
    expected = {
        "headline-cubic": 100,
        "headline-bbr": 150,
        "headline-gain": 50,
        "grid-shallow": 50,
        "grid-deep": -10,
        "shallow-favours-bbr": 60,
        "deep-favours-cubic": -10,
        "loss-shallow-cubic": 0.1,
        "loss-deep-bbr": 10,
        "resent-shallow-ratio": 100,
        "resent-shallow-bbr": 3,
        "resent-deep-cubic": 1,
        "resent-deep-bbr": 1000,
        "mix-5MB": 60,
        "table-bbr-10000": 2,
        "table-cubic-10000": 1,
        "table-bbr-50000000": 100,
    }
    assert {name: values[name] for name in expected} == pytest.approx(expected)
    assert by_id["headline-gain"].readings["fq"][0].value == pytest.approx(20)
    assert by_id["loss-shallow-cubic"].readings[verdicts.AT_THE_QUEUE][0].value == 7
    assert by_id["loss-shallow-cubic"].kinds[verdicts.AT_THE_QUEUE] == "definition"


def test_a_mix_without_a_buffer_leaves_its_claims_untested():
    cell = made_cells(shallow=150.0, deep=90.0)
    measured = verdicts.Measured(cell, made_cells("fq", shallow=1.0, deep=1.0), [made_mixes(cells.QUICK_MIX_SIZES)])
    untested = {one.claim.id for one in verdicts.assess_claims(measured) if one.verdict == "not testable"}
    assert untested == {
        "mix-5MB",
        *(f"table-{who}-{size}" for who in ("bbr", "cubic") for size in (100_000, 1_000_000, 5_000_000)),
        "table-bbr-50000000",
    }


def test_the_figures_have_the_published_numbers_beside_ours():
    shallow, deep = figures.heat_maps(made_cells(shallow=150.0, deep=90.0), "")
    for figure, gain, told in ((shallow, "+50", "+115"), (deep, "-10", "+13")):
        (_, ours), (_, published) = figure.options
        assert gain in ours.html("a")
        assert told in published.html("b")
    shares, resent = (draw(made_mixes(), "") for draw in (figures.mix_shares, figures.mix_retransmissions))
    assert [one.label for one in shares.series] == ["measured", "published"]
    assert resent.series[1].y[1] == pytest.approx(np.log10(305_029))
    assert len(verdicts.table_sheet([made_mixes()]).rows) == len(cells.TABLE)
    assert verdicts.grid_sheet([made_cells(shallow=150.0, deep=90.0)]).rows[0][4:6] == [12, pytest.approx(50)]


def test_no_retransmission_counts_as_one():
    assert [cells.powers(count) for count in (0, 1, 1000)] == [0, 0, pytest.approx(3)]
