"""A core for each kernel in user mode: its processes take turns, and turns between cores cost more than the work."""

from __future__ import annotations

import contextlib
import os
import threading
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["core"]

_LOCK = threading.Lock()
_BUSY: Counter[int] = Counter()


@contextlib.contextmanager
def core() -> Iterator[int]:
    """The core on which the fewest kernels of this process run, of those that the process may use.

    A kernel and the programs in it are processes of which one runs at a time. On one core the turn passes from one to
    the next without an interrupt of another core. Processes begin their search at different cores.
    """
    cores = sorted(os.sched_getaffinity(0))
    first = os.getpid() % len(cores)
    with _LOCK:
        chosen = min(cores[first:] + cores[:first], key=lambda one: _BUSY[one])
        _BUSY[chosen] += 1
    try:
        yield chosen
    finally:
        with _LOCK:
            _BUSY[chosen] -= 1
