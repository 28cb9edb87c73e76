"""The cases under BBR, under an algorithm that is not BBR, and with planted faults."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

import ackclock
from ackclock.base.table import Table
from ackclock.judge.conform import Case, Check, Subject, cases, chosen, judged, perform
from ackclock.judge.conform.case import merged
from ackclock.judge.conform.evidence import Evidence
from ackclock.judge.conform.figure import figure
from ackclock.judge.conform.measures import MEASURES
from ackclock.judge.conform.perform import FAIL, NOT_APPLICABLE, PASS
from ackclock.plot.canvas import figure_of
from tests.helpers.tables import make_table
from tests.judge.conform.made import evidence

NAMES = [case.name for case in cases()]


@pytest.fixture(scope="module")
def outcomes():
    """The outcomes of all cases for BBRv3 under one seed."""
    return {case.name: perform(case, Subject(), 1) for case in cases()}


def test_there_are_the_22_cases_of_the_draft():
    assert [case.number for case in cases()] == list(range(1, 23))
    assert len({case.title for case in cases()}) == 22


@pytest.mark.parametrize("name", NAMES)
def test_a_case_says_where_its_limits_come_from(name):
    (case,) = chosen("bbr", (name,))
    for check in case.checks:
        assert check.measure in MEASURES
        assert check.basis in ("case", "derived")
        assert check.basis == "case" or check.how
        assert (check.equals is None) == (check.low is not None or check.high is not None)
        assert check.low is None or check.high is None or check.low <= check.high
        assert check.versions == (1, 3) or check.why_not
    assert case.versions == (1, 3) or case.why_not


@pytest.mark.parametrize("name", NAMES)
def test_every_check_of_bbr3_is_read(name, outcomes):
    assert [found.verdict for found in outcomes[name].found if found.verdict == NOT_APPLICABLE] == []
    assert outcomes[name].found


def test_the_same_seed_gives_the_same_values(outcomes):
    for name in ("bandwidth-up", "refill-application-limited"):
        again = perform(chosen("bbr", (name,))[0], Subject(), 1)
        assert [found.value for found in again.found] == [found.value for found in outcomes[name].found]


def changed(made, table="window", **columns):
    """The evidence with other columns in a table: functions of the numbers of the column."""
    before = made.result.tables[table]
    before = before.where(before["flow"] == "subject")
    cells = {name: [row[name] for row in before.rows()] for name in before.column_names}
    for name, change in columns.items():
        cells[name] = change(np.array(before[name])).tolist()
    tables = dict(made.result.tables) | {table: make_table(**cells)}
    return Evidence(
        ackclock.Result(made.result.meta, tables), made.rate_bps, made.mss + 52, made.moment_s, made.version
    )


def called(before, after):
    """States with another name."""
    return lambda states: np.where(states == before, after, states)


def within(made, state, change):
    """Values that are changed within the phases in a state."""
    return lambda values: np.where(made.window["cc_state"] == state, change(values), values)


def faults(made):
    """A planted fault for each case: the columns of `window` that it changes."""
    return {
        "startup-plateau": {"delivery_bps": lambda rate: 0.9 * rate},
        "startup-loss": {"cc_state": called("startup", "drain")},
        "drain-inflight": {"pacing_bps": within(made, "drain", lambda rate: 0.7 * rate)},
        "drain-time": {"cc_state": called("probe_bw_down", "drain")},
        "probe-up-plateau": {
            "delivery_bps": within(made, "probe_bw_up", lambda rate: rate * 1.02 ** np.arange(len(rate)))
        },
        "probe-up-loss": {"cc_state": called("probe_bw_down", "startup")},
        "application-limited": {"cc_state": lambda states: np.where(np.arange(len(states)) > 300, "drain", states)},
        "probe-down-inflight": {"pacing_bps": within(made, "probe_bw_down", lambda rate: rate * 0.75 / 0.9)},
        "probe-down-time": {"cc_state": called("probe_bw_refill", "probe_bw_cruise")},
        "probe-rtt": {"cwnd": within(made, "probe_rtt", lambda cwnd: 2 * cwnd)},
        "idle-probe-rtt": {"cc_state": lambda states: np.where(np.arange(len(states)) > 800, "probe_rtt", states)},
        "startup-aggregation": {"cwnd": lambda cwnd: np.minimum(cwnd, 60_000)},
        "cruise-aggregation": {"cwnd": lambda cwnd: np.minimum(cwnd, 60_000)},
        "sub-packet-bdp": {"cwnd": lambda cwnd: np.where(np.arange(len(cwnd)) == len(cwnd) - 9, 2 * 1448, cwnd)},
        "bandwidth-up": {"delivery_bps": lambda rate: np.minimum(rate, 5e7)},
        "bandwidth-down": {"pacing_bps": lambda rate: 1.3 * rate},
        "policer": {"pacing_bps": lambda rate: np.maximum(rate, 2e7)},
        "spurious-recovery": {"cwnd": lambda cwnd: np.where(made.time > made.moment_s + 0.1, 30 * 1448, cwnd)},
        "spurious-timeout": {"cc_state": called("probe_bw_up", "probe_bw_down")},
        "probe-rtt-startup": {
            "cc_state": lambda states: np.where(
                (np.arange(len(states)) > np.flatnonzero(states == "probe_rtt")[-1]) & (states == "startup"),
                "probe_bw_cruise",
                states,
            )
        },
        "probe-up-loss-bound": {"cwnd": within(made, "probe_bw_down", lambda cwnd: cwnd // 2)},
        "refill-application-limited": {"pacing_bps": within(made, "probe_bw_up", lambda rate: 0.4 * rate)},
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_planted_fault_fails_the_case(name, outcomes):
    before = outcomes[name]
    after = judged(before.case, changed(before.evidence, **faults(before.evidence)[name]))
    assert after.verdict == FAIL
    worse = [
        later.check.text
        for earlier, later in zip(before.found, after.found, strict=True)
        if earlier.verdict == PASS and later.verdict == FAIL
    ]
    assert worse, "the fault changes no check that passed"


def test_an_unchanged_copy_of_the_evidence_has_the_same_verdicts(outcomes):
    for name in ("drain-time", "probe-up-loss-bound", "refill-application-limited"):
        outcome = outcomes[name]
        after = judged(outcome.case, changed(outcome.evidence))
        assert [found.verdict for found in after.found] == [found.verdict for found in outcome.found]


@pytest.mark.parametrize(
    ("name", "verdict", "said"),
    [
        ("startup-plateau", FAIL, "states"),
        ("probe-rtt", FAIL, "states"),
        ("drain-inflight", NOT_APPLICABLE, "does not show states"),
        ("bandwidth-up", NOT_APPLICABLE, "does not show states"),
        ("sub-packet-bdp", FAIL, "pacing rate"),
        # Reno keeps to the rate of a policer with little loss.
        ("policer", PASS, "pacing rate"),
    ],
)
def test_reno_fails_or_is_not_applicable(name, verdict, said):
    outcome = perform(chosen("bbr", (name,))[0], Subject(cc="reno"), 1)
    assert outcome.verdict == verdict
    assert said in outcome.why


def test_a_bbr_that_never_reaches_a_state_fails():
    # A transfer that ends in Startup never enters Drain, for which the stage waits.
    (case,) = chosen("bbr", ("drain-time",))
    short = Subject(overrides=(("duration", "200ms"),))
    outcome = perform(case, short, 1)
    assert (outcome.verdict, outcome.reason) == (FAIL, "the flow was 0 times in drain, 1 expected")


def test_version_1_is_not_held_to_what_only_version_3_has():
    (case,) = chosen("bbr", ("startup-loss",))
    outcome = perform(case, Subject(cc="bbr1"), 1)
    assert (outcome.verdict, outcome.why) == (NOT_APPLICABLE, "BBRv1 does not leave Startup because of loss")
    as_third = perform(case, Subject(cc="bbr1", version=3), 1)
    assert as_third.verdict == FAIL


@pytest.mark.parametrize(
    ("path", "overrides", "refused"),
    [
        ("flows[1].receive_buffer", (), False),
        ("bottleneck.queue", (), False),
        ("bottleneck.queue", (("bottleneck.queue", "xcp"),), True),
        ("flows[0].cc", (), True),
    ],
)
def test_what_a_kernel_cannot_run_is_not_applicable_unless_it_was_asked_for(monkeypatch, path, overrides, refused):
    def run(scenario, **options):
        raise ackclock.ScenarioError([{"path": path, "line": None, "message": "no kernel has that"}])

    monkeypatch.setitem(perform.__globals__, "run_scenario", run)
    (case,) = chosen("bbr", ("probe-rtt",))
    subject = Subject(backend="linux:6.12", overrides=overrides)
    if refused:
        with pytest.raises(ackclock.ScenarioError):
            perform(case, subject, 1)
        return
    outcome = perform(case, subject, 1)
    assert outcome.verdict == NOT_APPLICABLE
    assert outcome.why == f"linux:6.12 cannot run the scenario: {path}: no kernel has that"
    with pytest.raises(ackclock.ScenarioError):
        perform(case, Subject(), 1)


@pytest.mark.parametrize("late", [1, 2])
def test_a_run_with_late_packets_is_not_judged(monkeypatch, late):
    runs = []

    def run(scenario, *, seed, **options):
        # Two runs: one finds the moment of the stage, and the other one is judged.
        done = simulate(scenario, seed=seed)
        runs.append(done)
        valid = len(runs) != late
        return ackclock.Result(
            done.meta | {"valid": valid, "lateness": {"p99_ms": 3.14159}, "share": 0.02, "rtt_ms": 40.0}, done.tables
        )

    simulate = ackclock.run
    monkeypatch.setitem(perform.__globals__, "run_scenario", run)
    (case,) = chosen("bbr", ("bandwidth-up",))
    outcome = perform(case, Subject(backend="linux"), 1)
    assert len(runs) == late
    assert (outcome.verdict, outcome.found) == (NOT_APPLICABLE, ())
    assert outcome.why == (
        "the run is invalid: 1 % of the packets left more than 3.14 ms late, above 0.02 of the RTT, 40 ms"
    )


def test_a_stack_that_shows_nothing_is_judged_by_its_goodput_alone(outcomes):
    for name, outcome in outcomes.items():
        tables = dict(outcome.evidence.result.tables)
        tables["window"] = tables["window"].where(tables["window"]["flow"] == "nobody")
        made = ackclock.Result(outcome.evidence.result.meta, tables)
        blind = Evidence(made, outcome.evidence.rate_bps, 1500, outcome.evidence.moment_s)
        after = judged(outcome.case, blind)
        read = {found.check.measure for found in after.found if found.verdict != NOT_APPLICABLE}
        assert read <= {"goodput_share", "loss_share", "events"}, name
        assert all(found.reason for found in after.found if found.verdict == NOT_APPLICABLE), name
        plt.close(figure_of(figure(blind)))


def check(**fields):
    return Check(**({"text": "It is so.", "measure": "duration_s", "basis": "case"} | fields))


@pytest.mark.parametrize(
    ("fields", "value", "accepted", "words"),
    [
        ({"low": 1, "high": 2, "unit": "s"}, 1, True, "1 to 2 s"),
        ({"low": 1, "high": 2, "unit": "s"}, 2.01, False, "1 to 2 s"),
        ({"low": 1, "high": 2}, 0.99, False, "1 to 2"),
        ({"low": 3, "high": 3}, 3, True, "3"),
        ({"low": 1}, 1e9, True, "at least 1"),
        ({"high": 0}, 0.1, False, "at most 0"),
        ({"equals": "a|b"}, "b", True, "a or b"),
        ({"equals": "a|b"}, "c", False, "a or b"),
    ],
)
def test_a_check_accepts_its_range(fields, value, accepted, words):
    one = check(**fields)
    assert (one.accepts(value), one.accepted) == (accepted, words)


def case_of(*checks):
    return Case(1, "made", "Made", "A made case.", {}, 10e6, checks)


def test_a_case_fails_with_one_check_and_passes_with_one():
    made = evidence([("startup", 100), ("drain", 50)], without=["pacing_bps"])
    good = check(args={"state": "startup"}, low=0.1, high=0.1)
    bad = check(args={"state": "startup"}, low=1.0)
    unread = check(measure="pacing_gain", args={"state": "startup"}, low=1)
    other = check(args={"state": "startup"}, low=1.0, versions=(1,), why_not="only version 1 has it")
    assert judged(case_of(good, bad, unread), made).verdict == FAIL
    assert judged(case_of(good, unread, other), made).verdict == PASS
    nothing = judged(case_of(unread, other), made)
    assert nothing.verdict == NOT_APPLICABLE
    assert nothing.why == "the stack does not show its pacing rate; only version 1 has it"


def test_tables_of_scenarios_are_merged_unless_they_have_a_kind():
    under = {"bottleneck": {"rate": {"kind": "steps", "steps": [1]}, "delay": "1ms"}, "duration": "1s"}
    over = {"bottleneck": {"rate": {"kind": "trace", "file": "x"}}, "probes": {"window": True}}
    assert merged(under, over) == {
        "bottleneck": {"rate": {"kind": "trace", "file": "x"}, "delay": "1ms"},
        "duration": "1s",
        "probes": {"window": True},
    }
    assert isinstance(evidence([("startup", 2)]).window, Table)
