"""The page on one's own rate adaptation does what it says, as it stands."""

import re
import shlex
import subprocess
import sys

import pytest

import ackclock
from ackclock.cc import registry
from ackclock.cli import main
from tests.helpers.pages import indented_blocks, written
from tests.helpers.places import ROOT

PAGE = ROOT / "docs" / "your-own-abr.md"


@pytest.fixture
def outputs(tmp_path, monkeypatch, capsys):
    """Follows the page in an empty folder: what each command printed."""
    monkeypatch.setattr(registry, "_entries", {})
    monkeypatch.chdir(tmp_path)
    printed = {}
    for block in indented_blocks(PAGE):
        if written(block):
            continue
        for line in block.splitlines():
            command, *arguments = shlex.split(line)
            assert command == "ackclock"
            assert main(arguments) == 0, line
            printed[line] = capsys.readouterr().out
    return printed


def test_the_page_can_be_followed(outputs):
    built_in, mine = list(outputs.values())[1:3]
    # The head names the scenario by its hash.
    assert mine.partition("\n")[2] == built_in.partition("\n")[2]
    sweep = list(outputs.values())[-1]
    assert "half" in sweep
    assert "robust-mpc" in sweep
    done = subprocess.run([sys.executable, "compare.py"], capture_output=True, text=True, check=True)
    assert len(done.stdout.splitlines()) == 3


def test_the_page_names_every_rule_of_the_catalogue():
    registered = {row["name"] for row in registry.rows("abr")}
    names = [row["name"] for row in ackclock.catalogue()["abr"] if row["name"] not in registered]
    listed = PAGE.read_text(encoding="utf-8").partition("## The built-in rules")[2]
    assert re.findall(r"^\| `([a-z0-9-]+)` \|", listed, re.MULTILINE) == names
