"""Folders of stores: what is refused, two sweeps at once, and full disks."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import ackclock
from ackclock.store import StoreError
from ackclock.store.writer import open_writer
from tests.helpers.scenarios import SWEPT
from tests.helpers.stores import CC_GRID, bytes_of, swept_again


class TestPlaces:
    def test_no_store(self, tmp_path):
        with pytest.raises(StoreError, match="no store; `ackclock sweep"):
            ackclock.open(tmp_path)

    def test_a_folder_of_something_else_is_left_alone(self, tmp_path):
        (tmp_path / "thesis.tex").write_text("mine")
        with pytest.raises(StoreError, match=r"holds what is no store \(thesis\.tex\)"):
            ackclock.sweep(SWEPT, out=tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]

    def test_a_file_in_the_way(self, tmp_path):
        (tmp_path / "out").write_text("mine")
        for place in ("out", "out/deeper"):
            with pytest.raises(StoreError, match=r"not a folder|cannot be written: Not a directory"):
                ackclock.sweep(SWEPT, out=tmp_path / place)

    def test_a_folder_that_cannot_be_made(self):
        with pytest.raises(StoreError, match="/proc/ackclock: cannot be written"):
            ackclock.sweep(SWEPT, out="/proc/ackclock")

    def test_a_folder_that_cannot_be_written(self, tmp_path, monkeypatch):
        (tmp_path / "out").mkdir()
        # The user of a container may write anywhere: this one is told that it may not.
        monkeypatch.setattr(os, "access", lambda path, mode: False)
        with pytest.raises(StoreError, match="cannot be written: Permission denied"):
            ackclock.sweep(SWEPT, out=tmp_path / "out")

    def test_two_sweeps_at_once(self, store):
        with open_writer(store, "other"):
            with pytest.raises(StoreError, match=rf"another sweep is writing to it \(process {os.getpid()} on"):
                swept_again(store)
            with ackclock.open(store) as opened:
                assert opened.complete
        swept_again(store)

    def test_whoever_comes_second_leaves_the_folder_alone(self, tmp_path, monkeypatch):
        """Another process may be the first to write into a folder that this one has just made."""
        out = tmp_path / "store"

        def taken(layout):
            layout.lock.write_text("process 1 on another machine")
            raise StoreError("another sweep is writing to it")

        monkeypatch.setattr("ackclock.store.writer.writing", taken)
        with pytest.raises(StoreError, match="another sweep"):
            swept_again(out)
        assert [path.name for path in out.iterdir()] == ["lock"]

    def test_a_folder_that_another_process_makes_meanwhile(self, tmp_path, monkeypatch):
        made = []

        def mkdir(path, *arguments, **options):
            if not made:
                made.append(path)
                make(path)
            make(path, *arguments, **options)

        make = Path.mkdir
        monkeypatch.setattr(Path, "mkdir", mkdir)
        with open_writer(tmp_path / "store", "sweep"):
            pass
        assert made == [tmp_path / "store"]
        monkeypatch.undo()
        (tmp_path / "link").symlink_to(tmp_path / "nowhere")
        with pytest.raises(StoreError, match="link: cannot be written: File exists"):
            swept_again(tmp_path / "link")

    def test_two_processes_at_once_end_with_the_same_store(self, tmp_path):
        """One of them is refused, or comes later and finds everything done."""
        (tmp_path / "hello.toml").write_text(SWEPT)
        command = [sys.executable, "-m", "ackclock", "sweep", "hello.toml", "--seeds", "60", "--out"]
        both = [
            subprocess.Popen([*command, "both"], cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
            for _ in range(2)
        ]
        told = [process.communicate()[1].decode() for process in both]
        codes = sorted(process.returncode for process in both)
        assert codes in ([0, 0], [0, 2])
        if codes == [0, 2]:
            assert any("another sweep is writing" in text for text in told)
        subprocess.run([*command, "alone"], cwd=tmp_path, check=True, capture_output=True)
        assert bytes_of(tmp_path / "both") == bytes_of(tmp_path / "alone")


class TestFullDisk:
    @pytest.mark.parametrize("writes", [0, 3, 9, 14, 19])
    def test_what_has_finished_is_kept(self, made, tmp_path, monkeypatch, writes):
        monkeypatch.setattr("ackclock.store.writer.PART_RUNS", 5)
        out = tmp_path / "store"
        left = [writes]
        sync = os.fsync

        def full(descriptor):
            left[0] -= 1
            if left[0] < 0:
                raise OSError(28, os.strerror(28))
            sync(descriptor)

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(StoreError, match="cannot be written: No space left on device; what has finished is kept"):
            ackclock.sweep(SWEPT, CC_GRID, seeds=6, out=out, threads=1)
        monkeypatch.setattr(os, "fsync", sync)
        with ackclock.open(out) as opened:
            kept = opened.finished
            assert kept >= min(writes, 5)
            assert len(opened.sql("SELECT DISTINCT run FROM flows" if kept else "SELECT 1 WHERE false")) == kept
        fractions = swept_again(out)
        assert fractions[0] == pytest.approx(kept / 12)
        assert bytes_of(out) == bytes_of(made)

    def test_a_disk_that_is_really_full(self, tmp_path, made, monkeypatch):
        monkeypatch.setattr("ackclock.store.writer.PART_RUNS", 5)
        disk = tmp_path / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=100k", "none", str(disk)], capture_output=True)
        if mounted.returncode:
            pytest.skip("no disk of our own: mounting is not allowed here")
        try:
            with pytest.raises(StoreError, match="No space left on device"):
                ackclock.sweep(SWEPT, CC_GRID, seeds=6, out=disk / "store")
            with ackclock.open(disk / "store") as opened:
                assert 0 < opened.finished < 12
            subprocess.run(["mount", "-o", "remount,size=10m", str(disk)], check=True)
            swept_again(disk / "store")
            assert bytes_of(disk / "store") == bytes_of(made)
        finally:
            subprocess.run(["umount", str(disk)], check=True)
