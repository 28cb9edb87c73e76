"""The page of queue disciplines: it is that of the runs on record and of this version's disciplines."""

import pytest

from tools.queues import record
from tools.queues.compared import WITHIN_NS, fates, pair, sample
from tools.queues.page import PAGE, page
from tools.queues.patterns import PATTERNS, RATE, packets
from tools.queues.plan import CASES, LINE_RATE

EXACT = [case for case in CASES if not case.draws]
DRAWN = [case for case in CASES if case.draws]


@pytest.fixture(scope="module")
def known():
    return record.load()


def test_the_page_shows_the_record(known):
    assert PAGE.read_text(encoding="utf-8") == page(known)


def test_every_case_ran_with_every_pattern(known):
    assert set(known.exact) == {(case.name, name) for case in EXACT for name in PATTERNS}
    assert set(known.drawn) == {(case.name, name) for case in DRAWN for name in PATTERNS}
    assert len({case.name for case in CASES}) == len(CASES)
    assert {len(runs) for runs in known.drawn.values()} == {case.runs for case in DRAWN}


def test_every_difference_has_a_cause_and_every_cause_a_difference(known):
    outside = [row for row in (*known.pairs(), *known.samples()) if not row.holds]
    assert [row for row in outside if not known.causes_of(row)] == []
    used = {cause for row in outside for cause in known.causes_of(row)}
    assert {cause["cause"] for cause in known.causes} == used


def test_a_record_is_read_as_it_was_written(known, tmp_path, monkeypatch):
    monkeypatch.setattr(record, "RUNS", tmp_path)
    record.save(known)
    again = record.load()
    assert (again.exact, again.drawn, again.kernel) == (known.exact, known.drawn, known.kernel)


@pytest.mark.parametrize("name", PATTERNS)
def test_patterns_are_in_order_and_the_same_every_time(name):
    first, second = packets(name), packets(name)
    assert first == second
    assert [one.at for one in first] == sorted(one.at for one in first)
    load = sum(one.size for one in first) * 8 / (first[-1].at / 1e9) / RATE
    assert 0.9 < load < 1.3


def test_another_fate_mark_or_time_of_one_packet_is_found():
    case = next(case for case in CASES if case.name == "tbf")
    arrived = packets("overload")
    ours = fates(case, arrived)
    assert pair(case, "overload", arrived, ours).holds
    place = next(number for number, fate in enumerate(ours) if fate)
    at, ecn = ours[place]
    for other in (None, (at, 3 - ecn), (at + WITHIN_NS + 1, ecn), (at - WITHIN_NS - 1, ecn)):
        found = pair(case, "overload", arrived, [*ours[:place], other, *ours[place + 1 :]])
        assert (found.holds, found.first) == (False, place)
    assert pair(case, "overload", arrived, [*ours[:place], (at + WITHIN_NS, ecn), *ours[place + 1 :]]).holds


def test_means_agree_within_the_interval_of_their_difference():
    case = DRAWN[0]
    ours = [[float(number % 5), 0.0, 1.0] for number in range(40)]
    # The standard error of the difference is sqrt(2 * 2.05 / 40) = 0.32, and the quantile with 39 degrees 3.56.
    for shift, holds in ((1.1, True), (1.2, False)):
        theirs = [[drops + shift, marks, delay] for drops, marks, delay in ours]
        assert [one.holds for one in sample(case, "overload", ours, theirs)] == [holds, True, True]


def test_a_discipline_without_a_pace_of_its_own_is_the_leaf_of_the_wire():
    pfifo, tbf = (next(case for case in CASES if case.name == name) for name in ("pfifo", "tbf"))
    assert [command[:2] for command in pfifo.commands()] == [["qdisc", "add"], ["class", "add"], ["qdisc", "add"]]
    assert (pfifo.rate, tbf.rate) == (RATE, LINE_RATE)
    assert tbf.commands() == [["qdisc", "add", "dev", "out", "root", *tbf.tc.split()]]
