"""The study bbr-when: some cells on the real engine, and its verdicts and figures on made numbers."""

import numpy as np
import pytest

import ackclock
from ackclock.scenario import Text
from ackclock.studies import bbr_when
from ackclock.studies.bbr_when import cells, figures, random_loss, transfers, verdicts
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
    assert (bbr > cubic).all()
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
        assert len(each) == 64
        assert np.mean(each) == pytest.approx(CLAIMS[name].published, abs=0.05)


def test_the_published_counts_are_those_of_the_table():
    for size, counts in cells.TABLE.items():
        for who, count in zip(("bbr", "cubic"), counts, strict=True):
            claim = CLAIMS.get(f"table-{who}-{size}")
            if claim is not None and count:
                assert claim.published == pytest.approx(cells.powers(count), abs=0.005)


def made_cells(choice=cells.MAIN, where=None, **goodputs):
    """A grid in which CUBIC has 100 Mbit/s in every cell and BBR `goodputs`, by buffer."""
    where = where or cells.grid_cells((500,), (25, 200))
    readings = tuple(Reading(cells.name(*one, choice), Text("")) for one in where)
    found = {}
    for (buffer, _, _), reading in zip(where, readings, strict=True):
        goodput = goodputs["shallow" if buffer == SHALLOW else "deep"]
        for variant, mbps, resent in ((cells.CUBIC, 100.0, 10.0), (cells.BBR, goodput, 1000.0)):
            numbers = {"goodput_mbps": mbps, "resent": resent, "resent_percent": resent / 100, "dropped_percent": 7.0}
            found[reading.name, variant.name] = {name: np.array([value] * 2) for name, value in numbers.items()}
    return Grid(readings, cells.VARIANTS, {}, found)


def made_losses(goodputs):
    """A grid of BBR's goodput in Mbit/s by loss rate in per cent, in which CUBIC and Reno have a tenth of it."""
    readings = random_loss.readings(Text(""), goodputs)
    found = {
        (reading.name, one.name): {"goodput_mbps": np.array([mbps / (1 if one == cells.BBR else 10)] * 2)}
        for reading, mbps in zip(readings, goodputs.values(), strict=True)
        for one in random_loss.VARIANTS
    }
    return Grid(tuple(readings), random_loss.VARIANTS, {}, found)


LOSSES = made_losses({18: 80.0, 27: 20.0})


def made_mixes(sizes=cells.MIX_SIZES):
    readings = tuple(Reading(cells.mix_name(size), Text("")) for size in sizes)
    numbers = {"bbr_resent": 100.0, "cubic_resent": 10.0, "bbr_resent_powers": 2.0, "cubic_resent_powers": 1.0}
    numbers |= {"bbr_percent": 60.0, "total_mbps": 950.0}
    values = {name: np.array([value] * 2) for name, value in numbers.items()}
    return Grid(readings, (TOGETHER,), {}, {(one.name, ""): values for one in readings})


def test_every_claim_is_measured_where_it_is_made():
    other = made_cells("fq", shallow=120.0, deep=95.0)
    buffers = made_cells(where=cells.grid_cells((500,), (25, 200), cells.OTHER_BUFFERS), shallow=0.0, deep=80.0)
    measured = verdicts.Measured(made_cells(shallow=150.0, deep=90.0), other, [made_mixes()], LOSSES, buffers)
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
        "cliff": 0.25,
    }
    assert {name: values[name] for name in expected} == pytest.approx(expected)
    assert by_id["headline-gain"].readings["fq"][0].value == pytest.approx(20)
    assert by_id["loss-shallow-cubic"].readings[verdicts.AT_THE_QUEUE][0].value == 7
    assert by_id["loss-shallow-cubic"].kinds[verdicts.AT_THE_QUEUE] == "definition"
    deep = by_id["deep-favours-cubic"]
    assert {name: deep.readings[name][0].value for name in cells.OTHER_BUFFERS} == pytest.approx(
        dict.fromkeys(cells.OTHER_BUFFERS, -20)
    )
    assert {deep.kinds[name] for name in cells.OTHER_BUFFERS} == {"cell"}


