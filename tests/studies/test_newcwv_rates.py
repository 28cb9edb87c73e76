"""Possible meanings of a segment rate: the readings of a session, and the table of sets."""

from types import SimpleNamespace

import pytest

from ackclock.kernel.testbed.session import Request
from ackclock.studies.newcwv_dash import rates
from ackclock.studies.newcwv_dash.readings import MPD_BPS


def request(number, start_s, taken_s, *, level=500, size=250_000):
    done = None if taken_s is None else start_s + taken_s
    fields = {"number": number, "level_kbps": level, "bytes": size, "start_s": start_s, "done_s": done}
    return Request(**fields, connection=1)


REQUESTS = [
    request(1, 0.0, 4.0, level=300, size=100_000),  # 200 kbit/s
    request(2, 70.0, 2.0),  # 1000 kbit/s
    request(3, 80.0, 5.0, level=700),  # 400 kbit/s
    request(4, 90.0, None, level=9000),
]


def test_the_six_readings_of_a_segment_rate():
    assert rates.rates_of(REQUESTS) == {
        "level": pytest.approx(500),
        "mean of download rates": pytest.approx((200 + 1000 + 400) / 3),
        "bytes over download time": pytest.approx(8 * 600_000 / 11 / 1e3),
        "level, after a minute": pytest.approx(600),
        "mean of download rates, after a minute": pytest.approx(700),
        "bytes over download time, after a minute": pytest.approx(8 * 500_000 / 7 / 1e3),
    }


@pytest.mark.parametrize(
    ("of_variants", "size", "order"),
    [
        ((803.4, 785.4, 836.26), True, True),
        ((803.4 * 1.049, 785.4 * 0.951, 836.26 * 1.049), True, True),
        ((803.4 * 1.051, 785.4, 836.26), False, False),
        ((810.0, 815.0, 830.0), True, False),
        ((600.0, 500.0, 700.0), False, True),
    ],
)
def test_the_size_is_within_five_per_cent_and_the_order_the_published_one(of_variants, size, order):
    assert rates.answers(of_variants) == (size, order)


def test_the_table_has_every_reading_of_every_set():
    sessions = {
        (name, one.name): SimpleNamespace(requests=REQUESTS) for name in ("first", "second") for one in rates.VARIANTS
    }
    sheet = rates.sheet(sessions, 300)
    assert len(sheet.rows) == 2 * 6
    assert sheet.rows[0][:3] == ["first", "level", pytest.approx(500)]
    assert {(row[-2], row[-1]) for row in sheet.rows} == {("no", "no")}
    assert "one session of 300 s each" in sheet.caption


def test_the_sets_have_the_levels_of_the_mpds():
    by_name = {one.name: one for one in rates.SETS}
    for seconds, levels in MPD_BPS.items():
        one = by_name[f"ITEC's own levels, {seconds}-s segments"]
        assert one.segment_s == seconds
        assert one.ladder_kbps == tuple(round(bps / 1000) for bps in levels)
    assert 783 in by_name["ITEC's own levels, 4-s segments"].ladder_kbps
