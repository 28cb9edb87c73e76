"""Runs that a process of their own does, and what such a process knows of the one that watches it.

Runs without code of the user need neither, nor the module `ackclock.engine.processes`.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ackclock._errors import ProcessError
from ackclock.cc import registry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from ackclock.engine.processes import Pool

__all__ = ["POSIX", "calls", "pool_for", "watch"]

POSIX = os.name == "posix"
"""Whether the system waits for several pipes at once and limits the memory of a process."""

_calls: list[Path] = []
"""The file that the engine tells which call to a transport is in progress, in a process of this module."""


def calls() -> Path | None:
    """The file for the argument ``calls`` of `_core.run`; None in a process that nobody watches."""
    return _calls[0] if _calls else None


def watch(file: Path) -> None:
    """Has the engine tell calls to transports in this file from now on."""
    _calls.append(file)


@contextmanager
def pool_for(
    names: Iterable[str], at_once: int, probe: Sequence[object] = (), *, foreign: bool = False
) -> Iterator[Pool | None]:
    """Processes for runs whose congestion controls are in Python; None where threads do as well or have to do.

    Parameters
    ----------
    names
        The congestion controls that the runs name. Those that are not registered need no process.
    at_once
        Runs at the same time.
    probe
        Functions that the processes will be asked to call.
    foreign
        Whether the runs execute transports of libraries, which may crash or block. They always have processes then.
    """
    wanted = registry.registered(names)
    if not POSIX or not (foreign or (registry.in_python(wanted) and at_once > 1)):
        yield None
        return
    from ackclock.engine.processes import Pool

    try:
        pool = Pool(wanted, probe).__enter__()
    except (registry.LoadError, ProcessError) as error:
        if foreign:
            raise
        from ackclock.base.log import logger

        logger(__name__).warning("%s; the runs take turns on one core", error)
        yield None
        return
    try:
        yield pool
    finally:
        pool.__exit__()