def test_a_mix_without_a_buffer_leaves_its_claims_untested():
    cell = made_cells(shallow=150.0, deep=90.0)
    other, some = made_cells("fq", shallow=1.0, deep=1.0), made_mixes(cells.QUICK_MIX_SIZES)
    measured = verdicts.Measured(cell, other, [some], LOSSES)
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


def test_a_token_bucket_keeps_the_rate_of_the_cell():
    text = bbr_when.STUDY.scenario("lan.toml")
    short = {"duration": "10s", "flows[0].cc": "bbr"}
    (plain, bucket) = (
        cells.readings(text, [(SHALLOW, 20, 25)], {choice: {}})[0] for choice in (cells.MAIN, cells.BUCKET)
    )
    assert bucket.overrides["bottleneck.queue"]["burst"] == "10000B"
    rates = [
        next(ackclock.run(text, overrides={**one.overrides, **short}, seed=1).flows.rows())["goodput_bps"]
        for one in (plain, bucket)
    ]
    assert rates[1] == pytest.approx(rates[0], rel=0.03)


def test_bbr_gives_way_beyond_the_cliff_and_cubic_long_before():
    text = bbr_when.STUDY.scenario("loss.toml")
    readings = [
        Reading(one.name, text, {**one.overrides, "duration": "20s"}) for one in random_loss.readings(text, (1, 18, 27))
    ]
    grid = Lab().grid(readings, random_loss.VARIANTS, [1, 2], random_loss.measures)
    assert random_loss.cliff(grid).value < 0.5
    bbr, cubic = (grid.mean(random_loss.name(1), one.name, "goodput_mbps").value for one in (cells.BBR, cells.CUBIC))
    assert bbr > 80 > 20 > cubic


def test_a_transfer_lasts_as_long_as_its_bytes_take():
    """100 MB over 10 Mbit/s: 69,061 segments of 1448 bytes take 82.9 s on the link; what is lost is sent again."""
    text = bbr_when.STUDY.scenario("transfer.toml")
    grid = Lab().grid(transfers.readings(text, [(DEEP, 10, 25)]), cells.VARIANTS, [1, 2], transfers.measures)
    at = cells.name(DEEP, 10, 25, transfers.TRANSFER)
    for one in cells.VARIANTS:
        assert 82.87 < grid.mean(at, one.name, "time_s").value < 90
    assert "+" in transfers.heat_maps(both_buffers(grid), "").options[1][1].html("a")
    assert transfers.sheet(grid).rows[0][:3] == [DEEP, 10, 25]


def both_buffers(grid):
    """The grid of transfers with the cells of the deep buffer for both, and BBR's times a tenth longer than CUBIC's."""
    where = cells.grid_cells((10,), (25,))
    readings = tuple(Reading(cells.name(*one, transfers.TRANSFER), Text("")) for one in where)
    times = {cells.CUBIC.name: 10.0, cells.BBR.name: 11.0}
    found = {
        (reading.name, one): {"time_s": np.array([time] * 2)} for reading in readings for one, time in times.items()
    }
    return Grid(readings, grid.variants, {}, found)


def test_the_random_loss_has_a_figure_and_a_table():
    figure = random_loss.figure(LOSSES, "")
    assert list(figure.series[1].y) == [80, 20]
    assert list(figure.series[-1].y) == pytest.approx([82, 73])
    assert random_loss.sheet(LOSSES).rows == [[18, 8, 80, 8], [27, 2, 20, 2]]


def test_other_buffers_have_heat_maps_without_published_numbers():
    where = cells.grid_cells((500,), (25, 200), cells.OTHER_BUFFERS)
    figure = figures.other_heat_maps(made_cells(where=where, shallow=0.0, deep=80.0), "")
    assert [name for name, _ in figure.options] == list(cells.OTHER_BUFFERS)
    assert "-20" in figure.options[0][1].html("a")
    assert verdicts.grid_sheet([made_cells(where=where, shallow=0.0, deep=80.0)]).rows[0][4] == ""
