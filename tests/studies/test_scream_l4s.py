"""The study scream-l4s: some cells on the real engine, and its verdicts and figures on made numbers."""

import numpy as np
import pytest

from ackclock.scenario import Text
from ackclock.studies import scream_l4s
from ackclock.studies.framework import Grid, Lab, Reading
from ackclock.studies.scream_l4s import cells, figures, verdicts

STUDY = scream_l4s.STUDY
ALONE = cells.Tested(cells.EVEN, 25, 0)
BESIDE = cells.Tested(cells.VARYING, 25, 2)
RAMP = cells.Example("ramp")
TESTED = ("call_mbps", "used_percent", "jain")
COMPARED = (*verdicts.MEASURES, "step_jitter_ms", "jain", "queue_p95_ms")


@pytest.fixture(scope="module")
def tests():
    return Lab().grid(cells.tested_readings(STUDY, [ALONE, BESIDE]), [cells.L4S], [1, 2], cells.measure_tested)


@pytest.fixture(scope="module")
def compared():
    return Lab().grid(cells.example_readings(STUDY, [RAMP]), cells.COMPARED[:2], [1], cells.measure_example)


def test_a_call_alone_leaves_a_part_of_the_link_and_a_short_queue(tests):
    assert 60 < tests.mean(ALONE.name, "l4s", "call_mbps").value < 80
    # The step marks from 1 ms on.
    assert 0 < tests.mean(ALONE.name, "l4s", "queue_p95_ms").value < 1.5
    assert tests.values(ALONE.name, "l4s", "other_mbps").tolist() == [0, 0]


def test_flows_of_prague_share_the_link_with_the_call(tests):
    call, prague = (tests.mean(BESIDE.name, "l4s", one).value for one in ("call_mbps", "other_mbps"))
    assert 5 < call < 50
    # Rates of TCP are those of the payload.
    assert 85 < call + 2 * prague <= 100


def test_marks_shorten_the_queue_and_lower_the_rate(compared):
    mean = {one.name: compared.mean(RAMP.name, one.name, "queue_mean_ms").value for one in cells.COMPARED[:2]}
    assert mean["l4s"] < 3 < 10 < mean["none"]
    rate = {one.name: compared.values(RAMP.name, one.name, "call_mbps")[0] for one in cells.COMPARED[:2]}
    assert rate["l4s"] < rate["none"] < 50
    assert compared.values(RAMP.name, "none", "marks_per_rtt")[0] == 0
    assert 1 < compared.values(RAMP.name, "l4s", "marks_per_rtt")[0] < 3


@pytest.mark.parametrize("name", ["no L4S", "no SCReAM"])
def test_a_mechanism_is_removed(name):
    lab = Lab(without=STUDY.nulls[name])
    two = cells.Example("two calls")
    grid = lab.grid(cells.example_readings(STUDY, [two]), cells.COMPARED[:2], [1], cells.measure_example)
    values = [grid.values(two.name, one.name, "call_mbps")[0] for one in cells.COMPARED[:2]]
    if name == "no L4S":
        assert values[0] == values[1]
        assert grid.values(two.name, "l4s", "marks_per_rtt")[0] == 0
    else:
        # A call of 200 Mbit/s fills the link of 50 Mbit/s.
        assert values[0] > 45


def test_frame_sizes_are_uniform_within_half_of_the_mean():
    [trace] = cells.FRAMES[cells.VARYING]["trace"]
    sizes = [float(one.removesuffix("B")) for one in trace["sizes"]]
    # 1 Mbit/s with 50 frames in a second.
    assert np.mean(sizes) == pytest.approx(2500, abs=1)
    assert 1250 <= min(sizes) < 1270
    assert 3730 < max(sizes) <= 3750
    counts, _ = np.histogram(sizes, bins=4, range=(1250, 3750))
    assert counts.tolist() == [50] * 4


def test_choices_replace_what_the_test_leaves_open():
    [reading] = cells.tested_readings(STUDY, [cells.Tested(cells.EVEN, 5, 3, cells.HEADROOM)])
    assert reading.overrides["flows[1].count"] == 3
    assert reading.overrides["bottleneck.reverse_delay"] == "5ms"
    control = reading.overrides["flows[0].app.control"]
    assert (control["packet_pacing_headroom"], control["mul_increase_factor"]) == (1.1, 0.05)


def made(names, variants, measures, value):
    """A grid in which `value` gives each number from the names of reading, variant and measure."""
    readings = tuple(Reading(name, Text("")) for name in names)
    found = {
        (name, variant.name): {one: np.array([value(name, variant.name, one)] * 2) for one in measures}
        for name in names
        for variant in variants
    }
    return Grid(readings, tuple(variants), dict.fromkeys(names, (1, 2)), found)


