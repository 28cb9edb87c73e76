"""The lists of what can be run: targets of the Makefile in `make help`, and tools in the table of tools/README.md."""

import re
import subprocess

import pytest

from tests.helpers.places import ROOT

TOOLS = ROOT / "tools"
LISTED = re.compile(r"(?m)^  make ([a-z-]+) +\S.*$")


def phony(makefile):
    """The names that a Makefile declares as targets without a file."""
    return [name for line in re.findall(r"(?m)^\.PHONY:(.*)$", makefile) for name in line.split()]


def in_tables(page):
    """The names in the first columns of the tables of a page."""
    cells = re.findall(r"(?m)^\| (`[^|]+) \|", page)
    return [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]


@pytest.fixture(scope="module")
def makefile():
    return (ROOT / "Makefile").read_text(encoding="utf-8")


def test_help_lists_every_target_once_and_says_what_it_does(makefile):
    shown = subprocess.run(["make", "--silent", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert sorted(LISTED.findall(shown)) == sorted(phony(makefile))
    groups = re.findall(r"(?m)^(?! |$)(.+)$", shown)
    assert groups == re.findall(r"(?m)^##@ (.+)$", makefile)


def test_every_target_without_a_file_is_declared(makefile):
    rules = set(re.findall(r"(?m)^([a-z][a-z-]*):(?!=)", makefile))
    assert rules == set(phony(makefile))


def test_the_default_is_the_demo(makefile):
    assert re.findall(r"(?m)^\.DEFAULT_GOAL := (\S+)$", makefile) == ["demo"]


def test_every_tool_is_in_one_of_the_tables():
    listed = in_tables((TOOLS / "README.md").read_text(encoding="utf-8"))
    found = {path.name for path in TOOLS.iterdir() if path.is_dir() or path.suffix in (".py", ".sh")}
    assert sorted(listed) == sorted(found - {"__init__.py", "__pycache__"})
