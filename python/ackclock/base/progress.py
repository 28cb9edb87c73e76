"""Progress of long work on standard error: a bar on a terminal, a line every ten seconds elsewhere."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, TextIO, TypeAlias

from ackclock.base.shown import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

__all__ = ["ProgressCallback", "SweepReport", "bar", "lines", "reporter", "sweep_reporter"]

ProgressCallback: TypeAlias = "Callable[[float], object]"
"""Called with the part of the work that is done, from 0 to 1."""

LINE_EVERY_S = 10.0
"""Seconds between two lines without a terminal; shorter work prints nothing."""

BAR_AFTER_S = 0.3
"""Seconds after which a terminal shows a bar. Without one, a short run does not wait for the import of Rich."""


@contextmanager
def reporter(progress: bool | Callable[[float], object], label: str) -> Iterator[ProgressCallback | None]:
    """The function to call with the share done: the caller's own, a bar or lines (True), or none (False)."""
    if callable(progress):
        yield progress
    elif not isinstance(progress, bool):
        raise TypeError(f"progress must be True, False or a function of the share done, not {progress!r}")
    elif not progress:
        yield None
    elif sys.stderr.isatty():
        with bar(label) as report:
            yield report
    else:
        yield lines(label, sys.stderr)


@contextmanager
def bar(label: str, clock: Callable[[], float] = time.monotonic) -> Iterator[ProgressCallback]:
    """A bar with the remaining time, which disappears when the work is done. Short work shows none."""
    began = clock()
    update: ProgressCallback | None = None
    with ExitStack() as stack:

        def report(fraction: float) -> None:
            nonlocal update
            if update is None and clock() - began >= BAR_AFTER_S:
                update = stack.enter_context(_shown_bar(label))
            if update is not None:
                update(fraction)

        yield report


@contextmanager
def _shown_bar(label: str) -> Iterator[ProgressCallback]:
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    from ackclock.base.console import PipeConsole

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=PipeConsole(stderr=True), transient=True) as display:
        task = display.add_task(escape(printable(label)), total=1.0)
        yield lambda fraction: display.update(task, completed=fraction)


def lines(label: str, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> ProgressCallback:
    """A line every ten seconds."""
    began = last = clock()

    def report(fraction: float) -> None:
        nonlocal last
        now = clock()
        if now - last >= LINE_EVERY_S:
            last = now
            print(f"{label}: {100 * fraction:.0f} % after {now - began:.0f} s", file=stream, flush=True)

    return report


class SweepReport:
    """Progress of a sweep: the numbers of its runs that have ended and failed. This class displays nothing."""

    def __init__(self) -> None:
        self.done = self.before = self.failed = self.total = 0

    def start(self, done: int, total: int) -> None:
        """Begins a round: `done` of `total` runs had ended before it."""
        if self.total == 0:
            self.before = done
        self.done, self.total = done, total
        self.show(done)

    def ended(self, good: bool) -> None:
        """Counts a run that has ended."""
        self.done += 1
        self.failed += not good
        self.show(self.done)

    def under_way(self, part: float) -> None:
        """Reports progress of the unfinished runs; `part` is the sum of their completed shares."""
        self.show(self.done + part)

    def show(self, done: float) -> None:
        """Shows the state; `done` counts runs, and shares of unfinished runs."""


class _Called(SweepReport):
    def __init__(self, function: ProgressCallback) -> None:
        super().__init__()
        self._function = function

    def show(self, done: float) -> None:
        self._function(done / self.total if self.total else 1.0)


class _Lines(SweepReport):
    """A line every ten seconds: runs done, rate, time left, failures."""

    def __init__(self, label: str, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._label, self._stream, self._clock = label, stream, clock
        self._began = self._last = clock()

    def show(self, done: float) -> None:
        now = self._clock()
        if now - self._last < LINE_EVERY_S:
            return
        self._last = now
        rate = (done - self.before) / (now - self._began)
        pace = f", {rate:.3g} a second, {(self.total - done) / rate:.0f} s left" if rate > 0 else ""
        bad = f", {self.failed} failed" if self.failed else ""
        text = f"{self._label}: {int(done)} of {self.total} runs{pace}{bad}"
        print(text, file=self._stream, flush=True)


class _Bar(SweepReport):
    def __init__(self, display: RichProgress, task: TaskID) -> None:
        super().__init__()
        self._display, self._task = display, task

    def show(self, done: float) -> None:
        bad = f"[red]{self.failed} failed" if self.failed else ""
        count = f"{int(done)}/{self.total} runs"
        self._display.update(self._task, completed=done, total=self.total, failed=bad, count=count)


@contextmanager
def sweep_reporter(progress: bool | Callable[[float], object], label: str) -> Iterator[SweepReport]:
    """The report of a sweep: the caller's own function, a bar or lines (True), or none (False)."""
    if callable(progress):
        yield _Called(progress)
    elif not isinstance(progress, bool):
        raise TypeError(f"progress must be True, False or a function of the share done, not {progress!r}")
    elif not progress:
        yield SweepReport()
    elif sys.stderr.isatty():
        with _sweep_bar(label) as report:
            yield report
    else:
        yield _Lines(label, sys.stderr)


@contextmanager
def _sweep_bar(label: str) -> Iterator[SweepReport]:
    """A bar with runs done, the rate, the remaining time and failures; it disappears when the work is done."""
    from rich.markup import escape
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    from ackclock.base.console import PipeConsole

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(f"{task.speed:.3g}/s" if task.speed else "")

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[count]}"),
        Rate(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[failed]}"),
    )
    with Progress(*columns, console=PipeConsole(stderr=True), transient=True) as display:
        yield _Bar(display, display.add_task(escape(printable(label)), total=None, failed="", count=""))
