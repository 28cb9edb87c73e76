"""The study munir-fairness on the real engine, at a size of seconds, and its measures on made tables."""

import numpy as np
import pytest

from ackclock.results.result import Result
from ackclock.studies import munir_fairness
from ackclock.studies.framework import Lab, load_claims, study_file
from ackclock.studies.munir_fairness import measures, readings
from tests.helpers.tables import make_table

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def study():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(munir_fairness, "QUICK_S", 12)
        patch.setattr(munir_fairness, "DRAWN_S", 11)
        patch.setattr(readings, "SETS", readings.SETS[:2])
        patch.setattr(readings, "OTHER_SETS", readings.SETS[1:2])
        patch.setattr(readings, "QUICK_CHOICES", {readings.SHORT: {}})
        return munir_fairness.STUDY.reproduce(Lab(quick=True))


def test_the_disowned_rows_are_withdrawn_and_measured_all_the_same(study):
    claims = {one.claim.id: one for one in study.claims}
    assert {name for name, one in claims.items() if one.verdict == "withdrawn"} == {"cubic", "ctcp"}
    assert all(one.measured is not None and len(one.readings) == 3 for one in study.claims)


def test_groups_share_the_link(study):
    claims = {one.claim.id: one for one in study.claims}
    parts = [claims[name].measured.value for name in readings.GROUPS]
    assert sum(parts) == pytest.approx(claims["sum"].measured.value)
    assert 0 < sum(parts) < 1000


def test_the_report_has_its_figures(study, tmp_path):
    study.write(tmp_path)
    text = (tmp_path / "report.html").read_text()
    assert (text.count("data-plot="), text.count('class="intervals"')) == (1, 1)
    assert {path.name for path in tmp_path.iterdir()} >= {"verdicts.json", "shares.csv", "scenario.toml"}


def test_the_published_rows_add_up():
    claims = load_claims(study_file("ackclock.studies.munir_fairness", "claims.toml"))
    assert sum(claims[name].published for name in readings.GROUPS) == pytest.approx(claims["sum"].published)


def made(**tables):
    return Result({"duration_s": 10.0}, tables)


def test_goodput_is_counted_with_headers_by_group():
    # 1460 bytes of payload are 1500 on the link: 12 kbit a segment, 1000 of them in 10 s are 1.2 Mbit/s.
    flows = make_table(
        flow=["cubic.0", "cubic.1", "bic.0", "ctcp.0", "newreno.0"],
        bytes_delivered=[1_460_000, 1_460_000, 4_380_000, 0, 1_460_000],
        timeouts=[1, 2, 0, 0, 4],
    )
    links = make_table(link=["bottleneck"], utilisation=[0.5], drop_rate=[0.01], packets=[6000])
    measured = measures.aggregates(made(flows=flows, links=links))
    assert [measured[f"{name}_mbps"] for name in readings.GROUPS] == pytest.approx([2.4, 3.6, 0, 1.2])
    assert measured["newreno_over_least"] == pytest.approx(1.2)
    assert (measured["sum_mbps"], measured["timeouts"]) == (pytest.approx(7.2), 7)
    assert measured["utilisation_percent"] == 50


def test_windows_are_added_up_as_they_stood():
    window = make_table(
        time_s=[1.0, 2.0, 6.0],
        flow=["cubic.0", "cubic.1", "cubic.0"],
        cwnd=[14_600, 29_200, 1_460],
    )
    times, totals = measures.total_windows(made(window=window), 2.5)
    assert np.array_equal(times, [2.5, 5.0, 7.5])
    assert np.array_equal(totals["cubic"], [30, 30, 21])
    assert np.array_equal(totals["bic"], [0, 0, 0])
