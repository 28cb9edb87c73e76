"""A command in a copy of this process, where it starts at once: everything is imported already.

This process adopts what its children leave behind (PR_SET_CHILD_SUBREAPER), so that no process is overlooked.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import resource
import select
import signal
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = [
    "Ended",
    "Limits",
    "Place",
    "adopt",
    "end_children",
    "ended",
    "left_processes",
    "start",
    "started_and_waited",
]

PR_SET_CHILD_SUBREAPER = 36
HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that a command does something about."""
QUIET_S = 10.0
"""Seconds without any CPU time after which a command that waits for no other process waits for ever."""
GRACE_S = 20.0
"""Seconds in which the children of a process that was killed have to be gone."""


@dataclass(frozen=True)
class Place:
    """The folders of a command, which has no others."""

    root: Path

    @property
    def disk(self) -> Path:
        """The folder of all that the command reads and writes. What it says is beside it."""
        return self.root / "disk"

    @property
    def work(self) -> Path:
        """The folder in which the command runs."""
        return self.disk / "work"

    @property
    def temporary(self) -> Path:
        """The folder of temporary files."""
        return self.disk / "tmp"

    @property
    def home(self) -> Path:
        """The home directory, which has the cache of kernels."""
        return self.disk / "home"

    def make(self) -> None:
        """Makes the folders."""
        for folder in (self.root, self.disk, self.work, self.temporary, self.home):
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o755)

    def give(self, user: int) -> None:
        """Gives everything to a user."""
        for path in (self.disk, *self.disk.rglob("*")):
            os.chown(path, user, user, follow_symlinks=False)


@dataclass(frozen=True)
class Limits:
    """The surroundings of a command that are not the usual ones."""

    resources: Mapping[int, int] = field(default_factory=dict)
    """Limits of setrlimit(2)."""
    user: int | None = None
    """The user; by default that of this process."""
    without_home: bool = False
    output: str = "file"
    """Standard output: file, closed, gone (a pipe without a reader), or full (a device without space)."""


@dataclass(frozen=True)
class Ended:
    """The end of a command."""

    status: int
    """The exit status, or minus the signal that ended it."""
    said: str
    """Standard error."""
    hung: bool = False
    """Whether it waited for ever, so that this process ended it with SIGKILL."""

    @property
    def problem(self) -> str | None:
        """A fault of what was said; None if there is none."""
        if "Traceback" in self.said or "panicked" in self.said:
            begin = max(self.said.find("Traceback"), self.said.find("panicked"))
            return f"a traceback: {self.said[:begin][-100:]}{self.said[begin:][:300]} ... {self.said.strip()[-300:]}"
        lines = [line for line in self.said.splitlines() if line.startswith("ackclock: ")]
        if self.status == 2 and not lines:
            return f"status 2 without a message: {self.said[-200:]!r}"
        if len(lines) > MOST_LINES:
            return f"{len(lines)} messages: {lines[:4]}"
        return None


MOST_LINES = 14
"""Lines of messages of one command: a failed build tells the last twelve lines of make."""


def adopt() -> None:
    """Makes this process the parent of what its children leave behind."""
    if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError("this system has no PR_SET_CHILD_SUBREAPER")


def start(place: Place, act: Callable[[], int], limits: Limits | None = None, said: str = "said") -> int:
    """Starts a command, and returns the id of its process. What it says is in the file `said` beside its folders."""
    sys.stdout.flush()
    # Signals wait until the copy has handlers of its own: until then it would do what this process does.
    signal.pthread_sigmask(signal.SIG_BLOCK, HANDLED)
    try:
        child = os.fork()
        if child == 0:
            _in_child(place, act, limits or Limits(), said)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HANDLED)
    return child


