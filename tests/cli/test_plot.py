"""`ackclock plot` and `ackclock export`."""

from __future__ import annotations

import csv
import inspect
import re
from types import SimpleNamespace

import duckdb
import pytest
from matplotlib import pyplot

import ackclock
from ackclock.cli import main
from ackclock.cli.plot import FIGURES
from ackclock.cli.tables import latex_of_points
from ackclock.plot import Plot
from ackclock.stats import Estimate
from tests.helpers.scenarios import SWEPT


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


# Jain's index and the figure of load need other flows.
@pytest.mark.parametrize("figure", [name for name in FIGURES if name not in ("jain", "load")])
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
    assert r"Congestion control of one & {Goodput of one (kbit/s)} \\" in text
    assert re.search(r"tabular}\{l S\[table-format=\d+\.\d\(\d+\), separate-uncertainty\]\}", text)
    with ackclock.open(store) as opened:
        halves = [one.estimate.half_width / 1e3 for one in opened.estimates("flows[one].goodput_bps")]
    told = re.findall(r"& (\S+) \+- (\S+) ", text)
    assert [float(half) for _, half in told] == pytest.approx(halves, rel=0.05)
    decimals = {len(number.partition(".")[2]) for pair in told for number in pair}
    assert len(decimals) == 1, "the decimals are aligned"
    assert "e+" not in text
    assert text.index(r"\toprule") < text.index("reno & ") < text.index("cubic & ") < text.index(r"\bottomrule")


def test_an_interval_in_latex_ends_at_the_bounds():
    """A bound cuts off the second interval, so that no interval of the column is told by its half width."""
    points = [
        SimpleNamespace(params={"flows[0].cc": cc}, estimate=Estimate(value, low, high, 3))
        for cc, value, low, high in (("reno", 0.8, 0.7, 0.9), ("cubic", 0.95, 0.85, 1.0))
    ]
    text = latex_of_points({"jain(flows.goodput_bps)": points}, {}, ["one"])
    assert r"{Jain's fairness index of goodput} & {95 \% from} & {to} \\" in text
    assert r"reno & 0.800 & 0.700 & 0.900 \\" in text
    assert r"cubic & 0.950 & 0.850 & 1.000 \\" in text
    assert "+- " not in text.partition("\n")[2]
    even = latex_of_points({"jain(flows.goodput_bps)": points[:1]}, {}, ["one"])
    assert r"reno & 0.80 +- 0.10 \\" in even


def test_latex_of_comparisons_has_labels_with_units(store, tmp_path):
    out = tmp_path / "differences.tex"
    arguments = ["--of", "flows[one].goodput_bps", "--of", "links[bottleneck].utilisation"]
    assert main(["export", str(store), "--against", "flows[0].cc=reno", *arguments, "--out", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    assert "Goodput of one (kbit/s) & cubic & " in text
    assert r"Utilisation at bottleneck (\%) & cubic & " in text
    assert "flows[" not in text.partition("\n")[2]


@pytest.mark.parametrize("form", ["csv", "tex"])
def test_means_over_a_population_are_kept(tmp_path, form):
    weights = {"bottleneck.rate": {"1Mbps": 3, "2Mbps": 1}}
    grid = {"bottleneck.rate": ["1Mbps", "2Mbps"]}
    with ackclock.sweep(SWEPT, grid, weights=weights, seeds=3, out=tmp_path / "s") as made:
        (population,) = made.population("flows.goodput_bps")
    out = tmp_path / f"means.{form}"
    assert main(["export", str(tmp_path / "s"), "--of", "flows.goodput_bps", "--out", str(out)]) == 0
    lines = out.read_text(encoding="utf-8").splitlines()
    if form == "csv":
        rows = list(csv.DictReader(lines))
        assert [row["population"] for row in rows] == ["False", "False", "True"]
        assert float(rows[-1]["flows.goodput_bps"]) == population.estimate.value
    else:
        assert lines[-4] == r"\midrule"
        assert lines[-3].startswith("population & ")


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
