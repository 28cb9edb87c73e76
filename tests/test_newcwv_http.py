"""The study newcwv-http on the real engine, at a size of seconds, and its measures on made tables."""

import math

import pytest

from ackclock.result import Result
from ackclock.studies import newcwv_http
from ackclock.studies.claims import load_claims
from ackclock.studies.newcwv_http import measures
from ackclock.studies.newcwv_http.readings import LOADS, MAIN, readings, vectors_name
from ackclock.studies.study import page
from tests.conftest import make_table

SEEDS = 8


@pytest.fixture(scope="module")
def study():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(newcwv_http, "readings", lambda folder: readings(folder)[:1])
        patch.setattr(newcwv_http, "QUICK_REPLICATIONS", SEEDS)
        return newcwv_http.reproduce(quick=True)


def test_every_claim_is_judged_against_both_controls(study):
    assert [one.claim.id for one in study.claims] == list(
        load_claims(page("ackclock.studies.newcwv_http", "claims.toml"))
    )
    for one in study.claims:
        assert one.measured.n == SEEDS
        assert list(one.readings) == [MAIN, f"{MAIN}; RFC 5681's NewReno"]


@pytest.mark.parametrize("claim", ["newcwv-loses-more", "pacing-faster", "larger-gain-more-pacing"])
def test_the_stable_claims_hold(study, claim):
    assert {one.claim.id: one for one in study.claims}[claim].verdict == "reproduced"


def test_the_report_has_its_figures_and_all_vectors(study, tmp_path):
    study.write(tmp_path)
    assert (tmp_path / "report.html").read_text().count('class="intervals"') == 2
    names = {path.name for path in tmp_path.glob("*.cvec")}
    assert names == {vectors_name(load, seed) for load in LOADS for seed in range(1, SEEDS + 1)}


def test_each_replication_has_its_own_traffic(study):
    runs = next(sheet for sheet in study.sheets if sheet.name == "runs")
    drops = runs.columns.index("drops")
    variant = runs.columns.index("variant")
    assert len({row[drops] for row in runs.rows if row[variant] == "newcwv"}) > SEEDS / 2


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
