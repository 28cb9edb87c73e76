"""The environments pass the checkers of their libraries, repeat by seed, and export what was learned."""

import importlib.util

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="needs gymnasium: pip install 'ackclock[gym]'")

from gymnasium.utils.env_checker import check_env

import ackclock
from ackclock import ScenarioError
from ackclock._errors import RefusedError
from ackclock.cc.policy import RATIOS, UNITS, Interval
from ackclock.gym import SenderEnv, Steering, log_power, write_policy

SCENARIO = """
duration = "2s"
[bottleneck]
rate = "10Mbps"
delay = "10ms"
queue = "2bdp"
[[flows]]
name = "a"
app = "bulk"
[[flows]]
name = "b"
app = "bulk"
cc = "cubic"
start_jitter = "300ms"
"""

needs_pettingzoo = pytest.mark.skipif(
    importlib.util.find_spec("pettingzoo") is None, reason="needs pettingzoo: pip install 'ackclock[gym]'"
)


def episode(env, seed, action=0.1):
    """The observations and rewards of an episode."""
    observation, info = env.reset(seed=seed)
    found = [observation.tolist()]
    truncated = False
    while not truncated:
        observation, reward, terminated, truncated, info = env.step(np.array([action], np.float32))
        assert not terminated
        found.append([*observation.tolist(), reward])
    return found, info


@pytest.mark.parametrize("action", ["window", "rate", "window-factor", "rate-factor"])
@pytest.mark.parametrize("observation", ["units", "ratios"])
@pytest.mark.filterwarnings("ignore::UserWarning")  # the checker advises against spaces without bounds
def test_gymnasium_accepts_the_environment(action, observation):
    env = SenderEnv(SCENARIO, "a", steering=Steering(action, observation))
    check_env(env, skip_render_check=True)
    assert env.observation_space.shape == (len(UNITS if observation == "units" else RATIOS),)


def test_an_episode_repeats_by_its_seed_and_is_the_run_of_that_seed():
    env = SenderEnv(SCENARIO, "a")
    first, info = episode(env, 5)
    again, _ = episode(SenderEnv(SCENARIO, "a"), 5)
    other, _ = episode(env, 6)
    assert first == again
    assert first != other
    assert (info["seed"], info["time_s"]) == (5, 2.0)
    # Later episodes have seeds of their own, and these repeat too.
    seeds = []
    for _ in range(2):
        env.reset(seed=5)
        seeds.append([env.reset()[1]["seed"] for _ in range(3)])
    assert seeds[0] == seeds[1]
    assert len(set(seeds[0])) == 3


def test_what_is_drawn_changes_the_episode():
    def draw(random):
        return {"bottleneck.rate": f"{random.integers(5, 50)}Mbps"}

    env = SenderEnv(SCENARIO, "a", draw=draw, overrides={"duration": "1s"})
    runs = [episode(env, seed) for seed in (1, 2, 1)]
    assert runs[0][0] == runs[2][0]
    assert runs[0][0] != runs[1][0]
    assert runs[0][1]["time_s"] == 1.0


def test_steps_without_an_episode_and_flows_that_do_not_exist_are_errors():
    env = SenderEnv(SCENARIO, "a")
    with pytest.raises(RefusedError, match="call reset first"):
        env.step(np.zeros(1, np.float32))
    episode(env, 1)
    with pytest.raises(RefusedError, match="call reset first"):
        env.step(np.zeros(1, np.float32))
    with pytest.raises(ScenarioError, match="no flow has the name x"):
        SenderEnv(SCENARIO, "x").reset()


def test_the_reward_is_the_published_objective():
    one = Interval(100_000_000, delivered=50_000, rtt_sum=60_000_000, rtt_samples=2, rtt_smallest=15_000_000, mss=1000)
    # 4 Mbit/s at twice the smallest RTT.
    assert log_power(one) == pytest.approx(2 - 1)
    assert log_power(one, delta=0.5) == pytest.approx(2 - 0.5)
    assert log_power(Interval(100_000_000, mss=12_500)) == 0
    assert log_power(Interval(0)) == 0


