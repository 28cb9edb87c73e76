"""The study bbr-loss: some cells on the real engine, and its verdicts and figures on made numbers."""

import numpy as np
import pytest

from ackclock.scenario import Text
from ackclock.studies import bbr_loss
from ackclock.studies.bbr_loss import cells, figures, verdicts
from ackclock.studies.framework import Grid, Lab, Reading

SECONDS = 20


@pytest.fixture(scope="module")
def measured():
    text = bbr_loss.STUDY.scenario()
    readings = cells.readings(text, (0.001, 5, 15), {cells.MAIN: {"duration": f"{SECONDS}s"}})
    return Lab().grid(readings, cells.VARIANTS, [1, 2], cells.measures)


def test_bbr_holds_to_fifteen_per_cent_and_the_others_do_not(measured):
    for loss, least in ((0.001, 85), (5, 75), (15, 50)):
        assert verdicts.shares(measured, cells.BBR.name, loss).value > least, loss
    assert verdicts.shares(measured, cells.CUBIC.name, 5).value < 2
    assert verdicts.shares(measured, cells.BBR3.name, 15).value < 10


def test_what_is_lost_is_retransmitted(measured):
    at = cells.name(15)
    assert measured.mean(at, cells.BBR.name, "resent_percent").value == pytest.approx(15, abs=1)
    # 1500 bytes on the wire for 1448 of payload.
    throughput, goodput = (measured.values(at, cells.BBR.name, one) for one in ("throughput_mbps", "goodput_mbps"))
    assert throughput / goodput == pytest.approx(1500 / 1448)


def test_runs_of_two_packets_have_the_same_rate_of_loss():
    for loss in cells.LOSSES:
        chain = cells.lost(loss, cells.TOGETHER)
        enter, leave = float(chain["p"].removesuffix("ppb")) / 1e9, float(chain["r"].removesuffix("%")) / 100
        assert enter / (enter + leave) == pytest.approx(loss / 100, rel=1e-3)
        assert 1 / leave == 2
    assert cells.lost(5, cells.MAIN) == "5%"


def made(**throughputs):
    """A grid in which each variant has its maximum share at every loss rate, unless `throughputs` says otherwise."""
    readings = tuple(Reading(cells.name(loss), Text("")) for loss in cells.LOSSES)
    found = {}
    for loss, reading in zip(cells.LOSSES, readings, strict=True):
        for one in cells.VARIANTS:
            throughput = throughputs.get(one.name, {}).get(loss, cells.possible_mbps(loss))
            values = {"throughput_mbps": np.array([throughput] * 2), "goodput_mbps": np.array([throughput / 2] * 2)}
            zeros = {name: np.zeros(2) for name in ("resent_percent", "recoveries", "timeouts")}
            found[reading.name, one.name] = values | zeros
    return Grid(readings, cells.VARIANTS, {}, found)


def test_every_claim_is_measured_where_it_is_made():
    grid = made(
        cubic={0.001: 90.0, 0.1: 6.0, 1: 3.0, 2: 1.5, 5: 1.0},
        bbr1={2: 93.1, 5: 76.0, 10: 63.0, 15: 51.0, 20: 8.0, 25: 15.0, 30: 7.0, 40: 6.0, 50: 5.0},
        bbr3={1: 79.2, 2: 5.0, 5: 19.0, 10: 9.0, 15: 8.5, 20: 8.0, 25: 7.5, 30: 7.0, 40: 6.0, 50: 5.0},
    )
    measured = {one.claim.id: one.measured.value for one in verdicts.assess_claims([grid])}
    assert measured == pytest.approx(
        {
            "cubic-tenfold": 15,
            "cubic-stalls": 1.5,
            "bbr-to-5": 80,
            "bbr-to-15": 60,
            "bbr-cliff": 20,
            "bbr3-to-1": 80,
            "bbr3-cliff": 20,
            "replication-cubic-0.1": 3.0,
            "replication-cubic-1": 1.5,
            "replication-cubic-5": 0.5,
            "replication-bbr-5": 38,
            "replication-bbr-15": 25.5,
        }
    )


def test_goodput_is_another_definition_and_replications_have_their_own():
    by_id = {one.claim.id: one for one in verdicts.assess_claims([made()])}
    assert by_id["bbr-to-5"].readings[verdicts.PAYLOAD][0].value == pytest.approx(50)
    assert by_id["bbr-to-5"].kinds == {cells.MAIN: "assumption", verdicts.PAYLOAD: "definition"}
    assert verdicts.PAYLOAD not in by_id["replication-cubic-1"].readings


def test_the_response_function_is_that_of_the_rfc():
    # RFC 9438 table 1: 12, 38, 187 and 1054 segments, of 12,000 bits, in 100 ms.
    for loss, segments in ((1, 12), (0.1, 38), (0.01, 187)):
        assert figures.response_mbps(loss) == pytest.approx(segments * 0.12, rel=0.01)
    assert figures.response_mbps(0.001) == cells.LINK_MBPS


def test_the_figures_have_every_variant_and_the_replication():
    throughput, small = (draw(made(), "") for draw in (figures.throughput, figures.small_rates))
    labels = [one.label for one in throughput.series]
    assert labels[-1] == "maximum possible"
    assert sum("replication" in label for label in labels) == len(cells.REPLICATED)
    assert all(len(numbers) == len(cells.LOSSES) for numbers in cells.REPLICATED.values())
    assert small.series[-1].y[-1] == pytest.approx(np.log10(1.44))
    assert [row[1] for row in verdicts.sheet([made()]).rows[:3]] == [one.label for one in cells.VARIANTS]
