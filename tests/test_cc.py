"""Congestion controls in Python: the same as the engine's where they say the same; what is wrong is told."""

import json
import math
import pickle
import random
import threading
import traceback
from types import SimpleNamespace

import jsonschema
import pytest

import ackclock
from ackclock import _core, _registry, templates
from ackclock._run import run_job
from ackclock.cli import main
from ackclock.studies.grid import Reading, Variant, command_of, hash_of, run_grid
from ackclock.studies.sweep import Choice, Sweep, run_sweep
from tests.test_run import LONG, same

BASE = """
name = "lossy"
duration = "10s"

[bottleneck]
rate = "10Mbps"
delay = "20ms"
queue = "0.5bdp"
loss = "0.1%"

[[flows]]
name = "bulk"
count = 2
start_jitter = "500ms"
app = "bulk"

[[flows]]
name = "bursts"
app = { kind = "bursts", size = "200kB", interval = "3s", count = 3 }

[probes]
window = true
packets = true
"""


@pytest.fixture(autouse=True)
def registry(monkeypatch):
    """What a test registers is gone after it."""
    monkeypatch.setattr(_registry, "_entries", {})


def registered(name, base, **members):
    """Registers a class made of `members` and returns it."""
    return ackclock.congestion_control(name)(type("Mine", (base,), {"__module__": __name__} | members))


def run(cc, **overrides):
    return ackclock.run(BASE, overrides={"flows[*].cc": cc} | overrides)


