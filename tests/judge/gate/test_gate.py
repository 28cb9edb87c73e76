"""The command `ackclock gate` from a first baseline to a red check."""

import json
import re
import shlex
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

import ackclock
from ackclock.judge.gate import perform


def test_an_unchanged_build_passes_with_the_values_of_the_baseline(project):
    project.update("bulk.toml", "short.toml")
    status, out, _ = project.run("bulk.toml", "short.toml", "--json")
    document = json.loads(out)
    assert (status, document["passed"], document["runs"], document["notes"]) == (0, True, 12, [])
    assert {one["verdict"] for one in document["measures"]} == {"same"}
    assert {one["scenario"] for one in document["measures"]} == {"bulk", "short"}


def test_a_planted_regression_fails_and_an_update_accepts_it(project):
    project.update("bulk.toml", "short.toml")
    before = json.loads((project.folder / "gate.json").read_text())
    project.edit("mine.py", "return 0.5", "return 0.25")
    status, _, err = project.run("bulk.toml", "short.toml", "--out", "out")
    assert (status, err) == (1, "ackclock: results in out\n")
    document = json.loads((project.folder / "out" / "gate.json").read_text())
    found = {(one["scenario"], one["measure"]): one for one in document["measures"]}
    goodput = found["bulk", "sum(flows.goodput_bps)"]
    assert goodput["verdict"] == "worse"
    # The numbers of the document against those of the baseline.
    values = before["scenarios"]["bulk"]["measures"]["sum(flows.goodput_bps)"]["values"]
    assert goodput["baseline"] == pytest.approx(sum(values) / len(values))
    assert goodput["now"] - goodput["baseline"] == pytest.approx(sum(goodput["differences"]) / 20)
    assert goodput["tolerance"] == pytest.approx(0.01 * goodput["baseline"])
    assert goodput["high"] < -goodput["tolerance"]
    # The scenario without the changed congestion control stays as it is, after the first look.
    assert {one["verdict"] for (name, _), one in found.items() if name == "short"} == {"same"}
    assert document["runs"] == 26

    project.update("bulk.toml", reason="Mine backs off more")
    after = json.loads((project.folder / "gate.json").read_text())
    assert after["scenarios"]["short"] == before["scenarios"]["short"]
    assert after["scenarios"]["bulk"]["reason"] == "Mine backs off more"
    assert after["scenarios"]["bulk"]["hash"] == before["scenarios"]["bulk"]["hash"]
    assert project.run("bulk.toml", "short.toml")[0] == 0


def test_an_improvement_fails_only_when_strict(project):
    project.edit("mine.py", "return 0.5", "return 0.25")
    project.update("bulk.toml", "--measure", "sum(flows.goodput_bps)")
    project.edit("mine.py", "return 0.25", "return 0.5")
    assert project.run("bulk.toml")[0] == 0
    status, out, _ = project.run("bulk.toml", "--strict", "--json")
    assert (status, json.loads(out)["measures"][0]["verdict"]) == (1, "better")


def test_results_are_the_same_bytes(project):
    project.update("bulk.toml", "short.toml")
    first = (project.folder / "gate.json").read_bytes()
    project.edit("mine.py", "return 0.5", "return 0.3")
    written = []
    for name in ("a", "b"):
        project.run("short.toml", "bulk.toml", "--out", name, "--threads", 2 if name == "b" else 1)
        written.append({path.name: path.read_bytes() for path in (project.folder / name).iterdir()})
    assert written[0] == written[1]
    assert {"gate.json", "junit.xml", "summary.md"} < written[0].keys()
    project.edit("mine.py", "return 0.3", "return 0.5")
    project.update("bulk.toml", "short.toml")
    assert (project.folder / "gate.json").read_bytes() == first


