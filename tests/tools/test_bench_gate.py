"""The speed beside another commit's, on made times."""

import pytest

from tools import bench_gate
from tools.bench_gate import Change, change_of, verdict

TIMES = [1.0, 1.3, 0.9, 1.1, 2.0, 1.0, 1.2]
"""Seconds of pairs: the machine is slower in some than in others."""


def test_a_change_is_that_of_the_pairs_and_not_of_the_machine():
    change = change_of(TIMES, [0.8 * time for time in TIMES])
    assert change.low == pytest.approx(25)
    assert change.middle == pytest.approx(25)
    assert change.high == pytest.approx(25)
    mixed = change_of(TIMES, [time * (0.99, 1.01)[number % 2] for number, time in enumerate(TIMES)])
    assert mixed.low < 0 < mixed.high


@pytest.mark.parametrize("count", [0, 5])
def test_fewer_pairs_than_an_interval_needs_are_refused(count):
    with pytest.raises(ValueError, match="at least 6"):
        change_of(TIMES[:count], TIMES[:count])
    with pytest.raises(ValueError, match="as many of both"):
        change_of(TIMES, TIMES[:6])


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (Change(-5, -7, -3), "slower"),
        (Change(5, 3, 7), "faster"),
        (Change(0, -1, 1), "the same"),
        (Change(-2, -4, 0), "no change shown"),
        (Change(2, 0, 4), "no change shown"),
        (Change(-2, -2.5, -1.5), "no change shown"),
    ],
)
def test_a_change_is_told_only_when_its_whole_interval_is_beyond_what_is_allowed(change, expected):
    assert verdict(change, 2) == expected


def test_the_exit_status_tells_of_a_slower_workload(monkeypatch, tmp_path, capsys):
    spent = {("old", "W2"): 1.0, ("new", "W2"): 1.1, ("old", "W3"): 1.0, ("new", "W3"): 1.0}
    monkeypatch.setattr(bench_gate, "build_commit", lambda commit: tmp_path / "old")
    monkeypatch.setattr(bench_gate, "build", lambda tree, name: tmp_path / "new")
    monkeypatch.setattr(bench_gate, "cpu_seconds", lambda package, workload, stack: spent[package.name, workload])
    assert bench_gate.main(["HEAD", "--only", "W3", "--stack", "rfc"]) == 0
    assert bench_gate.main(["HEAD", "--only", "W2", "--only", "W3", "--stack", "linux", "--pairs", "6"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "W3 rfc: +0.0 % (+0.0 to +0.0 %), 11 pairs: the same",
        "W2 linux: -9.1 % (-9.1 to -9.1 %), 6 pairs: slower",
        "W3 linux: +0.0 % (+0.0 to +0.0 %), 6 pairs: the same",
    ]


def test_too_few_pairs_are_refused_before_anything_is_built(capsys):
    with pytest.raises(SystemExit):
        bench_gate.main(["HEAD", "--pairs", "5"])
    assert "at least 6" in capsys.readouterr().err
