"""Packs: what is in one, that it repeats, and what happens to one that was changed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from importlib import resources
from pathlib import Path

import pytest

import ackclock
from ackclock.cc import libraries, registry
from ackclock.cli import main
from ackclock.judge import packs
from ackclock.judge.packs import contents
from ackclock.judge.packs.wheel import wheel_of
from ackclock.judge.packs.wheels import LOGS, foreign_files
from tests.helpers.crates import needs_cargo, of_source
from tests.helpers.scenarios import SWEPT

VERSION = ackclock.__version__

SCENARIO = """
name = "packed"
duration = "500ms"
[bottleneck]
rate = {{ kind = "trace", file = "{trace}" }}
delay = "10ms"
[[flows]]
name = "one"
cc = "{cc}"
app = "bulk"
"""
OWN = """
import ackclock


@ackclock.congestion_control("{name}")
class Own(ackclock.WindowRules):
    def reduction(self, flow):
        return {share}

    def increase(self, flow):
        return {share}
"""
"""A congestion control with a rule that is one for a number, and fails for another expression."""


@pytest.fixture
def scenario(tmp_path):
    """A scenario that names a file in a folder of its own."""
    folder = tmp_path / "scenario"
    folder.mkdir()
    (folder / "slow.trace").write_text("\n".join(str(time) for time in range(1, 400, 2)) + "\n", encoding="utf-8")
    (folder / "packed.toml").write_text(SCENARIO.format(trace="slow.trace", cc="reno"), encoding="utf-8")
    return folder / "packed.toml"


@pytest.fixture
def packed(scenario, tmp_path):
    """The pack of a sweep whose scenario and files are gone."""
    ackclock.sweep(scenario, {"flows[0].cc": ["reno", "cubic"]}, seeds=2, out=tmp_path / "store").close()
    packs.pack(tmp_path / "store", tmp_path / "one.zip", without_wheel=True)
    shutil.rmtree(scenario.parent)
    shutil.rmtree(tmp_path / "store")
    return tmp_path / "one.zip"


def changed(pack, target, change):
    """A copy of a pack in which `change` was done to the files by their names."""
    with zipfile.ZipFile(pack) as old, zipfile.ZipFile(target, "w") as new:
        contents = {name: old.read(name) for name in old.namelist()}
        change(contents)
        for name, data in contents.items():
            new.writestr(name, data)
    return target


def test_a_pack_alone_repeats_its_runs(packed):
    done = packs.verify(packed)
    assert (done.runs, done.same, done.different, done.left_out, done.changed) == (4, 4, [], [], [])
    assert done.good


def test_a_pack_says_how_it_was_made(packed):
    with zipfile.ZipFile(packed) as zipped:
        document = json.loads(zipped.read("ackclock-pack.json"))
        told = zipped.read("README.md").decode()
        names = zipped.namelist()
    assert document["sweeps"][0]["name"] == "packed"
    assert document["environment"]["numpy"]
    assert len(document["results"]) == 4
    assert "ackclock verify *.zip" in told
    assert "flows[0].cc=reno" in told
    assert "no copy of ackclock itself" in told
    assert "scenarios/0-packed.toml" in names
    assert [name for name in names if name.startswith("store/sources/")]


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_the_readme_can_be_followed_to_the_letter(tmp_path, monkeypatch, shell):
    """All commands but those that make an environment; `reno` has a file beside it whose name brackets would match."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my scenario.toml").write_text(SWEPT, encoding="utf-8")
    arguments = ["sweep", "my scenario.toml", "--vary", "flows[0].cc=reno,cubic", "--out", "store"]
    monkeypatch.setattr("sys.argv", ["/usr/bin/ackclock", *arguments])
    assert main(arguments) == 0
    place = tmp_path / "alone"
    place.mkdir()
    assert main(["pack", "store", "--out", str(place / "any name.zip"), "--without-wheel"]) == 0
    shutil.rmtree(tmp_path / "store")
    with zipfile.ZipFile(place / "any name.zip") as zipped:
        lines = [line.strip() for line in zipped.read("README.md").decode().splitlines() if line.startswith("    ")]
    own = place / "environment" / "bin"
    own.mkdir(parents=True)
    program = own / "ackclock"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ackclock "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    (place / "flows0.cc=reno,cubic").touch()
    commands = [line for line in lines if "venv" not in line and "pip install" not in line]
    assert [line for line in lines if "pip install" in line] == [f"environment/bin/pip install 'ackclock=={VERSION}'"]
    assert any(line.startswith("environment/bin/ackclock sweep unpacked/scenarios/0-") for line in commands)
    for command in commands:
        done = subprocess.run([shell, "-c", command], cwd=place, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}: {done.stderr}"
    assert (place / "report.html").is_file()
    assert (place / "store").is_dir()


