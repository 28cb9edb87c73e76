"""The study response-functions on the real engine, at a size of seconds, and its closed forms."""

import numpy as np
import pytest

from ackclock.results.result import Result
from ackclock.studies import response_functions
from ackclock.studies.framework import Lab
from ackclock.studies.response_functions import cells, figures, verdicts
from tests.helpers.records import held_without_its_mechanism
from tests.helpers.tables import make_table


@pytest.fixture(scope="module")
def study():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells, "ASSUMPTIONS", cells.ASSUMPTIONS[:1])
        patch.setattr(verdicts, "ASSUMPTIONS", cells.ASSUMPTIONS)
        return response_functions.STUDY.reproduce(Lab(quick=True))


def claims_of(study):
    return {one.claim.id: one for one in study.claims}


@pytest.mark.parametrize(
    "claim", ["reno-1e-3", "reno-1e-4", "cubic-1e-3", "cubic-1e-4", "highspeed-1e-3", "highspeed-1e-4", "mathis"]
)
def test_windows_of_the_tables(study, claim):
    holds_without = claim in held_without_its_mechanism(response_functions.STUDY)
    assert claims_of(study)[claim].verdict == ("illustration" if holds_without else "reproduced")


@pytest.mark.parametrize("claim", ["reno-1e-2", "cubic-1e-2", "highspeed-1e-2", "scalable-1e-4"])
def test_windows_that_the_formulas_do_not_tell(study, claim):
    assert claims_of(study)[claim].verdict == "not reproduced"


def test_a_round_trip_of_recovery_explains_scalable(study):
    # Peak w of a cycle of N packets: (1-b)w of them are sent in recovery, without growth, the others add a each.
    n, a, b = 10_000, 0.01, 0.125
    rounds = np.log(1 / (1 - b)) / np.log(1 + a) + 1
    assert claims_of(study)["scalable-1e-4"].measured.value == pytest.approx(n / rounds, rel=0.03)


def test_a_quick_run_leaves_the_smallest_rates_untested(study):
    assert {one.claim.id[-4:] for one in study.claims if one.verdict == "not testable"} == {"1e-5", "1e-6"}


def test_the_report_has_its_figures(study, tmp_path):
    study.write(tmp_path)
    assert (tmp_path / "report.html").read_text().count("data-plot=") == 4
    assert {path.name for path in tmp_path.iterdir()} >= {"verdicts.json", "windows.csv", "scenario.toml"}


def losses(*times, timeout=None):
    events = ["recovery_started"] * len(times)
    if timeout is not None:
        times, events = [*times, timeout], [*events, "timeout"]
    return Result({}, {"events": make_table(time_s=list(times), flow=["f"] * len(times), event=events)})


def test_a_cycle_carries_a_period_of_packets():
    # 1000 packets in 2 s and in 5 s of 0.1 s a round trip.
    assert cells.cycle_windows(losses(1.0, 3.0, 8.0), 1000) == pytest.approx([50, 20])
    with pytest.raises(ValueError, match="timeout"):
        cells.cycle_windows(losses(1.0, 3.0, timeout=4.0), 1000)


def test_formulas_are_those_of_the_tables():
    reno, cubic, highspeed, scalable = (one.window for one in cells.ALGORITHMS)
    assert [round(reno(10.0**-e)) for e in (2, 3, 4, 5, 6)] == [12, 38, 120, 379, 1200]
    assert [round(cubic(10.0**-e)) for e in (2, 3, 4, 5, 6)] == [12, 38, 187, 1054, 5927]
    assert [highspeed(10.0**-e) for e in (4, 5, 6)] == pytest.approx([263, 1795, 12280], rel=0.01)
    assert scalable(1e-6) == pytest.approx(80_000)


def test_the_way_to_the_cycle_is_long(study):
    plot = next(one for one in study.figures if "way" in one.title)
    for series in plot.series[: len(figures.WAYS)]:
        last = np.mean(series.y[-10:])
        assert 0.9 < last / plot.series[-1].y[0] < 1
