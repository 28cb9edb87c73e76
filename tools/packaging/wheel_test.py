"""Tests a wheel as users get it: installed in a fresh environment without a compiler.

``make wheel-test`` runs this file with the wheel's path in ``WHEEL``. It imports nothing of the checkout's ackclock.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from tools.packaging import vendor

WHEEL = Path(os.environ["WHEEL"]).resolve()
EXAMPLES = {path.stem for path in (Path(__file__).parents[2] / "python/ackclock/examples").rglob("*.toml")}
NEWEST_GLIBC = (2, 28)
COMMANDS = [
    "bench",
    "check",
    "completion",
    "drill",
    "lab",
    "list",
    "ls",
    "new",
    "pack",
    "report",
    "reproduce",
    "run",
    "schema",
]
COMMANDS += ["serve", "sweep", "tmix", "verify"]


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """The folder of an environment's commands; nothing else is on the PATH of what runs there."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=True)
    commands = folder / ("Scripts" if os.name == "nt" else "bin")
    pip = [commands / "python", "-m", "pip", "install", "--quiet", "--only-binary", ":all:", WHEEL]
    subprocess.run(pip, check=True, env=environment(commands))
    return commands


def environment(commands):
    """Variables of this process without its Python, its compilers and its own checkout of ackclock."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return kept | {"PATH": str(commands)}


@pytest.fixture
def run(installed, tmp_path):
    """Runs the installed command in an empty folder and returns what it printed."""

    def call(*arguments):
        command = [installed / "ackclock", *arguments]
        done = subprocess.run(command, cwd=tmp_path, env=environment(installed), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return call


def test_no_compiler_is_on_the_path(installed):
    for tool in ("gcc", "cc", "cargo", "rustc", "npm"):
        assert shutil.which(tool, path=environment(installed)["PATH"]) is None


def test_the_tag_is_that_of_old_pythons_and_old_systems():
    system = {"linux": r"manylinux_2_28_\w+", "darwin": r"macosx_\w+", "win32": r"win_\w+"}[sys.platform]
    assert re.fullmatch(rf"ackclock-[\d.]+-cp311-abi3-{system}\.whl", WHEEL.name)


@pytest.mark.skipif(sys.platform != "linux", reason="glibc is Linux's")
def test_the_extension_needs_no_later_glibc():
    with zipfile.ZipFile(WHEEL) as archive:
        (extension,) = (name for name in archive.namelist() if name.endswith(".so"))
        versions = re.findall(rb"GLIBC_(\d+)\.(\d+)", archive.read(extension))
    assert versions
    assert max((int(major), int(minor)) for major, minor in versions) <= NEWEST_GLIBC


def test_the_wheel_contains_licences_examples_and_scripts():
    with zipfile.ZipFile(WHEEL) as archive:
        names = archive.namelist()
    metadata = f"{'-'.join(WHEEL.name.split('-')[:2])}.dist-info"
    for licence in ("LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY-LICENSES"):
        assert f"{metadata}/licenses/{licence}" in names
    for name in vendor.FILES:
        assert f"ackclock/report/vendor/{name}" in names
    templates = {path.name for path in (Path(__file__).parents[2] / "python/ackclock/report/templates").iterdir()}
    assert {Path(name).name for name in names if name.startswith("ackclock/report/templates/")} == templates
    contained = {
        Path(name).stem for name in names if re.fullmatch(r"ackclock/examples/(?:gallery/)?[\w-]+\.toml", name)
    }
    assert contained == EXAMPLES
    assert not [name for name in names if name.startswith(("tests/", "tools/", "docs/"))]
    assert [name for name in names if name.endswith(".dna")]
    assert not [name for name in names if name.endswith(".jsonl")]


def test_the_laboratory_is_in_the_wheel_or_says_what_it_lacks(installed, tmp_path):
    """A wheel that was built without a toolchain for wasm32 lacks the engine; published wheels have it."""
    command = [installed / "ackclock", "lab", "--out", tmp_path / "lab"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment(installed))
    has = any(name.endswith("/engine_bg.wasm") for name in zipfile.ZipFile(WHEEL).namelist())
    assert has or "LABORATORY" not in os.environ
    if has:
        assert done.returncode == 0, done.stderr
        written = {path.name for path in (tmp_path / "lab").iterdir()}
        assert {"index.html", "lab.js", "worker.js", "engine.js", "engine_bg.wasm"} <= written
    else:
        assert done.returncode == 2
        assert "lacks engine.js, engine_bg.wasm, which the laboratory needs" in " ".join(done.stderr.split())


def test_nothing_is_installed_that_only_notebooks_need(installed):
    listing = subprocess.run(
        [installed / "python", "-m", "pip", "list", "--format", "json"],
        env=environment(installed),
        capture_output=True,
        text=True,
        check=True,
    )
    names = {package["name"].lower() for package in json.loads(listing.stdout)}
    assert "ackclock" in names
    assert not names & {"uplot-python", "ipython", "matplotlib", "pandas", "pyarrow", "scipy"}


@pytest.mark.skipif(sys.platform != "linux", reason="sizes are those of wheels for Linux")
def test_an_environment_with_it_is_small(installed):
    size = sum(path.lstat().st_size for path in installed.parent.rglob("*") if path.is_file())
    assert size < 250e6


def test_a_figure_names_the_extra_that_it_needs(installed, run, tmp_path):
    run("new", "scenario", "transfer")
    command = [installed / "ackclock", "plot", "transfer.toml", "rtt"]
    done = subprocess.run(command, cwd=tmp_path, env=environment(installed), capture_output=True, text=True)
    assert done.returncode == 2
    assert "pip install 'ackclock[plot]'" in done.stderr


def test_it_says_its_version(run):
    assert WHEEL.name.split("-")[1] in run("--version")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_documented(run, command):
    assert f"ackclock {command}" in run(command, "--help")


def test_an_example_runs(run):
    run("new", "scenario", "parking-lot")
    document = json.loads(run("run", "parking-lot.toml", "--set", "duration=5s", "--json"))
    assert len(json.dumps(document)) > 500


@pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not installed")
def test_a_crate_from_the_wheel_builds_without_a_registry_and_runs(run, tmp_path):
    run("new", "scenario", "parking-lot")
    run("new", "cc", "own-reno", "--rust")
    alone = os.environ | {"CARGO_HOME": str(tmp_path / "no-registry")}
    cargo = ["cargo", "build", "--release", "--offline", "--quiet"]
    subprocess.run(cargo, cwd=tmp_path / "own-reno", env=alone, check=True)
    given = ["--load", "own-reno", "--set", "flows[0].cc=own-reno", "--set", "duration=5s"]
    assert "own-reno" in run("run", "parking-lot.toml", *given)


def test_a_sweep_has_a_report_with_its_plots(run, tmp_path):
    run("new", "scenario", "transfer")
    run("sweep", "transfer.toml", "--vary", "bottleneck.queue=1bdp,2bdp", "--set", "duration=10s", "--out", "store")
    run("report", "store")
    pages = list(tmp_path.rglob("*.html"))
    assert pages
    assert all(f"uPlot (v{vendor.pinned()})" in page.read_text(encoding="utf-8") for page in pages)


def test_a_pack_alone_repeats_the_experiment_in_another_environment(run, tmp_path):
    run("new", "scenario", "transfer")
    run("sweep", "transfer.toml", "--vary", "bottleneck.queue=1bdp,2bdp", "--set", "duration=10s", "--out", "store")
    run("pack", "store", "--out", "experiment.zip")
    shutil.rmtree(tmp_path / "store")
    with zipfile.ZipFile(tmp_path / "experiment.zip") as archive:
        [wheel] = [name for name in archive.namelist() if name.startswith("wheel/")]
        archive.extract(wheel, tmp_path)
    folder = tmp_path / "environment"
    venv.create(folder, with_pip=True)
    commands = folder / ("Scripts" if os.name == "nt" else "bin")
    pip = [commands / "python", "-m", "pip", "install", "--quiet", "--only-binary", ":all:", tmp_path / wheel]
    subprocess.run(pip, check=True, env=environment(commands))
    command = [commands / "ackclock", "verify", "experiment.zip"]
    done = subprocess.run(command, cwd=tmp_path, env=environment(commands), capture_output=True, text=True, check=True)
    assert "2 of 2 runs gave the same results" in done.stdout


def test_a_study_is_reproduced(run):
    document = json.loads(run("reproduce", "response-functions", "--quick", "--json"))
    assert document


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_complete(run, shell):
    assert "reproduce" in run("completion", shell)
