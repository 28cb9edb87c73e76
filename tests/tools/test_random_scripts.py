"""Random scripts state what the simulator does, are the same for a seed, and tell a late timer from a difference."""

import pytest

from ackclock.judge import drill
from tools.random_scripts import is_late, made


@pytest.mark.parametrize("seed", [1, 7, 12, 30, 41])
def test_a_script_states_what_the_simulator_does(tmp_path, seed):
    script = tmp_path / "script.pkt"
    script.write_text(made(seed), encoding="utf-8")
    assert made(seed) == script.read_text(encoding="utf-8")
    result = drill.run(script)
    assert result.verdict == "pass", result.reason
    assert " > S. 0:0(0) ack 1 " in script.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("reason", "late"),
    [
        ("line 9: expected > P. 1:2(1) ack 3 at 1.6; nothing left until 1.66: > P. 1:2(1) ack 3", True),
        ("line 9: expected > F. 1:1(0) ack 3 at 1.6; nothing left until 1.61: > F. 1:1(0) ack 3", True),
        ("line 9: expected > P. 1:2(1) ack 3 at 1.6; nothing left until 1.8: > P. 1:2(1) ack 3", False),
        ("line 9: expected > P. 1:2(1) ack 3 at 1.6; nothing left until 1.66: > P. 1:3(2) ack 3", False),
        ("line 9: expected > . 1:1(0) ack 3 at 1.6; nothing left until 1.64: > . 1:1(0) ack 3", False),
        ("line 9: read returned 5 instead of 6", False),
    ],
)
def test_late_timers(reason, late):
    assert is_late(reason) is late
