"""The study bbr-share: the model against its own equations, some cells on the real engine, verdicts on made numbers."""

import numpy as np
import pytest

import ackclock
from ackclock.scenario import Text
from ackclock.studies import bbr_share
from ackclock.studies.bbr_share import cells, figures, model, verdicts
from ackclock.studies.framework import Grid, Lab, Reading, load_claims, study_file


def balance(path, flows, p):
    """The in-flight cap of all BBR flows less their packets in flight, by equations 1, 2 and 7."""
    estimate = (p * path.queue + 4 * flows) / path.rate + path.rtt_s
    cap = 2 * (1 - p) * path.rate * estimate
    return cap - (1 - p) * (path.queue + path.rate * path.rtt_s)


@pytest.mark.parametrize("flows", [1, 2, 8])
@pytest.mark.parametrize("queue", [4, 16, 64])
def test_the_share_of_the_others_balances_cap_and_flight(flows, queue):
    path = cells.path(queue)
    p = model.loss_based_share(path, flows)
    if p > 0:
        assert balance(path, flows, p) == pytest.approx(0, abs=1e-9)
        assert balance(path, flows, p - 0.01) < 0 < balance(path, flows, p + 0.01)
    else:
        assert balance(path, flows, 0) >= 0


def test_the_model_in_numbers():
    # 32 BDP: 1067 packets, which take 1.28 s. p = 1/2 - 1/64 - 4/1067, and 1.52 of ten seconds are lost.
    path = cells.path(32)
    assert path.queue == pytest.approx(1066.7, abs=0.1)
    assert model.loss_based_share(path, 1) == pytest.approx(0.5 - 1 / 64 - 4 / 1066.67, abs=1e-5)
    assert model.probing_part(path) == pytest.approx(0.152)
    assert model.share(path, 1) == pytest.approx(0.5194 * 0.848, abs=1e-4)
    assert model.share(cells.path(1), 1) == pytest.approx(1 - 0.028)
    assert model.probing_part(model.Path(10, 0.04, 1000)) == 1


def test_bbr_takes_more_than_its_share_from_sixteen_cubic_flows():
    text = bbr_share.STUDY.scenario("pair.toml")
    short = {cells.MAIN: {"duration": "90s", "probes.from": "30s"}}
    grid = Lab().grid(cells.readings(text, [(1, 16, "cubic", 2)], short), cells.ALONE, [1, 2], cells.shares)
    share = grid.mean(cells.beside(1, 16, "cubic", 2), "", "bbr_percent").value
    assert 30 < share < verdicts.model_percent((1, 16, "cubic", 2))


def test_one_of_ten_bbr_flows_is_ahead_and_nine_are_behind():
    text = bbr_share.STUDY.scenario("ten.toml")
    short = {cells.MAIN: {"duration": "30s"}}
    grid = Lab().grid(cells.mixes(text, (1, 9, 10), short), cells.ALONE, [1, 2], cells.per_flow)

    def mean(number, who):
        return grid.mean(cells.ten_name(number), "", f"{who}_mbps").value

    assert mean(1, "bbr") > 1.5 * mean(1, "cubic")
    assert mean(9, "bbr") < mean(9, "cubic")
    assert mean(10, "cubic") == 0
    assert 8 < mean(10, "bbr") < 9.66


def test_a_reading_tells_its_cell():
    every = cells.grid_cells(cells.BUFFERS, cells.SOME, cells.BUFFERS)
    for cell in every:
        assert cells.cell_of(cells.beside(*cell)) == cell
    assert len(set(every)) == len(every)
    assert {(bbr, 1, cc, 64) for bbr in (1, 2, 4, 8, 16, 32) for cc in ("cubic", "reno")} < set(every)