def test_a_policy_is_written_and_runs_in_a_scenario(tmp_path):
    steering = Steering(interval_ms=20, most=500)
    random = np.random.default_rng(1)
    layers = [(random.normal(size=(8, len(RATIOS))), random.normal(size=8)), (random.normal(size=(1, 8)), [0.1])]
    path = tmp_path / "learned_test.py"
    write_policy(path, "learned-test", "A policy of a test", steering, layers)
    ackclock.load(path)
    result = ackclock.run(SCENARIO, overrides={"flows[0].cc": "learned-test"}, seed=3)
    env = SenderEnv(SCENARIO, "a", steering=steering)
    rounded = [
        (np.array([[float(f"{one:.6g}") for one in row] for row in np.asarray(weights)]), biases)
        for weights, biases in layers
    ]
    observation, info = env.reset(seed=3)
    sent, truncated = info["interval"].sent, False
    while not truncated:
        hidden = np.tanh(rounded[0][0] @ observation.astype(float) + [float(f"{one:.6g}") for one in rounded[0][1]])
        action = rounded[1][0] @ hidden + 0.1
        observation, _, _, truncated, info = env.step(action)
        sent += info["interval"].sent
    assert sent == info["interval"].mss * next(result.flows.rows())["data_segments_sent"]


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ([], "the last layer has 6 outputs; accepted: 1"),
        ([(np.zeros((1, 5)), [0.0])], r"layer 0: weights \(1, 5\) and biases \(1,\); accepted: \(n, 6\) and \(n,\)"),
        ([(np.full((1, 6), np.nan), [0.0])], "layer 0: a weight is not finite"),
    ],
)
def test_a_policy_that_does_not_fit_is_not_written(layers, message, tmp_path):
    with pytest.raises(RefusedError, match=message):
        write_policy(tmp_path / "x.py", "x", "A policy", Steering(), layers)
    assert not (tmp_path / "x.py").exists()


@needs_pettingzoo
def test_pettingzoo_accepts_the_environment_of_several_senders():
    from pettingzoo.test import parallel_api_test

    from ackclock.gym import SendersEnv

    env = SendersEnv(SCENARIO, ["a", "b"])
    parallel_api_test(env, num_cycles=200)
    with pytest.raises(RefusedError, match="give interval_ms"):
        SendersEnv(SCENARIO, ["a", "b"], steering=Steering())
    with pytest.raises(RefusedError, match="different names"):
        SendersEnv(SCENARIO, ["a", "a"])


@needs_pettingzoo
def test_an_episode_of_several_senders_repeats_by_its_seed():
    from ackclock.gym import SendersEnv

    def run(seed):
        env = SendersEnv(SCENARIO, ["a", "b"])
        observations, _ = env.reset(seed=seed)
        found = [{name: one.tolist() for name, one in observations.items()}]
        while env.agents:
            given = {"a": np.array([0.2], np.float32), "b": np.array([-0.1], np.float32)}
            observations, rewards, terminated, truncated, _ = env.step(given)
            assert not any(terminated.values())
            found.append(({name: one.tolist() for name, one in observations.items()}, rewards, truncated))
        assert all(truncated.values())
        return found

    assert run(1) == run(1)
    assert run(1) != run(2)


@needs_pettingzoo
def test_a_sender_alone_does_the_same_as_an_agent():
    from ackclock.gym import SendersEnv

    steering = Steering(interval_ms=50)
    one, many = SenderEnv(SCENARIO, "a", steering=steering), SendersEnv(SCENARIO, ["a"], steering=steering)
    assert np.array_equal(one.reset(seed=4)[0], many.reset(seed=4)[0]["a"])
    for _ in range(10):
        action = np.array([0.3], np.float32)
        observation, reward, *_ = one.step(action)
        observations, rewards, *_ = many.step({"a": action})
        assert np.array_equal(observation, observations["a"])
        assert reward == rewards["a"]
