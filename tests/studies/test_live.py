"""The parts of studies for the running kernel: what they ask of it, their tables, and how their numbers are kept."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from ackclock import studies
from ackclock.cli import main
from ackclock.stats import Estimate
from ackclock.studies.framework import Grid, Lab, Reading, Variant
from ackclock.studies.framework import live as framework
from ackclock.studies.framework.live import Line, kernel_name, outcome, sheet, told
from ackclock.studies.framework.setups.http_vectors import with_own_vectors
from ackclock.sweeps.plan import Keep

RIGHTS = sys.platform == "linux" and os.geteuid() == 0 and Path("/dev/net/tun").exists()
needs_rights = pytest.mark.skipif(not RIGHTS, reason="needs root and /dev/net/tun")
READING = Reading("main", studies.get("freebsd-newcwv").scenario(), {"duration": "2s", "flows[0].stack": "linux"})
ONE, TWO = Variant("one", "One", {"flows[0].cc": "reno"}), Variant("two", "Two", {"flows[0].cc": "cubic"})


def grid(first: list[float], second: list[float], late_ms: float = 0.0, valid: float = 1.0) -> Grid:
    count = len(first)
    others = {"late_p99_ms": np.full(count, late_ms), "valid": np.full(count, valid)}
    cells = {
        ("main", "one"): {"time_s": np.array(first)} | others,
        ("main", "two"): {"time_s": np.array(second)} | others,
    }
    return Grid((READING,), (ONE, TWO), {"main": tuple(range(1, count + 1))}, cells)


TIME = Line("time of one", "s", lambda of: of.mean("main", "one", "time_s"), "2.5")
CHANGE = Line("two against one", "%", lambda of: of.change("main", "two", "one", "time_s"))


def test_a_number_is_told_with_its_half_interval() -> None:
    assert told(Estimate(1.25, 1.0, 1.5, 3)) == "1.25 ± 0.25"
    assert told(Estimate(1.25, math.nan, math.nan, 1)) == "1.25"
    assert told(Estimate(math.nan, math.nan, math.nan, 1)) == "-"


def test_the_table_has_a_column_for_each_grid() -> None:
    found = sheet({"here": grid([2.0], [3.0]), "there": grid([4.0], [2.0])}, [TIME, CHANGE], "Title", "Caption.")
    assert found.columns == ["what", "unit", "published", "here", "there"]
    assert found.rows == [["time of one", "s", "2.5", "2", "4"], ["two against one", "%", "-", "50", "-50"]]


def test_runs_that_were_late_are_counted_and_told() -> None:
    columns = {"simulator": grid([1.0], [1.0]), kernel_name(): grid([1.0], [1.0], late_ms=7.5, valid=0.0)}
    found = outcome(columns, [TIME], [1], "a command", title="Title", caption="")
    assert "Of the 2 runs over the kernel's sockets 0 are valid" in found.findings
    assert "7.5 ms" in found.findings
    assert [one.name for one in found.sheets] == ["columns"]


def test_numbers_of_the_simulator_and_of_a_kernel_are_kept_apart() -> None:
    workers = [None, framework.over_sockets()]
    plain = [Keep((), framework.lateness, one).digest() for one in workers]
    wrapped = [
        Keep((), framework.lateness, with_own_vectors(one, "x")).digest()
        for one in (Lab().worker, framework.over_sockets())
    ]
    assert plain[0] != plain[1]
    assert wrapped[0] != wrapped[1]


def test_a_study_without_a_part_for_a_kernel_says_so() -> None:
    with pytest.raises(ValueError, match="irto has no live part"):
        studies.get("irto").reproduce_live(Lab())


@needs_rights
def test_the_command_line_names_the_studies_that_have_one(capsys) -> None:
    assert main(["reproduce", "irto", "--backend", "linux"]) == 2
    said = capsys.readouterr().err
    assert "irto: has no part for the running kernel" in said
    assert "newcwv-dash, newcwv-http, newcwv-sharing, iw10, freebsd-newcwv" in " ".join(said.split())


def test_the_command_line_refuses_other_backends(capsys) -> None:
    assert main(["reproduce", "irto", "--backend", "linux:6.12"]) == 2
    assert "accepted for studies: sim, linux" in " ".join(capsys.readouterr().err.split())


@needs_rights
def test_the_kernel_can_do_all_that_the_studies_ask_of_it(monkeypatch) -> None:
    """Each live part gets as far as its first run with scenarios that the kernel accepts."""
    seen = {}

    def grid_of(self, readings, variants, seeds, measure, deciding=()):
        seen[name] = framework.asked_of(readings, variants)
        raise KeyboardInterrupt

    monkeypatch.setattr(Lab, "grid", grid_of)
    for name in studies.live_names():
        with pytest.raises(KeyboardInterrupt):
            studies.get(name).reproduce_live(Lab())
    assert seen.keys() == set(studies.live_names())
    asked = {flow["cc"] for cells in seen.values() for one in cells.values() for flow in one["flows"]}
    assert asked == {"reno", "newcwv", "newcwv_np"}
    windows = {tuple(flow["route"]) for one in seen["iw10"].values() for flow in one["flows"]}
    assert windows == {("initcwnd", "3"), ("initcwnd", "10")}


@needs_rights
def test_both_columns_come_from_the_same_scenarios() -> None:
    columns = framework.both(Lab(quick=True), [READING], [ONE], [1], measured, at_once=2)
    assert list(columns) == ["simulator", kernel_name()]
    ours, theirs = (float(one.mean("main", "one", "bytes").value) for one in columns.values())
    assert ours > 0
    assert theirs == pytest.approx(ours, rel=0.1)
    assert {float(one.mean("main", "one", "live").value) for one in columns.values()} == {0.0, 1.0}


def measured(result):
    return {
        "bytes": float(sum(result.flows["bytes_delivered"])),
        "live": float("lateness" in result.meta),
        **framework.lateness(result),
    }
