"""The environment of several senders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from ackclock._errors import RefusedError
from ackclock.cc.policy import Steering
from ackclock.engine.steered import SteeredRun
from ackclock.gym.rewards import Reward, log_power
from ackclock.gym.spaces import Draw, Episodes, action_space, observation_space

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gymnasium.spaces import Space

    from ackclock.scenario import Overrides, Source

__all__ = ["SendersEnv"]

INTERVAL_MS = 50.0


class SendersEnv(ParallelEnv[str, NDArray[np.float32], NDArray[np.float32]]):  # type: ignore[misc] # it has no types
    """An environment of PettingZoo: the senders of several bulk flows in a scenario, an agent each.

    All agents decide at the same times, so that the interval has a length in milliseconds. An agent whose flow has not
    begun observes zeros, and its actions are ignored. All agents are truncated at the end of the scenario.

    Parameters
    ----------
    scenario
        The scenario: a path, text, a dict or an object.
    flows
        Names of the flows, which are those of the agents: single bulk flows over TCP.
    steering
        When the agents decide, what they set and what they see; by default every 50 ms.
    reward
        The reward of an interval for an agent; by default `log_power`.
    overrides
        Values that replace the scenario's, by key path.
    draw
        Draws further overrides for each episode from a generator of random numbers.

    Raises
    ------
    RefusedError
        If the interval is a round trip, or the names are not at least one and different.
    ScenarioError
        From `reset`, if the scenario is not accepted or a flow cannot be steered.
    """

    metadata: dict[str, Any] = {"name": "ackclock_senders_v0", "render_modes": []}  # noqa: RUF012 - as PettingZoo has it
    render_mode = None

    def __init__(
        self,
        scenario: Source,
        flows: Sequence[str],
        *,
        steering: Steering | None = None,
        reward: Reward = log_power,
        overrides: Overrides | None = None,
        draw: Draw | None = None,
    ) -> None:
        self.steering = steering or Steering(interval_ms=INTERVAL_MS)
        if self.steering.interval_ms is None:
            raise RefusedError("several senders decide at the same times: give interval_ms of the steering")
        if not flows or len(set(flows)) < len(flows):
            raise RefusedError(f"flows {list(flows)}: accepted: different names, at least one")
        self.possible_agents = list(flows)
        self.agents: list[str] = []
        self.observation_spaces = {name: observation_space(self.steering) for name in flows}
        self.action_spaces = {name: action_space(self.steering) for name in flows}
        self._episodes = Episodes(scenario, overrides, draw)
        self._reward = reward
        self._run: SteeredRun | None = None
        self._random, _ = seeding.np_random()
        self._seed = 0

    def observation_space(self, agent: str) -> Space[NDArray[np.float32]]:
        """The space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[NDArray[np.float32]]:
        """The space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(
        self,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002 - PettingZoo's signature
    ) -> tuple[dict[str, NDArray[np.float32]], dict[str, dict[str, Any]]]:
        """Begins an episode.

        Parameters
        ----------
        seed
            Seed of the run and of what is drawn in this and later episodes. Without one, the seed is drawn.
        options
            Not used.
        """
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        overrides, self._seed = self._episodes.next(self._random, seed)
        self._run = SteeredRun(self._episodes.text, overrides, self._seed, self.possible_agents, self.steering)
        self._run.advance([None] * len(self.possible_agents))
        self.agents = list(self.possible_agents)
        return self._observations(self._run), self._infos(self._run)

    def step(
        self, actions: Mapping[str, NDArray[np.float32]]
    ) -> tuple[
        dict[str, NDArray[np.float32]],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Sets the windows or the rates, and runs to the end of the next interval.

        Raises
        ------
        RefusedError
            If there is no episode, or an action is missing or not a number.
        """
        run, agents = self._run, self.possible_agents
        if run is None or not self.agents:
            raise RefusedError("the episode has ended, or none has begun: call reset first")
        missing = [name for name in agents if name not in actions]
        if missing:
            raise RefusedError(f"no action for {', '.join(missing)}: every agent acts in every step")
        run.advance([float(actions[name][0]) for name in agents])
        rewards = {name: self._reward(one) for name, one in zip(agents, run.intervals, strict=True)}
        over = dict.fromkeys(agents, not run.going)
        if not run.going:
            self.agents = []
        return self._observations(run), rewards, dict.fromkeys(agents, False), over, self._infos(run)

    def _observations(self, run: SteeredRun) -> dict[str, NDArray[np.float32]]:
        intervals = zip(self.possible_agents, run.intervals, strict=True)
        return {name: self.steering.observed(one) for name, one in intervals}

    def _infos(self, run: SteeredRun) -> dict[str, dict[str, Any]]:
        common = {"time_s": run.now / 1e9, "seed": self._seed}
        return {
            name: {"interval": one, **common} for name, one in zip(self.possible_agents, run.intervals, strict=True)
        }
