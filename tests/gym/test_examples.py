"""The examples of the documentation train, and the policies that they write run in scenarios."""

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
cc = "{name}"
start_jitter = "1s"
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
    example(name).train(learned, 2500)
    # The policy of the documentation has the same name.
    learned.write_text(learned.read_text().replace(f'"{control}"', f'"{control}-test"'))
    ackclock.load(learned)
    result = ackclock.run(PATH.format(name=f"{control}-test"), seed=1)
    assert next(result.flows.rows())["bytes_delivered"] > 0


def test_the_policy_of_the_documentation_uses_the_path_with_a_short_queue():
    ackclock.load(DOCS / "learned_alone.py")
    result = ackclock.run(PATH.format(name="learned-alone"), seed=1)
    link = next(row for row in result.links.rows() if row["link"] == "bottleneck")
    assert link["utilisation"] > 0.9
    assert link["drops"] == 0
    assert link["queue_delay_mean_ms"] < 8
