"""The command line as a user meets it: processes, exit statuses, and where output goes."""

import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

import ackclock
from ackclock import studies
from ackclock.cli import main
from ackclock.cli.output import print_table
from ackclock.scenario._estimate import estimate
from tests.helpers.scenarios import SMALL

COMMAND = [sys.executable, "-m", "ackclock"]


def test_run_prints_one_json_document(cli, scenario_file):
    status, out, err = cli("run", scenario_file, "--json")
    document = json.loads(out)
    assert (status, err) == (0, "")
    assert {"scenario_hash", "version", "seed", "duration_s", "flows", "links", "transfers", "dash"} <= document.keys()
    flow, link = document["flows"][0], document["links"][0]
    assert {"name", "cc", "goodput_bps", "segments_sent", "retransmits", "timeouts", "srtt_ms"} <= flow.keys()
    assert {"name", "utilisation", "drops", "drop_rate", "queue_delay_ms"} <= link.keys()
    assert {"mean", "p50", "p95", "p99"} <= link["queue_delay_ms"].keys()
    assert [flow["name"] for flow in document["flows"]] == ["one", "two", "film"]


def test_several_seeds_have_runs_and_a_summary(cli, scenario_file):
    status, out, _ = cli("run", scenario_file, "--seeds", 3, "--json")
    document = json.loads(out)
    assert status == 0
    assert [run["seed"] for run in document["runs"]] == [1, 2, 3]
    low, high = document["summary"]["flows"][0]["goodput_bps"]["ci"]
    assert low <= document["summary"]["flows"][0]["goodput_bps"]["mean"] <= high


def test_seed_and_set_reach_the_engine(cli, scenario_file):
    _, out, _ = cli("run", scenario_file, "--seed", 7, "--set", "duration=2s", "--set", "flows[0].cc=cubic", "--json")
    document = json.loads(out)
    assert (document["seed"], document["duration_s"], document["flows"][0]["cc"]) == (7, 2, "cubic-linux")
    expected = ackclock.run(scenario_file, seed=7, overrides={"duration": "2s", "flows[0].cc": "cubic"})
    assert document == json.loads(json.dumps(expected.document()))


def test_tables_for_people(cli, scenario_file):
    status, out, _ = cli("run", scenario_file)
    assert status == 0
    for words in ("small: 5 s, seed 1", "goodput Mbit/s", "bottleneck.reverse", "film"):
        assert words in out
    status, out, _ = cli("run", scenario_file, "--seeds", 2)
    assert "2 seeds from 1" in out


