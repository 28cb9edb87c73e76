"""The command conform: its output, its files, its exit status and its messages."""

import json

import pytest

from ackclock.cli import main


def run(capsys, *arguments):
    """Exit status, standard output and standard error of a command line."""
    status = main(["conform", *arguments])
    said = capsys.readouterr()
    return status, said.out, said.err


def test_a_case_that_passes_has_status_0_and_shows_its_values(capsys):
    status, out, err = run(capsys, "bbr", "drain-inflight")
    assert status == 0
    assert "The pacing gain of Drain is 0.5." in out
    assert "0.49 to 0.51" in out
    assert out.endswith("1 pass, 0 fail, 0 not applicable\n")
    assert err == "ackclock: case 3, drain-inflight: pass\n"


def test_a_case_that_fails_has_status_1_and_a_figure(capsys, tmp_path):
    out = tmp_path / "out"
    status, text, _ = run(capsys, "bbr", "1", "--cc", "reno", "--out", str(out), "--json")
    assert status == 1
    assert {path.name for path in out.iterdir()} == {"ackclock.json", "conform.json", "01-startup-plateau.svg"}
    figure = (out / "01-startup-plateau.svg").read_text(encoding="utf-8")
    assert figure.startswith("<?xml")
    found = json.loads(text)
    assert found == json.loads((out / "conform.json").read_text(encoding="utf-8"))
    assert found["flow"] == {"cc": "reno", "stack": "linux"}
    assert found["summary"] == {"pass": 0, "fail": 1, "not applicable": 0}
    (case,) = found["cases"]
    failed = [check for check in case["checks"] if check["verdict"] == "fail"]
    assert [(check["low"], check["high"]) for check in failed] == [(0.85, 1.35)]
    assert failed[0]["values"][0] > 1.35


def test_a_case_that_is_not_applicable_says_why(capsys):
    status, out, _ = run(capsys, "bbr", "startup-loss", "--cc", "bbr1")
    assert status == 0
    assert "not applicable: BBRv1 does not leave Startup because of loss" in out
    status, out, _ = run(capsys, "bbr", "startup-loss", "--cc", "bbr1", "--bbr-version", "3")
    assert status == 1


def test_values_of_several_seeds_are_a_range(capsys):
    status, text, _ = run(capsys, "bbr", "probe-down-time", "--seeds", "2", "--seed", "5", "--json")
    assert status == 0
    found = json.loads(text)
    assert found["seeds"] == [5, 6]
    values = found["cases"][0]["checks"][0]["values"]
    assert len(values) == 2
    _, out, _ = run(capsys, "bbr", "probe-down-time", "--seeds", "2", "--seed", "5")
    assert f"{min(values):.4g} to {max(values):.4g} s" in out


def test_the_list_runs_nothing(capsys):
    status, out, err = run(capsys, "bbr", "--list")
    assert (status, err) == (0, "")
    assert out.count("PROBE_RTT") == 3
    status, out, _ = run(capsys, "bbr", "17", "--list", "--json")
    assert [case["name"] for case in json.loads(out)["cases"]] == ["policer"]


def test_settings_reach_the_flow_under_test(capsys):
    # Without a queue, Startup loses packets and finds no more than the path has.
    _, small, _ = run(capsys, "bbr", "1", "--json", "--set", "bottleneck.queue=5 packets")
    _, usual, _ = run(capsys, "bbr", "1", "--json")
    assert json.loads(small)["set"] == ["bottleneck.queue=5 packets"]
    assert json.loads(small)["cases"] != json.loads(usual)["cases"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["bbx"], 'unknown suite bbx; accepted: bbr; did you mean "bbr"?'),
        (
            ["bbr", "polcer"],
            'unknown case polcer; accepted: a number from 1 to 22, or a name of --list; did you mean "policer"?',
        ),
        (["bbr", "0", "23"], "unknown case 23; accepted: a number from 1 to 22"),
        (["bbr", "1", "--cc", "brb"], 'flows[0].cc: "brb" is not a known congestion control'),
        (["bbr", "1", "--stack", "plan9"], 'flows[0].stack: "plan9" is not a known'),
        (["bbr", "1", "--transport", "sctp"], "flows[0].transport"),
        (["bbr", "1", "--transport", "mine", "--library", "no.so"], "flows[0].transport.library"),
        (["bbr", "1", "--library", "mine.so"], "--library needs --transport"),
        (["bbr", "1", "--transport", "quinn", "--stack", "linux"], "--stack and --transport exclude each other"),
        (["bbr", "1", "--transport", "quinn", "--cc", "brb"], 'flows[0].transport.cc: "brb" is not'),
        (["bbr", "1", "--set", "flows[0].mss"], "--set flows[0].mss: expected PATH=VALUE"),
        (["bbr", "1", "--set", "flows[0].speed=1"], "flows[0].speed: unknown key"),
        (["bbr", "1", "--seeds", "0"], "--seeds 0: expected a whole number of at least 1"),
        (["bbr", "1", "--seeds", "1001"], "--seeds 1001: expected at most 1000"),
        (["bbr", "1", "--seed", "-1"], "seed -1: accepted"),
        (["bbr", "1", "--bbr-version", "2"], "--bbr-version 2: accepted: 1, 3"),
        (["bbr", "1", "--backend", "windows"], "--backend windows: accepted: sim, linux"),
        (["bbr", "1", "--backend", "linux:0.1"], "has been built"),
        (["bbr", "1", "--backend", "linux:0.1", "--transport", "quinn"], "--transport: only the simulator has that"),
    ],
)
def test_wrong_input_is_refused(capsys, arguments, said):
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert said in err


def test_a_folder_with_other_files_is_refused_before_anything_runs(capsys, tmp_path):
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    status, _, err = run(capsys, "bbr", "1", "--out", str(tmp_path))
    assert status == 2
    assert "case 1" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
