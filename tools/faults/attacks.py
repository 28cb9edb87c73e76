"""The disturbances: each is tried on a command again and again, and its end and the next start are looked at."""

from __future__ import annotations

import hashlib
import importlib
import itertools
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.faults.running import Ended, Limits, Place, ended, left_processes, start, started_and_waited

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tools.faults.subjects import Subject

__all__ = ["ATTACKS", "COUNTED", "FOREVER", "Outcome", "Tried"]

FOREVER = "waited for ever"
"""The status of a command that this process ended."""

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
ANOTHER = 54_321
"""A user without a name and without a home directory."""
STEPS = 24
"""Sizes of a disk that are tried, about."""
PAGE = 4096
DRAFTS = (".partial-", ".building-", ".old-")
"""Parts of names of what is half-written."""
MEMORY_MIB = (0, 2, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)
"""Address space beside that of a process which has loaded everything, in MiB."""
NETNS = Path("/run/netns")


@dataclass
class Outcome:
    """Outcome of a disturbance of a command."""

    runs: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    skipped: str | None = None
    """Reason for which the disturbance was not tried."""

    @classmethod
    def read(cls, document: dict[str, Any] | None) -> Outcome:
        """Returns the outcome that `document` holds, to go on from there; a new outcome without a document."""
        if document is None:
            return cls()
        return cls(document["runs"], Counter(document["statuses"]), list(document["wrong"]), document.get("skipped"))

    def document(self) -> dict[str, Any]:
        """Returns the outcome as JSON."""
        told: dict[str, Any] = {"runs": self.runs, "statuses": dict(sorted(self.statuses.items())), "wrong": self.wrong}
        return told if self.skipped is None else told | {"skipped": self.skipped}


class Tried:
    """A command with its undisturbed result."""

    def __init__(self, subject: Subject, base: Path, seed: int) -> None:
        self.subject = subject
        self.base = base
        self._seed = seed
        self._numbers = itertools.count()
        self._before = self.network()
        self._gone_on: set[str] = set()
        """Digests of all files from which the command has gone on as it should."""
        with self.place() as place:
            first = started_and_waited(place, _telling(subject.act, place.root / "modules"))
            if first.status != 0:
                raise RuntimeError(f"{subject.name} does not even run: {first.said}")
            self.whole = subject.state(place)
            _load((place.root / "modules").read_text(encoding="utf-8").split())
        with self.place() as place:
            began = time.monotonic()
            problems = self._go_on(place)
            self.duration_s = time.monotonic() - began
            if problems:
                raise RuntimeError(f"{subject.name} is not the same twice: {problems}")

    @contextmanager
    def place(self, *, disk: bool = False) -> Iterator[Place]:
        """A new place with the command's input; with `disk` on a disk of its own."""
        place = Place(self.base / f"{self.subject.name}-{next(self._numbers)}")
        place.root.mkdir(parents=True)
        place.disk.mkdir()
        if disk:
            _mount("-t", "tmpfs", "-o", "size=1g,mode=755", "none", str(place.disk))
        try:
            place.make()
            self.subject.prepare(place)
            yield place
        finally:
            if disk:
                subprocess.run(["umount", "-l", str(place.disk)], check=True)  # noqa: S603, S607
            shutil.rmtree(place.root, ignore_errors=True)

    def moment_s(self, attack: str, number: int, latest: float) -> float:
        """A random moment of the command's usual duration, of which `latest` is the largest share.

        The moment of a number is the same in every campaign of a seed, so that a campaign can go on where it stopped.
        """
        draw = random.Random(f"{self._seed} {self.subject.name} {attack} {number}")  # noqa: S311
        return draw.uniform(0, latest * self.duration_s)

    def network(self) -> tuple[set[str], set[str], set[str]]:
        """The devices, the named namespaces and the mounts of this machine."""
        if not self.subject.network:
            return set(), set(), set()
        devices = {path.name for path in Path("/sys/class/net").iterdir()}
        spaces = {path.name for path in NETNS.iterdir()} if NETNS.exists() else set()
        mounts = {line.split()[1] for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines()}
        # Another campaign may run beside this one.
        return devices, spaces, {one for one in mounts if "/faults-" not in one}

    def after(self, place: Place, end: Ended, *, killed: bool = False, may_fail: bool = False) -> list[str]:
        """Problems after a disturbed command, and after a further start of the command without a disturbance."""
        problems = [] if killed or may_fail or end.problem is None else [end.problem]
        if end.hung and not may_fail:
            problems.append("it waited for ever")
        left = left_processes(self.subject.known)
        if left:
            problems.append(f"processes are left: {left}")
        if not killed and not may_fail:
            problems += [f"left {name}" for name in self._left(place)]
        lost = self._kept(place)
        if lost:
            problems.append(lost)
        problems += self._go_on(place)
        more = [now - before for now, before in zip(self.network(), self._before, strict=True)]
        if any(more):
            problems.append(f"devices, namespaces or mounts are left: {more}")
        return problems

    def _kept(self, place: Place) -> str | None:
        try:
            return self.subject.kept(place)
        except Exception as error:  # noqa: BLE001 -- whatever it is, what is there cannot be read
            return f"what is there cannot be read: {error!r}"[:300]

    def _left(self, place: Place) -> list[str]:
        found = [f"tmp/{path.name}" for path in place.temporary.iterdir()]
        half = [path for path in place.disk.rglob("*") if any(one in path.name for one in DRAFTS)]
        return found + [str(path.relative_to(place.disk)) for path in half]

    def _go_on(self, place: Place) -> list[str]:
        """Starts the command again, and compares what is there at its end.

        A command does the same from the same files, so that this is done once from the same ones.
        """
        files = _files(place)
        if files in self._gone_on:
            return []
        # What is whole is not written twice.
        refused = self.subject.name == "pack" and self.subject.state(place) == self.whole
        again = started_and_waited(place, self.subject.act)
        if again.status != (2 if refused else 0) or again.problem:
            return [f"the next start ended with status {again.status}: {again.said.strip()[-300:]}"]
        problems = [f"the next start left {name}" for name in self._left(place)]
        now = self.subject.state(place)
        if now != self.whole:
            names = sorted(name for name in {*now, *self.whole} if now.get(name) != self.whole.get(name))
            problems.append(f"other files than undisturbed: {names[:6]}")
        if not problems:
            self._gone_on.add(files)
        return problems