def test_the_files_for_machines_and_people_agree(project):
    project.update("bulk.toml")
    project.edit("mine.py", "return 0.5", "return 0.25")
    project.run("bulk.toml", "--out", "out")
    document = json.loads((project.folder / "out" / "gate.json").read_text())
    root = ElementTree.parse(project.folder / "out" / "junit.xml").getroot()
    cases = {case.get("name"): case for case in root.iter("testcase")}
    assert cases.keys() == {one["measure"] for one in document["measures"]}
    failed = {name for name, case in cases.items() if case.find("failure") is not None}
    assert failed == {one["measure"] for one in document["measures"] if one["verdict"] == "worse"}
    assert failed
    assert (root.get("tests"), root.get("failures")) == (str(len(cases)), str(len(failed)))
    assert "sum(flows.goodput_bps) of bulk was" in cases["sum(flows.goodput_bps)"].find("failure").text
    summary = (project.folder / "out" / "summary.md").read_text()
    assert summary.startswith("## ackclock gate: failed\n")
    rows = [line for line in summary.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + len(cases)
    # Every row has the columns of the head.
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {9}
    assert sum("**worse**" in row for row in rows) == len(failed)


def test_a_changed_scenario_is_said_and_needs_an_update(project):
    project.update("bulk.toml")
    project.edit("bulk.toml", '"10ms"', '"12ms"')
    status, out, err = project.run("bulk.toml")
    assert (status, out) == (2, "")
    assert "bulk: the scenario has changed since the baseline" in err
    assert "--update" in err
    project.edit("bulk.toml", '"12ms"', '"10ms" # as before')
    assert project.run("bulk.toml")[0] == 0


def test_the_hash_names_the_scenario_and_not_the_build(project):
    def name():
        project.update("bulk.toml", "--measure", "sum(flows.goodput_bps)", "--seeds", "14")
        return json.loads((project.folder / "gate.json").read_text())["scenarios"]["bulk"]["hash"]

    project.edit("mine.py", "    def", '    kept = ackclock.parameter(0.5, 0.1, 0.9, "kept")\n\n    def')
    first = name()
    for file, old, new, same in (
        ("mine.py", "return 0.5", "return self.kept", True),
        ("bulk.toml", "duration", 'name = "other"\nseed = 7\nduration', True),
        ("bulk.toml", 'cc = "mine"', 'cc = { kind = "mine", kept = 0.4 }', False),
        ("bulk.toml", 'cc = { kind = "mine", kept = 0.4 }', 'cc = "reno"', False),
    ):
        project.edit(file, old, new)
        assert (name() == first) is same, (old, new)


def test_what_cannot_be_compared_is_refused_before_the_first_run(project, monkeypatch):
    project.update("bulk.toml")
    monkeypatch.setattr("ackclock.judge.gate.perform.run", None)
    (project.folder / "bulky.toml").write_text((project.folder / "bulk.toml").read_text())
    status, _, err = project.run("bulky.toml", "short.toml")
    assert status == 2
    assert err.splitlines() == [
        'ackclock: bulky: the baseline has no such scenario; it has bulk; add it with --update; did you mean "bulk"?',
        "ackclock: short: the baseline has no such scenario; it has bulk; add it with --update [ACK060]",
    ]
    project.edit("gate.json", '"backend": "sim"', '"backend": "linux:6.12"')
    status, _, err = project.run("bulk.toml")
    assert status == 2
    assert "the baseline is from a kernel in virtual time, and this gate runs on the simulator" in err


def test_a_budget_is_divided_among_the_scenarios(project):
    project.update("bulk.toml", "short.toml", "--level", "0.95", "--measure", "sum(flows.goodput_bps)")
    project.edit("mine.py", "return 0.5", "return 0.25")
    status, out, _ = project.run("bulk.toml", "short.toml", "--runs", "21", "--json")
    found = {one["scenario"]: one for one in json.loads(out)["measures"]}
    assert (status, len(found["bulk"]["seeds"]), len(found["short"]["seeds"])) == (1, 10, 6)
    # Two measures have four hypotheses: 2^-7 is the first power of two below 5 % of a quarter.
    status, out, err = project.run("bulk.toml", "short.toml", "--runs", "13")
    assert (status, out) == (2, "")
    assert "2 measures at a level of 0.95 need 7 seeds for each scenario" in err
    assert "accepted: --runs 14 or more" in err


def test_a_baseline_needs_enough_seeds_for_its_level(project):
    status, _, err = project.run("bulk.toml", "--update", "--reason", "x", "--seeds", "8")
    assert status == 2
    assert "accepted: --seeds 14 or more" in err
    assert not (project.folder / "gate.json").exists()


def test_mistakes_in_measures_cost_one_run(project, monkeypatch):
    seen = []
    whole = perform.run

    def counted(text, *, seeds, **more):
        seen.extend(seeds)
        return whole(text, seeds=seeds, **more)

    monkeypatch.setattr(perform, "run", counted)
    cases = [
        (["--measure", "flows[onne].goodput_bps"], "bulk: measure flows[onne].goodput_bps: there is no flow onne"),
        (["--measure", "window.cwnd either 5%"], "set probes.window"),
        (["--seeds", "12"], "accepted: --seeds 14 or more"),
        (["--measure", "flows.goodput_bps", "--measure", "flows.goodput_bps lower"], "is given twice"),
    ]
    for arguments, told in cases:
        status, _, err = project.run("bulk.toml", "--update", "--reason", "x", *arguments)
        assert (status, told in err) == (2, True), err
    assert seen == [1, 1, 1]


def test_a_measure_without_a_value_is_the_worst(project):
    project.edit("short.toml", '"reno"', '"mine"')
    project.edit("short.toml", 'size = "50kB", count = 5', 'size = "800kB", count = 1')
    project.update("short.toml", "--measure", "p95(transfers.duration_s)")
    # After the first loss the window is one segment, and the transfer does not end within three seconds.
    project.edit("mine.py", "return 0.5", "return 0.01\n\n    def increase(self, flow):\n        return -1000")
    status, out, _ = project.run("short.toml", "--json")
    found = json.loads(out)["measures"][0]
    assert (status, found["verdict"], found["change"]) == (1, "worse", None)
    assert found["valueless"] > 10
    assert "no value" in project.run("short.toml")[1]
    # No baseline is taken of a build that has no value.
    status, _, err = project.run("short.toml", "--update", "--reason", "x")
    assert status == 2
    assert "short: p95(transfers.duration_s) has no value under the seeds " in err


def test_a_build_that_gives_other_values_is_told(project):
    project.edit("mine.py", "import ackclock\n", "import pathlib\n\nimport ackclock\n")
    project.edit("mine.py", "return 0.5", 'return float(pathlib.Path("share").read_text())')
    (project.folder / "share").write_text("0.5")
    project.update("bulk.toml")
    (project.folder / "share").write_text("0.25")
    _, _, err = project.run("bulk.toml")
    assert "bulk: the same build gave other values (" in err


def test_measures_come_from_a_file(project):
    (project.folder / "own.toml").write_text(
        "[gate]\nseeds = 16\nfirst = 8\nlevel = 0.99\nmeasures = ['flows[one].goodput_bps either 3% or 1000']\n"
        "[gate.scenarios.short]\nmeasures = ['transfers.duration_s']\n"
    )
    project.update("bulk.toml", "short.toml", "--config", "own.toml")
    found = json.loads((project.folder / "gate.json").read_text())
    bulk = found["scenarios"]["bulk"]
    assert (found["level"], found["first"], bulk["seeds"]) == (0.99, 8, list(range(1, 17)))
    assert {key: value for key, value in bulk["measures"]["flows[one].goodput_bps"].items() if key != "values"} == {
        "direction": "either",
        "relative": 0.03,
        "absolute": 1000,
        "unit": "bps",
    }
    assert list(found["scenarios"]["short"]["measures"]) == ["transfers.duration_s"]
    # A later update keeps all of it, and what a person has edited.
    project.edit("gate.json", '"relative": 0.03', '"relative": 0.04')
    project.update("bulk.toml", reason="again")
    again = json.loads((project.folder / "gate.json").read_text())
    assert again["scenarios"]["bulk"]["measures"]["flows[one].goodput_bps"]["relative"] == 0.04
    assert again["scenarios"]["bulk"]["seeds"] == list(range(1, 17))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x = 1", "there is no table [gate]"),
        ("[gate", "not TOML"),
        ("[gate]\nmeasure = []", "gate.measure: unknown; accepted: measures, seeds"),
        ("[gate]\nmeasures = ['flows.goodput lower 1%']", "has no column goodput"),
        ("[gate]\nseeds = true", "gate.seeds: True; expected a number"),
        ("[gate.scenarios.bulc]\nmeasures = ['flows.goodput_bps']", "measures for bulc: no scenario is called so"),
    ],
)
def test_a_file_of_measures_that_is_wrong_is_refused(project, text, told):
    (project.folder / "own.toml").write_text(text)
    status, _, err = project.run("bulk.toml", "--update", "--reason", "x", "--config", "own.toml")
    assert (status, told in err) == (2, True), err
    assert not (project.folder / "gate.json").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["bulk.toml"], "gate.json: no such file; make it with --update --reason TEXT"),
        (["bulk.toml", "--update"], "--update needs --reason TEXT"),
        (["bulk.toml", "--update", "--reason", " "], "an update needs a reason"),
        (["bulk.toml", "--seeds", "30"], "--seeds: the baseline has these"),
        (["bulk.toml", "--update", "--reason", "x", "--runs", "30"], "without --runs, --strict and --out"),
        (["bulk.toml", "--update", "--reason", "x", "--level", "0.5"], "the level is from 0.95 to below 1, not 0.5"),
        (["bulk.toml", "--update", "--reason", "x", "--seeds", "3"], "the number of seeds is from 6 to 200, not 3"),
        ([], "no scenario is given"),
        (["bulk.toml", "bulk.toml", "--update", "--reason", "x"], "another scenario is called bulk"),
        (["missing.toml", "--update", "--reason", "x"], "missing.toml: no such file"),
    ],
)
def test_wrong_input_is_refused_in_words(project, arguments, told):
    status, out, err = project.run(*arguments)
    assert (status, out) == (2, "")
    assert told in err
    assert not (project.folder / "gate.json").exists()


