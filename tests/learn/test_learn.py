"""Searches for tables on a tiny design: the log, resuming, checks, wrong input, the page."""

import json
import random
import signal
import subprocess
import sys
import time
from html import unescape
from types import SimpleNamespace

import pytest

import ackclock
from ackclock import ScenarioError, _core, learn
from ackclock.cli import main
from ackclock.cli.learn import training_reporter
from ackclock.learn.training import complete
from tests.helpers.designs import DESIGN, OPTIONS, SMALL


@pytest.fixture(scope="module")
def design(tmp_path_factory):
    path = tmp_path_factory.mktemp("design") / "small.toml"
    path.write_text(DESIGN)
    return path


@pytest.fixture(scope="module")
def trained(design, tmp_path_factory):
    """A search that ran to its end: its table and its log."""
    table = tmp_path_factory.mktemp("trained") / "small.dna"
    states = []
    training = learn.train(design, table, threads=2, report=states.append, **SMALL)
    return SimpleNamespace(training=training, table=table, log=learn.Log.read(learn.log_of(table)), states=states)


def test_a_search_ends_with_a_table_whose_log_gives_it_again(trained):
    assert trained.training.status["finished"]
    assert trained.training.why == "the search has ended"
    decisions = [json.loads(line) for line in trained.log.decisions]
    assert [state.decision for state in trained.states] == decisions
    assert {"improve", "keep", "validate", "split", "finish"} <= {one["do"] for one in decisions}
    checked = learn.check(trained.log, trained.table.read_bytes(), threads=2)
    assert (checked.decisions, checked.wrong) == (len(decisions), [])
    assert checked.validated == sum(one["do"] == "validate" for one in decisions)
    splits = [number for number, one in enumerate(decisions, 1) if one["do"] == "split"]
    assert [session["decisions"] for session in trained.log.sessions] == [*splits, len(decisions)]
    assert trained.log.cpu_s == sum(session["cpu_s"] for session in trained.log.sessions) > 0


def test_a_table_is_usable_in_a_scenario(trained):
    table = {"kind": "remycc", "table": str(trained.table)}
    result = ackclock.run(
        {
            "duration": "2s",
            "bottleneck": {"rate": "2Mbps", "delay": "20ms"},
            "flows": [{"app": "bulk", "stack": "rfc", "cc": table}],
        },
    )
    assert result.tables["flows"]["goodput_bps"][0] > 5e5


def test_a_table_is_better_than_the_first_rule_on_networks_of_the_design(trained):
    scores = [state.status["best"] for state in trained.states if state.status["best"] is not None]
    first = _core.Search(DESIGN, json.dumps(complete(SMALL)), [])
    assert scores[-1] > first.validate(2) + 0.3


def test_the_time_left_is_estimated_from_the_second_split_on(trained):
    splits = [state.status["generation"] for state in trained.states]
    assert all((state.left_cpu_s is None) == (count < 2) for state, count in zip(trained.states, splits, strict=True))
    assert trained.states[-1].left_cpu_s == trained.training.left_cpu_s == 0.0
    second = next(state for state in trained.states if state.status["generation"] == 2)
    assert second.left_cpu_s > 0.0


def test_a_search_that_pauses_goes_on(design, trained, tmp_path):
    table = tmp_path / "small.dna"
    for _ in range(2):
        paused = learn.train(design, table, threads=2, seconds=0, **SMALL)
        assert "the same command goes on" in paused.why
    assert learn.train(design, table, threads=1, **SMALL).status["finished"]
    assert table.read_bytes() == trained.table.read_bytes()
    assert learn.Log.read(learn.log_of(table)).decisions == trained.log.decisions


def test_a_search_that_is_killed_ten_times_ends_with_the_same_table(design, trained, tmp_path):
    table = tmp_path / "small.dna"
    command = [sys.executable, "-m", "ackclock", "learn", str(design), "--out", str(table), *OPTIONS, "--threads", "2"]
    log = learn.log_of(table)
    moments = random.Random(1)
    interrupted = 0
    while interrupted < 10:
        done = len(learn.Log.read(log).decisions) if log.exists() else 0
        if done == len(trained.log.decisions):
            # The kill came too late; ten others are due all the same.
            log.unlink()
            table.unlink(missing_ok=True)
            done = 0
        lines = done + moments.randint(1, 3)
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        while process.poll() is None and not (log.exists() and log.read_bytes().count(b"\n") > lines):
            time.sleep(0.001)
        # The moment is in the middle of a decision, too, not only after a line.
        time.sleep(moments.uniform(0.0, 0.005))
        process.kill()
        process.wait()
        interrupted += len(learn.Log.read(log).decisions) < len(trained.log.decisions)
    # A line that was not finished is what a kill in the middle of a write leaves.
    with log.open("ab") as file:
        file.write(trained.log.decisions[0].encode()[:20])
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert learn.Log.read(log).decisions == trained.log.decisions
    assert table.read_bytes() == trained.table.read_bytes()