def full(**members):
    """The members of a full control that is Reno but for `members`."""

    def reduced(window, event):
        return max(min(event.ctx.flight_size, window.cwnd) // 2, 2 * event.ctx.mss)

    def on_ack(self, window, ack, acked):
        self.acked = getattr(self, "acked", 0) + min(acked, window.cwnd)
        if self.acked >= window.cwnd:
            self.acked -= window.cwnd
            window.cwnd += ack.ctx.mss

    def on_congestion(self, window, event):
        self.acked = 0
        window.ssthresh = window.cwnd = reduced(window, event)

    def on_timeout(self, window, event, first):
        self.acked = 0
        if first:
            window.ssthresh = reduced(window, event)

    return {"on_ack": on_ack, "on_congestion": on_congestion, "on_timeout": on_timeout} | members


def without_labels(result):
    """Every table but the column that names the algorithm."""
    return {
        name: {column: table[column].tolist() for column in table.column_names if column != "cc"}
        for name, table in result.tables.items()
    }


def equal(first, second):
    """Whether two runs are the same to the last packet; NaN, of a cell that is empty, included."""
    return repr(without_labels(first)) == repr(without_labels(second))


@pytest.mark.parametrize("stack", ["rfc", "linux", "freebsd-2014"])
def test_the_templates_are_reno_to_the_last_packet(tmp_path, monkeypatch, stack):
    monkeypatch.chdir(tmp_path)
    ackclock.load(templates.write("window-reno"))
    ackclock.load(templates.write("full-reno", full=True))
    reno = run("reno", **{"flows[*].stack": stack})
    assert reno.flows["retransmits"].min() > 0
    for cc in ("window-reno", "full-reno"):
        mine = run(cc, **{"flows[*].stack": stack})
        assert equal(mine, reno)
        assert set(mine.flows["cc"]) == {cc}
        assert not equal(run({"kind": cc, "kept": 0.8}, **{"flows[*].stack": stack}), reno)


def test_rules_that_are_left_out_are_reno():
    registered("plain", ackclock.WindowRules)
    assert equal(run("plain"), run("reno"))
    ecn = {"flows[*].ecn": "classic", "flows[*].abe": True}
    assert equal(run("plain", **ecn), run("reno", **ecn))


def test_every_rule_is_asked_in_segments_and_seconds():
    asked = {}

    def noting(name, answer):
        def rule(self, flow):
            asked.setdefault(name, []).append(
                (
                    flow.now,
                    flow.cwnd,
                    flow.ssthresh,
                    flow.acked,
                    flow.rtt,
                    flow.min_rtt,
                    flow.cause,
                    flow.idle,
                    flow.mss,
                )
            )
            return answer

        return rule

    answers = {"start": 3, "increase": 2, "reduction": 0.7, "timeout": 0.25, "idle": 0.5}
    registered("noting", ackclock.WindowRules, **{name: noting(name, answer) for name, answer in answers.items()})
    lossy = run("noting", **{"bottleneck.loss": "4%"})
    result = run("noting")
    assert asked.keys() == answers.keys()
    assert lossy.flows["timeouts"].sum() >= len(asked["timeout"])
    now, cwnd, ssthresh, *_, mss = asked["start"][0]
    assert (cwnd, ssthresh, mss) == (10, math.inf, 1460)
    assert 0.04 <= now < 1
    firsts = result.window["cwnd"][result.window["flow"] == "bulk.0"]
    assert firsts[0] == 3 * 1460
    for now, cwnd, ssthresh, acked, rtt, min_rtt, cause, idle, _ in asked["increase"]:
        assert 0 < now <= 10
        assert ssthresh <= cwnd
        assert 0 < acked < 100
        assert rtt is None or 0.04 <= rtt < 2
        assert 0.04 <= min_rtt < 0.2
        assert (cause, idle) == (None, 0)
    assert {row[6] for row in asked["reduction"]} == {"loss"}
    assert {row[6] for row in asked["timeout"]} == {"timeout"}
    assert all(1 <= row[7] < 20 for row in asked["idle"])


def test_a_rule_changes_what_it_says_it_changes():
    seen = []

    def reduction(self, flow):
        seen.append((flow.now, min(flow.flight_size, flow.cwnd)))
        return 0.7

    registered("cut", ackclock.WindowRules, reduction=reduction)
    events = run("cut", **{"flows[1].app": "bulk", "flows[0].count": 1}).window
    for now, flight in seen:
        after = events["ssthresh"][(abs(events["time_s"] - now) < 1e-9)]
        assert int(0.7 * round(flight * 1460)) in after


def test_every_callback_is_called_with_what_the_engine_knows():
    seen = {}

    def note(name):
        def callback(self, window, *args):
            seen.setdefault(name, []).append(args)
            assert isinstance(window, _core.Window)
            assert window.cwnd >= 1460

        return callback

    def on_delivery(self, window, delivery):
        rate = delivery.rate
        seen.setdefault("on_delivery", []).append(
            (delivery.newly, delivery.delivered, delivery.ack.ctx.now, rate and (rate.bytes_per_second, rate.interval))
        )

    def on_lost(self, window, lost):
        seen.setdefault("on_lost", []).append((lost.len, lost.tx_in_flight, lost.lost_since, lost.ctx.now))

    def seed(self, seed):
        seen.setdefault("seed", []).append(seed)

    names = ("on_start", "on_recovery_end", "on_idle_end", "on_sent")
    registered(
        "noting",
        ackclock.CongestionControl,
        **full(**{name: note(name) for name in names}, on_delivery=on_delivery, on_lost=on_lost, seed=seed),
    )
    result = run("noting")
    assert seen.keys() == {*names, "on_delivery", "on_lost", "seed"}
    assert len(set(seen["seed"])) == len(seen["seed"]) == 2 * 3
    assert len(seen["on_start"]) == 2 * 3
    # Data, and the FIN of the bursts.
    assert len(seen["on_sent"]) == result.flows["data_segments_sent"].sum() + 1
    deliveries = seen["on_delivery"]
    assert [now for _, _, now, _ in deliveries] == sorted(now for _, _, now, _ in deliveries)
    assert max(delivered for _, delivered, _, _ in deliveries) > 1e6
    rates = [rate[0] for *_, rate in deliveries if rate and rate[1]]
    assert max(rates) == pytest.approx(10e6 / 8, rel=0.3)
    assert all(length == 1460 for length, *_ in seen["on_lost"])
    # The burst that waits longest, and the sink, which sends nothing before its FIN.
    assert 1e9 < max(idle for _, idle in seen["on_idle_end"]) < 10e9
    assert equal(result, run("reno"))


def test_an_algorithm_may_own_the_window_in_every_phase():
    def hold(self, window, *args):
        window.cwnd = 5 * 1460

    def start(self, window, ctx):
        window.cwnd, window.ssthresh = 5 * 1460.9, 2**63
        window.pacing_rate = 50_000.5

    members = full(on_start=start, on_ack=hold, on_congestion=hold, on_timeout=hold)
    registered("five", ackclock.CongestionControl, scope=ackclock.Scope(slow_start=True, window=True), **members)
    result = run("five")
    assert set(result.window["cwnd"][5:]) <= {5 * 1460, int(5 * 1460.9)}
    assert result.flows["goodput_bps"].max() < 50_000 * 8
    registered("grows", ackclock.CongestionControl, **members)
    assert len(set(run("grows").window["cwnd"])) > 2


def test_undo_is_the_engine_s_or_its_own():
    calls = []

    def on_undo(self, window, before):
        calls.append((window.cwnd, before.cwnd))
        super(cls, self).on_undo(window, before)

    registered("plain", ackclock.CongestionControl, **full())
    cls = registered("undoes", ackclock.CongestionControl, **full(on_undo=on_undo))
    # A burst makes the round trip many times longer at once.
    sudden = {"flows[*].stack": "linux", "flows[1].initial_window": 130, "bottleneck.queue": "500 packets"}
    sudden |= {"bottleneck.rate": "1Mbps", "bottleneck.loss": "0%", "flows[0].receive_buffer": "8kB"}
    first, second = run("plain", **sudden), run("undoes", **sudden)
    assert equal(first, second)
    assert calls
    assert equal(first, run("reno", **sudden))


def fails(cc="mine", **overrides):
    with pytest.raises(ackclock.AlgorithmError) as raised:
        run(cc, **overrides)
    return raised.value


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
    job = SimpleNamespace(scenario=ackclock.scenario.load(BASE), overrides=tuple(LONG.items()), seed=None)
    job.overrides += (("flows[0].cc", "mine"),)
    with pytest.raises(ackclock.Cancelled):
        run_job(job, cancel, lambda done: None)


def test_the_same_bytes_whatever_the_threads():
    def seed(self, seed):
        self.random = random.Random(seed)

    registered("lots", ackclock.WindowRules, seed=seed, increase=lambda self, flow: self.random.choice([0, 1, 2]))
    alone, spread = (ackclock.run(BASE, seeds=4, threads=n, overrides={"flows[*].cc": "lots"}) for n in (1, 4))
    assert same(alone, spread)
    assert len({run.flows["goodput_bps"][0] for run in alone}) == 4


def test_parameters_are_set_by_scenarios_before_anything_else():
    made = []

    def init(self):
        made.append((self.kept, self.step))

    members = {"kept": ackclock.parameter(0.5, 0.1, 0.9, "part kept"), "step": ackclock.parameter(1, 0, 5)}
    cls = registered("mine", ackclock.WindowRules, __init__=init, **members)
    run({"kind": "mine", "kept": 0.75})
    assert set(made) == {(0.75, 1.0)}
    assert cls.kept == 0.5
    for cc, words in {
        "{ kind = 'mine', kept = 0.95 }": "flows[0].cc.kept: 0.95 is not accepted; accepted: a number from 0.1 to 0.9",
        "{ kind = 'mine', kep = 0.5 }": 'unknown key of mine; accepted: kind, source, kept, step; did you mean "kept"?',
    }.items():
        with pytest.raises(ackclock.ScenarioError) as raised:
            ackclock.check(BASE, {"flows[0].cc": cc})
        assert words in str(raised.value)
    with pytest.raises(ValueError, match="default 2 is not from 0 to 1"):
        ackclock.parameter(2, 0, 1)
    (row,) = (row for row in ackclock.catalogue()["cc"] if row["name"] == "mine")
    assert row["parameters"][0] == {"name": "kept", "summary": "part kept", "default": 0.5, "least": 0.1, "most": 0.9}


def test_a_name_is_known_once_it_is_registered():
    with pytest.raises(ackclock.ScenarioError):
        ackclock.check(BASE, {"flows[0].cc": "mine"})
    registered("mine", ackclock.WindowRules, __doc__="Mine.\n\nMore.")
    checked = ackclock.check(BASE, {"flows[0].cc": "mine"})
    assert checked["flows"][0]["cc"].keys() == {"kind", "source"}
    assert ackclock.check(checked) == checked
    with pytest.raises(ackclock.ScenarioError, match="remycc, mine; did you mean"):
        ackclock.check(BASE, {"flows[0].cc": "minne"})
    row = ackclock.catalogue()["cc"][-1]
    assert (row["name"], row["summary"]) == ("mine", "Mine.")
    assert row["source"].startswith("test_cc.py, class Mine, source ")


def test_the_schema_knows_what_is_registered():
    def accepted(cc):
        flows = [{"app": "bulk", "cc": cc}]
        document = {"bottleneck": {"rate": "1Mbps", "delay": "1ms", "queue": "1bdp"}, "flows": flows}
        return jsonschema.Draft202012Validator(ackclock.schema()).is_valid({"name": "a", "duration": "1s", **document})

    forms = ("mine", {"kind": "mine"}, {"kind": "mine", "kept": 0.9})
    assert [accepted(cc) for cc in forms] == [False] * 3
    registered("mine", ackclock.WindowRules, kept=ackclock.parameter(0.5, 0.1, 0.9, "part kept"))
    jsonschema.Draft202012Validator.check_schema(ackclock.schema())
    assert [accepted(cc) for cc in forms] == [True] * 3
    canonical = ackclock.check(BASE, {"flows[0].cc": {"kind": "mine", "kept": 0.7}})
    assert accepted(canonical["flows"][0]["cc"])
    refused = ({"kind": "mine", "kept": 0.91}, {"kind": "mine", "kep": 0.5}, {"kept": 0.5}, "minne")
    assert [accepted(cc) for cc in refused] == [False] * 4


@pytest.mark.parametrize(
    ("name", "base", "members", "error", "words"),
    [
        ("reno", ackclock.WindowRules, {}, ValueError, "reno is the catalogue's"),
        ("My Reno", ackclock.WindowRules, {}, ValueError, "'My Reno' is no name"),
        ("mine", object, {}, TypeError, "WindowRules or of ackclock.CongestionControl"),
        ("mine", ackclock.CongestionControl, {}, TypeError, "Mine lacks on_ack, on_congestion, on_timeout"),
        ("mine", ackclock.WindowRules, {"increse": len}, TypeError, "increse is no callback; did you mean increase"),
        ("mine", ackclock.CongestionControl, full(on_acks=len), TypeError, "did you mean on_ack"),
        ("mine", ackclock.WindowRules, {"kind": ackclock.parameter(1, 0, 2)}, ValueError, "cannot be called kind"),
    ],
)
def test_what_cannot_be_registered(name, base, members, error, words):
    with pytest.raises(error, match=words):
        registered(name, base, **members)
    assert _registry.algorithms() == []


SOURCE = """
import ackclock

STEP = {step}

@ackclock.congestion_control("{name}")
class Mine(ackclock.WindowRules):
    def increase(self, flow):
        return STEP
"""


def test_two_sources_of_one_name_have_two_hashes(tmp_path):
    def meta():
        return ackclock.run(BASE, overrides={"flows[0].cc": "mine", "duration": "2s"}).meta

    metas = []
    for step in (1, 2, 1):
        path = tmp_path / "mine.py"
        path.write_text(SOURCE.format(step=step, name="mine"))
        ackclock.load(path)
        metas.append(meta())
    assert metas[0] == metas[2]
    assert metas[0]["scenario_hash"] != metas[1]["scenario_hash"]
    assert metas[0]["algorithms"].keys() == {"mine"}
    assert metas[0]["algorithms"] != metas[1]["algorithms"]
    assert "algorithms" not in ackclock.run(BASE, overrides={"duration": "2s"}).meta
    canonical = ackclock.check(BASE, {"flows[0].cc": "mine"})
    path.write_text(SOURCE.format(step=3, name="mine"))
    ackclock.load(path)
    with pytest.raises(ackclock.ScenarioError, match="is not the source that is loaded"):
        ackclock.run(canonical)
    (tmp_path / "other.py").write_text(SOURCE.format(step=1, name="mine"))
    with pytest.raises(_registry.LoadError, match=r"mine is already the name of Mine .*mine\.py"):
        ackclock.load(tmp_path / "other.py")


def test_every_parameter_counts_for_the_hash_whatever_its_name():
    parameters = {name: ackclock.parameter(1, 0, 9) for name in ("table", "sha256")}
    registered("mine", ackclock.WindowRules, **parameters)
    reading = Reading("main", "main", ackclock.scenario.load(BASE))
    given = [{"table": table, "sha256": sha256} for table in (2, 3) for sha256 in (2, 3)]
    hashes = {hash_of(reading, Variant("one", "one", {"flows[0].cc": {"kind": "mine", **one}})) for one in given}
    assert len(hashes) == 4


def test_a_class_without_a_source_is_refused():
    scope = {"__name__": "nowhere", "ackclock": ackclock}
    with pytest.raises(ValueError, match="put it into a file"):
        exec(SOURCE.format(step=1, name="mine"), scope)


def test_grids_sweeps_and_hashes_of_studies_take_it():
    registered("mine", ackclock.WindowRules, step=ackclock.parameter(1, 0, 9), increase=lambda self, flow: self.step)
    variants = [Variant("reno", "Reno", {"flows[*].cc": "reno"}), Variant("mine", "Mine", {"flows[*].cc": "mine"})]
    reading = Reading("main", "main", ackclock.scenario.load(BASE), {"duration": "5s"})

    def measure(result):
        return {"time_s": float(result.flows["goodput_bps"].sum())}

    grid = run_grid([reading], variants, [1, 2], measure)
    assert grid.values("main", "mine", "time_s").tolist() == grid.values("main", "reno", "time_s").tolist()
    assert hash_of(reading, variants[0]) != hash_of(reading, variants[1])
    points = {step: {"flows[*].cc": {"kind": "mine", "step": step}} for step in (0, 4)}
    sweep = Sweep("step", "segments", points, {"duration": "5s"})
    options = {"threads": 2, "progress": None, "worker": run_job}
    swept = run_sweep(sweep, reading.scenario, [Choice("main")], variants[:1], [1, 2], measure, **options)
    slow, fast = (swept.grid.values(f"step {step}; main", "reno", "time_s").tolist() for step in (0, 4))
    # A variant comes last: it is Reno at every step.
    assert slow == fast
    stepped = [Variant("mine", "Mine")]
    swept = run_sweep(sweep, reading.scenario, [Choice("main")], stepped, [1, 2], measure, **options)
    slow, fast = (swept.grid.values(f"step {step}; main", "mine", "time_s").tolist() for step in (0, 4))
    assert slow != fast


def test_the_command_that_repeats_a_run_loads_what_it_needs(tmp_path):
    for name in ("mine", "other"):
        (tmp_path / f"{name} cc.py").write_text(SOURCE.format(step=1, name=name))
        ackclock.load(tmp_path / f"{name} cc.py")
    reading = Reading("main", "main", ackclock.scenario.load(BASE))

    def command(cc):
        return command_of(reading, Variant("one", "one", {"flows[1].cc": cc}), 3)

    assert command("reno") == "ackclock run scenario.toml --seed 3 --set 'flows[1].cc=reno'"
    for cc in ("mine", {"kind": "mine"}):
        assert command(cc).startswith(f"ackclock run scenario.toml --load '{tmp_path}/mine cc.py' --seed 3 --set")


@pytest.fixture
def cli(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "base.toml").write_text(BASE)

    def call(*arguments):
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


def test_the_command_line_makes_loads_lists_and_runs_one(cli, tmp_path):
    status, out, err = cli("new", "cc", "my-reno")
    assert (status, err) == (0, "")
    assert "my_reno.py" in out
    assert cli("new", "cc", "my-reno") == (2, "", "ackclock: my_reno.py exists; it is not overwritten\n")
    assert cli("new", "cc", "Other")[0] == 2
    assert cli("new", "queue", "other") == (2, "", "ackclock: unknown kind queue; accepted: cc\n")
    assert [path.name for path in tmp_path.glob("*.py")] == ["my_reno.py"]
    assert cli("new", "cc", "a.b_c", "--full")[0] == 0
    assert "class ABC(ackclock.CongestionControl)" in (tmp_path / "a_b_c.py").read_text()

    out = cli("list", "cc", "--load", "my_reno.py")[1]
    assert "Additive increase of one segment a round trip" in out
    assert "part of the window kept at a loss" in out
    assert cli("check", "base.toml", "--load", "my_reno.py", "--set", "flows[0].cc=my-reno")[0] == 0
    assert '"const": "my-reno"' in cli("schema", "--load", "my_reno.py")[1]
    arguments = ["run", "base.toml", "--load", "my_reno.py", "--set", "flows[0].cc=my-reno", "--json"]
    document = json.loads(cli(*arguments)[1])
    assert document["flows"][0]["cc"] == "my-reno"
    assert document["algorithms"].keys() == {"my-reno"}
    assert json.loads(cli(*arguments, "--seeds", 2)[1])["algorithms"] == document["algorithms"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "mine.py: No such file or directory"),
        ("x = 1\n", 'mine.py: registers nothing; accepted: a class after @ackclock.congestion_control("NAME")'),
        ("x =\n", "mine.py: SyntaxError: invalid syntax"),
        ("1 / 0\n", "mine.py: ZeroDivisionError: division by zero"),
    ],
)
def test_a_file_that_cannot_be_loaded(cli, tmp_path, content, words):
    if content is not None:
        (tmp_path / "mine.py").write_text(content)
    status, out, err = cli("run", "base.toml", "--load", "mine.py")
    assert (status, out) == (2, "")
    assert words in err.splitlines()[-1]
    assert cli("run", "base.toml", "--load", "base.toml")[2].endswith("accepted: a file NAME.py\n")


def test_the_command_line_shows_the_traceback_of_one_that_fails(cli, tmp_path):
    (tmp_path / "mine.py").write_text(
        SOURCE.format(step="1 / 0 if ackclock else 0", name="mine")
        .replace("STEP =", "STEP = lambda:")
        .replace("return STEP", "return STEP()")
    )
    status, out, err = cli("run", "base.toml", "--load", "mine.py", "--set", "flows[*].cc=mine", "--out", "results")
    assert (status, out) == (2, "")
    assert "mine.py" in err
    assert "return STEP()" in err
    assert err.splitlines()[-1].startswith("ackclock: mine of flow bu")
    assert err.splitlines()[-1].endswith("in increase: ZeroDivisionError: division by zero")
    assert not (tmp_path / "results").exists()
