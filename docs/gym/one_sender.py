"""Trains the sender of one flow on random paths, with PPO of Stable-Baselines3: python one_sender.py learned.py."""

import math
import sys

import numpy as np
from stable_baselines3 import PPO

from ackclock.gym import Interval, SenderEnv, Steering, log_power, write_policy

SCENARIO = """
duration = "8s"
[bottleneck]
rate = "10Mbps"
delay = "20ms"
queue = "1bdp"
[[flows]]
name = "learner"
app = "bulk"
"""
STEERING = Steering("window-factor", "ratios")


class Paths:
    """A path for each episode: 4 to 64 Mbit/s, 20 to 80 ms, a buffer of 0.5 to 4 BDP."""

    mbps = 10.0

    def draw(self, random: np.random.Generator) -> dict[str, object]:
        """The path of an episode."""
        self.mbps = 2 ** random.uniform(2, 6)
        return {
            "bottleneck.rate": f"{self.mbps:.3f}Mbps",
            "bottleneck.delay": f"{random.uniform(10, 40):.3f}ms",
            "bottleneck.queue": f"{2 ** random.uniform(-1, 2):.3f}bdp",
        }

    def reward(self, interval: Interval) -> float:
        """The utilisation and the delay, both as logarithms, so that fast paths count as much as slow ones."""
        return log_power(interval) - math.log2(self.mbps) - 4 * min(interval.lost / max(interval.sent, 1), 1)


def train(path: str, steps: int = 50_000) -> None:
    """Trains and writes the policy as a congestion control."""
    paths = Paths()
    env = SenderEnv(SCENARIO, "learner", steering=STEERING, reward=paths.reward, draw=paths.draw)
    network = {"net_arch": [16, 16], "log_std_init": -1.0}
    model = PPO("MlpPolicy", env, seed=1, gamma=0.9, n_steps=1024, policy_kwargs=network, device="cpu")
    model.learn(steps)
    policy = model.policy
    linear = [*policy.mlp_extractor.policy_net[::2], policy.action_net]
    layers = [(one.weight.detach().numpy(), one.bias.detach().numpy()) for one in linear]
    summary = f"A window learned with PPO in {steps} steps on paths with one flow"
    write_policy(path, "learned-alone", summary, STEERING, layers)


if __name__ == "__main__":
    train(sys.argv[1], *map(int, sys.argv[2:]))
