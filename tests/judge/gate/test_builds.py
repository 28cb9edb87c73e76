"""A gate over two builds of a library: another constant in the source is found, and the same source passes."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from ackclock.cc import templates
from ackclock.cli import main
from tests.helpers.crates import needs_cargo
from tests.helpers.places import ROOT

pytestmark = pytest.mark.slow

SCENARIO = """\
duration = "DURATION"

[bottleneck]
rate = "20Mbps"
delay = "20ms"
queue = "0.25bdp"

[[flows]]
name = "one"
transport = { kind = "KIND", library = "stack.so" }
app = "bulk"
start_jitter = "500ms"
"""


@pytest.fixture
def gate(tmp_path, monkeypatch):
    """Calls the command in a folder with a scenario over the library ``stack.so``."""
    monkeypatch.chdir(tmp_path)
    command = ["gate", "bulk.toml", "--baseline", "gate.json"]

    def call(*options, kind="", duration="20s"):
        if kind:
            (tmp_path / "bulk.toml").write_text(SCENARIO.replace("KIND", kind).replace("DURATION", duration))
        return main([*command, *options])

    return call


def replaced(file, old, new):
    """Writes a file of source anew with another text at one place."""
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_a_library_in_c(gate, capsys, tmp_path):
    """The template halves its window at a loss. With another digest the scenario is still the same one."""
    folder = templates.write_transport("mine", within=tmp_path)
    compiler = ["cc", "-std=c99", "-O2", "-shared", "-fPIC", "-o", "stack.so", folder / "mine.c"]
    subprocess.run(compiler, check=True)
    assert gate("--update", "--reason", "as written", kind="mine", duration="8s") == 0
    subprocess.run([*compiler, "-DANOTHER_DIGEST", "-g"], check=True)
    assert gate() == 0
    replaced(folder / "mine.c", "larger(t->window / 2,", "larger(t->window / 9,")
    subprocess.run(compiler, check=True)
    capsys.readouterr()
    assert gate() == 1
    assert "worse" in capsys.readouterr().out


def built(folder, patch):
    """Builds the library of quinn with the sources of quinn-proto at ``patch``, or with those of the registry.

    It is compiled with the profile of the project's own tests and into the same folder, which has its dependencies.
    """
    crate = folder / "library"
    shutil.copytree(ROOT / "stacks/quinn", crate, dirs_exist_ok=True)
    manifest = (crate / "Cargo.toml").read_text(encoding="utf-8").replace("../../crates", (ROOT / "crates").as_posix())
    if patch is not None:
        manifest += f'\n[patch.crates-io]\nquinn-proto = {{ path = "{patch.as_posix()}" }}\n'
    (crate / "Cargo.toml").write_text(manifest, encoding="utf-8")
    environment = os.environ | {"CARGO_TARGET_DIR": str(ROOT / "target")}
    command = ["cargo", "build", "--quiet", "--profile", "test"]
    done = subprocess.run(command, cwd=crate, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (library,) = [file for file in (ROOT / "target/debug").iterdir() if file.name in ("libquinn.so", "libquinn.dylib")]
    shutil.copy(library, folder / "stack.so")


def sources_of_quinn():
    """The folder of quinn-proto's sources, which cargo has unpacked."""
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    lock = (ROOT / "stacks/quinn/Cargo.lock").read_text(encoding="utf-8")
    version = lock.split('name = "quinn-proto"\nversion = "', 1)[1].split('"', 1)[0]
    (folder,) = home.glob(f"registry/src/*/quinn-proto-{version}")
    return folder


@needs_cargo
@pytest.mark.skipif(os.name == "nt", reason="the names of libraries are those of Linux and macOS")
def test_a_constant_of_quinns_cubic(gate, capsys, tmp_path):
    """BETA_CUBIC is 0.7 (RFC 9438, section 4.6). With 0.6, a shallow buffer runs empty after each loss."""
    built(tmp_path, None)
    assert gate("--update", "--reason", "quinn as it is", kind="quinn") == 0
    assert gate() == 0
    changed = tmp_path / "quinn-proto"
    shutil.copytree(sources_of_quinn(), changed)
    replaced(changed / "src/congestion/cubic.rs", "const BETA_CUBIC: f64 = 0.7;", "const BETA_CUBIC: f64 = 0.6;")
    built(tmp_path, changed)
    capsys.readouterr()
    assert gate() == 1
    line = next(line for line in capsys.readouterr().out.splitlines() if "goodput" in line)
    assert line.rstrip().endswith("worse")
