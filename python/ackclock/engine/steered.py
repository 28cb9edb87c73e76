"""A run whose senders are steered, from interval to interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from ackclock import _core
from ackclock.cc import registry
from ackclock.cc.policy import Interval
from ackclock.scenario import named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.cc.policy import Steering
    from ackclock.scenario import Text

__all__ = ["Sender", "SteeredRun"]

Pairs: TypeAlias = "Sequence[tuple[str, str]]"
NOT_STARTED = Interval(0)


class Sender:
    """State of a steered sender beside its counts."""

    __slots__ = ("mss", "setting", "target")

    def __init__(self) -> None:
        self.setting: float | None = None
        self.target: tuple[int, int | None] | None = None
        self.mss = 0

    def steer(self, steering: Steering, action: float) -> None:
        """Changes the setting. A sender that has not begun ignores the action."""
        if self.setting is not None:
            self.setting = steering.changed(self.setting, action)
            self.target = steering.target(self.setting, self.mss)


class SteeredRun:
    """A run of a scenario, stopped at the end of an interval.

    Parameters
    ----------
    text
        The scenario.
    overrides
        Values that replace those of the scenario, by key path.
    seed
        Seed of the run.
    flows
        Names of the steered flows.
    steering
        When decisions are made and what they set.

    Raises
    ------
    ScenarioError
        If the scenario is not accepted, or one of the flows cannot be steered.
    """

    def __init__(self, text: Text, overrides: Pairs, seed: int, flows: Sequence[str], steering: Steering) -> None:
        with named(text):
            self._run = _core.Environment(
                text.text,
                text.format,
                list(overrides),
                seed,
                list(flows),
                paces=steering.quantity == "rate",
                folder=text.folder,
                algorithms=registry.algorithms(),
            )
        self._steering = steering
        self._senders = [Sender() for _ in flows]
        self.going, self.now, self._srtt = self._run.begin()
        self._began = self.now
        self.intervals: list[Interval] = [NOT_STARTED for _ in flows]
        """The last interval of each sender."""

    def advance(self, actions: Sequence[float | None]) -> None:
        """Gives each sender its action, unless that is None, and runs to the end of the next interval."""
        steering = self._steering
        for sender, action in zip(self._senders, actions, strict=True):
            if action is not None:
                sender.steer(steering, action)
        began = self.now
        until = steering.next(began, self._srtt)
        self.going, ended, rows = self._run.step([sender.target for sender in self._senders], until)
        self.now = until if self.going else ended
        self.intervals = [self._interval(sender, row, began) for sender, row in zip(self._senders, rows, strict=True)]
        self._srtt = self.intervals[0].srtt

    def _interval(self, sender: Sender, row: Sequence[Any], began: int) -> Interval:
        *counts, started, smallest, srtt, in_flight, mss, window = row
        if started is None:
            return NOT_STARTED
        if sender.setting is None:
            sender.mss, sender.setting = mss, self._steering.first(window, mss, srtt)
        length = self.now - max(began, started)
        return Interval._make([length, *counts, smallest, srtt, in_flight, sender.mss, sender.setting])