def test_a_new_workflow_runs_the_gate_of_this_version(project, capsys):
    from ackclock.cli import main

    assert main(["new", "workflow"]) == 0
    text = (project.folder / ".github" / "workflows" / "ackclock-gate.yml").read_text()
    command = re.search(r"run: ackclock (gate .*)", text)[1].split()
    (project.folder / "scenarios").mkdir()
    (project.folder / "short.toml").rename(project.folder / "scenarios" / "short.toml")
    files = ["scenarios/short.toml" if one == "scenarios/*.toml" else one for one in command]
    project.update("scenarios/short.toml")
    assert main(files) == 0
    assert (project.folder / "gate-results" / "summary.md").exists()
    assert main(["new", "workflow"]) == 2
    assert "exists; it is not overwritten" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("origin", "installed"),
    [
        (None, "ackclock==" + ackclock.__version__),
        (
            {"url": "https://git.example/a.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
            "ackclock @ git+https://git.example/a.git@abc",
        ),
        ({"url": "https://files.example/a.whl", "archive_info": {}}, "ackclock @ https://files.example/a.whl"),
    ],
)
def test_a_workflow_installs_ackclock_from_where_this_one_came(project, monkeypatch, capsys, origin, installed):
    from ackclock.judge.gate import workflow

    text = None if origin is None else json.dumps(origin)
    monkeypatch.setattr(workflow.metadata, "distribution", lambda _: SimpleNamespace(read_text=lambda _: text))
    assert workflow.write() == workflow.Written(None, missing=False)
    written = (project.folder / workflow.PLACE).read_text()
    assert f"python -m pip install {shlex.quote(installed)}" in written


def test_a_workflow_of_a_local_file_brings_its_wheel(project, monkeypatch):
    from ackclock.judge.gate import workflow

    local = SimpleNamespace(read_text=lambda _: '{"url": "file:///downloads/a.whl", "archive_info": {}}')
    monkeypatch.setattr(workflow.metadata, "distribution", lambda _: local)

    def made(given, folder):
        (folder / "ackclock-1.whl").touch()
        return folder / "ackclock-1.whl"

    monkeypatch.setattr(workflow, "wheel_of", made)
    assert workflow.write().wheel == workflow.WHEELS / "ackclock-1.whl"
    command = re.search("pip install (.*)", (project.folder / workflow.PLACE).read_text())[1]
    assert (project.folder / command).is_file()
