"""Progress of long work on standard error: a bar on a terminal, an occasional line elsewhere."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ackclock._runner import Progress

__all__ = ["bar", "lines", "reporter"]

LINE_EVERY_S = 10.0
"""Seconds between two lines where there is no terminal; shorter work prints nothing."""


@contextmanager
def reporter(progress: bool | Callable[[float], object], label: str) -> Iterator[Progress | None]:
    """What to call with the part done: the caller's own function, a bar or lines (True), or nothing (False)."""
    if callable(progress):
        yield progress
    elif not isinstance(progress, bool):
        raise TypeError(f"progress is True, False or a function of the part done, not {progress!r}")
    elif not progress:
        yield None
    elif sys.stderr.isatty():
        with bar(label) as report:
            yield report
    else:
        yield lines(label, sys.stderr)


@contextmanager
def bar(label: str) -> Iterator[Progress]:
    """A bar with the time that is left; it disappears when the work is done."""
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as display:
        task = display.add_task(escape(label), total=1.0)
        yield lambda fraction: display.update(task, completed=fraction)


def lines(label: str, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> Progress:
    """A line every ten seconds."""
    began = last = clock()

    def report(fraction: float) -> None:
        nonlocal last
        now = clock()
        if now - last >= LINE_EVERY_S:
            last = now
            print(f"{label}: {100 * fraction:.0f} % after {now - began:.0f} s", file=stream, flush=True)

    return report
