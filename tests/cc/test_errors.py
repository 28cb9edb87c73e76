"""An error in a congestion control in Python ends the run with a message; so does Ctrl-C."""

import math
import pickle
import threading
import traceback

import pytest

import ackclock
from ackclock import _core
from ackclock.engine.run import Job, run_job
from tests.cc.mine import BASE, fails, full, registered, run
from tests.helpers.scenarios import LONG


def test_an_exception_stops_the_run_with_its_traceback():
    calls = []

    def increase(self, flow):
        calls.append(flow.now)
        return 1 / (len(calls) < 10)

    registered("mine", ackclock.WindowRules, increase=increase)
    error = fails()
    assert len(calls) == 10
    assert isinstance(error.__cause__, ZeroDivisionError)
    assert traceback.extract_tb(error.__cause__.__traceback__)[-1].name == "increase"
    assert (error.algorithm, error.callback) == ("mine", "increase")
    assert error.flow in ("bulk.0", "bulk.1", "bursts")
    assert error.time_s == calls[-1]
    assert str(error) == (
        f"mine of flow {error.flow} at {calls[-1]:.9g} s, in increase: ZeroDivisionError: division by zero"
    )
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    with pytest.raises(ackclock.AlgorithmError):
        ackclock.run(BASE, seeds=3, overrides={"flows[0].cc": "mine"})


@pytest.mark.parametrize(
    ("rule", "answer", "words"),
    [
        ("increase", math.nan, "ValueError: it returns nan: accepted: a finite number"),
        ("increase", math.inf, "it returns inf"),
        ("increase", None, "TypeError: it returns None: accepted: a finite number"),
        ("increase", "1", "TypeError: it returns '1'"),
        ("reduction", 1.5, "ValueError: it returns 1.5: accepted: a number from 0 to 1"),
        ("reduction", -0.1, "it returns -0.1"),
        ("timeout", math.nan, "it returns nan"),
        ("idle", 2, "it returns 2: accepted: a number from 0 to 1"),
        ("start", 0.5, "it returns 0.5: accepted: a number from 1 to 1000000"),
    ],
)
def test_what_a_rule_may_not_say(rule, answer, words):
    registered("mine", ackclock.WindowRules, **{rule: lambda self, flow: answer})
    error = fails(**{"bottleneck.loss": "4%" if rule == "timeout" else "0.1%"})
    assert error.callback == rule
    assert words in str(error)


@pytest.mark.parametrize(
    ("attribute", "value", "words"),
    [
        ("cwnd", math.nan, "ValueError: cwnd = nan: accepted: a number from 0 to "),
        ("cwnd", -1, "ValueError: cwnd = -1"),
        ("cwnd", -0.5, "ValueError: cwnd = -0.5"),
        ("cwnd", 2**51, "ValueError: cwnd = 2251799813685248"),
        ("cwnd", 1459, "ValueError: it leaves cwnd = 1459: accepted: at least a segment, 1460 bytes"),
        ("cwnd", "big", "TypeError: cwnd = 'big'"),
        ("cwnd", None, "TypeError: cwnd = None"),
        ("ssthresh", math.inf, "ValueError: ssthresh = inf"),
        ("pacing_rate", 0, "ValueError: pacing_rate = 0"),
        ("pacing_rate", -5, "ValueError: pacing_rate = -5"),
        ("cwdn", 5, "AttributeError"),
    ],
)
def test_what_a_window_may_not_be(attribute, value, words):
    def on_ack(self, window, ack, acked):
        setattr(window, attribute, value)

    registered("mine", ackclock.CongestionControl, **full(on_ack=on_ack))
    error = fails()
    assert error.callback == "on_ack"
    assert words in str(error)


def test_what_goes_wrong_before_the_connection_is_told_as_well():
    def init(self):
        raise RuntimeError("no")

    registered("mine", ackclock.WindowRules, __init__=init)
    assert str(fails()) == "mine of flow bursts, in __init__: RuntimeError: no"


def test_ctrl_c_in_a_callback_is_ctrl_c(tmp_path):
    def increase(self, flow):
        raise KeyboardInterrupt

    registered("mine", ackclock.WindowRules, increase=increase)
    with pytest.raises(KeyboardInterrupt):
        ackclock.trace(BASE, tmp_path, overrides={"flows[0].cc": "mine"})
    with pytest.raises(KeyboardInterrupt):
        run("mine")


def test_a_run_with_python_in_it_can_be_cancelled():
    registered("mine", ackclock.WindowRules)
    cancel = _core.Cancel()
    threading.Timer(0.2, cancel.cancel).start()
    job = Job(ackclock.scenario.load(BASE), (*LONG.items(), ("flows[0].cc", "mine")))
    with pytest.raises(ackclock.Cancelled):
        run_job(job, cancel, lambda done: None)
