"""The settings that make a wheel fit every CPython from 3.11 on, checked without building one."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import ackclock
from ackclock import _core
from tests.helpers.places import ROOT
from tests.helpers.scenarios import SMALL


def toml(path):
    return tomllib.loads((ROOT / path).read_text())


def test_the_extension_is_of_the_stable_abi_of_the_oldest_python():
    features = toml("crates/ackclock-python/Cargo.toml")["dependencies"]["pyo3"]["features"]
    (oldest,) = (re.fullmatch(r"abi3-py3(\d+)", one)[1] for one in features if one.startswith("abi3"))
    project = toml("pyproject.toml")
    assert project["project"]["requires-python"] == f">=3.{oldest}"
    assert project["tool"]["mypy"]["python_version"] == f"3.{oldest}"
    assert _core.__file__.endswith("_core.abi3.so")


def test_the_package_says_that_it_is_typed():
    """Else type checkers take everything in an installed package for Any."""
    package = Path(ackclock.__file__).parent
    assert (package / "py.typed").is_file()
    assert (package / "_core.pyi").is_file()


def test_the_logs_of_searches_are_kept_out_of_wheels_alone():
    excluded = toml("pyproject.toml")["tool"]["maturin"]["exclude"]
    assert [one["format"] for one in excluded] == ["wheel"] * len(excluded)
    left_out = {path for one in excluded for path in ROOT.glob(one["path"])}
    assert left_out == set((ROOT / "python").rglob("*.learn.jsonl"))
    tables = (ROOT / "python/ackclock/learn/tables").glob("*.dna")
    assert {path.name.removesuffix(".learn.jsonl") for path in left_out} == {path.stem for path in tables}


LOAD = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("ackclock._core", sys.argv[1])
core = importlib.util.module_from_spec(spec)
spec.loader.exec_module(core)
print(core.version(), core.scenario_hash(sys.stdin.read(), "toml", []))
"""


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_other_pythons_load_the_same_extension(version):
    command = [f"python{version}", "-I", "-c"]
    try:
        there = subprocess.run([*command, "import sys; print(sys.implementation.name)"], capture_output=True, text=True)
    except FileNotFoundError:
        there = None
    if there is None or there.returncode != 0 or there.stdout != "cpython\n":
        pytest.skip(f"no CPython {version} here")
    done = subprocess.run([*command, LOAD, _core.__file__], input=SMALL, capture_output=True, text=True)
    assert done.stdout == f"{_core.version()} {_core.scenario_hash(SMALL, 'toml', [])}\n", done.stderr