def _telling(act: Callable[[], int], file: Path) -> Callable[[], int]:
    """The command, which writes the names of the modules that it loaded into a file."""

    def telling() -> int:
        status = act()
        file.write_text("\n".join(sys.modules), encoding="utf-8")
        return status

    return telling


def _load(names: Sequence[str]) -> None:
    """Loads modules that a command needs, so that not each of its copies has to."""
    for name in names:
        # Some names are those of parts of an extension.
        with suppress(Exception):
            importlib.import_module(name)


def _files(place: Place) -> str:
    """A digest of every name and every byte on the disk of a place, temporary files included."""
    whole = hashlib.sha256()
    for path in sorted(place.disk.rglob("*")):
        kind = "link" if path.is_symlink() else "file" if path.is_file() else "folder"
        content = path.read_bytes() if kind == "file" else b""
        whole.update(f"{kind} {path.relative_to(place.disk)} {len(content)}\n".encode())
        whole.update(content)
    return whole.hexdigest()


def _mount(*words: str) -> None:
    done = subprocess.run(["mount", *words], capture_output=True, text=True, check=False)  # noqa: S603, S607
    if done.returncode != 0:
        raise RuntimeError(f"mount {words}: {done.stderr.strip()}")


def _status(end: Ended) -> str:
    if end.hung:
        return FOREVER
    return str(end.status) if end.status >= 0 else signal.Signals(-end.status).name


def kill(tried: Tried, outcome: Outcome, numbers: range) -> None:
    """A signal at a random moment: SIGKILL, SIGTERM or SIGINT."""
    for number in numbers:
        sent = SIGNALS[number % len(SIGNALS)]
        moment_s = tried.moment_s("killed", number, 1.05)
        with tried.place() as place:
            child = start(place, tried.subject.act)
            time.sleep(moment_s)
            os.kill(child, sent)
            end = ended(child, place)
            problems = tried.after(place, end, killed=end.status == -signal.SIGKILL)
            expected = (0, -sent, 128 + sent)
            if end.status not in expected:
                problems.append(f"status {end.status}: {end.said.strip()[-200:]}")
        outcome.runs += 1
        outcome.statuses[_status(end)] += 1
        outcome.wrong += [f"{sent.name} after {moment_s:.4f} s: {one}" for one in problems]


