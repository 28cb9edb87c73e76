"""The study dctcp on the real engine, at a size of seconds, and its measures and verdicts on made numbers."""

import numpy as np
import pytest

from ackclock.results.result import Result
from ackclock.studies import dctcp
from ackclock.studies.dctcp import cells, measures, verdicts
from ackclock.studies.framework import Grid, Lab, Reading
from tests.helpers.tables import make_table

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def study():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dctcp, "QUICK_ROUNDS", 30)
        patch.setattr(cells, "QUICK_DEGREES", (verdicts.FEW, verdicts.MANY))
        return dctcp.STUDY.reproduce(Lab(quick=True))


def values_of(study):
    return {one.claim.id: one.measured.value for one in study.claims}


def test_every_claim_is_measured(study):
    assert all(one.measured is not None for one in study.claims)


def test_the_queue_is_that_of_the_analysis(study):
    """Section 3.3 of the paper: at most K + N packets, and a swing of half the square root of 2 N (C RTT + K)."""
    [sheet] = [one for one in study.sheets if one.name == "queue"]
    row = dict(zip(sheet.columns, sheet.rows[0], strict=True))
    k, flows, path = 20, 2, 1e9 * 100e-6 / 12_000
    swing = np.sqrt(2 * flows * (path + k)) / 2
    assert row["variant"] == "DCTCP"
    assert k + flows - swing < row["queue packets"] < k + flows
    assert row["5 % to 95 %"] < 2 * swing


def test_senders_have_the_shares_of_the_fluid_model(study):
    """Ten senders share 10 Gbit/s with twenty, and 1 Gbit/s with ten: 50, 475 and 50 Mbit/s with equal shares."""
    values = values_of(study)
    shares = [values[f"multihop-{group}"] for group in ("s1", "s2", "s3")]
    # Headers take 40 of 1500 bytes.
    assert 20 * shares[1] + 10 * shares[0] == pytest.approx(10_000 * 1460 / 1500, rel=0.02)
    assert 10 * (shares[0] + shares[2]) == pytest.approx(1000 * 1460 / 1500, rel=0.02)
    assert shares[0] < shares[2]


def test_a_query_takes_no_less_than_its_bytes(study):
    assert 8 * 1500 / 1460 < values_of(study)["incast-time"] < 9


def test_the_report_has_its_figures(study, tmp_path):
    study.write(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} >= {"verdicts.json", "queue.csv", "incast.csv", "buildup.toml"}


def result(**tables):
    return Result({}, {name: make_table(**columns) for name, columns in tables.items()})


def test_timeouts_belong_to_the_query_in_which_they_expire():
    rounds = {"start_s": [1.0, 2.0, 3.0, 4.0], "end_s": [1.01, 2.31, 3.01, 4.02]}
    timeouts = {"time_s": [2.3, 2.3, 4.01]}
    found = measures.incast(result(rounds=rounds, timeouts=timeouts))
    assert found["timeouts_percent"] == pytest.approx(50)
    assert found["completion_ms"] == pytest.approx((10 + 310 + 10 + 20) / 4)


def test_a_query_without_an_end_is_no_number():
    with pytest.raises(ValueError, match="too short"):
        measures.incast(result(rounds={"start_s": [1.0], "end_s": [np.nan]}, timeouts={"time_s": []}))


def test_fairness_is_that_of_the_seconds_with_all_senders():
    """With a spacing of two seconds, one second of the ten counts: number 9, in which all five senders are active."""
    flows = [f"sender.{one}" for one in range(5)]
    rates = np.zeros((5, 12))
    rates[:, 9] = (1, 1, 1, 1, 2)
    table = {
        "flow": [name for name in flows for _ in range(12)],
        "time_s": [float(second) for _ in flows for second in range(12)],
        "bytes_delivered": (rates.ravel() * 1e6).tolist(),
    }
    found = measures.convergence(result(rates=table), spacing=2)
    assert found["jain"] == found["jain_of_means"] == pytest.approx(36 / (5 * 8))
    assert found["sd_mbps"] == 0


def grid(**numbers):
    """A grid of the main reading with one measure or more of each of the two variants."""
    made = {
        (cells.MAIN, variant): {name: np.array(values) for name, values in given.items()}
        for variant, given in numbers.items()
    }
    return Grid((Reading(cells.MAIN, None),), cells.variants(1, {}), {}, made)


def test_tcp_is_compared_with_dctcp_run_by_run():
    queue = grid(
        dctcp={"queue_mean": [20.0, 10.0], "queue_spread": [4.0, 4.0], "goodput_gbps": [0.95, 0.97]},
        tcp={"queue_mean": [300.0, 150.0], "queue_spread": [30.0, 30.0], "goodput_gbps": [0.5, 0.52]},
    )
    parts = verdicts.Parts(queue, queue, queue, queue, queue)
    measured = {name: verdicts._measured(parts, name) for name in ("queue-tcp", "queue-tcp-varies", "throughput-tcp")}
    assert measured["queue-tcp"][cells.MAIN].value == pytest.approx(15)
    assert measured["queue-tcp-varies"][cells.MAIN].value == pytest.approx(7.5)
    assert measured["throughput-tcp"][cells.MAIN].value == pytest.approx(0.51)
