"""The authors' traffic generator and their forms of newCWV in the study newcwv-http."""

import itertools

import numpy as np
import pytest

from ackclock._core import Cancel
from ackclock.engine.run import Job, run_job
from ackclock.scenario import override_pairs
from ackclock.scenario.traffic import tmix
from ackclock.studies.framework import Grid
from ackclock.studies.framework.setups.http_vectors import vectors_folder
from ackclock.studies.framework.setups.newcwv import NEWRENO
from ackclock.studies.framework.setups.newcwv_2014 import FORMS, MODULE_2013, MODULE_PACED
from ackclock.studies.newcwv_http import authors
from ackclock.studies.newcwv_http.generator import LOADS, captured, draw, generated, generated_name


def test_the_capture_has_requests_and_answers_in_turn():
    connections = captured()
    assert len(connections) == 81
    assert sum(unit.size for one in connections for unit in one if not unit.initiator) == 2_754_947
    for units in connections:
        assert [unit.initiator for unit in units] == [True, False] * (len(units) // 2)
        assert all(unit.wait_us == 0 for unit in units if not unit.initiator), "the server answers at once"
        assert units[0].wait_us == 0
    assert connections[0] == (
        *(tmix.Unit(True, 200), tmix.Unit(False, 2358)),
        *(tmix.Unit(True, 788, 17_152), tmix.Unit(False, 477)),
    )


def test_a_request_without_an_answer_is_left_out():
    assert captured()[27] == (
        *(tmix.Unit(True, 190), tmix.Unit(False, 2504)),
        *(tmix.Unit(True, 1993, 28_608), tmix.Unit(False, 440)),
    )


def test_connections_are_drawn_with_replacement_to_a_load():
    drawn = draw(270, seed=3, load=0.54)
    assert drawn == draw(270, seed=3, load=0.54)
    assert drawn != draw(270, seed=4, load=0.54)
    assert 0 < drawn[0].start_us < drawn[-1].start_us < 270e6
    taken = {one.units for one in drawn}
    assert taken <= set(captured())
    assert len(taken) < len(drawn)
    for load in LOADS.values():
        offered = [
            sum(unit.size for one in draw(10_000, seed=seed, load=load) for unit in one.units if not unit.initiator)
            for seed in range(5)
        ]
        assert 8 * np.mean(offered) / 10_000 == pytest.approx(load * 1e6, rel=0.05)


def test_the_server_answers_at_once_and_the_client_waits_between_exchanges():
    suffix = "-light"
    files = generated([1], [suffix])
    with vectors_folder(files) as folder:
        reading = next(one for one in authors.readings(folder) if one.name.endswith("light"))
        overrides = {**reading.overrides, **NEWRENO.overrides, "duration": "40s"}
        job = Job(reading.scenario, tuple(override_pairs(overrides)), 1)
        result = run_job(job, Cancel(), lambda fraction: None)
    drawn = draw(270, seed=1, load=LOADS[suffix])
    by_connection = itertools.groupby(
        sorted(result.tmix_epochs.rows(), key=lambda row: (row["connection"], row["index"])),
        key=lambda row: row["connection"],
    )
    waits = 0
    for number, epochs in by_connection:
        for before, after in itertools.pairwise(epochs):
            wait_s = drawn[number].units[2 * after["index"]].wait_us / 1e6
            assert after["start_s"] - before["end_s"] == pytest.approx(wait_s, abs=2e-6)
            waits += 1
    assert waits > 20
    assert result.tmix_epochs["duration_s"].min() > 0.2, "a round trip"
    assert generated_name(suffix, 1) in files


def test_the_forms_switch_off_what_the_authors_switched_off():
    for overrides, rule in [(MODULE_PACED.overrides, "newcwv-2014"), (MODULE_2013.overrides, "newcwv-2013")]:
        assert overrides["flows[0].validation"] == rule
        assert overrides["flows[0].frto"] is False
    assert [variant.name for variant in FORMS["newcwv-2014"]] == [
        "newcwv-2014",
        "newcwv-2014-pacing",
        "newcwv-2014-spread",
    ]
    assert len({variant.name for variant in authors.COMPARED}) == len(authors.COMPARED) == 10


def test_every_form_with_every_pacing_answers_a_claim():
    assert authors.claimed(paced=False) == {
        "": "newcwv-2014",
        "; RFC 7661": "newcwv",
        "; newcwv-2013": "newcwv-2013",
    }
    paced = authors.claimed(paced=True)
    assert paced["; RFC 7661"] == "newcwv-pacing"
    assert paced["; newcwv-2013; paced over an SRTT"] == "newcwv-2013-spread"
    assert len(paced) == 6


def test_the_sheet_compares_every_form_with_newreno():
    generator = np.random.default_rng(7)
    readings = authors.readings("")[:1]
    cells = {
        (readings[0].name, variant.name): {
            name: generator.uniform(1, 3, 4) for name in ("loss_percent", "all_s", "every_s")
        }
        for variant in authors.COMPARED
    }
    sheet = authors.sheet(Grid(tuple(readings), authors.COMPARED, {}, cells))
    assert [row[1:3] for row in sheet.rows] == [[form, pacing] for form in FORMS for pacing in authors.PACINGS]
    assert {len(row) for row in sheet.rows} == {len(sheet.columns)}
    theirs = cells[readings[0].name, "newreno"]
    mine = cells[readings[0].name, "newcwv-2013-pacing"]
    (row,) = (row for row in sheet.rows if row[1:3] == ["newcwv-2013", "FQ of Linux 3.12"])
    assert row[3] == pytest.approx(theirs["loss_percent"].mean())
    assert row[4] == pytest.approx(100 * (mine["loss_percent"].mean() / theirs["loss_percent"].mean() - 1))
    assert row[7] == pytest.approx(100 * (np.exp(np.log(mine["all_s"] / theirs["all_s"]).mean()) - 1))
    assert row[-1] == pytest.approx(100 * (np.exp(np.log(mine["every_s"] / theirs["every_s"]).mean()) - 1))
