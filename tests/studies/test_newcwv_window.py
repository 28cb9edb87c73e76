"""The window claims of newcwv-dash on made numbers, both readings beside each other, and what removes newCWV."""

import numpy as np
import pytest

from ackclock.results.result import Result
from ackclock.stats import Estimate
from ackclock.studies import newcwv_dash, newcwv_http, newcwv_sharing
from ackclock.studies.framework import Claim, Grid, Reading, assess, side_sheet
from ackclock.studies.framework.setups.newcwv import NEWCWV, NEWRENO, PACED, TEXTBOOK, newcwv_off, pacing_off
from ackclock.studies.newcwv_dash import measures, window
from ackclock.studies.newcwv_dash.readings import FLAWED, flaw_mended, idle_rules_off
from tests.helpers.tables import make_table


def test_oscillation_is_the_deviation_over_time_and_the_way_up_and_down():
    # 10 for 3 s, then 30 for 1 s: a mean of 15, a variance of (3 * 25 + 225) / 4 = 75, and a way of 20 + 10 in 4 s.
    table = make_table(time_s=[0.0, 3.0, 4.0], cwnd=[10, 30, 20])
    deviation, travelled = measures.oscillation(Result({"seed": 1}, {"window": table}))
    assert deviation == pytest.approx(75**0.5 / 15)
    assert travelled == pytest.approx(30 / 4 / 15)


def test_the_window_of_a_limited_sender_is_read_against_its_data():
    table = make_table(
        time_s=[5.0, 30.0, 40.0, 50.0], cwnd=[99_000, 40_000, 40_000, 42_000], srtt_ms=[1.0] + [200.0] * 3
    )
    measured = window.measure(Result({"seed": 1}, {"window": table}))
    # 800 kbit/s are 20 kB in 200 ms.
    assert measured == {"times_rate": pytest.approx(2), "moved": pytest.approx(0.05), "after_loss": 0.0}


def test_the_window_after_a_loss_is_read_before_the_next_burst():
    table = make_table(time_s=[6.0, 6.8, 7.1], cwnd=[999, 18 * 1448, 999], srtt_ms=[200.0] * 3)
    assert window.measure(Result({"seed": 1, "duration_s": 8.0}, {"window": table}))["after_loss"] == 18
    assert window.measure(Result({"seed": 1, "duration_s": 8.2}, {"window": table}))["after_loss"] == 999 / 1448


def test_the_worst_loss_decides():
    names = [
        *map(window.name_of, window.LOST),
        window.LIMITED,
        window.LIMITED.replace("round trip", "one-way"),
        window.SLOWLY,
    ]
    after = {window.name_of(1): 19.5, window.name_of(4): 18.0, window.name_of(10): 12.0}
    cells = {
        (name, NEWCWV.name): {
            "times_rate": np.array([2.5, 2.5]),
            "moved": np.array([0.0, 0.0]),
            "after_loss": np.array([after.get(name, 0.0)] * 2),
        }
        for name in names
    }
    found = window.estimates(Grid(tuple(Reading(name, None) for name in names), (NEWCWV,), {}, cells))
    away = found["loss-not-validated"]
    assert {name: one.value for name, one in away.items()} == {
        window.WORST: pytest.approx(0.2),
        window.name_of(1): 0,
        window.name_of(4): 0,
        window.name_of(10): pytest.approx(0.2),
    }
    assert found["window-twice-rate"][window.SLOWLY].value == 2.5


def test_the_experiments_lose_as_many_segments_as_they_say():
    lists = [
        one.overrides["bottleneck.loss"]["packets"] for one in window.readings() if "bottleneck.loss" in one.overrides
    ]
    assert [len(one) for one in lists] == list(window.LOST) * 2
    firsts = [window.FIRST_LOST] * 3 + [window.FIRST_LOST + window.MORE * window.BURST] * 3
    assert all(one[0] == first and one[-1] < first + window.BURST for first, one in zip(firsts, lists, strict=True))


@pytest.mark.parametrize(
    ("remove", "variant", "left"),
    [
        (newcwv_off, NEWCWV, {"flows[0].validation": "rfc2861-linux", "flows[0].pacing": "off"}),
        (newcwv_off, PACED, {"flows[0].validation": "rfc2861-linux", "flows[0].pacing": "off"}),
        (newcwv_off, TEXTBOOK, {"flows[0].pacing": "off"}),
        (pacing_off, PACED, {"flows[0].pacing": "off"}),
        (idle_rules_off, NEWRENO, {"flows[0].validation": "none", "flows[0].restart_after_idle": "off"}),
        (idle_rules_off, NEWCWV, {}),
        (flaw_mended, FLAWED, {"flows[0].restart_after_idle": "rfc5681"}),
        (flaw_mended, NEWCWV, {}),
    ],
)
def test_what_removes_a_mechanism(remove, variant, left):
    assert remove(variant.overrides) == left


@pytest.mark.parametrize("study", [newcwv_dash, newcwv_http, newcwv_sharing], ids=lambda one: one.STUDY.slug)
def test_without_newcwv_its_variants_are_the_control(study):
    assert next(iter(study.STUDY.nulls)) == "newCWV off"


def test_two_readings_of_a_setting_stand_beside_each_other():
    claim = Claim("a", "it rises", "p", "more", "above", unit="%")
    measured = {"main, 200 ms round trip": Estimate(2, 1, 3, 9), "main, 200 ms one-way": Estimate(-2, -3, -1, 9)}
    result = assess(claim, measured, "main, 200 ms round trip")
    sheet = side_sheet([result], "200 ms round trip", "200 ms one-way", lambda _: "main, 200 ms round trip")
    assert sheet.rows == [["it rises", "%", 2, 1, 3, "reproduced", -2, -3, -1, "not reproduced"]]
    alone = side_sheet([result], "200 ms round trip", "200 ms one-way", lambda _: "all cells")
    assert alone.rows == [], "a claim that does not depend on the setting"
