"""The environment of one sender."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from ackclock._errors import RefusedError
from ackclock.cc.policy import Steering
from ackclock.engine.steered import SteeredRun
from ackclock.gym.rewards import Reward, log_power
from ackclock.gym.spaces import Draw, Episodes, action_space, observation_space

if TYPE_CHECKING:
    from ackclock.scenario import Overrides, Source

__all__ = ["SenderEnv"]


class SenderEnv(gymnasium.Env[NDArray[np.float32], NDArray[np.float32]]):
    """An environment of Gymnasium: the sender of one bulk flow in a scenario, whose window or rate the agent sets.

    A step is an interval. An episode is a run: it is truncated at the end of the scenario and never terminates. The
    first observation is that of the interval in which the flow sends its initial window. ``info`` has the `Interval`
    of the step as ``interval``, the simulated time in seconds as ``time_s``, and the seed of the run as ``seed``.

    Parameters
    ----------
    scenario
        The scenario: a path, text, a dict or an object.
    flow
        Name of the flow: a single bulk flow over TCP. Its congestion control is replaced.
    steering
        When the agent decides, what it sets and what it sees; the spaces follow from it.
    reward
        The reward of an interval; by default `log_power`.
    overrides
        Values that replace the scenario's, by key path.
    draw
        Draws further overrides for each episode from a generator of random numbers, for example another rate.

    Raises
    ------
    ScenarioError
        From `reset`, if the scenario is not accepted or the flow cannot be steered.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(
        self,
        scenario: Source,
        flow: str,
        *,
        steering: Steering | None = None,
        reward: Reward = log_power,
        overrides: Overrides | None = None,
        draw: Draw | None = None,
    ) -> None:
        self.steering = steering or Steering()
        self.observation_space = observation_space(self.steering)
        self.action_space = action_space(self.steering)
        self._episodes = Episodes(scenario, overrides, draw)
        self._flow = flow
        self._reward = reward
        self._run: SteeredRun | None = None
        self._seed = 0

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002 - Gymnasium's signature
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begins an episode.

        Parameters
        ----------
        seed
            Seed of the run and of what is drawn in this and later episodes. Without one, the seed is drawn.
        options
            Not used.
        """
        super().reset(seed=seed)
        overrides, self._seed = self._episodes.next(self.np_random, seed)
        self._run = SteeredRun(self._episodes.text, overrides, self._seed, [self._flow], self.steering)
        self._run.advance([None])
        return self.steering.observed(self._run.intervals[0]), self._info(self._run)

    def step(self, action: NDArray[np.float32]) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Sets the window or the rate, and runs to the end of the next interval.

        Raises
        ------
        RefusedError
            If there is no episode, or the action is not a number.
        """
        run = self._run
        if run is None or not run.going:
            raise RefusedError("the episode has ended, or none has begun: call reset first")
        run.advance([float(action[0])])
        interval = run.intervals[0]
        return self.steering.observed(interval), self._reward(interval), False, not run.going, self._info(run)

    def _info(self, run: SteeredRun) -> dict[str, Any]:
        return {"interval": run.intervals[0], "time_s": run.now / 1e9, "seed": self._seed}