def test_the_same_store_gives_the_same_bytes(scenario, tmp_path):
    ackclock.sweep(scenario, seeds=1, out=tmp_path / "store").close()
    for name in ("a.zip", "b.zip"):
        (tmp_path / name[0]).mkdir()
        packs.pack(tmp_path / "store", tmp_path / name[0] / "pack.zip", without_wheel=True)
    assert (tmp_path / "a/pack.zip").read_bytes() == (tmp_path / "b/pack.zip").read_bytes()


def test_a_result_that_differs_is_named(packed, tmp_path, capsys):
    def change(contents):
        document = json.loads(contents["ackclock-pack.json"])
        run = next(iter(document["results"]))
        document["results"][run]["links"] = "0" * 64
        contents["ackclock-pack.json"] = json.dumps(document).encode()

    other = changed(packed, tmp_path / "other.zip", change)
    done = packs.verify(other)
    assert done.changed == ["ackclock-pack.json: is not what follows from the store: results"]
    assert main(["verify", str(other)]) == 1
    assert "does not follow from the runs: ackclock-pack.json" in capsys.readouterr().err


def test_a_scenario_that_was_changed_is_found(packed, tmp_path):
    def change(contents):
        [name] = [name for name in contents if name.startswith("store/sweeps/")]
        contents[name] = contents[name].replace(b'\\"10ms\\"', b'\\"11ms\\"')

    done = packs.verify(changed(packed, tmp_path / "other.zip", change))
    assert done.same == 0
    assert len(done.different) == 4
    assert any("scenario_hash is not that of its scenario" in one for one in done.changed)


def test_a_sample_of_the_runs_can_be_repeated(packed):
    done = packs.verify(packed, most=2)
    assert done.same == 2
    assert done.left_out == ["2 runs: only 2 were asked for"]