def test_the_fast_path_is_run_and_modelled_as_it_is():
    readings = cells.fast_readings(bbr_share.STUDY.scenario("pair.toml"))
    assert len(readings) == 6 * 5
    one = next(reading for reading in readings if cells.cell_of(reading.name) == (32, 1, "cubic", 16))
    short = {"duration": "4s", "probes.from": "2s"}
    result = ackclock.run(one.scenario, overrides={**one.overrides, **short}, seed=1)
    rates = result.tables["rates"]
    assert sum(rates["bytes_delivered"]) * 8 / 2 == pytest.approx(50e6, rel=0.06)
    assert cells.path_of(one.name) == cells.FAST
    # 16 BDP of 125 packets take 0.48 s: p = 1/2 - 1/32 - 4 * 32/2000, and 0.71 of ten seconds are lost.
    assert verdicts.model_percent((32, 1, "cubic", 16), cells.FAST) == pytest.approx(100 * 0.59525 * 0.929)
    assert cells.path_of(cells.beside(1, 1, "cubic", 2)) == cells.SLOW


def made_pairs(percent, buffers=(16, 32), choice=cells.MAIN):
    """A grid whose shares are `percent` of a cell."""
    where = cells.grid_cells(buffers, buffers)
    readings = tuple(Reading(cells.beside(*cell, choice), Text("")) for cell in where)
    zeros = {"queue_delay_ms": np.zeros(2), "dropped_percent": np.zeros(2)}
    found = {
        (one.name, ""): {"bbr_percent": np.array([percent(cell)] * 2)} | zeros
        for one, cell in zip(readings, where, strict=True)
    }
    return Grid(readings, cells.ALONE, {}, found)


def made_fast(percent):
    """A grid of the fast path whose shares are `percent` of a cell."""
    readings = tuple(cells.fast_readings(Text("")))
    zeros = {"queue_delay_ms": np.zeros(2), "dropped_percent": np.zeros(2)}
    found = {
        (one.name, ""): {"bbr_percent": np.array([percent(cells.cell_of(one.name))] * 2)} | zeros for one in readings
    }
    return Grid(readings, cells.ALONE, {}, found)


def made_tens(bbr, cubic, choice=cells.MAIN):
    """A grid of mixes by number of BBR flows."""
    readings = tuple(Reading(cells.ten_name(number, choice), Text("")) for number in bbr)
    zeros = {"queue_delay_ms": np.zeros(2), "dropped_percent": np.zeros(2)}
    found = {
        (cells.ten_name(number, choice), ""): {
            "bbr_mbps": np.array([bbr[number]] * 2),
            "cubic_mbps": np.array([cubic.get(number, 0.0)] * 2),
        }
        | zeros
        for number in bbr
    }
    return Grid(readings, cells.ALONE, {}, found)


REPLICATED = made_tens(
    dict(enumerate(cells.REPLICATED["bbr"], 1)),
    dict(enumerate(cells.REPLICATED["cubic"], 1)),
)


def assessed(pairs, *tens, fast=None):
    return {one.claim.id: one for one in verdicts.assess_claims(verdicts.Measured([pairs], tens, fast))}


def test_what_was_published_reproduces_every_claim():
    """The claims agree with the model, the text and the replication from which they were taken."""

    def told(cell):
        return 40.0 if cell[:2] == (1, 16) and cell[3] == 32 else verdicts.model_percent(cell)

    fast = made_fast(lambda cell: verdicts.model_percent(cell, cells.FAST))
    found = assessed(made_pairs(told), REPLICATED, fast=fast)
    assert {name for name, one in found.items() if one.verdict != "reproduced"} == set()


def test_the_error_beside_cubic_is_that_of_both_paths():
    pairs = made_pairs(lambda cell: verdicts.model_percent(cell) + 3)
    fast = made_fast(lambda cell: verdicts.model_percent(cell, cells.FAST) - 8)
    found = assessed(pairs, REPLICATED, fast=fast)
    cubic = found["model-cubic"].readings
    assert {name: cubic[name][0].value for name in (cells.SLOW, cells.FAST)} == pytest.approx(
        {cells.SLOW: 3, cells.FAST: 8}
    )
    assert found["model-cubic"].measured.value == pytest.approx(8), "most of these cells are those of the fast path"
    assert found["model-cubic"].kinds[cells.FAST] == "cell"
    assert found["model-fast"].measured.value == pytest.approx(8)
    assert found["model-one-cubic"].measured.value == found["model-reno"].measured.value == pytest.approx(3)
    assert assessed(pairs, REPLICATED)["model-fast"].verdict == "not testable"


