"""The page on one's own rate adaptation does what it says, as it stands."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import ackclock
from ackclock.cc import registry
from ackclock.cli import main
from tests.helpers.places import ROOT

PAGE = ROOT / "docs" / "your-own-abr.md"


def blocks():
    """The indented blocks, in order."""
    text = re.findall(r"(?:^(?: {4}.*)?\n)+", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return [re.sub(r"^ {4}", "", block, flags=re.MULTILINE).strip("\n") + "\n" for block in text if block.strip()]


@pytest.fixture
def outputs(tmp_path, monkeypatch, capsys):
    """Follows the page in an empty folder: what each command printed."""
    monkeypatch.setattr(registry, "_entries", {})
    monkeypatch.chdir(tmp_path)
    printed = {}
    for block in blocks():
        name = re.match(r"# (\S+\.(?:toml|py))\n", block)
        if name:
            Path(name[1]).write_text(block, encoding="utf-8")
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
