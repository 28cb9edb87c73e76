"""The spaces of observations and actions, and the scenarios of episodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np
from gymnasium.spaces import Box

from ackclock.scenario import Overrides, Source, Text, load, override_pairs

if TYPE_CHECKING:
    from collections.abc import Callable

    from gymnasium.spaces import Space
    from numpy.typing import NDArray

    from ackclock.cc.policy import Steering

__all__ = ["Draw", "Episodes", "action_space", "observation_space"]

Draw: TypeAlias = "Callable[[np.random.Generator], Overrides]"
MOST_SEED = 2**32


def observation_space(steering: Steering) -> Space[NDArray[np.float32]]:
    """The space of the observations of a steering: one number for each of its fields."""
    fields = steering.fields()
    bounds = [np.array([getattr(one, end) for one in fields], np.float32) for end in ("least", "most")]
    return cast("Space[NDArray[np.float32]]", Box(bounds[0], bounds[1], dtype=np.float32))


def action_space(steering: Steering) -> Space[NDArray[np.float32]]:
    """The space of the actions of a steering: one number."""
    least, most = (-1.0, 1.0) if steering.relative else steering.range
    return cast("Space[NDArray[np.float32]]", Box(np.float32(least), np.float32(most), (1,), np.float32))


class Episodes:
    """The scenario of an environment with what varies from episode to episode.

    Parameters
    ----------
    scenario
        The scenario.
    overrides
        Values that replace those of the scenario in all episodes, by key path.
    draw
        Draws further overrides for an episode from a generator of random numbers.
    """

    def __init__(self, scenario: Source, overrides: Overrides | None, draw: Draw | None) -> None:
        self.text: Text = load(scenario)
        self._pairs = override_pairs(overrides)
        self._draw = draw

    def next(self, random: np.random.Generator, seed: int | None) -> tuple[list[tuple[str, str]], int]:
        """The overrides and the seed of the next episode. A seed that is given is the seed of the run."""
        drawn = [] if self._draw is None else override_pairs(self._draw(random))
        run = int(random.integers(MOST_SEED)) if seed is None else seed
        return [*self._pairs, *drawn], run
