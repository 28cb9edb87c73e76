"""The tables that come with ackclock: their logs give them, the page records them, and they do what they are for."""

import json

import numpy as np
import pytest

import ackclock
from ackclock import _core, learn
from ackclock.learn.pace import at_last_split_s, left_cpu_s
from ackclock.scenario import Text
from ackclock.studies.framework import study_file
from ackclock.studies.remy import measures, readings
from tools import learned


def log_of(delta):
    return learn.Log.read(learn.log_of(learn.shipped(delta)))


@pytest.mark.parametrize("delta", learn.DELTAS)
def test_the_decisions_of_a_log_give_its_table(delta):
    log = log_of(delta)
    assert log.settings["delta"] == float(delta)
    assert log.design == learn.design("published").read_text(encoding="utf-8")
    search = _core.Search(log.design, json.dumps(log.settings), log.decisions)
    assert search.best == learn.shipped(delta).read_bytes()
    assert log.sessions[-1]["decisions"] == len(log.decisions)


@pytest.mark.parametrize("delta", learn.DELTAS)
def test_the_time_that_a_search_takes_is_known_within_a_factor_of_two(delta):
    log = log_of(delta)
    search = _core.Search(log.design, json.dumps(log.settings), [])
    past = learn.Log(log.path, log.design, log.settings, log.engine)
    sessions = iter(log.sessions)
    session = next(sessions)
    compared = 0
    for line in log.decisions:
        search.apply(line)
        past.decisions.append(line)
        while session is not None and session["decisions"] == len(past.decisions):
            past.sessions.append(session)
            session = next(sessions, None)
            status = json.loads(search.status)
            at_split_s = at_last_split_s(past)
            left = left_cpu_s(status, log.settings["rules"], at_split_s, past.cpu_s)
            # A session that is not from split to split says little about the time of a split.
            if status["generation"] >= 5 and at_split_s == past.cpu_s and not status["finished"]:
                assert 0.5 < (past.cpu_s + left) / log.cpu_s < 2.0
                compared += 1
    assert compared >= 4
    assert session is None
    assert left == 0.0


def test_the_page_records_the_training():
    logs = {delta: log_of(delta) for delta in learn.DELTAS}
    page = learned.PAGE.read_text(encoding="utf-8")
    assert learned.training_of(logs) in page, "python -m tools.learned writes it anew"
    assert learned.states_of(logs) in page


def medians(delta, seeds=(1, 2)):
    """Median throughput in Mbit/s and queueing delay in ms on the study's dumbbell; of Cubic without a delta."""
    name = "cubic" if delta is None else f"remy-{delta}"
    scheme = next(one for one in readings.SCHEMES if one.name == name)
    rules = {} if delta is None else {"flows[0].cc": {"kind": "remycc-ns2", "table": str(learn.shipped(delta))}}
    text = Text(study_file("ackclock.studies.remy", "scenario.toml"))
    overrides = {**scheme.overrides, **rules, "duration": "50s"}
    setting = readings.SETTINGS[0]
    found = [
        measures.senders(setting.less_ms)(result) for result in ackclock.run(text, seeds=seeds, overrides=overrides)
    ]
    return [
        float(np.median([one[measures.of_sender(what, index)] for one in found for index in range(setting.senders)]))
        for what in (measures.MBPS, measures.QUEUE_MS)
    ]


def test_the_tables_against_cubic_on_the_dumbbell_of_the_study():
    mbps, delay = medians(None)
    found = {delta: medians(delta) for delta in learn.DELTAS}
    assert found["0.1"][0] > 1.5 * mbps
    for larger in ("1", "10"):
        assert found[larger][0] > 0.9 * mbps
        assert found[larger][1] < delay / 2
        assert found[larger][0] < found["0.1"][0]
