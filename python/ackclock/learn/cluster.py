"""Runs of a search on other machines: a Dask scheduler hands them out. The search itself stays in this process."""

from __future__ import annotations

import json
import time
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ackclock import _core
from ackclock._errors import Cancelled, ClusterError
from ackclock.base import reading
from ackclock.store.provenance import build
from ackclock.sweeps.scheduler import AHEAD, Connection, check_build

if TYPE_CHECKING:
    from pathlib import Path

    from ackclock._core import Cancel

__all__ = ["Elsewhere"]

Trial = tuple[int, bytes]
"""The index of a network, and a table in Remy's format."""

Origin = tuple[str, str, str, str]
"""A name for the search, its design, its settings as JSON, and the folder of the files that the design names."""


@lru_cache(maxsize=4)
def _networks(origin: Origin, purpose: str) -> _core.Networks:
    """The networks of a worker, which are drawn once. The name keeps them from other searches with other files."""
    _, design, settings, folder = origin
    return _core.Networks(design, settings, purpose, folder=folder)


def remote(origin: Origin, purpose: str, trials: list[Trial], rule: int | None, wanted: str) -> tuple[list[Any], float]:
    """The task of a worker: the scores of trials, or the memories with which a rule was used, and the CPU seconds."""
    check_build(wanted)
    began = time.thread_time()
    networks = _networks(origin, purpose)
    answers: list[Any] = networks.scores(trials) if rule is None else networks.memories(trials, rule)
    return answers, time.thread_time() - began


class Elsewhere(Connection):
    """Does the runs of a search on the workers of a Dask scheduler.

    Files that the design names have to be at the same place on every worker.
    """

    def __init__(self, address: str, design: Path, settings: dict[str, Any], cancel: Cancel | None) -> None:
        super().__init__(address)
        text, folder = reading.text(design, reading.MOST_WRITTEN), str(design.parent.absolute())
        self._origin: Origin = (uuid4().hex, text, json.dumps(settings), folder)
        self._cancel = cancel
        self._purpose = ""
        self._at_once = 1
        self._tasks = 0
        self.cpu_s = 0.0
        """CPU seconds of the workers."""

    def scores(self, purpose: str, trials: list[Trial], rule: None) -> list[tuple[float, int, list[int], int]]:
        """Returns the score of each trial, as the engine takes it."""
        return self._answers(purpose, trials, rule)

    def memories(self, purpose: str, trials: list[Trial], rule: int) -> list[bytes]:
        """Returns, for each trial, the memories with which a rule was used, as the engine takes them."""
        return self._answers(purpose, trials, rule)

    def _answers(self, purpose: str, trials: list[Trial], rule: int | None) -> list[Any]:
        if not trials:
            return []
        if purpose != self._purpose:
            # Workers that came or went since the last networks were drawn count from here on.
            self._purpose, self._at_once = purpose, AHEAD * self.threads()
        size = -(-len(trials) // self._at_once)
        waiting: dict[Any, int] = {}
        for start in range(0, len(trials), size):
            self._tasks += 1
            part = trials[start : start + size]
            key = f"ackclock-learn-{self._origin[0]}-{self._tasks}"
            waiting[self.submit(remote, self._origin, purpose, part, rule, build(), key=key)] = start
        answers: list[Any] = [None] * len(trials)
        while waiting:
            for future in self.finished(waiting):
                start = waiting.pop(future)
                part, cpu_s = self._result(future)
                answers[start : start + len(part)] = part
                self.cpu_s += cpu_s
            if self._cancel is not None and self._cancel.cancelled:
                raise Cancelled
        return answers

    def _result(self, future: Any) -> tuple[list[Any], float]:
        from distributed import KilledWorker

        try:
            result: tuple[list[Any], float] = future.result()
        except KilledWorker as error:
            raise ClusterError(f"{self.where}: every worker that had a task died: {error}") from None
        return result
