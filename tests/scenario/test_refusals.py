"""Mistakes in a network or its traffic are refused before anything runs, on the command line and in Python."""

import pytest

import ackclock
from ackclock.cli import main

SCENARIO = """
duration = "5s"

[bottleneck]
rate = "1Mbps"
delay = "20ms"

[[links]]
name = "far"
ends = ["right", "beyond"]
rate = "1Mbps"
delay = "5ms"

[[flows]]
name = "one"
app = "bulk"
"""

LINES = "accepted: in each line a whole number of milliseconds, none below the one above it, the last above zero"


@pytest.fixture
def refused(tmp_path, monkeypatch, capsys):
    """The one problem of the scenario with something replaced, as the command line and as Python tell it."""
    monkeypatch.chdir(tmp_path)

    def refused(old, new):
        assert SCENARIO.count(old) == 1
        (tmp_path / "net.toml").write_text(SCENARIO.replace(old, new))
        statuses = [main(["check", "net.toml"]), main(["run", "net.toml", "--out", "results"])]
        shown = capsys.readouterr()
        assert (statuses, shown.out) == ([2, 2], "")
        assert not (tmp_path / "results").exists()
        once, again = shown.err.splitlines()
        assert once == again
        with pytest.raises(ackclock.ScenarioError) as caught:
            ackclock.check("net.toml")
        (problem,) = caught.value.problems
        place = f"line {problem['line']}: " if problem["line"] else ""
        assert once == f"ackclock: net.toml: {place}{problem['path']}: {problem['message']} [ACK010]"
        return problem

    return refused


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        ("0\n5\nfive\n", 'line 3: "five" is not a whole number of milliseconds'),
        ("0\n5\n-6\n", 'line 3: "-6" is not a whole number of milliseconds'),
        ("0\n5\n3\n", "line 3: 3 ms is less than the 5 ms of the line above; times must not decrease"),
        ("0\n0\n", "line 2: the trace ends at 0 ms; its last line must be above 0"),
        ("", "the trace is empty; write one whole number of milliseconds per line"),
    ],
)
def test_a_trace_that_is_none(refused, tmp_path, content, wrong):
    (tmp_path / "lte.down").write_text(content)
    problem = refused('rate = "1Mbps"\ndelay = "20ms"', 'rate = { kind = "trace", file = "lte.down" }\ndelay = "20ms"')
    assert (problem["path"], problem["line"]) == ("bottleneck.rate.file", 5)
    assert problem["message"] == f'"lte.down" is not a delivery trace: {wrong}; {LINES}'


@pytest.mark.parametrize(
    ("route", "message"),
    [
        (
            '["left", "right", "beyond", "right"]',
            '["left", "right", "beyond", "right"] loops: it comes to "right" twice; accepted: each node once',
        ),
        (
            '["left", "beyond"]',
            '["left", "beyond"] has no link from "left" to "beyond"; accepted: from there to right',
        ),
        (
            '["moon", "right"]',
            '["moon", "right"] has the node "moon", which no link joins; accepted: beyond, left, right',
        ),
    ],
)
def test_a_route_that_leads_nowhere(refused, route, message):
    problem = refused('app = "bulk"', f'app = "bulk"\nroute = {route}')
    assert (problem["path"], problem["line"], problem["message"]) == ("flows[0].route", 17, message)


def test_a_queue_on_a_link_that_is_not_there(tmp_path, monkeypatch, capsys):
    (tmp_path / "net.toml").write_text(SCENARIO)
    monkeypatch.chdir(tmp_path)
    assert main(["check", "net.toml", "--set", "links.far.queue=50 packets"]) == 0
    for path, wrong in [
        ("links.near.queue", 'links has nothing named "near"; accepted: far'),
        ("links[1].queue", "links[1] does not exist; accepted: index 0 to 0"),
    ]:
        capsys.readouterr()
        assert main(["check", "net.toml", "--set", f"{path}=50 packets"]) == 2
        message = f'override "{path}=50 packets": {wrong}'
        assert capsys.readouterr().err == f"ackclock: net.toml: {path}: {message} [ACK010]\n"
        with pytest.raises(ackclock.ScenarioError, match="accepted: ") as caught:
            ackclock.check("net.toml", overrides={path: "50 packets"})
        assert caught.value.problems[0]["message"] == message


def test_a_queue_in_a_table_of_the_wrong_name(refused):
    problem = refused("[bottleneck]", '[bottleneck]\nqueues = "50 packets"')
    assert (problem["path"], problem["line"]) == ("bottleneck.queues", 5)
    assert problem["message"].endswith('did you mean "queue"?')


@pytest.mark.parametrize("kind", ['kind = "pareto"', 'kind = "shifted-pareto", shift = "40B"'])
def test_an_infinite_mean_without_a_cap(refused, kind):
    size = f'{{ {kind}, shape = 0.9, scale = "5kB" }}'
    problem = refused('app = "bulk"', f'app = {{ kind = "onoff", off = "1s", size = {size} }}')
    assert (problem["path"], problem["line"]) == ("flows[0].app.size.shape", 16)
    assert problem["message"] == "0.9 has an infinite mean; accepted: more than 1, or a cap"
