"""The maintainer of a stack: a gate that stays green, turns red at a change, names what is worse, and takes it over."""

import json
from xml.etree import ElementTree

import pytest

from tests.helpers.terminal import Terminal
from tests.uses.pages import words

SCENARIO = """\
duration = "6s"

[bottleneck]
rate = "10Mbps"
delay = "20ms"
queue = "1bdp"
loss = "0.3%"

[[flows]]
name = "one"
cc = "reno"
app = "bulk"
start_jitter = "500ms"
"""

GATE = "ackclock gate scenarios/bulk.toml --baseline gate.json --load my_reno.py --set flows.one.cc=my-reno"


@pytest.fixture
def shell(tmp_path):
    with Terminal(tmp_path) as one:
        one.run("mkdir scenarios && ackclock new cc my-reno")
        one.write("scenarios/bulk.toml", SCENARIO)
        yield one


def test_a_maintainer_has_a_green_and_then_a_red_check(shell, tmp_path):
    shell.run(f"{GATE} --update --reason 'the first baseline' --seeds 14")
    baseline = json.loads((tmp_path / "gate.json").read_text(encoding="utf-8"))
    assert "the first baseline" in json.dumps(baseline)
    told = shell.run(GATE)
    assert "passed: 0 of" in told
    # A commit makes the window smaller after each loss.
    shell.run("sed -i 's/parameter(0.5,/parameter(0.2,/' my_reno.py")
    told = shell.run(f"{GATE} --out results", status=1)
    assert "failed:" in told
    assert "worse" in told
    summary = (tmp_path / "results/summary.md").read_text(encoding="utf-8")
    assert "sum(flows.goodput_bps)" in summary
    cases = ElementTree.parse(tmp_path / "results/junit.xml").getroot().iter("testcase")
    failed = [one.get("name") for one in cases if one.find("failure") is not None]
    assert any("goodput" in name for name in failed)
    shell.run(f"{GATE} --update --reason 'back off to 0.2'")
    assert "passed: 0 of" in shell.run(GATE)


def test_a_maintainer_is_told_what_a_code_means_and_what_a_baseline_lacks(shell):
    shell.run(f"{GATE} --update --reason 'the first baseline' --seeds 14")
    shell.run("cp scenarios/bulk.toml scenarios/new.toml")
    told = words(shell.run(GATE.replace("bulk", "new"), status=2))
    assert "new" in told
    code = told[told.rindex("[ACK") + 1 :].partition("]")[0]
    assert code in shell.run(f"ackclock explain {code}")


def test_a_maintainer_gets_a_workflow_that_runs_the_gate(shell, tmp_path):
    shell.run("ackclock new workflow")
    text = (tmp_path / ".github/workflows/ackclock-gate.yml").read_text(encoding="utf-8")
    assert "ackclock gate" in text
    assert "pip install" in text
