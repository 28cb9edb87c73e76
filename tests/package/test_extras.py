"""Functions that work without the optional packages, and messages to users who lack one."""

import os
import subprocess
import sys
import tomllib

import pytest

from ackclock.base.extras import EXTRAS, ExtraError, require
from tests.helpers.places import ROOT
from tests.helpers.scenarios import SMALL

WITHOUT = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {absent}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name in {absent} else found(name, package)
from ackclock.cli import main

for line in sys.stdin.read().splitlines():
    words = line.split("|")
    print(">", *words, flush=True)
    status = main(words)
    print("=", status, flush=True)
"""
"""The command line of an environment without some packages."""

ABSENT = {*EXTRAS, "scipy", "pandas", "polars", "pyarrow", "IPython"}


def without(folder, *commands, absent=ABSENT):
    """The statuses of commands, and what they said on standard error."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT.format(absent=sorted(absent))],
        input="\n".join("|".join(words) for words in commands),
        cwd=folder,
        env=os.environ | {"PYTHONWARNINGS": "error"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return [int(line[2:]) for line in done.stdout.splitlines() if line.startswith("= ")], done.stderr


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "small.toml").write_text(SMALL)
    return tmp_path


def test_runs_sweeps_and_reports_need_no_extra(folder):
    sweep = ["sweep", "small.toml", "--vary", "bottleneck.queue=1bdp,2bdp", "--seeds", "2", "--out", "store"]
    commands = [
        ["check", "small.toml"],
        ["run", "small.toml", "--seeds", "2", "--out", "out"],
        sweep,
        ["ls", "store"],
        ["report", "store", "--against", "bottleneck.queue=1bdp"],
        ["export", "store", "--of", "flows.goodput_bps", "--out", "goodput.tex"],
        ["export", "store", "--table", "flows", "--out", "flows.parquet"],
        ["compare", "store", "--against", "bottleneck.queue=1bdp"],
        ["sql", "store", "SELECT count(*) FROM flows"],
        ["pack", "store", "--without-wheel", "--out", "store.zip"],
        ["verify", "store.zip"],
        ["list", "queue"],
        ["help", "throughput"],
        ["completion", "bash"],
    ]
    statuses, said = without(folder, *commands)
    assert statuses == [0] * len(commands), said
    assert (folder / "store/report.html").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (["plot", "small.toml", "rtt"], "plot"),
        (["compare", "small.toml", "--backends", "sim,linux:6.12", "--out", "compared"], "plot"),
        (["conform", "bbr", "--out", "conformed"], "plot"),
        (["serve", "store", "--port", "0"], "serve"),
        (["worst", "reno", "--out", "found"], "worst"),
        (["sweep", "small.toml", "--cluster", "tcp://127.0.0.1:1", "--out", "swept"], "cluster"),
    ],
)
def test_a_command_without_its_extra_names_it_before_it_works(folder, words, extra):
    (status,), said = without(folder, words)
    assert status == 2
    assert f"pip install 'ackclock[{extra}]'" in said
    assert "Traceback" not in said
    assert {path.name for path in folder.iterdir()} <= {"small.toml", "swept"}


def test_figures_of_python_name_their_extra(monkeypatch):
    import ackclock

    result = ackclock.run(SMALL)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ExtraError, match=r"figures need matplotlib: pip install 'ackclock\[plot\]'"):
        _ = result.plot
    require("json", "documents")


def test_the_extras_bring_what_they_are_named_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    optional = project["optional-dependencies"]
    for package, extra in EXTRAS.items():
        assert any(one.startswith(f"{package}>=") for one in optional[extra])
        assert not any(one.startswith(package) for one in project["dependencies"])
    (whole,) = optional["all"]
    assert whole == f"ackclock[{','.join(sorted({*EXTRAS.values()}))}]"