def test_a_signal_stops_a_search_in_order(design, tmp_path):
    table = tmp_path / "small.dna"
    command = [sys.executable, "-m", "ackclock", "learn", str(design), "--out", str(table), "--threads", "1"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    log = learn.log_of(table)
    while not (log.exists() and log.read_bytes().count(b"\n") > 1):
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGTERM)
    _, error = process.communicate()
    assert process.returncode == 143
    assert "Traceback" not in error
    assert learn.Log.read(log).sessions, "the time of the process is on record"
    assert table.exists()


def test_another_search_does_not_go_on_with_a_log(design, trained, tmp_path):
    with pytest.raises(learn.LogError, match=r"delta is 1.0 and not 0.5.*Name another table"):
        learn.train(design, trained.table, delta=0.5, **SMALL)
    other = tmp_path / "other.toml"
    other.write_text(DESIGN.replace("1Mbps..2Mbps", "1Mbps..3Mbps"))
    with pytest.raises(learn.LogError, match="the design is another one"):
        learn.train(other, trained.table, **SMALL)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such lock")
def test_two_processes_do_not_write_one_log(design, trained):
    with trained.log.appending(), pytest.raises(learn.LogError, match="another process is training"):
        learn.train(design, trained.table, **SMALL)


def changed(log, number, **values):
    """The log with other values in a decision."""
    decision = json.loads(log.decisions[number]) | values
    decisions = [*log.decisions[:number], json.dumps(decision), *log.decisions[number + 1 :]]
    return learn.Log(log.path, log.design, log.settings, log.engine, decisions)


def test_a_check_finds_what_was_changed(trained):
    numbers = {json.loads(line)["do"]: number for number, line in reversed(list(enumerate(trained.log.decisions)))}
    wrong = learn.check(changed(trained.log, numbers["validate"], score=0.5), threads=2).wrong
    assert len(wrong) == 1
    assert "the log has 0.5" in wrong[0]
    with pytest.raises(learn.LogError, match="cannot follow"):
        learn.check(changed(trained.log, numbers["improve"], multiple=0.123456), threads=2)
    other = trained.table.read_bytes() + b"\x22\x00"
    assert learn.check(trained.log, other, threads=2).wrong == ["the table is not the one that the decisions give"]


def test_what_is_no_log_is_refused(tmp_path):
    path = tmp_path / "x.learn.jsonl"
    for content in (b"", b"{}\n", b"[1]\n", b'{"log": 9, "design": "", "settings": {}, "engine": ""}\n', b"\xff\n"):
        path.write_bytes(content)
        with pytest.raises(learn.LogError, match="accepted"):
            learn.Log.read(path)
    with pytest.raises(learn.LogError, match="No such file"):
        learn.Log.read(tmp_path / "absent")


def test_a_wrong_design_is_explained_and_leaves_nothing(tmp_path, capsys):
    path = tmp_path / "wrong.toml"
    path.write_text(DESIGN.replace("1Mbps..2Mbps", "2Mbps..1Mbps").replace("20ms..40ms", "20ms..40m"))
    assert main(["learn", str(path), "--out", str(tmp_path / "x.dna")]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert all("wrong.toml" in line and "is not a range" in line for line in lines)
    assert [one.name for one in tmp_path.iterdir()] == ["wrong.toml"]
    with pytest.raises(ScenarioError, match="remove cc"):
        learn.train(_written(tmp_path, DESIGN.replace("count =", 'cc = "cubic"\ncount =')), tmp_path / "x.dna")


def _written(folder, text):
    path = folder / "another.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "one of published, tiny"),
        (["tiny", "--time", "5"], "expected a number with s, min or h"),
        (["tiny", "--objective", "inverse", "--delta", "1"], "-1/throughput has no delay"),
        (["tiny", "--method", "gradient"], "accepted: economical, published"),
        (["tiny", "--specimens", "0"], "from 1 to 10000"),
        (["tiny", "--delta", "-1"], "delta as a number"),
        (["tiny", "--threads", "0"], "at least 1"),
    ],
)
def test_wrong_options_are_explained(arguments, message, tmp_path, capsys):
    table = tmp_path / "x.dna"
    assert main(["learn", *arguments, "--out", str(table)]) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_progress_tells_the_time_left(capsys):
    times = iter([0.0, 0.0, 30.0, 60.0])
    report = training_reporter(300.0, lambda: next(times))
    status = {"decisions": 9, "rules": 8, "open": 3, "score": 0.5, "best": None}
    for cpu_s, left_cpu_s in ((100.0, None), (160.0, 240.0), (220.0, 0.0)):
        report(learn.Training("x.dna", "x.learn.jsonl", status, cpu_s, left_cpu_s))
    one, two, three = capsys.readouterr().err.splitlines()
    state = "decision 9: 8 rules, 3 open; score 0.5000, best on validation networks -"
    assert one == f"{state}; 1.7 CPU min; pauses in 5.0 min"
    # Two CPU seconds pass in a second.
    assert two == f"{state}; 2.7 CPU min; about 2.0 min to the limit of rules; pauses in 4.5 min"
    assert three == f"{state}; 3.7 CPU min; pauses in 4.0 min"


