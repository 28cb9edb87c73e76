"""The parts of the package: pinned versions, reviewed licences, floors, and one owner for each version number."""

import dataclasses
import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

import ackclock
from ackclock.report import assets
from tools.packaging import notices, oldest, profile, vendor

ROOT = Path(__file__).parents[2]
REQUIREMENTS = ROOT / "tools/packaging/requirements.sh"


def toml(path):
    return tomllib.loads((ROOT / path).read_text())


@pytest.fixture(scope="module")
def crates():
    return notices.linked()


class TestLicences:
    def test_every_linked_crate_is_reviewed(self, crates):
        assert len(crates) > 30
        assert notices.check(crates, notices.listed()) == []

    def test_a_crate_that_is_not_listed_is_an_error(self, crates):
        reviewed = notices.listed()
        licence = reviewed.pop("libm")
        (version,) = (crate.version for crate in crates if crate.name == "libm")
        assert notices.check(crates, reviewed) == [f"libm {version} ({licence}) is linked and is not in licences.toml"]

    def test_a_crate_whose_licence_has_changed_is_an_error(self, crates):
        changed = [dataclasses.replace(one, licence="GPL-3.0") if one.name == "libm" else one for one in crates]
        (problem,) = notices.check(changed, notices.listed())
        assert re.fullmatch(r"libm [\d.]+ has GPL-3\.0, not MIT", problem)

    def test_a_listed_crate_that_is_not_linked_is_an_error(self, crates):
        problems = notices.check(crates, notices.listed() | {"gone": "MIT"})
        assert problems == ["gone is in licences.toml and is not linked"]

    def test_a_crate_without_a_text_is_an_error(self, crates, tmp_path):
        bare = [dataclasses.replace(one, folder=tmp_path) if one.name == "libm" else one for one in crates]
        (problem,) = notices.check(bare, notices.listed())
        assert problem.endswith("brings no text of its licence")

    def test_a_crate_that_leaves_the_text_of_mit_out_has_it_with_its_holder(self, crates):
        (one,) = [crate for crate in crates if crate.name == "prefetch-index"]
        (text,) = one.texts()
        assert "Copyright (c) Ragnar Groot Koerkamp\n\nPermission is hereby granted, free of charge" in text
        assert dataclasses.replace(one, licence="Apache-2.0").texts() == []

    def test_the_notice_has_every_licence_in_full(self, crates):
        text = notices.notice(crates)
        for crate in crates:
            assert f"{crate.name} {crate.version} ({crate.licence})" in text
            assert all(one in text for one in crate.texts())
        assert "Leon Sorokin" in text

    def test_the_accepted_licences_are_permissive(self):
        permissive = {"MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Unlicense", "Zlib", "OR", "AND"}
        permissive |= {"WITH", "LLVM-exception", "Unicode-3.0"}
        assert set(re.findall(r"[^\s/()]+", " ".join(notices.listed().values()))) <= permissive


class TestVendoredScripts:
    def test_every_bundle_has_the_pinned_uplot_with_its_licence(self):
        assert vendor.is_present(), "web/ has changed since the bundles were built: run `make vendor`"
        for name in vendor.SCRIPTS:
            script = assets.bundle(name)
            assert f"uPlot (v{vendor.pinned()})" in script[:200]
            assert "Permission is hereby granted, free of charge" in script[:2000]
        assert "Marijn Haverbeke" in assets.bundle("lab.js")[:9000]
        assert vendor.LICENCE in assets.style()[:200]
        assert ".uplot" in assets.style()

    def test_the_lock_has_checksums_and_no_address(self):
        lock = (ROOT / "web/package-lock.json").read_text()
        wanted = json.loads((ROOT / "web/package.json").read_text())
        for name, version in (wanted["dependencies"] | wanted["devDependencies"]).items():
            assert version == vendor.pinned(name)
        packages = {name: one for name, one in json.loads(lock)["packages"].items() if name}
        assert len(packages) > 20
        assert all(one["integrity"].startswith("sha512-") for one in packages.values())
        assert "http" not in lock

    def test_a_bundle_of_other_sources_is_not_taken_for_it(self, tmp_path, monkeypatch):
        assert not vendor.is_present(tmp_path)
        shutil.copytree(vendor.TARGET, tmp_path, dirs_exist_ok=True)
        assert vendor.is_present(tmp_path)
        (tmp_path / "serve.js").write_text(assets.bundle("serve.js").replace(vendor.banner(), "another"))
        assert not vendor.is_present(tmp_path)
        copy = shutil.copytree(vendor.SOURCES / "src", tmp_path / "web/src")
        for path in vendor.SOURCES.glob("*.json"):
            shutil.copy(path, tmp_path / "web")
        monkeypatch.setattr(vendor, "SOURCES", tmp_path / "web")
        assert vendor.is_present()
        with (copy / "plot.ts").open("a") as source:
            source.write("// changed")
        assert not vendor.is_present()

    def test_a_registry_out_of_reach_is_one_message(self, tmp_path, monkeypatch):
        fake = tmp_path / "npm"
        fake.write_text("#!/bin/sh\necho 'npm error network' >&2\nexit 1\n")
        fake.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
        with pytest.raises(vendor.VendorError, match=r"(?s)npm did not fetch uPlot .*`make vendor`.*npm error network"):
            vendor.vendor(tmp_path / "target")
        assert not (tmp_path / "target").exists()

    def test_without_npm_the_message_says_where_it_comes_from(self, tmp_path, monkeypatch):
        monkeypatch.setattr(vendor, "npm", list)
        with pytest.raises(vendor.VendorError, match=re.escape(f"pip install {vendor.NPM}")):
            vendor.vendor(tmp_path / "target")

    def test_a_checkout_without_it_says_what_to_do(self, monkeypatch):
        monkeypatch.setattr(assets, "_read", lambda name: (_ for _ in ()).throw(FileNotFoundError(name)))
        with pytest.raises(ModuleNotFoundError, match="run `make vendor`"):
            assets.script()


