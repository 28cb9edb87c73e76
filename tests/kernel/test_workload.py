"""Questions that a kernel can answer. Others are refused with the path of the field."""

from pathlib import Path

import pytest

from ackclock import ScenarioError
from ackclock.kernel.builds import Built
from ackclock.kernel.workload import module_of, question_of

KERNEL = Built("6.12.117", 1000, "linux.tar.xz", "0" * 16, ("TCP_CONG_NV",), Path("kernel"))
SCENARIO = """
duration = "10s"
[bottleneck]
rate = "20Mbps"
delay = "20ms"
queue = { kind = "drop-tail", limit = "67 packets" }
[access]
source_delay = "1ms"
sink_delay = "500us"
[[flows]]
name = "first"
app = "bulk"
stack = "linux"
cc = "bbr1"
[[flows]]
name = "second"
app = { kind = "bursts", size = "300kB", interval = "3s" }
stack = "linux"
start = "1s"
[probes]
window = true
interval = "10ms"
"""


@pytest.fixture
def scenario(tmp_path):
    path = tmp_path / "one.toml"
    path.write_text(SCENARIO)
    return path


def test_a_scenario_becomes_numbers(scenario):
    question, canonical = question_of(scenario, None, KERNEL)
    assert (question["rate_bps"], question["delay_ns"], question["queue_packets"]) == (20_000_000, 21_500_000, 67)
    assert (question["duration_ns"], question["interval_ns"]) == (10_000_000_000, 10_000_000)
    first, second = question["flows"]
    assert (first["cc"], first["kind"], first["start_ns"]) == ("bbr", "bulk", 0)
    assert second["cc"] == "cubic"
    assert (second["size"], second["interval_ns"], second["count"]) == (300_000, 3_000_000_000, 0)
    assert len(canonical["hash"]) == 16


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("flows[0].cc", "copa", "flows[0].cc: "),
        ("flows[0].stack", "rfc", "flows[0].stack: "),
        ("flows[0].stack", "linux-6.12", None),
        ("flows[0].stack", "linux-6.18", "flows[0].stack: "),
        ("flows[0].min_rto", "1s", "flows[0].min_rto: "),
        ("flows[0].app", {"kind": "dash", "ladder": ["1Mbps"], "segment": "2s"}, "flows[0].app: dash"),
        ("bottleneck.queue", "67 packets", None),
        ("bottleneck.queue", "1bdp", "bottleneck.queue.limit: "),
        ("bottleneck.queue", "red", "bottleneck.queue: red"),
        ("bottleneck.loss", 0.01, "bottleneck.loss: "),
        ("bottleneck.reverse_rate", "1Mbps", "bottleneck.reverse_rate: "),
        ("bottleneck.rate", {"kind": "cellular", "max_rate": "12Mbps"}, "bottleneck.rate: "),
        ("access.source_delay", {"kind": "uniform", "min": "1ms", "max": "2ms"}, "access.source_delay: "),
    ],
)
def test_what_a_kernel_cannot_do_is_refused_by_its_path(scenario, path, value, expected):
    if expected is None:
        question_of(scenario, {path: value}, KERNEL)
        return
    with pytest.raises(ScenarioError) as caught:
        question_of(scenario, {path: value}, KERNEL)
    [line] = caught.value.lines()
    assert line.startswith(f"{scenario}: {expected}")
    assert "accepted: " in line


def test_all_refusals_come_at_once(scenario):
    wrong = {"flows[0].cc": "copa", "flows[1].stack": "rfc", "bottleneck.queue": "red"}
    with pytest.raises(ScenarioError) as caught:
        question_of(scenario, wrong, KERNEL)
    paths = [problem["path"] for problem in caught.value.problems]
    assert paths == [
        "bottleneck.queue",
        "flows[0].cc",
        "flows[1].stack",
    ]


def test_names_are_the_kernels():
    assert [module_of(name) for name in ("bbr1", "vegas-linux", "reno-linux", "cdg")] == ["bbr", "vegas", "reno", "cdg"]
