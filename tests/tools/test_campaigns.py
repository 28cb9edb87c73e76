"""Campaigns that take hours go on where they stopped, and their pages are made of what they recorded."""

import json
from collections import Counter

import pytest

from tools.coverage import page as coverage
from tools.faults import __main__ as campaign
from tools.faults import page as faults
from tools.faults.attacks import ATTACKS, COUNTED, Outcome
from tools.lab import page as lab
from tools.packs import page as packs
from tools.sizes import page as sizes


def test_a_campaign_goes_on_where_it_stopped():
    done, tried = None, []
    while numbers := campaign._missing("killed", done, 25):
        outcome = Outcome.read(done)
        tried += numbers
        outcome.runs += len(numbers)
        outcome.statuses["SIGKILL"] += len(numbers)
        done = json.loads(json.dumps(outcome.document()))
    assert tried == list(range(25))
    assert Outcome.read(done) == Outcome(25, Counter(SIGKILL=25))
    assert list(campaign._missing("killed", done, 30)) == list(range(25, 30))


@pytest.mark.parametrize(("attack", "count"), [("two at once", 20), ("full disk", 1)])
def test_how_often_a_disturbance_is_tried(attack, count):
    first = campaign._missing(attack, None, 200)
    assert first.start == 0
    done = Outcome(count).document()
    assert not campaign._missing(attack, done, 200)
    assert set(COUNTED) < set(ATTACKS)


@pytest.mark.parametrize("one", [faults, packs, coverage, sizes, lab], ids=lambda one: one.__name__.split(".")[1])
def test_a_page_has_what_was_recorded(one):
    record = json.loads(one.RECORD.read_text(encoding="utf-8"))
    made = one.table(record) if one in (faults, packs) else one.tables(record)
    assert one.PAGE.read_text(encoding="utf-8").partition(one.MARK)[2].strip() == made.strip()
