"""Gates on kernels: two source trees are compared, other kinds of backends are not, and lateness is told."""

from types import SimpleNamespace

import numpy as np
import pytest

from ackclock.judge import gate
from ackclock.judge.gate import perform
from ackclock.kernel import backends
from ackclock.results.result import Replications, Result
from tests.helpers.scenarios import SWEPT
from tests.helpers.tables import make_table


class Kernels:
    """Runs on kernels that were measured elsewhere: goodput in bit/s by the name of the backend, with noise."""

    def __init__(self, goodput, noise=0.0):
        self.goodput = goodput
        self.draw = np.random.default_rng(5)
        self.noise = noise
        self.late = ()

        self.asked = []

    def resolve(self, name, report=None):
        """As `ackclock.kernel.backends.backend`, for a kernel or a tree of which there is a kernel."""
        self.asked.append(name)
        exact = {f"linux:/trees/{one.partition('@')[2]}": one for one in self.goodput}.get(name, name)
        return SimpleNamespace(exact=exact)

    def __call__(self, scenario, *, seeds, backend, **_):
        def one(seed):
            name, _, digest = backend.partition("@")
            kernel = {"version": "6.12.1", "clock": "real" if name == "linux" else "virtual"}
            meta = {
                "name": "made", "scenario_hash": "0", "version": "0.1.0", "engine": "00000000", "seed": seed,
                "duration_s": 1.0, "backend": name, "kernel": kernel | ({"digest": digest} if digest else {}),
                "valid": seed not in self.late,
            }  # fmt: skip
            goodput = self.goodput[backend] + seed * 1e5 + self.draw.normal(0, self.noise)
            return Result(meta, {"flows": make_table(flow=["one"], goodput_bps=[goodput])})

        return Replications([one(seed) for seed in seeds])


@pytest.fixture
def scenarios(tmp_path):
    path = tmp_path / "bulk.toml"
    path.write_text(SWEPT)
    return gate.asked([path])


MEASURES = (gate.Expected("sum(flows.goodput_bps)", "higher", 0.01, 0.0),)


def gates(scenarios, monkeypatch, kernels, before, now):
    monkeypatch.setattr(perform, "run", kernels)
    monkeypatch.setattr(backends, "backend", kernels.resolve)
    baseline = gate.take(scenarios, reason="the old tree", measures=MEASURES, backend=before)
    return gate.pass_through(scenarios, baseline, backend=now)


@pytest.mark.parametrize(("share", "verdict"), [(1.0, "within"), (0.95, "worse"), (1.05, "better")])
def test_two_kernel_trees_are_compared(scenarios, monkeypatch, share, verdict):
    kernels = Kernels({"linux:6.12.1@old": 1e7, "linux:6.12.1@new": share * 1e7}, noise=2e4)
    found = gates(scenarios, monkeypatch, kernels, "linux:6.12.1@old", "linux:6.12.1@new")
    assert found.judged[0].verdict == verdict
    before, now = found.made["bulk"]
    assert (before.kernel, now.kernel) == ("old", "new")
    assert str(now).endswith("linux:6.12.1 (new)")
    assert found.notes == ()


def test_noise_of_the_running_kernel_is_no_other_build(scenarios, monkeypatch):
    kernels = Kernels({"linux": 1e7}, noise=2e4)
    kernels.late = (3,)
    found = gates(scenarios, monkeypatch, kernels, "linux", "linux")
    assert found.judged[0].verdict == "within"
    assert str(found.made["bulk"][1]).endswith("linux (6.12.1)")
    assert found.notes == ("bulk: packets left the emulated network too late under the seeds 3",)


def test_a_kernel_and_the_simulator_are_not_compared(scenarios, monkeypatch):
    kernels = Kernels({"linux": 1e7, "sim": 1e7})
    with pytest.raises(gate.GateError, match="the baseline is from the running kernel, and this gate runs on the sim"):
        gates(scenarios, monkeypatch, kernels, "linux", "sim")


def test_a_tree_is_built_once_for_all_runs(scenarios, monkeypatch):
    # The worse tree needs both looks. Whoever edits it meanwhile must not get a gate over two kernels.
    kernels = Kernels({"linux:6.12.1@old": 1e7, "linux:6.12.1@new": 9e6}, noise=2e4)
    found = gates(scenarios, monkeypatch, kernels, "linux:/trees/old", "linux:/trees/new")
    assert found.runs == 20
    assert found.judged[0].verdict == "worse"
    assert kernels.asked == ["linux:/trees/old", "linux:/trees/new"]


def test_a_kernel_is_not_built_for_a_gate_that_is_refused(scenarios, monkeypatch):
    kernels = Kernels({"linux:6.12.1@new": 1e7, "sim": 1e7})
    with pytest.raises(gate.GateError, match="the baseline is from the simulator, and this gate runs on a kernel"):
        gates(scenarios, monkeypatch, kernels, "sim", "linux:/trees/new")
    assert kernels.asked == []


def test_the_same_kernel_gives_other_values_because_of_its_own_random_numbers(scenarios, monkeypatch):
    kernels = Kernels({"linux:6.12.1@old": 1e7}, noise=2e4)
    found = gates(scenarios, monkeypatch, kernels, "linux:6.12.1@old", "linux:6.12.1@old")
    assert found.judged[0].verdict == "within"
    (note,) = found.notes
    assert "the same build gave other values (sum(flows.goodput_bps)): no seed sets the random numbers" in note
    assert "congestion control imports" not in note
