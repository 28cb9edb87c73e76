"""A crate that ``ackclock new cc NAME --rust`` writes builds without a registry, and is what it says."""

import os
import re
import shutil
import tomllib

import pytest

import ackclock
from ackclock import _core
from ackclock._errors import RefusedError
from ackclock.cc import registry, templates
from ackclock.cli import main
from tests.cc.mine import BASE, MARKED, equal, run
from tests.helpers.crates import cargo, needs_cargo
from tests.helpers.places import ROOT

pytestmark = pytest.mark.slow

CONTRACT = ROOT / "crates/ackclock-cc"


def test_the_contract_in_the_package_is_that_of_the_tree():
    files = dict(_core.contract())
    there = {path.relative_to(CONTRACT).as_posix() for path in CONTRACT.rglob("*") if path.is_file()}
    assert files.keys() == there
    for path in there - {"Cargo.toml"}:
        assert files[path] == (CONTRACT / path).read_text(encoding="utf-8"), f"{path}: build the extension anew"
    manifest = tomllib.loads(files["Cargo.toml"])
    assert "workspace" not in files["Cargo.toml"].replace("# As the workspace's", "").replace("the workspace's", "")
    assert (manifest["package"]["version"], manifest["dependencies"]) == (_core.version(), {})


def test_a_crate_is_written_whole_or_not_at_all(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "cc", "my.reno_2", "--rust"]) == 0
    assert "cargo build --release" in capsys.readouterr().out
    crate = tmp_path / "my-reno-2"
    assert tomllib.loads((crate / "Cargo.toml").read_text())["package"]["name"] == "my-reno-2"
    assert 'NAME: &\'static str = "my.reno_2"' in (crate / "src/lib.rs").read_text()
    texts = [path.read_text() for path in crate.rglob("*") if path.is_file() and path.name != "templates.rs"]
    assert not [text for text in texts if re.search("template-|TemplateName|contract-version", text)]
    assert main(["new", "cc", "my.reno_2", "--rust"]) == 2
    assert "my-reno-2 exists; it is not overwritten" in capsys.readouterr().err
    for name, words in (("match", "cannot have this name"), ("ackclock-cc", "cannot have"), ("Mine", "is no name")):
        with pytest.raises(RefusedError, match=words):
            templates.write_crate(name)
    assert main(["new", "scenario", "parking-lot", "--rust"]) == 2
    assert "--rust is for congestion controls" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["my-reno-2"]


@pytest.fixture(scope="module")
def crates(tmp_path_factory):
    """Both crates, tested and built as their README says."""
    root = tmp_path_factory.mktemp("crates")
    made = [templates.write_crate(f"own-{level}", full=level == "full", within=root) for level in ("rules", "full")]
    for crate in made:
        assert "test result: ok" in cargo(crate, "test")
        cargo(crate, "build", "--release")
    return made


@needs_cargo
@pytest.mark.parametrize("overrides", [{}, MARKED, {"bottleneck.loss": "4%"}], ids=["loss", "marks", "timeouts"])
def test_both_levels_in_rust_are_those_in_python_and_reno_to_the_last_packet(crates, overrides, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for crate in crates:
        ackclock.load(crate)
    for name, whole in (("py-rules", False), ("py-full", True)):
        ackclock.load(templates.write(name, full=whole))
    results = {cc: run(cc, **overrides) for cc in ("own-rules", "py-rules", "own-full", "py-full", "reno-rfc5681")}
    assert equal(results["own-rules"], results["py-rules"])
    assert equal(results["own-full"], results["py-full"])
    if "flows[*].abe" not in overrides:
        # The templates keep the same share after a mark; Reno with ABE does not.
        assert equal(results["own-full"], results["reno-rfc5681"])
    kept = [run({"kind": cc, "kept": 0.8}, **overrides) for cc in ("own-rules", "py-rules")]
    assert equal(*kept)
    assert not equal(kept[0], results["own-rules"])


@needs_cargo
def test_a_library_is_used_like_a_name_of_the_catalogue(crates, tmp_path, capsys):
    crate = crates[0]
    scenario = tmp_path / "lossy.toml"
    scenario.write_text(BASE)
    library = next(file for file in (crate / "target/release").iterdir() if file.suffix in (".so", ".dylib", ".dll"))
    given = ["--load", str(library), "--set", 'flows[0].cc={ kind = "own-rules", kept = 0.8 }']
    assert main(["run", str(scenario), *given]) == 0
    assert "own-rules" in capsys.readouterr().out
    assert main(["check", str(scenario), *given]) == 0
    assert main(["list", "cc", "--load", str(crate)]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert f"{library.name}, source" in told
    assert "own-rules kept 0.5 0.1 to 0.95 part of the window kept at a loss" in told
    assert main(["schema", "--load", str(crate)]) == 0
    assert '"own-rules"' in capsys.readouterr().out
    assert main(["check", str(scenario), *given[:-1], 'flows[0].cc={ kind = "own-rules", kept = 2 }']) == 2
    assert "2 is not accepted; accepted: a number from 0.1 to 0.95" in capsys.readouterr().err
    meta = ackclock.run(BASE, overrides={"flows[0].cc": "own-rules", "duration": "1s"}).meta
    (row,) = registry.rows()
    assert row["source"] == f"{library.name}, source {meta['algorithms']['own-rules']}"


@needs_cargo
def test_threads_processes_and_other_processes_give_the_same(crates, tmp_path):
    ackclock.load(crates[1])
    own = {"flows[0].cc": "own-full", "duration": "3s"}
    runs = [ackclock.run(BASE, seeds=4, overrides=own, threads=threads) for threads in (1, 2)]
    assert repr(list(runs[0].flows.rows())) == repr(list(runs[1].flows.rows()))
    flows = []
    for memory in (None, "2GiB"):
        with ackclock.sweep(BASE, seeds=2, overrides=own, out=tmp_path / f"{memory}", memory=memory) as store:
            assert not list(store.failures.rows())
            flows.append(repr(list(store.table("flows").rows())))
    assert flows[0] == flows[1]


@needs_cargo
def test_the_folder_of_a_crate_means_its_newest_release_build(crates, tmp_path):
    crate = tmp_path / "own"
    shutil.copytree(crates[0], crate, ignore=shutil.ignore_patterns("deps", "build", "incremental", "debug"))
    (library,) = (file for file in (crate / "target/release").iterdir() if file.suffix in (".so", ".dylib", ".dll"))
    for file in (crate / "Cargo.toml", crate / "src/lib.rs"):
        os.utime(file, ns=(0, 0))
    ackclock.load(crate)
    os.utime(crate / "src/lib.rs", ns=(0, library.stat().st_mtime_ns + 1))
    with pytest.raises(registry.LoadError, match=r"src/lib.rs is newer than \S+; run `cargo build --release` there"):
        ackclock.load(crate)
    library.unlink()
    with pytest.raises(registry.LoadError, match="of a release build; run `cargo build --release` there first"):
        ackclock.load(crate)
    (crate / "Cargo.toml").write_text("[workspace]\n")
    with pytest.raises(registry.LoadError, match=r"Cargo.toml names no package; accepted: the folder of a crate"):
        ackclock.load(crate)
    with pytest.raises(registry.LoadError, match=r"has no Cargo.toml; accepted: the folder of a crate"):
        ackclock.load(tmp_path)
