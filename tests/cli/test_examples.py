"""Example scenarios, shell completion and the other files to start from, as the command line gives them."""

import subprocess
from pathlib import Path

import pytest

import ackclock
from ackclock import examples
from ackclock.cli import main

FOLDER = Path(examples.__file__).parent


def test_every_example_is_offered():
    assert examples.names() == sorted(path.stem for path in FOLDER.glob("*.toml"))
    assert "parking-lot" in examples.names()


@pytest.mark.parametrize("name", examples.names())
def test_an_example_is_written_with_what_it_names_and_is_valid(cli, name):
    status, out, err = cli("new", "scenario", name)
    assert (status, err) == (0, "")
    assert f"ackclock run {name}.toml" in out
    assert sorted(path.name for path in Path().iterdir()) == sorted(path.name for path in FOLDER.glob(f"{name}.*"))
    assert ackclock.check(Path(f"{name}.toml"))["name"] == name


def test_nothing_is_overwritten(cli):
    Path("remycc.dna").write_text("mine")
    assert cli("new", "scenario", "remycc") == (2, "", "ackclock: remycc.dna exists; it is not overwritten\n")
    assert [path.name for path in Path().iterdir()] == ["remycc.dna"]


def test_what_does_not_exist_is_refused(cli):
    accepted = ", ".join(examples.names())
    assert cli("new", "scenario", "x") == (2, "", f"ackclock: unknown example x; accepted: {accepted}\n")
    assert cli("new", "queue", "x") == (2, "", "ackclock: unknown kind queue; accepted: scenario, cc\n")
    status, _, err = cli("new", "scenario", "bulk", "--full")
    assert (status, err) == (2, "ackclock: --full is for congestion controls: ackclock new cc NAME --full\n")


ASK = """
source ./script
COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMPREPLY=()
_ackclock ackclock "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD - 1]}}"
echo "${{COMPREPLY[@]}}"
"""


@pytest.mark.parametrize(
    ("words", "expected"), [("ackclock repo", "report"), ("ackclock run --se", "--seed --seeds --set")]
)
def test_bash_completes_commands_and_options(cli, words, expected):
    status, script, _ = cli("completion", "bash")
    assert status == 0
    Path("script").write_text(script)
    done = subprocess.run(["bash", "-c", ASK.format(words=words)], capture_output=True, text=True)
    assert (done.stdout.split(), done.stderr) == (expected.split(), "")


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_have_a_script_with_every_command(cli, shell):
    status, script, _ = cli("completion", shell)
    assert status == 0
    for command in ("run", "sweep", "report", "reproduce", "completion", "tmix"):
        assert command in script


def test_a_shell_without_a_script_is_refused():
    assert main(["completion", "tcsh"]) == 2
