"""The study l4s on the real engine, at a size of seconds, and its measures and verdicts on made numbers."""

import numpy as np
import pytest

from ackclock.results.result import Result
from ackclock.studies import l4s
from ackclock.studies.framework import ALL_CELLS, Grid, Lab, Reading
from ackclock.studies.l4s import cells, verdicts
from tests.helpers.tables import make_table

CELLS = (cells.Cell("dualpi2", 40, 20), cells.Cell("dualpi2", 4, 20), cells.Cell("pie", 40, 20))


@pytest.fixture(scope="module")
def study():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(l4s, "QUICK_S", 9)
        patch.setattr(l4s, "QUICK_RATES", (40,))
        patch.setattr(l4s, "QUICK_RTTS", (20,))
        return l4s.STUDY.reproduce(Lab(quick=True))


def test_prague_waits_less_than_cubic(study):
    claims = {one.claim.id: one for one in study.claims}
    assert claims["low-mean"].measured.value < 1
    assert claims["classic-mean"].measured.value > 5
    assert {one.claim.id for one in study.claims if one.measured is None} == {
        one.claim.id for one in study.claims if one.claim.id.startswith("share-") and not one.claim.id.endswith("-20")
    }


def test_the_report_has_its_figures(study, tmp_path):
    study.write(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} >= {"verdicts.json", "tests.csv", "range.csv", "scenario.toml"}


def test_rates_are_those_of_the_last_third_and_delays_have_no_propagation():
    second = {"first": [1e6, 1e6, 3e6, 3e6], "second": [9e6, 9e6, 1e6, 1e6]}
    rates = {
        "flow": [name for name in second for _ in range(4)],
        "bytes_delivered": [number for numbers in second.values() for number in numbers],
    }
    tables = {
        "rates": rates,
        "links": {"rate_bps": [12_000_000], "utilisation": [0.9]},
        # A handshake of 20 ms, and packets that take 1 ms at 12 Mbit/s.
        "flows": {"min_rtt_ms": [20.0, 21.0]},
        "delays": {"flow": ["first", "second"], "mean_ms": [11.5, 26.0], "p99_ms": [13.0, 41.0]},
    }
    found = cells.measure(Result({}, {name: make_table(**columns) for name, columns in tables.items()}))
    assert found["first_percent"] == pytest.approx(75)
    assert found["second_mbps"] == pytest.approx(8)
    assert (found["first_mean_ms"], found["second_p99_ms"]) == (pytest.approx(0.5), pytest.approx(30))


def made(rates):
    """A grid of `CELLS` with rates of both flows by the place of the cell."""
    readings = tuple(Reading(cells.name(one), None) for one in CELLS)
    measures = ("first_mean_ms", "first_p99_ms", "second_mean_ms", "second_p99_ms")
    numbers = {}
    for one, (first, second) in zip(readings, rates, strict=True):
        pair = {"first_mbps": np.array(first), "second_mbps": np.array(second)}
        pair["first_percent"] = 100 * pair["first_mbps"] / (pair["first_mbps"] + pair["second_mbps"])
        pair |= {name: np.array([1.0, 3.0]) for name in measures}
        numbers |= {(one.name, variant): pair for variant in ("mixed", "cubic")}
    return Grid(readings, cells.PAIRS[:2], {}, numbers)


def test_equality_is_a_geometric_mean_and_the_worst_cell():
    grid = made([([40.0, 40.0], [10.0, 10.0]), ([1.0, 1.0], [2.0, 2.0]), ([9.0, 9.0], [1.0, 1.0])])
    claims = {one.claim.id: one for one in verdicts.assess_claims(grid, None, grid, CELLS, CELLS)}
    assert claims["equal"].measured.value == pytest.approx(np.sqrt(4 * 0.5))
    assert claims["equal-worst"].measured.value == pytest.approx(4)
    assert claims["classic-ecn"].measured.value == pytest.approx(90)
    assert claims["bias"].measured.value == pytest.approx((80 + 100 / 3) / 2)
    assert list(claims["bias"].readings) == [ALL_CELLS, *map(cells.name, CELLS[:2])]
    assert claims["low-p99-fast"].measured.value == pytest.approx(2)


def test_published_shares_are_those_of_both_orders():
    """The published number of each claim is the mean of the two runs in the claim's note, within rounding."""
    grid = made([([1.0, 1.0], [1.0, 1.0])] * 3)
    shares = [one.claim for one in verdicts.assess_claims(grid, None, grid, CELLS, CELLS) if "share-" in one.claim.id]
    assert len(shares) == 14
    for claim in shares:
        first, second = (float(word) for word in claim.note.split() if word.replace(".", "").isdigit())
        assert claim.published == pytest.approx((first + second) / 2, abs=0.1)
