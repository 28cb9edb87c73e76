"""Custom rate adaptations of DASH in Python.

A rule chooses the level of the ladder for each segment that a client of the application ``dash`` requests. A registered
class is named in scenarios, sweeps and studies like the rules of the catalogue:

>>> @ackclock.rate_adaptation("timid")
... class Timid(ackclock.RateAdaptation):
...     '''The highest level within a part of the last download's rate.'''
...
...     part = ackclock.parameter(0.5, 0.1, 1, "part of the last download's rate that is used")
...
...     def start(self, video):
...         self.ladder = video.ladder
...
...     def choose(self, playback):
...         if not playback.history:
...             return 0
...         within = [level for level, bps in enumerate(self.ladder) if bps <= self.part * playback.history[-1].bps]
...         return max(within, default=0)
>>> ackclock.run("scenario.toml", overrides={"flows.tv.app.abr": {"kind": "timid", "part": 0.7}})

Each client has its own object of the class. An exception ends the run as `AlgorithmError`. Results are reproducible if
the class uses no clock, no random numbers that are not its own with a fixed seed, and no state shared between clients.

The arguments of the callbacks have the types `Video`, `Playback` and `Download` of this module, for annotations. Times
are in seconds, rates in bit/s and sizes in bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ackclock._core import Download, Playback, Video

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Download", "Playback", "RateAdaptation", "Video", "rate_adaptation"]


class RateAdaptation:
    """A rate adaptation of a DASH client; `choose` is required."""

    def start(self, video: Video) -> None:
        """The client is created: `video` has the ladder, the playing time of a segment and the player's buffer."""

    def choose(self, playback: Playback) -> int | tuple[int, float]:
        """The level of the next segment, from 0 for the lowest bitrate; the buffer has room for the segment.

        A pair of a level and a time makes the player wait for that many seconds of playback, and ask again. A player
        that does not play ignores the time, because only more media makes it play.
        """
        raise NotImplementedError

    def on_segment(self, download: Download) -> None:
        """A segment has arrived; called before `choose` is asked for the next one."""

    def on_stall(self) -> None:
        """Playback stalled since the last segment; called before `on_segment` for the segment that came too late."""


R = TypeVar("R", bound="type[RateAdaptation]")


def rate_adaptation(name: str) -> Callable[[R], R]:
    """Registers a class of `RateAdaptation` under a name for scenarios.

    A class of the same name from the same file is replaced, for example when a notebook cell runs again. The scenario's
    canonical form and its hash contain a digest of the class's source: its file and those of its bases, or its methods
    and attributes if there is no file. Modules that these import are not part of the digest.

    Raises
    ------
    ValueError
        If the name is not valid or already belongs to the catalogue or to another class, or if the source is not found.
    TypeError
        If the class is no `RateAdaptation`, lacks `choose` or has an unknown callback.
    """
    from ackclock.cc import registry

    def register(cls: R) -> R:
        registry.register(name, cls, "abr")
        return cls

    return register
