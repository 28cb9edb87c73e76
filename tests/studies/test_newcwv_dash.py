"""The study newcwv-dash on the real engine, at a size of seconds: its stable claims, and what it writes."""

import json

import pytest

from ackclock.studies import newcwv_dash
from ackclock.studies.framework import Lab
from ackclock.studies.framework.setups.newcwv_2014 import in_rfc
from ackclock.studies.newcwv_dash import verdicts, window
from ackclock.studies.newcwv_dash.readings import MAIN, OTHER_DELAY

pytestmark = pytest.mark.slow

AGREEING = MAIN
"""The reading under which all claims of the slides hold, with the rate of downloads."""

CONTENDED = "10 Mbit/s, 5 clients, hybrid"
"""The cell of the retracted study with the least noise, so that fifteen replications tell."""


@pytest.fixture(scope="module")
def result():
    with pytest.MonkeyPatch.context() as patch:
        chosen = [reading for reading in newcwv_dash.readings() if reading.name in (MAIN, OTHER_DELAY)]
        patch.setattr(newcwv_dash, "readings", lambda: chosen)
        cells = [cell for cell in newcwv_dash.retracted_readings() if cell.name == CONTENDED]
        patch.setattr(newcwv_dash, "retracted_readings", lambda: cells)
        patch.setattr(newcwv_dash, "QUICK_REPLICATIONS", 15)
        return newcwv_dash.STUDY.reproduce(Lab(quick=True))


def claims_of(result):
    return {one.claim.id: one for one in result.claims}


def test_every_claim_is_judged(result):
    assert len(result.claims) == 19
    assert all(one.measured is not None and one.measured.n == 15 for one in result.claims)
    assert all(one.readings for one in result.claims)


@pytest.mark.parametrize(
    "claim",
    [
        "newcwv-burst-losses",
        "newreno-collapses",
        "pacing-removes-losses",
    ],
)
def test_the_stable_claims_hold_in_the_main_reading(result, claim):
    assert claims_of(result)[claim].verdict == "reproduced"


def test_the_lower_rate_of_newcwv_is_lower_still_one_way(result):
    one, _ = claims_of(result)["newcwv-lowers"].readings[f"{OTHER_DELAY}; level; Linux's NewReno"]
    assert one.value < -2


def test_pacing_at_twice_the_rate_spreads_a_burst_over_half_of_what_was_published(result):
    spread = claims_of(result)["pacing-spreads"]
    assert spread.verdict == "split"
    assert spread.measured.value == pytest.approx(0.63, abs=0.03)
    (kernel,) = spread.beside
    assert spread.readings[kernel][0].value == pytest.approx(0.49, abs=0.02)


def test_the_window_after_a_loss_is_half_of_what_was_used_less_what_was_sent_again(result):
    away = claims_of(result)["loss-not-validated"]
    assert (away.verdict, away.cause) == ("not reproduced", "shown")
    assert away.readings[in_rfc(window.WORST)][0].value == pytest.approx(0, abs=0.01)
    rounded = away.readings[window.later(window.WORST)][0].value
    assert rounded == pytest.approx(0.5 / 19.5), "the module counts whole segments"


def test_the_window_overshoots_twice_the_data_rate_unless_the_sender_has_sent_before(result):
    twice = claims_of(result)["window-twice-rate"]
    assert (twice.verdict, twice.cause) == ("not reproduced", "shown")
    assert claims_of(result)["more-stable"].verdict == "reproduced"


@pytest.mark.parametrize("claim", ["newreno-segment-rate", "newcwv-segment-rate", "newcwv-pacing-segment-rate"])
def test_the_rates_depend_on_the_unknowns(result, claim):
    one = claims_of(result)[claim]
    assert one.verdict == "not reproduced"
    assert any(name.startswith(f"{AGREEING}; download") for name in one.holds_under)


def test_one_reading_agrees_with_all_claims_of_the_slides(result):
    agreeing, count = verdicts.closest(result.claims)
    assert agreeing.startswith(f"{AGREEING}; download; ")
    assert count == len(verdicts.SLIDES)
    assert agreeing in result.findings


def test_the_retracted_benefit_is_the_flawed_controls(result):
    claims = claims_of(result)
    flawed, corrected = claims["retracted-switches"], claims["retraction-switches"]
    assert flawed.verdict == "withdrawn"
    assert flawed.measured.high < 0, "fewer switches than the control that forgets its ssthresh"
    assert corrected.verdict == "reproduced", "no fewer than the one that does not"
    assert corrected.measured.value > flawed.measured.high


def test_the_window_is_left_alone_exactly_and_collapses_to_the_restart_window(result):
    claims = claims_of(result)
    assert claims["newcwv-freezes"].measured.value == 1.0
    assert 0.2 < claims["newreno-collapses"].measured.value < 0.5


def test_what_is_written_repeats_the_figures(result, tmp_path):
    result.write(tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert {"report.html", "verdicts.json", "readings.csv", "runs.csv", "retracted.csv", "scenario.toml"} <= names
    document = json.loads((tmp_path / "verdicts.json").read_text())
    assert [claim["id"] for claim in document["claims"]] == [one.claim.id for one in result.claims]
    page = (tmp_path / "report.html").read_text()
    assert page.count("data-plot=") == 3
    assert "Congestion window, newCWV off" in page
    assert page.count('class="intervals"') == 9
    assert "ackclock run scenario.toml --seed 1" in page