def test_a_congestion_control_in_python_goes_along(scenario, tmp_path, capsys):
    own = tmp_path / "steady.py"
    own.write_text(OWN.format(name="steady", share="0.7"), encoding="utf-8")
    store = tmp_path / "store"
    assert main(["sweep", str(scenario), "--load", str(own), "--set", "flows[0].cc=steady", "--out", str(store)]) == 0
    assert main(["pack", str(store), "--without-wheel", "--out", str(tmp_path / "own.zip")]) == 0
    own.unlink()
    registry._entries.clear()
    capsys.readouterr()
    assert main(["verify", str(tmp_path / "own.zip"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["same"], told["code"], told["executed"]) == (1, ["steady.py (Python)"], packs.CONFINED)
    assert main(["verify", str(tmp_path / "own.zip"), "--trust"]) == 0
    assert packs.TRUSTED in " ".join(capsys.readouterr().err.split())
    assert not registry.rows(), "what a pack needs is not left behind"


@needs_cargo
def test_a_library_goes_along_and_is_refused_on_another_system(scenario, tmp_path, capsys):
    source = resources.files("ackclock.engine.bench").joinpath("counting.rs").read_text(encoding="utf-8")
    library = of_source(tmp_path, "spread", source)
    store = tmp_path / "store"
    given = ["--load", str(library), "--set", "flows[0].cc=bench-spread"]
    assert main(["sweep", str(scenario), *given, "--out", str(store)]) == 0
    assert main(["pack", str(store), "--without-wheel", "--out", str(tmp_path / "own.zip")]) == 0
    ours, foreign = library.read_bytes(), b"MZ" + library.read_bytes()[2:]
    library.unlink()
    registry._entries.clear()
    capsys.readouterr()
    assert main(["verify", str(tmp_path / "own.zip"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["same"] == 1
    assert not registry.rows(), "what a pack needs is not left behind"

    def exchange(old, new):
        def change(contents):
            [name] = [name for name in contents if name.startswith("store/sweeps/")]
            assert old.encode() in contents[name]
            contents[name] = contents[name].replace(old.encode(), new.encode())

        return change

    for new, told in ((libraries.encoded(foreign), "it is a library for Windows (PE)"), ("c28=", "is no library")):
        other = changed(tmp_path / "own.zip", tmp_path / "other.zip", exchange(libraries.encoded(ours), new))
        assert main(["verify", str(other)]) == 2
        assert told in " ".join(capsys.readouterr().err.split())
        other.unlink()


def test_runs_that_fail_have_to_fail_again(scenario, tmp_path):
    store, own = tmp_path / "store", tmp_path / "broken.py"
    own.write_text(OWN.format(name="broken", share="1 / 0"), encoding="utf-8")
    settings = ["--set", "flows[0].cc=broken", "--set", "bottleneck.queue=2 packets", "--set", "duration=3s"]
    assert main(["sweep", str(scenario), "--load", str(own), *settings, "--out", str(store)]) == 1
    packs.pack(store, tmp_path / "failed.zip", without_wheel=True)
    registry._entries.clear()
    done = packs.verify(tmp_path / "failed.zip")
    assert (done.same, done.failed, done.different, done.changed) == (0, 1, [], [])
    assert not done.good, "a failure that repeats is no result"

    def mended(contents):
        [name] = [name for name in contents if name.startswith("store/sweeps/")]
        contents[name] = contents[name].replace(b"1 / 0", b"0.5")

    done = packs.verify(changed(tmp_path / "failed.zip", tmp_path / "mended.zip", mended))
    assert done.same == 0
    assert "did not fail" in done.different[0] or "is not a known" in done.different[0]


def test_what_is_no_pack_is_refused(tmp_path, packed, capsys):
    (tmp_path / "text.zip").write_text("no archive", encoding="utf-8")
    for name, told in (("text.zip", "is no pack"), ("none.zip", "no such file")):
        assert main(["verify", str(tmp_path / name)]) == 2
        assert told in " ".join(capsys.readouterr().err.split())

    def later(contents):
        contents["ackclock-pack.json"] = json.dumps({"format": 99, "version": "9.9"}).encode()

    def earlier(contents):
        contents["ackclock-pack.json"] = json.dumps({"format": 1, "version": "0.1"}).encode()

    def outside(contents):
        contents["../outside"] = b"x"

    def engine(contents):
        document = json.loads(contents["ackclock-pack.json"])
        contents["ackclock-pack.json"] = json.dumps(document | {"engine": "0" * 64}).encode()

    for name, change, told in (
        ("later.zip", later, "has format 99"),
        ("earlier.zip", earlier, "has format 1,"),
        ("outside.zip", outside, "would lie outside"),
        ("engine.zip", engine, "or --any-version"),
    ):
        assert main(["verify", str(changed(packed, tmp_path / name, change))]) == 2
        assert told in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path.parent / "outside").exists()
    assert packs.verify(tmp_path / "engine.zip", any_version=True).same == 4


def test_a_pack_is_written_whole_or_not_at_all(scenario, tmp_path, capsys):
    store = tmp_path / "store"
    ackclock.sweep(scenario, out=store).close()
    taken = tmp_path / "taken.zip"
    taken.write_text("mine", encoding="utf-8")
    for arguments, told in (
        ([str(store), "--out", str(taken), "--without-wheel"], "exists already"),
        ([str(store), "--out", str(tmp_path / "a.tar"), "--without-wheel"], "ends in .zip"),
        ([str(store), "--out", str(tmp_path / "a.zip"), "--wheel", str(taken)], "is no wheel"),
        ([str(tmp_path / "none"), "--out", str(tmp_path / "a.zip")], "no store"),
    ):
        assert main(["pack", *arguments]) == 2
        assert told in " ".join(capsys.readouterr().err.split())
    assert taken.read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "a.zip").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scenario", "store", "taken.zip"]


def test_a_wheel_without_the_logs_of_searches_lacks_nothing(tmp_path):
    package = Path(ackclock.__file__).parent
    files = [path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert any(path.name.endswith(LOGS) for path in files)
    table = next(path for path in files if path.suffix == ".dna")

    def lacking(*left_out):
        with zipfile.ZipFile(tmp_path / "own.whl", "w") as made:
            for path in files:
                if not path.name.endswith(left_out):
                    made.write(path, path.relative_to(package.parent).as_posix())
        return [name for name in foreign_files(tmp_path / "own.whl") if name.startswith("ackclock/")]

    assert lacking(LOGS) == []
    assert lacking(LOGS, table.name) == [table.relative_to(package.parent).as_posix()]


def test_a_wheel_that_was_given_is_put_in(scenario, tmp_path):
    wheel = tmp_path / "ackclock-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as made:
        made.writestr("ackclock/__init__.py", "")
    ackclock.sweep(scenario, out=tmp_path / "store").close()
    assert packs.pack(tmp_path / "store", tmp_path / "w.zip", wheel=wheel).wheel == wheel.name
    with zipfile.ZipFile(tmp_path / "w.zip") as zipped:
        assert zipped.read(f"wheel/{wheel.name}") == wheel.read_bytes()
    assert wheel_of(wheel, tmp_path) == wheel


def test_digests_depend_on_every_cell_and_on_nothing_else(scenario):
    one, same, other = (ackclock.run(scenario, seed=seed) for seed in (1, 1, 1))
    assert contents.digests(one) == contents.digests(same)
    longer = ackclock.run(scenario, seed=1, overrides={"bottleneck.delay": "11ms"})
    assert contents.digests(other)["links"] != contents.digests(longer)["links"]
