"""Provenance and versions of the results in a store."""

import shutil
import subprocess

import pytest

import ackclock
from ackclock.base.build import revision_of
from ackclock.store import StoreError
from ackclock.store.provenance import build
from tests.helpers.scenarios import SWEPT
from tests.helpers.stores import CC_GRID


class TestProvenance:
    def test_provenance(self, made):
        with ackclock.open(made) as opened:
            account = opened.provenance()[0]
            assert account["version"] == build() == opened.sweeps[0].version
            assert account["engine"].startswith(build().partition("+")[2])
            assert (account["finished"], account["failed"], account["finished_before"]) == (12, 0, 0)
            assert account["began"] <= account["ended"]
            assert {"system", "machine", "processor", "cores", "python"} <= account["host"].keys()
            scenario = opened.sweeps[0].document["scenarios"][0]
            assert ackclock.run(scenario["text"], overrides=opened.sweeps[0].document["points"][0]["overrides"])

    @pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
    def test_the_revision_is_that_of_the_folder(self, tmp_path, monkeypatch):
        monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
        assert revision_of(tmp_path) is None
        for name in ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"):
            monkeypatch.setenv(name, "somebody")
        (tmp_path / "file").write_text("one")
        for arguments in (["init", "--quiet"], ["add", "file"], ["commit", "--quiet", "--message", "first"]):
            subprocess.run(["git", "-C", str(tmp_path), *arguments], check=True)
        found = revision_of(tmp_path)
        assert len(found["commit"]) == 40
        assert not found["modified"]
        (tmp_path / "file").write_text("two")
        assert revision_of(tmp_path) == found | {"modified": True}

    def test_an_account_that_is_damaged_is_named(self, store):
        (store / "provenance" / "1.json").write_text("{")
        with ackclock.open(store) as opened:
            assert opened.complete
            with pytest.raises(StoreError, match=r"1\.json: damaged; no result hangs on it"):
                opened.provenance()


class TestVersions:
    @pytest.fixture
    def mixed(self, store, monkeypatch):
        for module in ("ackclock.sweeps.plan", "ackclock.sweeps.perform", "ackclock.store.provenance"):
            monkeypatch.setattr(f"{module}.build", lambda: "0.2.0+cafecafe")
        ackclock.sweep(SWEPT, CC_GRID, seeds=2, out=store).close()
        return store

    def test_results_of_two_do_not_mix(self, mixed):
        with pytest.raises(StoreError, match=r"several versions.*12 runs.*0\.2\.0\+cafecafe \(4 runs\).*mixed=True"):
            ackclock.open(mixed)

    def test_one_of_them(self, mixed):
        with ackclock.open(mixed, version="0.2.0") as new, ackclock.open(mixed, version=build()) as old:
            assert len(new.table("flows")) == len(new.runs) == 4
            assert len(old.table("flows")) == len(old.runs) == 12
        with pytest.raises(StoreError, match=r"no results of version '0\.3'; there are"):
            ackclock.open(mixed, version="0.3")

    def test_both_where_asked_for(self, mixed):
        with ackclock.open(mixed, mixed=True) as both:
            counts = both.sql("SELECT version, count(*) AS n FROM flows JOIN runs USING (run) GROUP BY ALL ORDER BY n")
            assert list(counts["n"]) == [4, 12]
