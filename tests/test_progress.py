"""Progress without a terminal."""

import io

from ackclock.progress import lines, reporter


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
