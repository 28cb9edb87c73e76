"""A congestion control in JavaScript gives the bytes of the same one in Python."""

import pytest

from ackclock import _core
from ackclock.base.table import Table
from ackclock.cc import registry
from ackclock.judge.packs.contents import digests
from ackclock.results.result import Result
from tests.helpers.node import answers, needs_same_engine

pytestmark = needs_same_engine

SCENARIO = """
duration = "8s"
[bottleneck]
rate = "8Mbps"
delay = "20ms"
queue = "1bdp"
loss = "0.3%"
[[flows]]
name = "own"
cc = OWN
app = "bulk"
start_jitter = "100ms"
[[flows]]
name = "pages"
cc = OWN
app = { kind = "onoff", size = "100kB", off = "900ms", persistent = true }
[[flows]]
name = "cubic"
cc = "cubic"
app = "bulk"
[probes]
window = true
rates = true
interval = "20ms"
"""

PAIRS = {
    "defaults": ("pass", ""),
    # Every rule, a parameter, and every number that a rule is told.
    "whole": (
        """
    kept = ackclock.parameter(0.7, 0.1, 0.95)

    def __init__(self):
        self.worst = 0.0
        self.count = 0

    def start(self, flow):
        return flow.initial_window / 2

    def increase(self, flow):
        if flow.srtt is None or flow.rtt is None:
            return 1
        self.worst = max(self.worst, flow.rtt - flow.min_rtt)
        self.count += 1
        if flow.cwnd * (1 - flow.min_rtt / flow.srtt) > 4:
            return -0.5
        return flow.acked / flow.cwnd + flow.pipe / (flow.flight_size + 1) + flow.mss / 1460

    def reduction(self, flow):
        return self.kept if flow.cause == "loss" and not flow.abe else 0.5

    def timeout(self, flow):
        return 0.3 if flow.ssthresh > 10 else 0.4

    def idle(self, flow):
        return 1 / (1 + flow.idle)

    def state_name(self):
        return f"{self.count % 4}" if self.worst > 0.001 else None
""",
        """
  kept = ackclock.parameter(0.7, 0.1, 0.95);
  worst = 0;
  count = 0;
  start(flow) { return flow.initial_window / 2; }
  increase(flow) {
    if (flow.srtt === undefined || flow.rtt === undefined) return 1;
    this.worst = Math.max(this.worst, flow.rtt - flow.min_rtt);
    this.count += 1;
    if (flow.cwnd * (1 - flow.min_rtt / flow.srtt) > 4) return -0.5;
    return flow.acked / flow.cwnd + flow.pipe / (flow.flight_size + 1) + flow.mss / 1460;
  }
  reduction(flow) { return flow.cause === "loss" && !flow.abe ? this.kept : 0.5; }
  timeout(flow) { return flow.ssthresh > 10 ? 0.3 : 0.4; }
  idle(flow) { return 1 / (1 + flow.idle); }
  state_name() { return this.worst > 0.001 ? `${this.count % 4}` : null; }
""",
    ),
    # Random numbers from the seed of the connection: a linear congruential generator.
    "random": (
        """
    def seed(self, seed):
        self.x = seed

    def increase(self, flow):
        self.x = (self.x * 16807) % 2147483647
        return 2 * self.x / 2147483647
""",
        """
  seed(seed) { this.x = seed; }
  increase(flow) {
    this.x = (this.x * 16807) % 2147483647;
    return (2 * this.x) / 2147483647;
  }
""",
    ),
}
"""The body of a class in Python, and of the same class in JavaScript."""


def in_javascript(name):
    return f'ackclock.congestion_control("own-{name}", class extends ackclock.WindowRules {{{PAIRS[name][1]}}});\n'


def scenario(name, given=""):
    return SCENARIO.replace("OWN", f'{{ kind = "own-{name}"{given} }}')


REQUESTS = [(name, "", 3) for name in PAIRS] + [("whole", ", kept = 0.9", 4)]


