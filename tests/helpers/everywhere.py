"""A command that is ended, or whose disk is full, at each of its calls that change a file, one after the other.

Nothing depends on time: a call is a place in the command, and not a moment. Each trial is in a copy of this process and
in a folder of its own.
"""

from __future__ import annotations

import errno
import io
import os
import shutil
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.helpers.faults import Call, Fault, watched
from tests.helpers.processes import KILLED, in_child

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DRAFTS = (".partial-", ".building-", ".old-")
ENDED_EARLY = 3
"""The exit status of a trial that the fault did not reach: the command has fewer calls."""


@dataclass(frozen=True)
class Trial:
    """A command that is tried."""

    prepare: Callable[[Path], object]
    """Makes the input in a folder."""
    act: Callable[[Path], int]
    """Does it, and returns the exit status of the command line."""
    state: Callable[[Path], object]
    """Returns the state that has to be the same at the end."""
    sound: Callable[[Path], object] = lambda folder: None
    """Raises an exception if what was left behind is half-written, or lacks what it had."""


def told(act: Callable[[], int]) -> tuple[int, str]:
    """The exit status, and standard error."""
    err = io.StringIO()
    with redirect_stdout(io.StringIO()), redirect_stderr(err):
        status = act()
    return status, err.getvalue()


def in_place(trial: Trial, root: Path, number: int, fault: Callable[[Path], int]) -> list[str]:
    """Problems after a fault, and after the next start."""
    folder = root / str(number)
    work, temporary = folder / "work", folder / "tmp"
    for one in (work, temporary):
        one.mkdir(parents=True)
    trial.prepare(work)
    wrong = []
    with _at_home(temporary):
        status = in_child(lambda: os._exit(fault(work)))
        if status == ENDED_EARLY:
            shutil.rmtree(folder)
            return ["ended"]
        if status not in (KILLED, 0):
            wrong.append(f"the trial ended with {status}")
        if status == 0:
            wrong += [f"left {name}" for name in _left(folder)]
        if in_child(lambda: trial.sound(work)):
            wrong.append("what is there is not sound")
        if in_child(lambda: _again(trial, work)):
            wrong.append("the next start did not do it")
        wrong += [f"the next start left {name}" for name in _left(folder)]
    wrong += (
        [] if wrong or trial.state(work) == trial.state(root / "whole/work") else ["another state than undisturbed"]
    )
    shutil.rmtree(folder)
    return wrong


class _at_home:  # noqa: N801 -- a context
    """Temporary files of this process and of its copies are in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __enter__(self) -> None:
        self.before = tempfile.tempdir
        tempfile.tempdir = str(self.folder)

    def __exit__(self, *_: object) -> None:
        tempfile.tempdir = self.before


def _again(trial: Trial, work: Path) -> None:
    status, said = told(lambda: trial.act(work))
    assert status == 0, said


def _left(folder: Path) -> list[str]:
    found = [path.name for path in (folder / "tmp").iterdir()]
    return found + [path.name for path in folder.rglob("*") if any(one in path.name for one in DRAFTS)]


def undisturbed(trial: Trial, root: Path) -> None:
    """The result to compare with, in the folder ``whole``."""
    (root / "whole/work").mkdir(parents=True)
    (root / "whole/tmp").mkdir()
    trial.prepare(root / "whole/work")
    with _at_home(root / "whole/tmp"):
        _again(trial, root / "whole/work")
    assert _left(root / "whole") == []


def killed(trial: Trial, root: Path, *, step: int = 1) -> tuple[int, list[str]]:
    """Ends the command before calls, and after half of a write: how often, and what was wrong.

    Every `step`-th call is tried, from the first on.
    """
    return _everywhere(trial, root, _killing, step)


def full(trial: Trial, root: Path, *, step: int = 1) -> tuple[int, list[str]]:
    """Lets the disk be full from calls on: how often, and what was wrong."""
    return _everywhere(trial, root, _filling, step)


def _everywhere(
    trial: Trial, root: Path, fault: Callable[[Trial, int], Callable[[Path], int]], step: int
) -> tuple[int, list[str]]:
    wrong, number = [], 0
    while (found := in_place(trial, root, number, fault(trial, number))) != ["ended"]:
        wrong += [f"call {number}: {one}" for one in found]
        number += step
    return number // step, wrong


def _killing(trial: Trial, number: int) -> Callable[[Path], int]:
    left = number

    def before(call: Call) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            call.half()
            os._exit(KILLED)

    def act(work: Path) -> int:
        with watched(before):
            status, said = told(lambda: trial.act(work))
        assert status == 0, said
        return ENDED_EARLY

    return act


def _filling(trial: Trial, number: int) -> Callable[[Path], int]:
    def act(work: Path) -> int:
        fault = Fault(number, errno.ENOSPC, on=True)
        with watched(fault):
            status, said = told(lambda: trial.act(work))
        if fault.hit is None:
            return ENDED_EARLY
        lines = [line for line in said.splitlines() if line.startswith("ackclock: ")]
        good = (status == 2 and len(lines) == 1 and os.strerror(errno.ENOSPC) in said) or status == 0
        assert good, f"{fault.hit.name} {fault.hit.path}: {status}: {said}"
        assert "Traceback" not in said, said
        return 0

    return act