@pytest.mark.parametrize("columns", [200, 80, 40])
def test_tables_show_every_cell_on_a_terminal_of_any_width(monkeypatch, capsys, columns):
    """Cells break between words where it is narrow, then columns follow below; no word is broken and none is lost."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    headers = ["link", "utilisation %", "queue delay of packets ms", "what it is"]
    rows = [["bottleneck.reverse", "97.9 [96.1, 99.9]", "1,234.5", "a queue that drops"]]
    print_table("links", headers, rows)
    out = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    given = Counter(" ".join(headers + rows[0]).split())
    shown = Counter(out.replace("links", "").replace("─", "").split())
    # Only the first column is repeated, in each further part.
    assert not given - shown
    assert {*(shown - given)} <= {headers[0], rows[0][0]}
    assert (shown == given) is (columns != 40)
    longest = max(len(line.rstrip()) for line in out.splitlines())
    assert longest <= columns
    assert (longest > 80) is (columns == 200)


def test_out_is_written_and_replaced(cli, scenario_file, tmp_path):
    for _ in range(2):
        status, _, err = cli("run", scenario_file, "--out", "results/one")
        assert (status, err) == (0, "ackclock: results in results/one\n")
    names = {path.name for path in (tmp_path / "results" / "one").iterdir()}
    assert {"summary.json", "flows.csv", "links.csv", "window.csv"} <= names
    assert [path.name for path in (tmp_path / "results").iterdir()] == ["one"]


BAD_INPUT = [
    (["run", "missing.toml"], "missing.toml: no such file"),
    (["check", "missing.toml"], "no such file"),
    (["run", "."], "directory"),
    (["run"], "SCENARIO"),
    (["run", "small.toml", "--seed", "x"], "--seed"),
    (["run", "small.toml", "--seed", "-1"], "small.toml: seed -1: accepted: a whole number"),
    (["run", "small.toml", "--seeds", "0"], "--seeds 0: expected a whole number"),
    (["run", "small.toml", "--seeds", "1" + 18 * "0"], "expected at most 1000000"),
    (["run", "small.toml", "--set", "name=\udcff"], "not Unicode text"),
    (["run", "small.toml", "--seed", "1", "--seeds", "2"], "give one of them"),
    (["run", "small.toml", "--set", "duration"], "expected PATH=VALUE"),
    (["run", "small.toml", "--set", "duration=0s"], "small.toml: duration"),
    (["run", "small.toml", "--set", "flows[0].nope=1"], "nope"),
    (["run", "small.toml", "--threads", "0"], "--threads"),
    (["run", "small.toml", "--frob"], "unknown option --frob; accepted: --backend, --events, --flow"),
    (["run", "small.toml", "extra"], "unexpected argument extra"),
    (["run", "small.toml", "--out", "small.toml"], "not a folder"),
    (["run", "small.toml", "--out", "full"], "full holds what ackclock did not write (thesis.tex)"),
    (["reproduce", "newcwv-dash", "--out", "full"], "thesis.tex"),
    (["reproduce", "nothing"], f"unknown study nothing; accepted: {', '.join(studies.names())}, all"),
    (["reproduce", "all", "nothing"], f"unknown study nothing; accepted: {', '.join(studies.names())}, all"),
    (["list", "nothing"], "unknown kind nothing; accepted: cc"),
    (["bench", "--only", "W9"], "unknown workload W9; accepted: W1, W2, W3, W4"),
    (["bench", "--repeat", "0"], "--repeat 0"),
    (["frobnicate"], "frobnicate"),
    (["sweeep", "small.toml"], "sweeep"),
]


@pytest.mark.parametrize(
    ("arguments", "words"), BAD_INPUT, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_bad_input_is_one_message_and_status_two(cli, tmp_path, arguments, words):
    (tmp_path / "small.toml").write_text(SMALL)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("years of work")
    before = sorted(tmp_path.rglob("*"))
    status, out, err = cli(*arguments)
    assert (status, out) == (2, "")
    assert words in err
    assert len(err.splitlines()) == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_each_problem_has_its_line(cli, tmp_path):
    (tmp_path / "bad.toml").write_text(SMALL.replace('"1Mbps"', '"-1Mbps"').replace('"5s"', '"0s"'))
    status, _, err = cli("run", "bad.toml")
    assert status == 2
    first, second = err.splitlines()
    assert first.startswith("ackclock: bad.toml: line 3: duration: ")
    assert second.startswith("ackclock: bad.toml: line 6: bottleneck.rate: ")


def test_check(cli, scenario_file):
    assert cli("check", scenario_file)[0] == 0
    status, out, _ = cli("check", scenario_file, "--json")
    document = json.loads(out)
    assert (status, document["valid"], document["problems"]) == (0, True, [])
    assert document["scenario"] == ackclock.check(scenario_file)
    assert document["estimate"]["packets"] == estimate(scenario_file).packets


def test_check_tells_problems_as_json_too(cli, scenario_file):
    status, out, err = cli("check", scenario_file, "--json", "--set", "flows[0].cc=cubci", "--set", "duration=0s")
    document = json.loads(out)
    assert (status, err, document["valid"]) == (2, "", False)
    assert [problem["path"] for problem in document["problems"]] == ["duration", "flows[0].cc"]
    assert document["problems"] == ackclock_problems(scenario_file)


def ackclock_problems(scenario_file):
    with pytest.raises(ackclock.ScenarioError) as raised:
        ackclock.check(scenario_file, {"flows[0].cc": "cubci", "duration": "0s"})
    return raised.value.problems


def test_schema(cli):
    status, out, _ = cli("schema")
    assert (status, json.loads(out)) == (0, ackclock.schema())


def test_list(cli):
    status, out, _ = cli("list", "--json")
    kinds = json.loads(out)
    assert status == 0
    assert {"cc", "validation", "app", "stack", "study"} <= kinds.keys()
    status, out, _ = cli("list", "cc")
    assert "cubic" in out
    assert "newcwv" not in out
    assert "parameters" in out
    assert "gamma" in out
    vegas = next(cc for cc in kinds["cc"] if cc["name"] == "vegas")
    alpha = {"name": "alpha", "summary": "smallest backlog, segments", "default": 2.0, "least": 0.0, "most": 1e4}
    assert vegas["parameters"][0] == alpha
    assert "newcwv-dash" in cli("list", "study")[1]


def test_list_stack_prints_each_stack_as_a_table(cli):
    stacks = {stack["name"]: stack for stack in ackclock.catalogue()["stack"]}
    values = {row["field"]: row["value"] for row in stacks["linux"]["fields"]}
    assert (values["cc"], values["min_rto"], values["rack"]) == ("cubic-linux", "200ms", "on")
    assert all(row["source"] for stack in stacks.values() for row in stack["fields"])
    out = cli("list", "stack")[1]
    tables = out.split(", where it differs from rfc\n")
    assert len(tables) == len(stacks)
    linux = next(table for before, table in itertools.pairwise(tables) if before.endswith("linux"))
    assert "TCP_RTO_MIN" in linux
    fields = {line.split()[0] for line in linux.splitlines() if line.strip()}
    assert "min_rto" in fields
    assert "initial_window" in fields, "ten segments, where the standards bound them by bytes"
    assert "dup_thresh" not in fields, "three in both"


def test_version_and_help(cli):
    status, out, _ = cli("--version")
    assert status == 0
    assert re.fullmatch(
        rf"ackclock {ackclock.__version__}, revision ([0-9a-f]{{12}}\+?|unknown), engine [0-9a-f]{{16}}\n", out
    )
    status, out, _ = cli("--help")
    assert status == 0
    for command in ("run", "reproduce", "list", "check", "schema", "bench"):
        assert command in out
    assert "sweep" in out


def test_replications_that_are_all_alike_are_told(scenario_file, capsys):
    still = ["--set", "flows[0].start_jitter=0ms"]
    for arguments, told in ((["--seeds", "2"], False), (["--seeds", "2", *still], True), (still, False)):
        assert main(["run", str(scenario_file), *arguments]) == 0
        assert ("all 2 runs gave the same: nothing that the seed decides" in capsys.readouterr().err) is told


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_leaves_nothing(scenario_file, tmp_path, number, status):
    folder = tmp_path / "work"
    folder.mkdir()
    arguments = ["run", str(scenario_file), "--seeds", "4", "--out", "out/here", "--json"]
    arguments += ["--set", "duration=100000000s", "--set", "probes.window=false", "--set", "probes.packets=false"]
    process = subprocess.Popen([*COMMAND, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_until_busy(process)
    process.send_signal(number)
    process.send_signal(number)
    out, err = process.communicate(timeout=600)
    assert process.returncode == status
    assert out == b""
    assert err.decode() == "ackclock: interrupted; nothing is half-written\n"
    assert list(folder.iterdir()) == []


def wait_until_busy(process):
    """Until the process has worker threads: its scenario is read and running."""
    while process.poll() is None and len(list(Path(f"/proc/{process.pid}/task").iterdir())) < 3:
        time.sleep(0.02)
    time.sleep(0.2)


@pytest.mark.parametrize("arguments", ["schema", "list", "--help", "run {} --seeds 30 --json"])
def test_a_reader_that_leaves_is_no_error(scenario_file, arguments):
    """Output to a pipe that nobody reads from any more when it comes."""
    command = f"{sys.executable} -m ackclock {arguments.format(scenario_file)}"
    shell = f"{command} | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("0\n", "")


@pytest.mark.parametrize("arguments", ["schema", "list", "--version"])
@pytest.mark.parametrize("streams", [">&-", ">&- 2>&- <&-"])
def test_closed_streams_are_no_error(arguments, streams):
    shell = f"{sys.executable} -m ackclock {arguments} {streams}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("arguments", ["schema", "list"])
def test_output_that_finds_no_room_is_one_message(arguments):
    shell = f"{sys.executable} -m ackclock {arguments} > /dev/full"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "ackclock: standard output: No space left on device [ACK007]\n")


def test_terminals_without_unicode_are_no_error():
    narrow = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*COMMAND, "list"], capture_output=True, env=narrow, check=True)
    assert b"cubic" in done.stdout
    assert done.stdout.isascii()