def of_test(rate):
    """A grid of the test with the rate that a function gives for each cell."""
    tested = cells.tested(quick=False)
    by_name = {one.name: one for one in tested}

    def value(name, _, measure):
        return rate(by_name[name]) if measure == "call_mbps" else 70.0

    return made(by_name, [cells.L4S], TESTED, value), tested


def of_examples():
    place = {"l4s": 1.0, "none": 2.0, "version 1": 3.0}

    def value(name, variant, measure):
        return 4.0 if (measure, name) == ("call_mbps", cells.Example("ramp", cells.EVEN).name) else place[variant]

    lists = (cells.examples(), cells.other_examples())
    return [(made([one.name for one in found], cells.COMPARED, COMPARED, value), found) for found in lists]


def assessed(rate):
    results = verdicts.assess_claims([of_test(rate)], of_examples())
    return {one.claim.id: one for one in results}


def published(cell):
    if cell.choice != cells.MAIN:
        return 90.0
    return float(verdicts.PUBLISHED[cell.frames, cell.rtt][cell.tcps])


def test_the_published_tables_reproduce_their_claims():
    found = assessed(published)
    numbers = {"even": (75.5, 55, 39.75, 30.5, 24.25), "varying": (65.5, 49, 38.5, 27.75, 19.75)}
    for frames, means in numbers.items():
        for count, mean in enumerate(means):
            result = found[f"{frames}-{count}"]
            assert result.measured.value == pytest.approx(mean) == result.claim.published
            assert result.verdict == "reproduced"
            assert result.claim.tolerance == pytest.approx(0.05 * mean, abs=0.05)
    expected = {
        "same-over-rtts": 50.6 / 40.6,
        "underuse": 70,
        "underuse-by-headroom": 75.5 - 90,
        "more-than-fair": 1.168,
        "lower-varying": -10,
        "robust": 0.9,
    }
    measured = {name: found[name].measured.value for name in expected}
    assert measured == pytest.approx(expected, abs=0.002)
    assert {found[name].verdict for name in expected} == {"reproduced"}
    assert found["fairer-varying"].verdict == "reproduced"


def test_the_fair_share_is_neither_more_than_fair_nor_lower_with_varying_frames():
    found = assessed(lambda cell: cells.fair_mbps(cell.tcps))
    assert found["more-than-fair"].verdict == found["lower-varying"].verdict == "not reproduced"
    assert found["fairer-varying"].measured.value == 0


def test_every_claim_is_measured_where_it_is_made():
    found = assessed(published)
    levels = {"two-marks": 1, "milliseconds": 1, "step-low": 1, "two-fair": 1}
    differences = dict.fromkeys(
        ["delay-ramp", "delay-dualpi2", "rate-lower", "step-delay", "step-jitter", "step-rate"], -1
    )
    others = {"rate-kept": 50, "smaller-variations": 3}
    measured = {name: found[name].measured.value for name in (*levels, *differences, *others)}
    assert measured == pytest.approx({**levels, **differences, **others})
    assert found["microbursts-mark"].verdict == "not testable"
    assert found["two-marks"].kinds["DualPI2"] == "cell"
    encoders = {cells.MAIN, cells.EVEN, cells.VARYING, cells.OCTOBER}
    assert set(found["step-low"].readings) == encoders


def test_other_readings_of_the_test_are_beside_the_main_one():
    chosen = cells.chosen()
    other = made([one.name for one in chosen], [cells.L4S], TESTED, lambda *_: 20.0)
    results = verdicts.assess_claims([of_test(published), (other, chosen)], of_examples())
    found = {one.claim.id: set(one.readings) for one in results}
    assert found["even-1"] == {cells.MAIN, *cells.CHOICES} - {cells.HEADROOM}
    # Prague's pacing has nothing to do with a call alone.
    assert found["even-0"] == found["even-1"] - {"Prague without pacing"}


def test_the_figures_and_the_tables_have_every_cell():
    grid, tested = of_test(published)
    (compared, examples), (others, _) = of_examples()
    figure = figures.rates(grid, tested, "")
    assert len(figure.series) == 5
    assert figure.series[0].y == pytest.approx(figure.series[1].y)
    assert len(figures.delays(compared, examples, "").rows) == 3 * len(cells.KINDS)
    rows = verdicts.tests_sheet(grid, tested).rows
    assert len(rows) == 2 * len(verdicts.PUBLISHED)
    assert rows[0][3:] == list(rows[1][3:])
    assert len(verdicts.examples_sheet([compared, others]).rows) == 3 * (len(examples) + len(cells.other_examples()))