def test_the_page_shows_rules_use_and_evaluation(trained, tmp_path, capsys):
    page = tmp_path / "page.html"
    assert main(["learn", "page", str(trained.table), "--out", str(page), "--networks", "2", "--threads", "2"]) == 0
    text = page.read_text(encoding="utf-8")
    for part in ("The rules, the most used first", "Which network uses which rule", "RTT x 4", "CUBIC over sfqCoDel"):
        assert part in text
    printed = capsys.readouterr().out
    for scheme in ("small", *learn.SCHEMES):
        assert scheme in printed


def test_off_the_range_the_network_differs_by_the_factor(trained):
    settings = {**trained.log.settings, "validation": 1}
    networks = [ackclock.learn.evaluation.Network("all", rate=0.5, delay=4.0, senders=2.0)]
    jobs = []

    def kept(job, cancel, progress, *, flows):
        assert flows == {"sender"}
        jobs.append(job)
        return [1.0], [1.0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learn.evaluation, "_measured", kept)
        found = learn.evaluate(DESIGN, trained.table, settings, networks=networks, schemes={}, threads=1)
    drawn = dict(found.specimens[0]["drawn"])
    checked = ackclock.check(jobs[0].scenario, dict(jobs[0].overrides))
    rate = float(drawn["bottleneck.rate"].removesuffix("Mbps"))
    assert checked["bottleneck"]["rate"] == f"{rate * 500:g}kbps"
    delay = float(drawn["bottleneck.delay"].removesuffix("ms"))
    assert float(checked["bottleneck"]["delay"].removesuffix("us")) == pytest.approx(delay * 4000)
    assert checked["flows"][0]["count"] == 2 * int(drawn["flows[0].count"])


@pytest.mark.parametrize(
    ("queue", "judged", "told"),
    [
        ("unlimited", "1000 packets", "a queue of 1000 packets, because the design's queue has no limit"),
        ("30 packets", "30 packets", "the design's queue"),
    ],
)
def test_a_table_is_judged_with_the_queue_of_its_design(trained, queue, judged, told):
    design = DESIGN.replace('queue = "unlimited"', f'queue = "{queue}"')
    jobs = []

    def kept(job, cancel, progress, *, flows):
        jobs.append(ackclock.check(job.scenario, dict(job.overrides))["bottleneck"]["queue"])
        return [1.0], [1.0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learn.evaluation, "_measured", kept)
        found = learn.evaluate(design, trained.table, {**trained.log.settings, "validation": 1}, threads=1)
    assert {one["limit"] for one in jobs} == {judged}
    assert {one["kind"] for one in jobs} == {"drop-tail", "sfq-codel"}
    assert f"with {told}." in unescape(learn.page.page(trained.log, found).html())


def test_a_design_without_on_periods_is_judged_by_the_goodput_of_its_flows(trained):
    bulk = DESIGN[: DESIGN.index("[flows.app]")] + 'app = "bulk"\n'
    bulk += '[[flows]]\nname = "probe"\napp = { kind = "cbr", rate = "8kbps", packet_size = "100B" }\n'
    settings = {**trained.log.settings, "validation": 1}
    networks = [learn.evaluation.Network("the design range")]
    found = learn.evaluate(bulk, trained.table, settings, networks=networks, schemes={}, threads=1)
    (cell,) = found.cells.values()
    assert cell.mbps.value > 0.1, "the flow at 8 kbit/s is no flow of the design"
    assert learn.page.page(trained.log, found).html()


def test_networks_that_a_design_cannot_have_are_left_out(trained):
    steps = '{ kind = "steps", steps = [{ at = "0s", rate = "1Mbps" }, { at = "1s", rate = "2Mbps" }] }'
    design = DESIGN.replace('"1Mbps..2Mbps"', steps)
    found = learn.evaluate(design, trained.table, {**trained.log.settings, "validation": 1}, schemes={}, threads=1)
    assert [network for network, _ in found.cells] == ["the design range", "RTT x 4", "senders x 3"]
