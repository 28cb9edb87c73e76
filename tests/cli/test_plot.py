"""`ackclock plot` and `ackclock export`."""

from __future__ import annotations

import csv
import inspect
import re

import duckdb
import pytest
from matplotlib import pyplot

import ackclock
from ackclock.cli import main
from ackclock.cli.plot import FIGURES
from ackclock.plot import Plot


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    from tests.helpers.scenarios import SMALL

    folder = tmp_path_factory.mktemp("export") / "store"
    vary = {"flows[0].cc": ["reno", "cubic"]}
    ackclock.sweep(SMALL, vary, seeds=3, overrides={"duration": "2s"}, out=folder).close()
    return folder


def test_every_figure_of_a_run_is_one_of_the_command():
    assert set(FIGURES) == {
        name for name, _ in inspect.getmembers(Plot, inspect.isfunction) if not name.startswith("_")
    }


@pytest.mark.parametrize("figure", [name for name in FIGURES if name != "jain"])
def test_every_figure_is_written_with_its_probes(scenario_file, tmp_path, figure, capsys):
    text = scenario_file.read_text(encoding="utf-8").replace("window = true\npackets = true", "")
    scenario_file.write_text(text, encoding="utf-8")
    out, before = tmp_path / "one.svg", set(pyplot.get_fignums())
    assert main(["plot", str(scenario_file), figure, "--out", str(out)]) == 0
    assert out.read_text(encoding="utf-8").startswith("<?xml")
    assert capsys.readouterr().out.strip() == str(out)
    assert not set(pyplot.get_fignums()) - before, "a figure that is written is closed"


def test_flows_are_chosen_and_mistakes_are_told(scenario_file, tmp_path, capsys):
    out = str(tmp_path / "one.pdf")
    assert main(["plot", str(scenario_file), "cwnd", "--flow", "one", "--flow", "two", "--out", out]) == 0
    for arguments, told in (
        (["cwdn"], 'did you mean "cwnd"'),
        (["cwnd", "--flow", "three"], "three"),
        (["cwnd", "--out", str(tmp_path / "one.gif")], "gif"),
    ):
        assert main(["plot", str(scenario_file), *arguments]) == 2
        assert told in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.pdf", scenario_file.name]


def test_a_table_has_what_was_varied_in_front(store, tmp_path):
    out = tmp_path / "flows.csv"
    assert main(["export", str(store), "--table", "flows", "--out", str(out)]) == 0
    rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    assert list(rows[0])[:3] == ["flows[0].cc", "seed", "run"]
    assert len(rows) == 2 * 3 * 3
    assert {row["flows[0].cc"] for row in rows} == {"reno", "cubic"}
    with ackclock.open(store) as opened:
        told = list(opened.table("flows")["goodput_bps"])
    assert [float(row["goodput_bps"]) for row in rows] == told


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_measures_have_a_row_for_each_point(store, tmp_path, form):
    out = tmp_path / f"means.{form}"
    assert main(["export", str(store), "--of", "flows[one].goodput_bps", "--out", str(out)]) == 0
    rows = duckdb.sql(f"SELECT * FROM '{out}'").fetchall()
    with ackclock.open(store) as opened:
        estimates = [one.estimate for one in opened.estimates("flows[one].goodput_bps")]
    assert [row[0] for row in rows] == ["reno", "cubic"]
    assert [row[1:] for row in rows] == [(one.value, one.low, one.high, 3) for one in estimates]


def test_latex_is_a_table_of_booktabs(store, tmp_path):
    out = tmp_path / "means.tex"
    assert main(["export", str(store), "--of", "flows[one].goodput_bps", "--out", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    assert r"Congestion control of one & Goodput of one (kbit/s) \\" in text
    with ackclock.open(store) as opened:
        halves = [one.estimate.half_width / 1e3 for one in opened.estimates("flows[one].goodput_bps")]
    assert [float(one) for one in re.findall(r"\$\\pm\$ (\S+)", text)] == [float(f"{half:.2g}") for half in halves]
    assert "e+" not in text
    assert text.index(r"\toprule") < text.index("reno & ") < text.index("cubic & ") < text.index(r"\bottomrule")


def test_an_interval_in_latex_ends_at_the_bounds(store, tmp_path):
    out = tmp_path / "jain.tex"
    measure = "jain(flows.goodput_bps)"
    assert main(["export", str(store), "--of", measure, "--out", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    assert r"Jain's fairness index of goodput \\" in text
    with ackclock.open(store) as opened:
        estimates = [one.estimate for one in opened.estimates(measure)]
    assert [one.low == 0 or one.high == 1 for one in estimates].count(True) == text.count("[")
    assert text.count("[") + text.count(r"$\pm$") == 2


def test_mistakes_of_an_export_are_told(store, tmp_path, capsys):
    out = str(tmp_path / "x.csv")
    for arguments, told in (
        (["--out", out], "expected --table"),
        (["--table", "flow", "--out", out], 'did you mean "flows"'),
        (["--table", "flows", "--out", str(tmp_path / "x.tex")], "too many rows"),
        (["--table", "flows", "--out", str(tmp_path / "x.doc")], "ends in .csv"),
        (["--of", "flows.godput", "--out", out], "has no column"),
    ):
        assert main(["export", str(store), *arguments]) == 2
        assert told in " ".join(capsys.readouterr().err.split())
    assert not list(tmp_path.iterdir())
