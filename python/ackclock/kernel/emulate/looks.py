"""Looks at an emulated network while a command runs in it: rates, queues and drops of its links over time."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np
from arro3.core import Array, DataType
from arro3.core import Table as ArrowTable

from ackclock.base.table import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ackclock import _core

__all__ = ["COUNTS", "Looks"]

COUNTS = ("bytes", "packets", "drops", "queue_packets", "queue_bytes")
"""Counts of a link at a look: bytes, packets and drops since the start, and what waits in the queue."""


class Looks:
    """Observations of the emulator so far. Any thread may read them."""

    def __init__(self, emulator: _core.Emulator) -> None:
        self._emulator = emulator
        self._lock = threading.Lock()
        self._times: list[float] = []
        self._rows: list[list[tuple[int, int, int, int, int]]] = []
        self.links: list[str] = emulator.links
        """The links in each direction."""

    def take(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The times of all looks in seconds, and an array of looks, links and `COUNTS`."""
        with self._lock:
            for time, counts in self._emulator.looks():
                self._times.append(time)
                self._rows.append(counts)
            times = np.array(self._times, dtype=np.float64)
            shape = (len(times), len(self.links), len(COUNTS))
            return times, np.array(self._rows, dtype=np.int64).reshape(shape)

    def table(self) -> Table:
        """All looks as a table: a row for each link at each look, with `time_s`, `link` and `COUNTS`."""
        times, counts = self.take()
        text = [name for _ in times for name in self.links]
        columns: dict[str, Any] = {
            "time_s": Array(np.repeat(times, len(self.links))),
            "link": Array(text, type=DataType.string()),
            **{name: Array(counts[:, :, place].ravel()) for place, name in enumerate(COUNTS)},
        }
        return Table(ArrowTable.from_pydict(columns))
