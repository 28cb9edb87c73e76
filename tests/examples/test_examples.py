"""Example scenarios, shell completion and the other files to start from, as the command line gives them."""

import subprocess
from pathlib import Path

import pytest

import ackclock
from ackclock import examples
from ackclock.cli import main

FOLDER = Path(examples.__file__).parent


def test_every_example_is_offered():
    assert examples.names() == sorted(path.stem for path in FOLDER.rglob("*.toml"))
    assert {"parking-lot", "bufferbloat"} <= {*examples.names()}


def test_without_a_name_every_example_is_listed_with_its_subject(cli):
    status, out, err = cli("new", "scenario")
    assert (status, err) == (0, "")
    rows = {line.split()[0]: " ".join(line.split()[1:]) for line in out.splitlines() if line.strip()}
    assert all(rows[name] == examples.subject(name) for name in examples.names())
    assert rows["bufferbloat"] == "Why does a telephone call suffer when somebody at home uploads a file?"
    assert rows["bulk"].startswith("Two Reno flows share 1 Mbit/s for ten minutes")
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("path", sorted((FOLDER / "gallery").glob("*.toml")), ids=lambda path: path.stem)
def test_a_scenario_of_the_gallery_teaches(path):
    text = path.read_text(encoding="utf-8")
    head = text.partition("\nname = ")[0].splitlines()
    assert head[0].startswith("# Question: ")
    assert head[0].endswith("?")
    assert any(line.startswith("# Watch: ") for line in head)
    assert any(line.startswith(f"#   ackclock run {path.name}") or f"sweep {path.name}" in line for line in head)
    # Most values have a comment beside or above them.
    assert text.partition("\nname = ")[2].count("#") >= 3


@pytest.mark.parametrize("name", examples.names())
def test_an_example_is_written_with_what_it_names_and_is_valid(cli, name):
    status, out, err = cli("new", "scenario", name)
    assert (status, err) == (0, "")
    assert f"ackclock run {name}.toml" in out
    assert sorted(path.name for path in Path().iterdir()) == sorted(path.name for path in FOLDER.rglob(f"{name}.*"))
    assert ackclock.check(Path(f"{name}.toml"))["name"] == name


def test_nothing_is_overwritten(cli):
    Path("remycc.dna").write_text("mine")
    assert cli("new", "scenario", "remycc") == (2, "", "ackclock: remycc.dna exists; it is not overwritten [ACK008]\n")
    assert [path.name for path in Path().iterdir()] == ["remycc.dna"]


def test_what_does_not_exist_is_refused(cli):
    accepted = ", ".join(examples.names())
    nearest = f'ackclock: unknown example bufferblot; accepted: {accepted}; did you mean "bufferbloat"? [ACK009]\n'
    assert cli("new", "scenario", "bufferblot") == (2, "", nearest)
    expected = "ackclock: expected the name of the congestion control: ackclock new cc NAME [ACK001]\n"
    assert cli("new", "cc") == (2, "", expected)
    assert cli("new", "scenario", "x") == (2, "", f"ackclock: unknown example x; accepted: {accepted} [ACK009]\n")
    unknown = "ackclock: unknown kind queue; accepted: scenario, cc, abr, transport, workflow [ACK001]\n"
    assert cli("new", "queue", "x") == (2, "", unknown)
    status, _, err = cli("new", "scenario", "bulk", "--full")
    assert (status, err) == (2, "ackclock: --full is for congestion controls: ackclock new cc NAME --full [ACK001]\n")


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
