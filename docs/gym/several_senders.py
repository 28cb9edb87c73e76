"""Trains three senders that share a path and a policy, with PPO: python several_senders.py learned.py."""

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecEnv

from ackclock.gym import Interval, SendersEnv, Steering, log_power, write_policy

FLOWS = ("one", "two", "three")
SCENARIO = """
duration = "12s"
[bottleneck]
rate = "20Mbps"
delay = "20ms"
queue = "1bdp"
""" + "".join(f'[[flows]]\nname = "{name}"\napp = "bulk"\nstart_jitter = "4s"\n' for name in FLOWS)
STEERING = Steering("window-factor", "ratios", interval_ms=50)


class Paths:
    """A path for each episode: 8 to 64 Mbit/s, 20 to 80 ms, a buffer of 0.5 to 4 BDP."""

    mbps = 20.0

    def draw(self, random: np.random.Generator) -> dict[str, object]:
        """The path of an episode."""
        self.mbps = 2 ** random.uniform(3, 6)
        return {
            "bottleneck.rate": f"{self.mbps:.3f}Mbps",
            "bottleneck.delay": f"{random.uniform(10, 40):.3f}ms",
            "bottleneck.queue": f"{2 ** random.uniform(-1, 2):.3f}bdp",
        }

    def reward(self, interval: Interval) -> float:
        """The share of the path and the delay, as logarithms: their sum over the flows is largest at equal shares."""
        if not interval.duration:
            return 0.0
        share = math.log2(self.mbps / len(FLOWS))
        return log_power(interval) - share - 4 * min(interval.lost / max(interval.sent, 1), 1)


class Shared(VecEnv):
    """The agents of an environment as environments of one policy. Episodes begin anew by themselves."""

    def __init__(self, env: SendersEnv) -> None:
        self.env = env
        self.names = env.possible_agents
        super().__init__(len(self.names), env.observation_space(self.names[0]), env.action_space(self.names[0]))
        self._actions: Any = None
        self._seed: int | None = None

    def seed(self, seed: int | None = None) -> list[int | None]:
        """Sets the seed of the next episode."""
        self._seed = seed
        return [seed] * self.num_envs

    def reset(self) -> np.ndarray:
        """Begins an episode."""
        observations, _ = self.env.reset(self._seed)
        self._seed = None
        return np.stack([observations[name] for name in self.names])

    def step_async(self, actions: np.ndarray) -> None:
        """Keeps the actions."""
        self._actions = dict(zip(self.names, actions, strict=True))

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Does the step."""
        observations, rewards, _, over, _ = self.env.step(self._actions)
        seen = np.stack([observations[name] for name in self.names])
        done = np.array([over[name] for name in self.names])
        infos: list[dict[str, Any]] = [{} for _ in self.names]
        if done.all():
            infos = [{"terminal_observation": one, "TimeLimit.truncated": True} for one in seen]
            seen = self.reset()
        return seen, np.array([rewards[name] for name in self.names], np.float32), done, infos

    def close(self) -> None:
        """Does nothing."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The attribute of the environment, for each agent."""
        return [getattr(self.env, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Sets an attribute of the environment."""
        setattr(self.env, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Calls a method of the environment."""
        return [getattr(self.env, method_name)(*args, **kwargs)] * self.num_envs

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> Sequence[bool]:
        """No wrapper is there."""
        return [False] * self.num_envs


def train(path: str, steps: int = 150_000) -> None:
    """Trains and writes the policy as a congestion control."""
    paths = Paths()
    env = Shared(SendersEnv(SCENARIO, FLOWS, steering=STEERING, reward=paths.reward, draw=paths.draw))
    network = {"net_arch": [16, 16], "log_std_init": -1.0}
    model = PPO("MlpPolicy", env, seed=1, gamma=0.95, n_steps=512, policy_kwargs=network, device="cpu")
    model.learn(steps)
    policy = model.policy
    linear = [*policy.mlp_extractor.policy_net[::2], policy.action_net]
    layers = [(one.weight.detach().numpy(), one.bias.detach().numpy()) for one in linear]
    summary = f"A window learned with PPO in {steps} steps on paths with three flows"
    write_policy(path, "learned-shared", summary, STEERING, layers)


if __name__ == "__main__":
    train(sys.argv[1], *map(int, sys.argv[2:]))
