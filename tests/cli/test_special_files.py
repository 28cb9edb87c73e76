"""Things named in place of a file: pipes, folders, devices, endless links, names that are no text. One message."""

import os
import shutil
import sys

import pytest

import ackclock
from ackclock.cli import main

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the kinds of files are those of Linux")

SCENARIO = """
duration = "100ms"
[bottleneck]
rate = "5Mbps"
delay = "10ms"
queue = "1bdp"
[[flows]]
name = "one"
app = "bulk"
"""

COMMANDS = {
    "run": ("run", "@", "--out", "out"),
    "check": ("check", "@"),
    "sweep": ("sweep", "@", "--seeds", "2", "--out", "out"),
    "points": ("sweep", "x.toml", "--points", "@", "--out", "out"),
    "gate": ("gate", "@", "--baseline", "gate.json"),
    "baseline": ("gate", "x.toml", "--baseline", "@"),
    "config": ("gate", "x.toml", "--baseline", "new.json", "--update", "--reason", "x", "--config", "@"),
    "load": ("run", "x.toml", "--load", "@"),
    "learn": ("learn", "@", "--out", "x.dna", "--time", "1s"),
    "learn check": ("learn", "check", "@"),
    "learn page": ("learn", "page", "@"),
    "report": ("report", "@"),
    "compare": ("compare", "@", "--against", "flows[0].cc=reno"),
    "export": ("export", "@", "--table", "flows", "--out", "o.csv"),
    "sql": ("sql", "@", "SELECT 1"),
    "ls": ("ls", "@"),
    "reference": ("plot", "x.toml", "rtt", "--reference", "@"),
    "load reference": ("plot", "x.toml", "load", "--reference", "@"),
    "drill": ("drill", "@"),
    "mpd": ("mpd", "@"),
    "sizes": ("mpd", "@", "--segment", "2"),
    "tmix": ("tmix", "convert", "@"),
    "migrate": ("migrate", "@"),
    "pack": ("pack", "@", "--without-wheel"),
    "wheel": ("pack", "store", "--wheel", "@", "--out", "p.zip"),
    "verify": ("verify", "@"),
    "kernel": ("kernel", "build", "--source", "@"),
}
NAMES = [
    "pipe",
    "folder",
    "loop",
    "gone",
    "zero",
    "huge",
    "",
    "n" * 300,
    "\udcff\udcfe",
    "a\n\x1b[2J\u202e",
    "x.toml/y",
]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("special") / "store"
    ackclock.sweep(SCENARIO, {"flows[0].cc": ["reno", "cubic"]}, seeds=1, out=folder, threads=1).close()
    return folder


@pytest.fixture
def place(tmp_path, monkeypatch, store):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.toml").write_text(SCENARIO, encoding="utf-8")
    shutil.copytree(store, tmp_path / "store")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "gone").symlink_to("nowhere")
    (tmp_path / "zero").symlink_to("/dev/zero")
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(8 << 30)
    return tmp_path


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_command_refuses_what_is_no_file(place, capsys, words):
    before = sorted(place.rglob("*"))
    for name in NAMES:
        assert main([word.replace("@", name) for word in words]) == 2, name
        out, err = capsys.readouterr()
        assert out == ""
        assert "Traceback" not in err
        lines = err.splitlines()
        assert 1 <= len(lines) <= 21, name
        assert all(line.startswith("ackclock: ") and line.isprintable() for line in lines), name
        assert sorted(place.rglob("*")) == before, f"{name} leaves something"
