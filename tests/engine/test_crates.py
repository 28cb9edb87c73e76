"""The arrows between the crates, as DESIGN.md draws them, and between the modules of each crate."""

import tomllib
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.helpers.floors import CRATES as COLUMN
from tests.helpers.floors import floors
from tests.helpers.modules import levels

CRATES = Path(__file__).parents[2] / "crates"

ORDER = floors(COLUMN)
"""A crate uses only crates of earlier rows."""

EMBEDDED = {"core", "tcp", "net", "wire"}
"""The crates that other programs may embed, through the facade `ackclock`."""

CONTRACT = "cc"
"""The crate that crates of users depend on. It is packaged, and the wheel contains its sources."""

WITHOUT_SIMULATOR = {"drill", "livedrill", "tun", "plugin"}


def folder(crate):
    """The folder of a crate; that of the facade has no prefix."""
    return CRATES / ("ackclock" if crate == "ackclock" else f"ackclock-{crate}")


def uses(crate):
    """The crates of ours that a crate is built with, its tests aside."""
    manifest = tomllib.loads((folder(crate) / "Cargo.toml").read_text(encoding="utf-8"))
    named = manifest["dependencies"].keys() | manifest.get("build-dependencies", {}).keys()
    return {name.removeprefix("ackclock-") for name in named if name.startswith("ackclock-")}


def test_every_crate_uses_only_crates_of_earlier_rows():
    assert {path.name.removeprefix("ackclock-") for path in CRATES.iterdir()} == set().union(*ORDER)
    earlier = set()
    for row in ORDER:
        for crate in row:
            assert uses(crate) <= earlier, crate
        earlier |= row


def test_the_facade_has_the_embedded_crates_and_they_need_no_others():
    assert uses("ackclock") == EMBEDDED
    for crate in EMBEDDED:
        assert uses(crate) <= EMBEDDED, crate


@pytest.mark.parametrize("crate", sorted(EMBEDDED | {"ackclock", CONTRACT}))
def test_an_embedded_crate_can_be_packaged(crate):
    """It has a readme and a doc example, it is not kept from being published, and what it needs has a version."""
    assert (folder(crate) / "README.md").is_file()
    pages = [folder(crate) / "README.md", folder(crate) / "src/lib.rs"]
    assert any("assert" in page.read_text(encoding="utf-8").split("```", 1)[-1] for page in pages)
    manifest = tomllib.loads((folder(crate) / "Cargo.toml").read_text(encoding="utf-8"))
    assert "publish" not in manifest["package"]
    shared = tomllib.loads((CRATES.parent / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]
    for used in uses(crate):
        assert shared["dependencies"][f"ackclock-{used}"]["version"] == shared["package"]["version"]


def test_the_contract_has_no_dependencies_so_that_cargo_needs_no_registry_for_it():
    manifest = tomllib.loads((folder(CONTRACT) / "Cargo.toml").read_text(encoding="utf-8"))
    assert not [name for name in manifest if "dependencies" in name and manifest[name]]


def test_only_what_runs_simulations_knows_the_simulator():
    reached = {crate: uses(crate) for row in ORDER for crate in row}
    for crate in WITHOUT_SIMULATOR:
        known, news = set(), {crate}
        while news:
            known |= news
            news = set().union(*(reached[one] for one in news)) - known
        assert "sim" not in known, crate


@pytest.mark.parametrize("crate", sorted(set().union(*ORDER)))
def test_the_modules_of_a_crate_make_no_cycle(crate):
    """Neither do those in a folder of the crate."""
    for module, graph in levels(folder(crate) / "src").items():
        if (crate, module) == ("tcp", ()):
            # The configuration names the types of all the parts that read it.
            graph.pop("config")
        try:
            list(TopologicalSorter(graph).static_order())
        except CycleError as error:
            pytest.fail(f"{'::'.join([crate, *module])}: {' -> '.join(error.args[1])}")


def test_a_cycle_is_found_among_files_and_in_folders(tmp_path):
    def found(**files):
        for name, text in files.items():
            file = tmp_path / f"{name.replace('__', '/')}.rs"
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)
        return levels(tmp_path)

    assert found(lib="mod a; use a::B;", a="use crate::{b::{self, C}, d::E};", b="// crate::a", d="mod e;") == {
        (): {"a": {"b", "d"}}
    }
    assert found(b="fn f() { super::a::g() }")[()]["b"] == {"a"}
    inside = found(d__e="use super::{f::G, H}; use crate::a;", d__f="#[cfg(test)]\nmod tests {\nuse super::super::e;")
    assert (inside[("d",)], inside[()]["d"]) == ({"e": {"f"}}, {"a"})
