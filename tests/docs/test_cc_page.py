"""The page on one's own congestion control does what it says, as it stands."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import ackclock
from ackclock.cc import registry
from ackclock.cli import main
from tests.helpers.crates import CARGO, cargo
from tests.helpers.pages import indented_blocks, written
from tests.helpers.places import ROOT

PAGE = ROOT / "docs" / "your-own-congestion-control.md"


def numbers(printed):
    """The words of the tables that a run prints, without lines and the head that names the scenario by its hash."""
    return printed.partition("\n")[2].replace("─", "").split()


@pytest.fixture
def outputs(tmp_path, monkeypatch, capsys):
    """Follows the page in an empty folder: what each command printed."""
    monkeypatch.setattr(registry, "_entries", {})
    monkeypatch.chdir(tmp_path)
    printed = {}
    for block in indented_blocks(PAGE):
        if written(block):
            continue
        if block.startswith("ackclock_cc::"):
            assert block in Path("fast-reno/src/lib.rs").read_text(encoding="utf-8")
            continue
        for line in block.splitlines():
            command, *arguments = shlex.split(line)
            assert command in ("ackclock", "cargo")
            if command == "cargo":
                if CARGO is not None:
                    cargo(Path.cwd(), *arguments)
            elif CARGO is not None or "--load fast-reno" not in line:
                assert main(arguments) == 0, line
                printed[line] = capsys.readouterr().out
    return printed


def test_the_page_can_be_followed(outputs, tmp_path):
    assert len(outputs) == (8 if CARGO is None else 9)
    reno, mine = list(outputs.values())[1:3]
    assert numbers(mine.replace("my-reno", "reno-linux")) == numbers(reno)
    if CARGO is not None:
        fast = list(outputs.values())[-1]
        assert numbers(fast.replace("fast-reno", "reno-linux")) == numbers(reno)
    done = subprocess.run([sys.executable, "plot.py"], capture_output=True, text=True, check=True)
    assert "right" in done.stdout
    assert (tmp_path / "polite.png").read_bytes().startswith(b"\x89PNG")


def test_what_it_claims_of_the_variants(outputs):
    def goodput(cc):
        run = ackclock.run("duel.toml", overrides={"flows.right.cc": cc})
        return run.flows["goodput_bps"]

    left, right = goodput({"kind": "my-reno", "kept": 0.8})
    assert 0.6 < right / (left + right) < 0.72
    assert (goodput("my-reno") == goodput("reno")).all()
    left, right = goodput("polite")
    assert right < left / 2
    runs = [ackclock.run("duel.toml", overrides={"flows[*].cc": "polite", "duration": end}) for end in ("10s", "60s")]
    early, polite = runs
    assert polite.links["drops"].tolist() == early.links["drops"].tolist()
    assert polite.links["utilisation"][0] > 0.95
