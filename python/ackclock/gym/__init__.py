"""Environments of reinforcement learning: a sender, or several, in a scenario.

`SenderEnv` is an environment of Gymnasium, and `SendersEnv` one of PettingZoo with an agent for each steered flow. The
engine runs from decision to decision without a call into Python. `ackclock.cc.policy` says what an agent decides and
sees, and has the class with which the learned policy runs in any scenario.

>>> from ackclock.gym import SenderEnv, Steering
>>> env = SenderEnv("scenario.toml", "flow", steering=Steering("window-factor", "ratios"))
>>> observation, info = env.reset(seed=1)
>>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
"""

from __future__ import annotations

from ackclock.base.extras import require

require("gymnasium", "environments of reinforcement learning")

from ackclock.cc.policy import RATIOS, UNITS, Interval, Steering  # noqa: E402 - the message about the extra comes first
from ackclock.gym.export import write_policy  # noqa: E402
from ackclock.gym.rewards import log_power  # noqa: E402
from ackclock.gym.sender import SenderEnv  # noqa: E402

__all__ = ["RATIOS", "UNITS", "Interval", "SenderEnv", "SendersEnv", "Steering", "log_power", "write_policy"]


def __getattr__(name: str) -> object:
    """`SendersEnv`, which needs PettingZoo, at its first use."""
    if name == "SendersEnv":
        require("pettingzoo", "environments with several senders")
        from ackclock.gym.senders import SendersEnv

        return SendersEnv
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