def fake_tools(folder, **versions):
    """A PATH on which tools print what is given, and the system's own are found otherwise."""
    for name, line in versions.items():
        tool = folder / name
        tool.write_text(f"#!/bin/sh\necho '{line}'\n")
        tool.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


class TestRequirements:
    @pytest.mark.parametrize(
        ("versions", "missing"),
        [
            ({"cargo": "cargo 1.90.0 (x)", "rustc": "rustc 1.90.0 (x)"}, []),
            ({"cargo": "cargo 2.0.0", "rustc": "rustc 2.0.0"}, []),
            ({"cargo": "cargo 0.66.0", "rustc": "rustc 1.90.0"}, ["Rust 1.90 or later: cargo is 0.66.0"]),
            ({"cargo": "cargo 1.90.0", "rustc": "rustc 1.9.0"}, ["Rust 1.90 or later: rustc is 1.9.0"]),
            (
                {"cargo": "cargo 1.90.0", "rustc": "rustc 1.90.0", "python3": "3.9"},
                ["Python 3.11 or later: python3 is 3.9"],
            ),
            ({"cargo": "cargo 1.90.0", "rustc": ""}, ["Rust 1.90 or later: rustc is not there"]),
        ],
    )
    def test_what_is_missing_is_said_in_one_message(self, tmp_path, versions, missing):
        path = fake_tools(tmp_path, **versions)
        done = subprocess.run([REQUIREMENTS], capture_output=True, text=True, env={"PATH": path})
        assert done.returncode == (1 if missing else 0)
        lines = [line for line in done.stderr.splitlines() if line.startswith("  - ")]
        assert len(lines) == len(missing)
        for line, expected in zip(lines, missing, strict=True):
            assert line.startswith(f"  - {expected}")


class TestFloors:
    def test_every_dependency_of_users_has_one(self):
        floors = oldest.floors()
        assert len(floors) > 10
        pins = oldest.pins()
        assert len(pins) == len(floors) + len(oldest.TOOLS) + len(oldest.OTHERS)
        assert [pin for pin in pins if not re.fullmatch(r"[\w-]+==[\w.]+", pin)] == list(oldest.OTHERS)

    def test_locked_versions_are_at_least_the_floors(self):
        locked = dict(line.split("==") for line in (ROOT / "requirements.txt").read_text().splitlines())
        for name, floor in (requirement.split(">=") for requirement in oldest.floors()):
            assert [int(one) for one in locked[name].split(".")] >= [int(one) for one in floor.split(".")]

    def test_no_crate_wants_a_later_rust(self):
        """Crates say which Rust they need; only a build with the oldest Rust proves more (make oldest-rust)."""
        ours = toml("Cargo.toml")["workspace"]["package"]["rust-version"]
        metadata = json.loads(notices._cargo("metadata", "--format-version", "1"))
        for package in metadata["packages"]:
            wanted = package["rust_version"] or "0.0"
            assert [int(one) for one in wanted.split(".")[:2]] <= [int(one) for one in ours.split(".")]


def test_the_version_number_has_one_owner():
    """Cargo.toml; what has to repeat it agrees."""
    version = toml("Cargo.toml")["workspace"]["package"]["version"]
    assert ackclock.__version__.startswith(version)
    assert toml("pyproject.toml")["project"]["dynamic"] == ["version"]
    assert re.search(r"^version: \"?([\d.]+)\"?$", (ROOT / "CITATION.cff").read_text(), re.M)[1] == version


def test_a_profile_is_merged_by_the_compilers_own_llvm(tmp_path, monkeypatch):
    def program(folder, name, version):
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(f"#!/bin/sh\necho '  LLVM version {version}.1.2'\n")
        (folder / name).chmod(0o755)
        return str(folder / name)

    path = tmp_path / "path"
    monkeypatch.setenv("PATH", str(path))
    rustc = profile.Compiler("host", 22, tmp_path / "beside")
    program(path, "llvm-profdata", 14)
    with pytest.raises(SystemExit, match="needs llvm-profdata of LLVM 22"):
        profile.merger(rustc)
    plain = program(path, "llvm-profdata", 22)
    assert profile.merger(rustc) == plain
    named = program(path, "llvm-profdata-22", 22)
    assert profile.merger(rustc) == named
    beside = program(tmp_path / "beside", "llvm-profdata", 22)
    assert profile.merger(rustc) == beside