def _in_child(place: Place, act: Callable[[], int], limits: Limits, said: str) -> NoReturn:
    status = 99
    try:
        os.setsid()
        for number in HANDLED:
            signal.signal(number, signal.SIG_DFL)
        kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "LANG") if name in os.environ}
        os.environ.clear()
        os.environ.update(kept, TMPDIR=str(place.temporary), COLUMNS="200")
        if not limits.without_home:
            os.environ.update(HOME=str(place.home))
        tempfile.tempdir = None
        _streams(place.root / said, limits.output)
        os.chdir(place.work)
        if limits.user is not None:
            os.setgroups([])
            os.setgid(limits.user)
            os.setuid(limits.user)
        for what, value in limits.resources.items():
            resource.setrlimit(what, (value, value))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HANDLED)
        status = act()
        atexit._run_exitfuncs()
        with suppress(OSError):
            # The command has said what it says about a full output; one that is closed is None.
            if sys.stdout is not None:
                sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001 -- a command has no exception; this is told as a traceback
        os.write(2, f"Traceback: {error!r}\n".encode())
        status = 98
    finally:
        os._exit(status)


def _streams(said: Path, output: str) -> None:
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666), 2)
    if output == "gone":
        reading, writing = os.pipe()
        os.close(reading)
        os.dup2(writing, 1)
    elif output == "full":
        os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
    else:
        os.dup2(os.open(f"{said}.out", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666), 1)
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(os.dup(number), mode, buffering=1 if mode == "w" else -1)
        for number, mode in ((0, "r"), (1, "w"), (2, "w"))
    )
    if output == "closed":
        os.close(1)
        sys.stdout = None


def ended(child: int, place: Place, said: str = "said") -> Ended:
    """Waits for the end of a command. One that does nothing any more, and waits for no other process, is killed."""
    hung = not _ends(child)
    if hung:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    file = place.root / said
    told = file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""
    return Ended(os.waitstatus_to_exitcode(status), told, hung)


def _ends(child: int) -> bool:
    """Waits until a process has ended; False if its threads slept for `QUIET_S` seconds without any CPU time."""
    descriptor = os.pidfd_open(child)
    try:
        before: tuple[str, ...] = ()
        while not select.select([descriptor], [], [], QUIET_S)[0]:
            tasks = sorted(Path(f"/proc/{child}/task").iterdir())
            now = tuple((one / "schedstat").read_text(encoding="ascii").split()[0] for one in tasks)
            runs = any((one / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "S" for one in tasks)
            waits = any((one / "children").read_text(encoding="ascii").strip() for one in tasks)
            if now == before and not runs and not waits:
                return False
            before = now
    except (FileNotFoundError, ProcessLookupError):
        # It, or one of its threads, ended in between.
        return _ends(child)
    finally:
        os.close(descriptor)
    return True


def started_and_waited(place: Place, act: Callable[[], int], limits: Limits | None = None) -> Ended:
    """Runs a command to its end."""
    return ended(start(place, act, limits), place)


def left_processes(known: Sequence[int] = ()) -> list[str]:
    """The commands of processes that are left after a grace, which are then ended."""
    until = time.monotonic() + GRACE_S
    while True:
        _reap(known)
        left = [one for one in _children() if one not in known]
        if not left or time.monotonic() > until:
            break
        time.sleep(0.01)
    told = []
    for one in left:
        try:
            told.append(Path(f"/proc/{one}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:120])
            os.kill(one, signal.SIGKILL)
        except OSError:
            continue
    _reap(known)
    return told


def end_children() -> None:
    """Ends every process that this one has started: a campaign that is stopped leaves none."""
    while left := _children():
        for one in left:
            with suppress(OSError):
                os.kill(one, signal.SIGKILL)
        _reap(())
        time.sleep(0.01)


def _children() -> list[int]:
    found: list[int] = []
    for file in Path("/proc/self/task").glob("*/children"):
        found += [int(one) for one in file.read_text(encoding="ascii").split()]
    return found


def _reap(known: Sequence[int]) -> None:
    for one in _children():
        if one in known:
            continue
        try:
            about = Path(f"/proc/{one}/stat").read_text(encoding="utf-8", errors="replace")
            if about.rpartition(")")[2].split()[0] == "Z":
                os.waitpid(one, 0)
        except (OSError, ChildProcessError):
            continue