def disk(tried: Tried, outcome: Outcome, _: range) -> None:
    """A disk with room for so many pages more than the input has, from none to enough."""
    with tried.place(disk=True) as place:
        if started_and_waited(place, tried.subject.act).status != 0:
            outcome.skipped = "does not run on a disk of its own"
            return
        most = _used(place)
    step = 1
    extra = 0
    while True:
        with tried.place(disk=True) as place:
            step = max(1, (most - _used(place)) // STEPS)
            # Without an input no page is used, and a disk of no page would be one without a limit.
            size = max(1, _used(place) + extra)
            _mount("-o", f"remount,size={size * PAGE}", str(place.disk))
            end = started_and_waited(place, tried.subject.act)
            _mount("-o", "remount,size=1g", str(place.disk))
            problems = tried.after(place, end)
            if end.status not in (0, 2):
                problems.append(f"status {end.status}: {end.said.strip()[-200:]}")
        outcome.runs += 1
        outcome.statuses[_status(end)] += 1
        outcome.wrong += [f"{extra} pages more: {one}" for one in problems]
        if end.status == 0 or outcome.runs > 10 * STEPS:
            return
        extra += step


def _used(place: Place) -> int:
    about = os.statvfs(place.disk)
    return (about.f_blocks - about.f_bfree) * about.f_frsize // PAGE


def readonly(tried: Tried, outcome: Outcome, _: range) -> None:
    """A folder that cannot be written."""
    with tried.place(disk=True) as place:
        before = tried.subject.state(place)
        _mount("-o", "remount,ro", str(place.disk))
        end = started_and_waited(place, tried.subject.act)
        _mount("-o", "remount,rw", str(place.disk))
        changed = tried.subject.state(place) != before
        problems = tried.after(place, end)
        if changed:
            problems.append("something was written")
    outcome.runs += 1
    outcome.statuses[_status(end)] += 1
    outcome.wrong += problems


def surroundings(tried: Tried, outcome: Outcome, _: range) -> None:
    """No home directory; standard output that is closed, without a reader, or without space."""
    cases = {
        "no home": Limits(without_home=True),
        "closed output": Limits(output="closed"),
        "no reader": Limits(output="gone"),
        "full output": Limits(output="full"),
    }
    if not tried.subject.network and os.geteuid() == 0:
        cases["a user without a name"] = Limits(user=ANOTHER, without_home=True)
    for name, limits in cases.items():
        _limited(tried, outcome, name, limits)


def limits(tried: Tried, outcome: Outcome, _: range) -> None:
    """Limits of memory, open files, the size of a file, and processes."""
    own = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    for more in MEMORY_MIB:
        # A process whose memory ends may be ended by the system, or wait for a thread that had no memory to begin
        # (python/cpython#140746): what it leaves behind counts.
        _limited(tried, outcome, f"{more} MiB", Limits({resource.RLIMIT_AS: own + (more << 20)}), hard=True)
    for files in (3, 4, 5, 6, 8, 10, 12, 16, 20, 32):
        _limited(tried, outcome, f"{files} files", Limits({resource.RLIMIT_NOFILE: files}), hard=files < 12)
    for size in (100, 1000, 4000, 10_000):
        _limited(tried, outcome, f"{size} bytes", Limits({resource.RLIMIT_FSIZE: size}))
    if not tried.subject.network and os.geteuid() == 0:
        for count in (0, 1, 2, 4):
            _limited(
                tried, outcome, f"{count} processes", Limits({resource.RLIMIT_NPROC: count}, user=ANOTHER), hard=True
            )  # fmt: skip


def _limited(tried: Tried, outcome: Outcome, name: str, limits: Limits, *, hard: bool = False) -> None:
    with tried.place() as place:
        if limits.user is not None:
            place.give(limits.user)
        end = started_and_waited(place, tried.subject.act, limits)
        if limits.user is not None:
            # The next start is one of this user.
            place.give(os.geteuid())
        problems = tried.after(place, end, killed=end.status < 0, may_fail=hard)
        if end.status not in (0, 1, 2) and not hard:
            problems.append(f"status {end.status}: {end.said.strip()[-200:]}")
    outcome.runs += 1
    outcome.statuses[_status(end)] += 1
    outcome.wrong += [f"{name}: {one}" for one in problems]


def twice(tried: Tried, outcome: Outcome, numbers: range) -> None:
    """Two at once in one folder, a random moment apart."""
    for number in numbers:
        apart_s = tried.moment_s("two at once", number, 0.5)
        with tried.place() as place:
            first = start(place, tried.subject.act)
            time.sleep(apart_s)
            second = start(place, tried.subject.act, said="second")
            ends = [ended(first, place), ended(second, place, "second")]
            problems = [one.problem for one in ends if one.problem is not None]
            problems += [f"status {one.status}: {one.said[-200:]}" for one in ends if one.status not in (0, 2)]
            if all(one.status != 0 for one in ends):
                problems.append(f"neither was done: {[one.said.strip()[-150:] for one in ends]}")
            problems += tried.after(place, ends[0], may_fail=True)
        outcome.runs += 1
        outcome.statuses[" and ".join(sorted(_status(one) for one in ends))] += 1
        outcome.wrong += [f"{apart_s:.4f} s apart: {one}" for one in problems]


ATTACKS: dict[str, Callable[[Tried, Outcome, range], None]] = {
    "killed": kill,
    "full disk": disk,
    "read-only folder": readonly,
    "surroundings": surroundings,
    "limits": limits,
    "two at once": twice,
}
"""Disturbances by name, as in the table: each adds the results of the disturbances of some numbers to an outcome."""
COUNTED = {"killed": 1, "two at once": 10}
"""The disturbances that are tried as often as is asked for, each with the share of it; of others there are so many."""
