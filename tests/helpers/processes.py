"""Other processes."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

KILLED = 77
"""The exit status of a process that ends at a call."""


def is_alive(number):
    """Whether a process runs: not one that has ended and was not waited for."""
    try:
        state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def in_child(act: Callable[[], object]) -> int:
    """Does something in a copy of this process; its exit status."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            act()
            status = 0
        except BaseException as error:  # noqa: BLE001 -- told, and the status tells it too
            print(repr(error)[:2000], file=sys.stderr, flush=True)  # noqa: T201
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)
