"""Verified runs: they change nothing, and what they find is told and ends with status 1."""

from __future__ import annotations

import pickle

import pytest

import ackclock
from ackclock import _core
from ackclock.cli import main
from tests.helpers.scenarios import SMALL


def test_a_verified_run_has_the_same_results():
    plain, verified = ackclock.run(SMALL), ackclock.run(SMALL, verify=True)
    assert verified.document() == plain.document()
    many = ackclock.run(SMALL, seeds=2, overrides={"bottleneck.queue": "5 packets"}, verify=True)
    assert many.seeds == [1, 2]


def test_a_traced_run_can_be_verified(tmp_path):
    result = ackclock.trace(SMALL, tmp_path, captures=["bottleneck"], verify=True)
    assert (tmp_path / "bottleneck.pcapng").stat().st_size > 1000
    assert result.document() == ackclock.run(SMALL).document()


def test_a_good_run_ends_with_status_0(scenario_file, capsys):
    assert main(["run", str(scenario_file), "--verify", "--seeds", "2", "--json"]) == 0
    assert '"summary"' in capsys.readouterr().out


@pytest.fixture
def broken(monkeypatch):
    """An engine whose verified runs find 25 things."""
    plain = _core.run

    def run(*args, verify=False, **kwargs):
        if verify:
            raise ackclock.VerificationError(7, [f"table links, row {row}" for row in range(25)])
        return plain(*args, **kwargs)

    monkeypatch.setattr(_core, "run", run)


def test_what_is_found_is_told_and_nothing_is_written(broken, scenario_file, tmp_path, capsys):
    out = tmp_path / "out"
    for options in (["--verify"], ["--verify", "--seeds", "2"], ["--verify", "--qlog"]):
        assert main(["run", str(scenario_file), "--out", str(out), *options]) == 1
        printed = capsys.readouterr()
        lines = [line for line in printed.err.splitlines() if "seed 7" in line]
        assert printed.out == ""
        assert lines[0] == "ackclock: seed 7: table links, row 0"
        assert len(lines) == 21
        assert lines[20] == "ackclock: seed 7: and 5 more [ACK026]"
        assert not out.exists()
    assert main(["run", str(scenario_file), "--out", str(out)]) == 0


def test_the_exception_has_the_seed_and_every_finding(broken):
    with pytest.raises(ackclock.VerificationError, match="seed 7: table links, row 0") as caught:
        ackclock.run(SMALL, verify=True)
    assert (caught.value.seed, len(caught.value.findings)) == (7, 25)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (copy.seed, copy.findings, str(copy)) == (7, caught.value.findings, str(caught.value))
