"""Tables for papers, typeset by LaTeX with booktabs and siunitx, and read off the page."""

import pytest

import ackclock
from ackclock.cli import main
from ackclock.sweeps.vary import Points
from tests.helpers.tex import needs_tex, typeset

pytestmark = needs_tex

SCENARIO = """
name = "paper"
duration = "3s"

[bottleneck]
rate = "8Mbps"
delay = "10ms"
queue = "1bdp"

[[flows]]
name = "long-50"
cc = "reno"
app = "bulk"
start_jitter = "300ms"

[[flows]]
name = "rival"
cc = "cubic"
app = "bulk"
start_jitter = "300ms"
"""
GOODPUT, TIMEOUTS, DELAY = "flows[long-50].goodput_bps", "flows.timeouts", "flows.srtt_ms"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A population of two rates, each with two congestion controls."""
    out = tmp_path_factory.mktemp("store") / "store"
    points = [{"bottleneck.rate": "2Mbps", "weight": 0.25}, {"bottleneck.rate": "8Mbps", "weight": 0.75}]
    vary = {"flows.long-50.cc": ["reno", "cubic"]}
    ackclock.sweep(SCENARIO, Points(points, vary), seeds=5, out=out).close()
    return out


def shown_as(text, value):
    """Whether a text is a number with its last digit rounded."""
    decimals = len(text.strip().partition(".")[2])
    return float(text.replace("\u2212", "-")) == pytest.approx(value, abs=0.51 * 10**-decimals)


def test_export_is_typeset_with_units_and_numbers_of_the_store(store, tmp_path):
    target = tmp_path / "points.tex"
    assert main(["export", str(store), "--of", GOODPUT, "--of", DELAY, "--out", str(target)]) == 0
    head, *rows = typeset(target.read_text(encoding="utf-8"), tmp_path)
    assert head[2:] == ["Goodput of long-50 (Mbit/s)", "Smoothed round-trip time per flow (ms)"]
    with ackclock.open(store) as opened:
        estimates = {of: opened.estimates(of) for of in (GOODPUT, DELAY)}
        of_all = {of: opened.population(of) for of in (GOODPUT, DELAY)}
    expected = [list(one.params.values()) for one in estimates[GOODPUT]]
    assert [row[:2] for row in rows] == [*expected, ["population", "reno"], ["population", "cubic"]]
    for column, (of, factor) in enumerate(((GOODPUT, 1e-6), (DELAY, 1.0)), 2):
        found = [*(one.estimate for one in estimates[of]), *(one.estimate for one in of_all[of])]
        for row, one in zip(rows, found, strict=True):
            value, _, half = row[column].partition("\u00b1")
            assert shown_as(value, one.value * factor), row
            assert shown_as(half, one.half_width * factor), row


def test_an_interval_that_a_bound_cuts_off_has_both_ends_on_the_page(store, tmp_path):
    target = tmp_path / "timeouts.tex"
    assert main(["export", str(store), "--of", TIMEOUTS, "--out", str(target)]) == 0
    head, *rows = typeset(target.read_text(encoding="utf-8"), tmp_path)
    with ackclock.open(store) as opened:
        found = [one.estimate for one in opened.estimates(TIMEOUTS)]
    assert any(one.low == 0 for one in found), "a bound cuts one off"
    assert head[2:] == ["Timeouts per flow", "95 % from", "to"]
    for row, one in zip(rows, found, strict=False):
        for cell, value in zip(row[2:], (one.value, one.low, one.high), strict=True):
            assert shown_as(cell, value), row


def test_comparisons_are_typeset_with_their_signs(store, tmp_path):
    target = tmp_path / "pairs.tex"
    command = ["compare", str(store), "--against", "flows.long-50.cc=cubic", "--of", GOODPUT, "--of", DELAY]
    assert main([*command, "--latex", str(target)]) == 0
    head, *rows = typeset(target.read_text(encoding="utf-8"), tmp_path)
    assert head[0] == "Measure"
    assert head[3:] == ["cubic", "Difference", "p"]
    with ackclock.open(store) as opened:
        found = opened.contrasts("flows.long-50.cc", "cubic", [GOODPUT, DELAY])
    assert len(rows) == 6, "two points and their population, for each measure"
    by = {(one.measure, one.params.get("bottleneck.rate", "population")): one for one in found}
    for row in rows:
        of, factor = (GOODPUT, 1e-6) if row[0] == "Goodput of long-50 (Mbit/s)" else (DELAY, 1.0)
        one = by[of, row[1]]
        assert shown_as(row[3], one.control_mean * factor), row
        value, _, half = row[4].partition("\u00b1")
        assert shown_as(value, one.difference.value * factor), row
        assert shown_as(half, one.difference.half_width * factor), row
        assert value.startswith("\u2212"), "all differences are negative"
