"""A gate over a stack that is not ours: quinn's CUBIC, as it is and with a fault."""

import pytest

from ackclock.cli import main

SCENARIO = """\
duration = "10s"

[bottleneck]
rate = "10Mbps"
delay = "20ms"
queue = "1bdp"
loss = "0.2%"

[[flows]]
name = "one"
transport = { kind = "quinn", cc = "cubic" }
app = "bulk"
start_jitter = "500ms"
"""


@pytest.fixture
def gate(tmp_path, monkeypatch):
    """Calls the command with a baseline of quinn's CUBIC as it is."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bulk.toml").write_text(SCENARIO)
    command = ["gate", "bulk.toml", "--baseline", "gate.json"]
    assert main([*command, "--update", "--reason", "quinn as it is"]) == 0
    return lambda *options: main([*command, *options])


def test_the_same_stack_passes(gate):
    assert gate() == 0


@pytest.mark.parametrize("fault", ["double_reduction", "no_reduction"])
def test_a_fault_in_cubic_is_found(gate, capsys, fault):
    assert gate("--set", f"flows.one.transport.fault={fault}") == 1
    assert "worse" in capsys.readouterr().out