def test_every_claim_is_measured_where_it_is_made():
    shares = {(1, 1): 30.0, (1, 16): 20.0, (1, 4): 25.0, (2, 1): 60.0, (4, 1): 70.0}
    found = assessed(made_pairs(lambda cell: shares[cell[:2]]), REPLICATED)
    assert found["sixteen"].measured.value == 20
    assert found["any-number"].measured.value == 10
    assert found["half"].measured.value == 30
    where = cells.grid_cells((16, 32), (16, 32))
    for cc in ("cubic", "reno"):
        away = [abs(shares[cell[:2]] - verdicts.model_percent(cell)) for cell in where if cell[2] == cc]
        assert found[f"model-{cc}"].measured.value == pytest.approx(np.median(away))


def test_the_crossing_lies_between_the_mixes():
    def at(bbr, cubic):
        return verdicts.crossing(made_tens(bbr, cubic)).value

    assert at({1: 30.0, 5: 12.0, 9: 8.0}, {1: 7.0, 5: 8.0, 9: 20.0}) == pytest.approx(6)
    assert at({1: 5.0, 9: 5.0}, {1: 7.0, 9: 20.0}) == 1
    assert at({1: 30.0, 9: 12.0}, {1: 7.0, 9: 11.0}) == 9


def test_readings_with_fewer_mixes_leave_claims_to_the_others():
    some = made_tens({1: 30.0, 9: 8.0}, {1: 7.0, 9: 20.0}, "other")
    found = assessed(made_pairs(verdicts.model_percent), REPLICATED, some)
    assert list(found["ten-bbr-5"].readings) == [cells.MAIN]
    assert list(found["ten-bbr-1"].readings) == [cells.MAIN, "other"]


def test_the_figures_have_the_model_and_the_replication():
    grid = made_pairs(verdicts.model_percent)
    by_queue, by_number = (draw(grid, "") for draw in (figures.by_queue, figures.by_number))
    fast = made_fast(lambda cell: verdicts.model_percent(cell, cells.FAST))
    many = figures.many_bbr(grid, fast, "")
    assert by_queue.series[-1].label == "model, any number"
    assert by_queue.series[0].y == pytest.approx(by_queue.series[-1].y)
    assert [one.label for one in by_number.series] == ["queue of 32 BDP", "32 BDP, model"]
    assert [name[:2] for name, _ in many.options] == ["8a", "8b", "8c"]
    for _, plot in many.options:
        for measured, line in zip(plot.series[::2], plot.series[1::2], strict=True):
            assert measured.y == pytest.approx(line.y)
    assert [one.label for one in many.options[1][1].series[::2]] == [f"{number} BBR" for number in figures.SHOWN_BBR]
    assert [name[:2] for name, _ in figures.many_bbr(grid, None, "").options] == ["8a", "8c"]
    ten = figures.ten(REPLICATED, "")
    assert list(ten.series[0].y) == pytest.approx(list(ten.series[1].y))
    assert len(verdicts.shares_sheet([grid]).rows) == len(grid.readings)
    assert verdicts.ten_sheet([REPLICATED]).rows[-1][1:4] == [10, 9.39, pytest.approx(9.39)]


def test_the_published_goodputs_use_the_link():
    claims = load_claims(study_file("ackclock.studies.bbr_share", "claims.toml"))
    for number in (1, 3, 5, 7, 9):
        bbr, cubic = (claims[f"ten-{who}-{number}"].published for who in ("bbr", "cubic"))
        assert (bbr, cubic) == (cells.REPLICATED["bbr"][number - 1], cells.REPLICATED["cubic"][number - 1])
        # 100 Mbit/s less headers; medians need not add up exactly.
        assert number * bbr + (10 - number) * cubic == pytest.approx(95.5, rel=0.02)
