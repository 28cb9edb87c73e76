"""The examples of the documentation train, and the policies that they wrote run in scenarios."""

import importlib.util
import sys
from pathlib import Path

import pytest

import ackclock

DOCS = Path(__file__).parent.parent.parent / "docs/gym"

PATH = """
duration = "20s"
[bottleneck]
rate = "20Mbps"
delay = "20ms"
queue = "1bdp"
[[flows]]
name = "flow"
app = "bulk"
count = {count}
cc = "{name}"
start_jitter = "1s"
[probes]
rates = true
"""


def example(name):
    """The module of an example."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize(("name", "control"), [("one_sender", "learned-alone"), ("several_senders", "learned-shared")])
@pytest.mark.filterwarnings("ignore")  # torch warns of what the machine has not
def test_an_example_trains_and_its_policy_runs(name, control, tmp_path):
    pytest.importorskip("gymnasium", reason="needs gymnasium: pip install 'ackclock[gym]'")
    pytest.importorskip("pettingzoo", reason="needs pettingzoo: pip install 'ackclock[gym]'")
    pytest.importorskip("stable_baselines3", reason="needs stable-baselines3, which needs torch")
    learned = tmp_path / f"{name}_test.py"
    example(name).train(learned, 3000)
    # The name of the shipped policy is that of this one.
    learned.write_text(learned.read_text().replace(f'"{control}"', f'"{control}-test"'))
    ackclock.load(learned)
    result = ackclock.run(PATH.format(count=1, name=f"{control}-test"), seed=1)
    assert next(result.flows.rows())["bytes_delivered"] > 0


def test_the_policies_of_the_documentation_use_the_path_with_a_short_queue():
    ackclock.load(DOCS / "learned_alone.py")
    result = ackclock.run(PATH.format(count=1, name="learned-alone"), seed=1)
    link = next(row for row in result.links.rows() if row["link"] == "bottleneck")
    assert link["utilisation"] > 0.8
    # CUBIC fills the queue of 40 ms.
    assert link["queue_delay_mean_ms"] < 20


def test_flows_that_learned_together_share():
    ackclock.load(DOCS / "learned_shared.py")
    result = ackclock.run(PATH.format(count=3, name="learned-shared"), seed=1)
    delivered = [row["bytes_delivered"] for row in result.flows.rows()]
    assert min(delivered) > 0.4 * max(delivered)
