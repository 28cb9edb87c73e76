"""Progress without a terminal."""

import io
from contextlib import contextmanager

from ackclock.base import progress
from ackclock.base.progress import BAR_AFTER_S, bar, lines, reporter


def test_a_line_every_ten_seconds():
    now = [0.0]
    stream = io.StringIO()
    report = lines("work", stream, clock=lambda: now[0])
    for second in range(26):
        now[0] = second
        report(second / 26)
    assert stream.getvalue().splitlines() == ["work: 38 % after 10 s", "work: 77 % after 20 s"]


def test_callers_bring_their_own():
    seen = []
    with reporter(seen.append, "work") as report:
        report(0.5)
    assert seen == [0.5]
    with reporter(False, "work") as report:
        assert report is None


def test_short_work_says_nothing(capsys):
    with reporter(True, "work") as report:
        report(1.0)
    assert capsys.readouterr() == ("", "")


def test_lines_of_a_sweep():
    stream, clock = io.StringIO(), iter([0.0, 1.0, 12.0, 20.0, 30.0])
    report = progress._Lines("it", stream, lambda: next(clock))
    report.start(10, 40)
    report.ended(True)
    report.ended(False)
    report.start(12, 100)
    assert stream.getvalue().splitlines() == [
        "it: 11 of 40 runs, 0.0833 a second, 348 s left",
        "it: 12 of 100 runs, 0.0667 a second, 1320 s left, 1 failed",
    ]


def test_short_work_on_a_terminal_shows_no_bar(monkeypatch):
    shown = []

    @contextmanager
    def display(label):
        shown.append(label)
        yield shown.append
        shown.append("end")

    monkeypatch.setattr(progress, "_shown_bar", display)
    now = [0.0]
    with bar("short", lambda: now[0]) as report:
        report(0.5)
        now[0] = BAR_AFTER_S / 2
        report(1.0)
    assert shown == []
    with bar("long", lambda: now[0]) as report:
        report(0.25)
        now[0] += 2 * BAR_AFTER_S
        report(0.5)
        report(1.0)
    assert shown == ["long", 0.5, 1.0, "end"]
