"""The study calls-together: some cells on the real engine, and its verdicts and figures on made numbers."""

from typing import ClassVar

import numpy as np
import pytest

from ackclock.scenario import Text
from ackclock.studies import calls_together
from ackclock.studies.calls_together import cells, figures, measures, verdicts
from ackclock.studies.framework import Grid, Lab, Reading

STUDY = calls_together.STUDY
EXPERIMENTS = (cells.DISRUPTION, cells.TWO, cells.TCP, cells.FOUR)
MEASURES = (*verdicts.OF_DISRUPTION, "recovery_99_s", *verdicts.BESIDE, "jain")


def measured(cell, variants, without=None):
    measure = measures.disruption if cell.experiment == cells.DISRUPTION else measures.beside
    grid = Lab(without=without).grid(cells.readings(STUDY, [cell]), variants, [1], measure)
    return {one.name: {name: values[0] for name, values in grid.cells[cell.name, one.name].items()} for one in variants}


def test_a_call_falls_to_the_capacity_of_the_disruption_and_returns():
    cell = cells.Cell(cells.DISRUPTION, 0.25)
    found = measured(cell, cells.variants(cells.DISRUPTION)[:1])["gcc"]
    assert found["before_mbps"] == pytest.approx(1, abs=0.05)
    assert 0.15 < found["during_mbps"] <= 0.25
    assert 5 < found["recovery_90_s"] <= found["recovery_s"] <= found["recovery_99_s"] < 120


def test_flow_queueing_gives_a_call_its_half_beside_an_upload():
    found = measured(cells.Cell(cells.TCP, 1), cells.QUEUES)
    assert 35 < found["fq-codel"]["call_percent"] < 65
    assert found["codel"]["delay_mean_ms"] < found["drop-tail"]["delay_mean_ms"] - 50


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("no GCC", cells.Cell(cells.FOUR, 3)),
        ("one control", cells.Cell(cells.TWO, 1)),
        ("drop-tail", cells.Cell(cells.TCP, 1)),
    ],
)
def test_without_its_mechanism_all_variants_are_one_scenario(name, cell):
    variants = cells.variants(cell.experiment)[:2]
    found = measured(cell, variants, STUDY.nulls[name])
    assert found[variants[0].name] == found[variants[1].name]
    if name == "no GCC":
        # Four calls of 0.75 Mbit/s fill 3 Mbit/s, and none has more than another.
        assert found["gcc"]["spread"] < 1.1


def rates(*phases):
    """Rates five times in a second from phases of seconds and Mbit/s."""
    return np.concatenate([np.full(5 * seconds, mbps) for seconds, mbps in phases])


def test_a_call_has_returned_when_the_mean_over_five_seconds_has():
    steady = rates((120, 1), (30, 0.25), (10, 0.5), (110, 1))
    # From 160 s on, five seconds have to pass less those that the part leaves.
    assert measures.recovery(steady, 0.95) == pytest.approx(10 + 4.6)
    assert measures.recovery(steady, 1) == 15
    at_once = rates((120, 1), (30, 0.25), (120, 1))
    assert measures.recovery(at_once, 0.95) == 5
    # A spike before the capacity is back does not count, and one that is too short does not either.
    spike = rates((120, 1), (10, 2), (20, 0.25), (120, 0.5))
    assert measures.recovery(spike, 0.95) == 120


def test_buffers_are_times_at_the_rate_of_the_link():
    short, disruption = cells.readings(
        STUDY, [cells.Cell(cells.TCP, 0.5, cells.SHORT), cells.Cell(cells.DISRUPTION, 0.25, cells.LONG)]
    )
    assert short.overrides["bottleneck.queue"] == "6250B"
    assert cells.queue_without_discipline(short.overrides) == {"bottleneck.queue": "18750B"}
    assert disruption.overrides["bottleneck.queue"] == "75000B"
    assert cells.queue_without_discipline(disruption.overrides) == {}
    steps = disruption.overrides["bottleneck.rate"]["steps"]
    assert [(one["at"], one["rate"]) for one in steps] == [
        ("0s", "10000kbps"),
        ("120s", "250kbps"),
        ("150s", "10000kbps"),
    ]


def grids(*, quick):
    """Grids in which each measure has the place of its variant, from 1 on, and rates tell readings apart."""
    found = {}
    for experiment in EXPERIMENTS:
        wanted, variants = cells.wanted(experiment, quick=quick), cells.variants(experiment)
        values = {
            (cell.name, variant.name): {one: np.array([place + cell.rate] * 2) for one in MEASURES}
            for cell in wanted
            for place, variant in enumerate(variants, 1)
        }
        readings = tuple(Reading(one.name, Text("")) for one in wanted)
        seeds = {one.name: (1, 2) for one in wanted}
        found[experiment] = Grid(readings, variants, seeds, values)
    return found


def test_every_claim_that_can_be_asked_is_measured_where_it_is_made():
    results = verdicts.assess_claims(grids(quick=False), quick=False)
    found = {one.claim.id: one for one in results}
    low, levels = np.mean(cells.LOW), np.mean(cells.LEVELS)
    expected = {
        "recovery-least": 1 + levels,
        "recovery-most": 1 + levels,
        # The fourth pair has the largest share.
        "unfair": 4 + low,
        "prioritise": 1 + 3,
        "flow-queueing": 3 + low,
        "aqm-delay": 1,
        "aqm-loss": 3 + low,
    }
    measured = {name: one.measured.value for name, one in found.items() if one.measured is not None}
    assert measured == pytest.approx(expected)
    assert {found[name].verdict for name in set(found) - set(expected)} == {"not testable"}
    assert set(found["recovery-least"].readings) == {
        cells.MAIN, *(f"{rate:g} Mbit/s" for rate in cells.LEVELS), *cells.CHOICES[cells.DISRUPTION],
        *cells.CONTROLS[1:], *verdicts.DEFINITIONS,
    }  # fmt: skip
    beside_tcp = {cells.MAIN, "0.5 Mbit/s", "1 Mbit/s", *cells.CHOICES[cells.TCP]}
    assert set(found["aqm-delay"].readings) == beside_tcp
    # FQ-CoDel takes the place of the buffer.
    assert set(found["aqm-loss"].readings) == beside_tcp - {*cells.BUFFERS}
    assert set(found["prioritise"].readings) == {cells.MAIN, *cells.CHOICES[cells.FOUR], *cells.CONTROLS[1:]}
    kinds = found["recovery-least"].kinds
    assert [kinds[one] for one in ("nada", "90 % of the rate before", cells.SHORT)] == [
        "cell",
        "definition",
        "assumption",
    ]


class Samples:
    """Results with 25 samples of 200 ms, the last five of which make no whole mean."""

    call_rates: ClassVar = {"at_s": 0.2 * np.arange(1, 26), "received_bps": np.repeat([1e6, 3e6, 9e6], [10, 10, 5])}


def test_the_figures_and_the_tables_have_every_variant():
    made = grids(quick=True)
    assert all(len(one.rows) == len(made[name].readings) * len(made[name].variants) for name, one in zip(
        EXPERIMENTS, verdicts.sheets(made), strict=True
    ))  # fmt: skip
    run = calls_together.figures.over_time({"GCC": Samples}, 0.25, 1, "")
    assert run.series[0].x.tolist() == pytest.approx([2, 4])
    assert run.series[0].y.tolist() == pytest.approx([1, 3])
    two, tcp = figures.shares(made, "")
    assert [len(two.series), len(tcp.series)] == [len(cells.PAIRS), len(cells.QUEUES)]
    assert list(two.series[0].x) == list(cells.LOW)