@pytest.fixture(scope="module")
def in_the_page(tmp_path_factory):
    loaded, requests = set(), []
    for name, given, seed in REQUESTS:
        program = {} if name in loaded else {"control": in_javascript(name)}
        loaded.add(name)
        requests.append({"text": scenario(name, given), "overrides": [], "seed": seed} | program)
    return answers(tmp_path_factory.mktemp("node"), requests)


def in_python(name, given, seed, folder):
    file = folder / f"{name}.py"
    body = PAIRS[name][0]
    file.write_text(
        f'import ackclock\n\n@ackclock.congestion_control("own-{name}")\n'
        f"class Own(ackclock.WindowRules):\n    {body}\n",
        encoding="utf-8",
    )
    registry.load(file)
    meta, tables = _core.run(scenario(name, given), "toml", [], seed, algorithms=registry.algorithms())
    return digests(Result(meta, {one: Table(table) for one, table in tables.items()}))


@pytest.fixture
def forgotten(monkeypatch):
    monkeypatch.setattr(registry, "_entries", {})


@pytest.mark.parametrize("number", range(len(REQUESTS)))
def test_the_same_rules_give_the_same_bytes(in_the_page, number, tmp_path, forgotten):
    assert in_the_page[number]["digests"] == in_python(*REQUESTS[number], tmp_path)


def test_the_algorithms_differ_from_each_other(in_the_page):
    """A comparison that compares nothing would pass the test above, too."""
    windows = {answer["digests"]["window"] for answer in in_the_page}
    assert len(windows) == len(REQUESTS)


WRONG = {
    "late": (
        "increase(flow) { return flow.now < 2 ? 1 : flow.cwn.x; }",
        "of flow own at 2",
        "in increase: TypeError",
        3,
    ),
    "nan": (
        "reduction(flow) { return flow.min_rtt * undefined; }",
        "in reduction: TypeError: it returns NaN",
        "0 to 1",
        3,
    ),
    "text": ('\n  increase() { return "1"; }', "it returns 1: accepted: a finite number", "increase", 4),
    "born": (
        "constructor() { super(); if (made++) throw new Error('no'); }",
        "in constructor: Error: no",
        "of flow",
        3,
    ),
    "luck": ("increase() { return Math.random(); }", "draws from the seed", "seed()", 3),
    "share": ("idle() { return 2; }", "it returns 2: accepted: a number from 0 to 1", "in idle", 3),
}


@pytest.fixture(scope="module")
def mistakes(tmp_path_factory):
    def program(name):
        body = WRONG[name][0]
        begin = f'var made = 0;\nackclock.congestion_control("own-{name}", class extends ackclock.WindowRules {{\n'
        return f"{begin}{body} }});"

    requests = [{"text": scenario(name), "overrides": [], "seed": 1, "control": program(name)} for name in WRONG]
    return dict(zip(WRONG, answers(tmp_path_factory.mktemp("node"), requests), strict=True))


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_has_its_rule_and_its_line(mistakes, name):
    _, *words, line = WRONG[name]
    assert all(one in mistakes[name]["message"] for one in words), mistakes[name]
    assert mistakes[name]["line"] == line


REFUSED = [
    ("", "registers nothing"),
    ('ackclock.congestion_control("Mine", class extends ackclock.WindowRules {});', "is no name"),
    ('ackclock.congestion_control("cubic", class extends ackclock.WindowRules {});', "name of another"),
    ('ackclock.congestion_control("own-a", class {});', "extends ackclock.WindowRules"),
    (
        'ackclock.congestion_control("own-b", class extends ackclock.WindowRules { increases() {} });',
        "did you mean increase?",
    ),
    (
        'ackclock.congestion_control("c", class extends ackclock.WindowRules { a = ackclock.parameter(2, 0, 1); });',
        "from 0 to 1, not 2",
    ),
]


def test_what_is_no_congestion_control_is_refused(tmp_path):
    requests = [{"text": SCENARIO, "overrides": [], "seed": 1, "control": program} for program, _ in REFUSED]
    for answer, (program, words) in zip(answers(tmp_path, requests), REFUSED, strict=True):
        assert words in answer["message"], program
