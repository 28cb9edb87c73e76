"""Rate adaptations of the user in Python: what they are told, what they decide, and what is refused."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

import ackclock
from ackclock.cc import registry, templates
from ackclock.cli import main
from ackclock.kernel.asked import asked
from tests.helpers.tables import same

VIDEO = """
name = "video"
duration = "90s"

[bottleneck]
rate = { kind = "steps", steps = [{ at = "0s", rate = "5Mbps" }, { at = "30s", rate = "1Mbps" }] }
delay = "20ms"
queue = "100 packets"

[[flows]]
name = "tv"

[flows.app]
kind = "dash"
ladder = ["300kbps", "750kbps", "1.2Mbps", "1.85Mbps", "2.85Mbps", "4.3Mbps"]
segment = "4s"
buffer = "30s"
"""
RULE = "flows[0].app.abr"
LEVELS = [300_000, 750_000, 1_200_000, 1_850_000, 2_850_000, 4_300_000]

SOURCE = """
import ackclock

@ackclock.rate_adaptation("{name}")
class Mine(ackclock.RateAdaptation):
    '''Mine.'''

    part = ackclock.parameter(0.5, 0.1, 1, "part")

    def choose(self, playback):
        {body}
        return {level}
"""


def registered(name="mine", base=ackclock.RateAdaptation, **members):
    """Registers a class made of `members` and returns it."""
    return ackclock.rate_adaptation(name)(type("Mine", (base,), {"__module__": __name__} | members))


def run(rule="mine", **overrides):
    return ackclock.run(VIDEO, overrides={RULE: rule} | overrides)


def levels(result):
    """The indices of the levels of all segments."""
    return [LEVELS.index(level) for level in result.dash_segments["level_bps"].tolist()]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "overrides",
    [
        {},
        {"flows[0].app.size_cv": 0.4, "flows[0].app.think_jitter": "80ms", "seed": 7},
        {"flows[0].app.live": {"latency": "8s"}, "flows[0].app.segment": "2s", "flows[0].app.buffer": "12s"},
        {"flows[0].count": 3, "flows[0].start_jitter": "2s", "flows[0].app.segments": 20},
        {"flows[0].app.buffer": "4s", "bottleneck.loss": "1%"},
    ],
)
def test_a_copy_of_the_throughput_rule_gives_the_same_bytes(folder, overrides):
    ackclock.load(templates.write_rule("copy"))
    built_in, copy = (run(rule, **overrides) for rule in ("throughput", "copy"))
    assert len(set(levels(built_in))) > 2, "the rule is made to change its level"
    assert same(built_in, copy)
    safety = {"flows[0].app.safety": 0.6}
    careful = run({"kind": "copy", "safety": 0.6}, **overrides)
    assert same(run("throughput", **overrides, **safety), careful)
    assert not same(careful, copy)


def test_what_a_rule_is_told():
    seen, videos, downloads, stalls = [], [], [], []

    def start(self, video):
        videos.append((video.ladder, video.segment, video.buffer, video.target))

    def choose(self, playback):
        told = (playback.index, playback.left, playback.last, playback.playing, playback.latency, playback.now)
        seen.append((*told, playback.buffer, playback.sizes, len(playback.history)))
        return playback.index % 2

    def on_segment(self, download):
        downloads.append((download.level, download.bytes, download.requested, download.done, download.bps))
        assert download.requested < download.first_byte < download.done
        assert download.buffer == download.buffer_before + 4
        assert download.buffer_at_request >= download.buffer_before

    registered(start=start, choose=choose, on_segment=on_segment, on_stall=lambda self: stalls.append(1))
    result = run(**{"flows[0].app.segments": 12, "flows[0].app.size_cv": 0.3, "flows[0].app.startup": "8s"})
    assert videos == [(tuple(LEVELS), 4.0, 30.0, 26.0)]
    rows = list(result.dash_segments.rows())
    assert [one[0] for one in seen] == list(range(12))
    assert [one[1] for one in seen] == list(range(12, 0, -1))
    assert [one[2] for one in seen] == [None] + [index % 2 for index in range(11)]
    assert [one[3] for one in seen] == [False, False] + [True] * 10
    assert {one[4] for one in seen} == {None}
    assert [one[5] for one in seen] == pytest.approx([row["request_s"] for row in rows])
    assert [one[8] for one in seen] == list(range(12))
    # The sizes that a rule is told are those that the segments have later.
    assert [len(one[7]) for one in seen] == [8] * 5 + list(range(7, 0, -1))
    for index, row in enumerate(rows):
        told = [one[7][index - first][index % 2] for first, one in enumerate(seen) if 0 <= index - first < 8]
        assert set(told) == {row["bytes"]}
    assert [one[1] for one in downloads] == [row["bytes"] for row in rows]
    assert [one[4] for one in downloads] == pytest.approx([row["download_bps"] for row in rows])
    assert not stalls


def test_stalls_and_the_latency_of_live_video_are_told():
    calls = []
    registered(
        choose=lambda self, playback: calls.append(playback.latency) or 5,
        on_segment=lambda self, download: calls.append("segment"),
        on_stall=lambda self: calls.append("stall"),
    )
    result = run(**{"flows[0].app.live": {"latency": "8s"}})
    stalls = [index for index, call in enumerate(calls) if call == "stall"]
    assert len(stalls) == sum(1 for row in result.dash_segments.rows() if row["stall_s"] and row["done_s"])
    assert stalls
    assert all(calls[index + 1] == "segment" for index in stalls)
    latencies = [call for call in calls if isinstance(call, float)]
    assert latencies == sorted(latencies)
    assert latencies[-1] > latencies[0] >= 8


def test_a_rule_may_wait():
    asked_at = []

    def choose(self, playback):
        asked_at.append(playback.now)
        return (0, 1.5) if playback.playing and len(asked_at) % 2 == 0 else 0

    registered(choose=choose)
    result = run(duration="20s")
    requests = result.dash_segments["request_s"].tolist()
    assert len(asked_at) > len(requests)
    waits = [later - now for now, later in zip(asked_at[1::2], asked_at[2::2], strict=False)]
    assert waits == pytest.approx([1.5] * len(waits))
    # A player that does not play ignores the time.
    registered("mine", choose=lambda self, playback: (0, 0.0 if playback.playing else 1e6))
    assert run(duration="20s").dash["played_s"][0] > 15


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ("6", ValueError),
        ("-1", ValueError),
        ("1.0", TypeError),
        ("True", TypeError),
        ("None", TypeError),
        ("'high'", TypeError),
        ("(0, -0.5)", ValueError),
        ("(0, float('nan'))", ValueError),
        ("(0, 'soon')", TypeError),
        ("(6, 0)", ValueError),
        ("(0, 1, 2)", TypeError),
    ],
)
def test_a_level_or_a_time_that_is_not_accepted_ends_the_run(tmp_path, said, cause):
    file = tmp_path / "mine.py"
    file.write_text(SOURCE.format(name="mine", body="pass", level=said))
    ackclock.load(file)
    with pytest.raises(ackclock.AlgorithmError) as raised:
        run()
    assert (raised.value.algorithm, raised.value.flow, raised.value.callback) == ("mine", "tv", "choose")
    assert raised.value.time_s == pytest.approx(0.06, abs=0.05)
    assert type(raised.value.__cause__) is cause
    text = str(raised.value)
    assert f"it returns {eval(said)!r} ({file}, from line 10): accepted: a level from 0 to 5" in text
    assert "a time to wait from 0 to 1000000 seconds" in text


def test_an_exception_ends_the_run_with_its_place(folder, capsys):
    Path("video.toml").write_text(VIDEO)
    Path("mine.py").write_text(SOURCE.format(name="mine", body="playback.history[3]", level=0))
    status = main(["run", "video.toml", "--load", "mine.py", "--set", f"{RULE}=mine", "--out", "results"])
    captured = capsys.readouterr()
    assert (status, captured.out) == (2, "")
    assert 'mine.py", line 11, in choose' in captured.err
    last = captured.err.splitlines()[-1]
    assert last.startswith("ackclock: mine of flow tv at 0.")
    assert last.endswith("in choose: IndexError: list index out of range [ACK020]")
    assert not Path("results").exists()


@pytest.mark.parametrize("callback", ["__init__", "start", "on_segment", "on_stall"])
def test_an_error_in_any_callback_ends_the_run(callback):
    def fail(self, *_):
        raise LookupError("far away")

    registered(**({"choose": lambda self, playback: 5} | {callback: fail}))
    with pytest.raises(ackclock.AlgorithmError, match="LookupError: far away") as raised:
        run()
    assert raised.value.callback == callback


@pytest.mark.parametrize(
    ("name", "base", "members", "error", "words"),
    [
        ("bba", ackclock.RateAdaptation, {"choose": len}, ValueError, "bba is the catalogue's"),
        ("My Rule", ackclock.RateAdaptation, {"choose": len}, ValueError, "'My Rule' is no name"),
        ("mine", ackclock.RateAdaptation, {}, TypeError, "Mine lacks choose"),
        ("mine", ackclock.WindowRules, {}, TypeError, "has to be a class of ackclock.RateAdaptation"),
        ("mine", ackclock.RateAdaptation, {"choose": len, "on_segmnt": len}, TypeError, "did you mean on_segment"),
    ],
)
def test_what_cannot_be_registered(name, base, members, error, words):
    with pytest.raises(error, match=words):
        registered(name, base, **members)
    assert registry.algorithms() == []


def test_a_rule_is_no_congestion_control_and_the_other_way_round():
    registered("mine", choose=lambda self, playback: 0)
    ackclock.congestion_control("other")(type("Other", (ackclock.WindowRules,), {"__module__": __name__}))
    with pytest.raises(ackclock.ScenarioError, match="is not a known congestion control"):
        ackclock.check(VIDEO, {"flows[0].cc": "mine"})
    with pytest.raises(ackclock.ScenarioError, match=r"is not a known rate adaptation; accepted: .*lol-plus, mine"):
        ackclock.check(VIDEO, {RULE: "other"})
    with pytest.raises(ValueError, match="mine is already the name of"):
        ackclock.congestion_control("mine")(type("Both", (ackclock.WindowRules,), {"__module__": __name__}))
    # The name of a rule of the catalogue is free for a congestion control, and its runs do not take it for one.
    ackclock.congestion_control("throughput")(type("Third", (ackclock.WindowRules,), {"__module__": __name__}))
    assert registry.named_in(ackclock.check(VIDEO)) == ()
    assert registry.named_in(ackclock.check(VIDEO, {RULE: "mine"})) == ("mine",)


def test_catalogue_schema_and_hash_know_what_is_registered(tmp_path):
    canonical = []
    for level in (0, 1):
        (tmp_path / "mine.py").write_text(SOURCE.format(name="mine", body="pass", level=level))
        ackclock.load(tmp_path / "mine.py")
        canonical.append(ackclock.check(VIDEO, {RULE: {"kind": "mine", "part": 0.7}}))
    (row,) = (row for row in ackclock.catalogue()["abr"] if row["name"] == "mine")
    assert (row["summary"], row["parameters"][0]["name"]) == ("Mine.", "part")
    schema = jsonschema.Draft202012Validator(ackclock.schema())
    assert schema.is_valid(canonical[1])
    wrong = json.loads(json.dumps(canonical[1]).replace('"part": 0.7', '"part": 7'))
    assert not schema.is_valid(wrong)
    assert canonical[0]["flows"][0]["app"]["abr"].keys() == {"kind", "source", "part"}
    assert canonical[0] != canonical[1]
    with pytest.raises(ackclock.ScenarioError, match="is not the source that is loaded"):
        ackclock.check(canonical[0])
    result = run(duration="5s")
    assert result.meta["algorithms"].keys() == {"mine"}


def test_the_command_line_makes_lists_checks_and_completes_one(folder, capsys):
    Path("video.toml").write_text(VIDEO)

    def call(*arguments):
        status = main([str(one) for one in arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    status, out, err = call("new", "abr", "my-rule")
    assert (status, err) == (0, "")
    assert "--load my_rule.py --set 'flows[0].app.abr=my-rule'" in out
    assert call("new", "abr", "my-rule") == (2, "", "ackclock: my_rule.py exists; it is not overwritten [ACK008]\n")
    assert "expected the name of the rate adaptation" in call("new", "abr")[2]
    assert "--rust is for congestion controls" in call("new", "abr", "other", "--rust")[2]
    out = call("list", "abr", "--load", "my_rule.py")[1]
    assert "part of the mean throughput that is used" in out
    assert "The highest level within the mean throughput, the lowest while the buffer is low." in out
    assert call("check", "video.toml", "--load", "my_rule.py", "--set", f"{RULE}=my-rule")[0] == 0
    assert "--load FILE loads one of your own" in call("check", "video.toml", "--set", f"{RULE}=elsewhere")[2]
    assert '"const": "my-rule"' in call("schema", "--load", "my_rule.py")[1]
    document = json.loads(call("run", "video.toml", "--load", "my_rule.py", "--set", f"{RULE}=my-rule", "--json")[1])
    assert document["algorithms"].keys() == {"my-rule"}
    assert "part of the mean throughput" in call("help", "my-rule", "--load", "my_rule.py")[1]
    assert "abr" in call("completion", "bash")[1]


def test_another_machine_gets_the_file(tmp_path):
    (tmp_path / "mine.py").write_text(SOURCE.format(name="mine", body="pass", level=1))
    ackclock.load(tmp_path / "mine.py")
    here, sources = run(duration="20s"), registry.sources()
    registry._entries.clear()
    with registry.adopted(sources):
        assert same(here, run(duration="20s"))
    assert registry.rows() == []


def test_a_kernel_cannot_call_a_class():
    registered(choose=lambda self, playback: 0)
    canonical = ackclock.check(VIDEO, {RULE: "mine"})
    _, problems = asked(canonical, ["cubic"], "Linux 6.12", loads=False)
    assert ["is a class in Python" in one["message"] for one in problems if one["path"] == RULE] == [True]
    _, problems = asked(ackclock.check(VIDEO), ["cubic"], "Linux 6.12", loads=False)
    assert RULE not in [one["path"] for one in problems]


@pytest.mark.slow
def test_threads_and_processes_give_the_same_bytes(tmp_path):
    body = "self.n = getattr(self, 'n', 0) + 1"
    (tmp_path / "mine.py").write_text(SOURCE.format(name="mine", body=body, level="self.n % 3"))
    ackclock.load(tmp_path / "mine.py")
    own = {RULE: "mine", "flows[0].app.size_cv": 0.3, "flows[0].count": 2}
    alone, spread = (ackclock.run(VIDEO, seeds=3, overrides=own, threads=threads) for threads in (1, 2))
    assert same(alone, spread)
    found = []
    for threads in (1, 2):
        vary = {RULE: ["bba", "mine"]}
        with ackclock.sweep(
            VIDEO, vary, seeds=2, out=tmp_path / f"{threads}", threads=threads,
            measure=lambda result: {"pid": float(os.getpid()), "level": float(result.dash["mean_level_bps"][0])},
        ) as store:  # fmt: skip
            assert store.failed == 0
            found.append(store.values("measures.level"))
    assert [list(one.values) for one in found[0]] == [list(one.values) for one in found[1]]


def test_ctrl_c_ends_the_run_of_a_slow_rule(tmp_path):
    (tmp_path / "video.toml").write_text(VIDEO.replace("90s", "10h"))
    body = "import time; print('asked', flush=True); time.sleep(0.05)"
    (tmp_path / "mine.py").write_text(SOURCE.format(name="mine", body=body, level=0))
    command = [sys.executable, "-m", "ackclock", "run", "video.toml", "--load", "mine.py", "--set", f"{RULE}=mine"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "asked\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    # The presentation has 9000 segments.
    assert out.count("asked") < 1000
    assert "interrupted" in err
    assert process.returncode != 0
