"""Hints: what was probably meant, before long lists, and what a missing argument may be."""

import shutil
import subprocess

import pytest

from ackclock.cli import main
from ackclock.cli.completion import values
from ackclock.cli.hints import hinted
from ackclock.cli.parser import app
from tests.helpers.scenarios import SWEPT


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.toml").write_text(SWEPT, encoding="utf-8")


@pytest.mark.usefixtures("file")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["check", "a.toml", "--set", "bottleneck.rate=10Mbit"], '; did you mean "10Mbps"? [ACK010]\n'),
        (["check", "a.toml", "--set", "bottleneck.delay=10msec"], '; did you mean "ms"? [ACK010]\n'),
        (["sweep", "a.toml", "--vary", "queue=1bdp", "--out", "x"], '; did you mean "bottleneck.queue"? [ACK010]\n'),
        (["sweep", "a.toml", "--vary", "cc=reno", "--out", "x"], '; did you mean "flows[0].cc"? [ACK010]\n'),
        (["run", "a.toml", "--set", "flows[0].cc=my_rust"], "; --load FILE loads one of your own; accepted: balia, "),
        (["run", "a.toml", "--set", "flows[0].cc=cubik"], 'control; did you mean "cubic"? accepted: balia, '),
        (["run", "a.toml", "--set", "flows[0].cc=reno_linux"], 'control; did you mean "reno-linux"? accepted: balia, '),
        (["plot", "a.toml"], "plot: expected FIGURE: window, cwnd, rtt, "),
        (["export", "x"], "export: expected --out: The file: NAME.csv, "),
        (["compare"], "compare: expected WHAT: The store of a sweep with --against, or "),
        (["kernel", "load"], "kernel load: expected MODULE: "),
    ],
)
def test_a_message_says_what_was_meant(arguments, told, capsys):
    assert main(arguments) == 2
    assert told in capsys.readouterr().err


def test_messages_without_a_known_form_stay_as_they_are():
    for message in ("nofile.toml: no such file", 'a: unknown kind b; accepted: c, d; did you mean "c"?'):
        assert hinted(message) == message


WORDS = [
    (["list", "qu"], "queue"),
    (["reproduce", "newcwv-d"], "newcwv-dash"),
    (["plot", "x.toml", "cw"], "cwnd"),
    (["run", "x.toml", "--backend", "linux:"], "linux:6.12"),
    (["sweep", "x.toml", "--of", "flows.goodput_b"], "flows.goodput_bps"),
    (["sweep", "x.toml", "--vary", "bottleneck.qu"], "bottleneck.queue="),
    (["export", "store", "--table", "trans"], "transfers"),
]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_values(capsys):
    functions = {name: app[name].default_command for name, _ in values()}
    assert main(["completion", "bash"]) == 0
    assert functions == {name: app[name].default_command for name in functions}, "commands are as they were"
    script = capsys.readouterr().out
    script += 'try() { COMP_WORDS=(ackclock "$@"); COMP_CWORD=$#; COMPREPLY=(); _ackclock; echo "${COMPREPLY[@]}"; }\n'
    script += "".join(f"try {' '.join(words)}\n" for words, _ in WORDS)
    done = subprocess.run(["bash"], input=script, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [word for _, word in WORDS]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_have_the_values(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for _, word in WORDS:
        assert word.replace(":", "\\:") in script or word in script
    if shutil.which(shell) is not None:
        subprocess.run([shell, "-n"], input=script, text=True, check=True)
