"""Results on disk: whole or not at all."""

import errno
import json
import os
import shutil
import subprocess
import sys

import pytest

from ackclock.base import files
from ackclock.base.workplace import draft
from tests.helpers.processes import KILLED, in_child
from tests.helpers.tables import make_table


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def write(path, text="x", name="a.txt"):
    with files.output_folder(path) as folder:
        files.write_text(folder / name, text)


def test_a_folder_appears_whole(tmp_path):
    out = tmp_path / "out"
    with files.output_folder(out) as folder:
        files.write_text(folder / "a.txt", "a")
        assert not out.exists()
    assert names(out) == ["a.txt", "ackclock.json"]
    assert names(tmp_path) == ["out"]
    assert out.stat().st_mode & 0o055 == 0o055


def test_parents_are_made(tmp_path):
    write(tmp_path / "a" / "b" / "out")
    assert (tmp_path / "a" / "b" / "out" / "a.txt").read_text() == "x"


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_exception_leaves_nothing(tmp_path, error):
    with pytest.raises(error), files.output_folder(tmp_path / "a" / "out") as folder:
        files.write_text(folder / "a.txt", "a")
        raise error
    assert names(tmp_path) == []


def test_an_exception_keeps_what_was_there(tmp_path):
    out = tmp_path / "out"
    write(out, "old")
    with pytest.raises(KeyboardInterrupt), files.output_folder(out):
        raise KeyboardInterrupt
    assert (out / "a.txt").read_text() == "old"
    assert names(tmp_path) == ["out"]


def test_our_own_folder_is_replaced(tmp_path):
    out = tmp_path / "out"
    write(out, name="old.txt")
    write(out, name="new.txt")
    assert names(out) == ["ackclock.json", "new.txt"]
    assert names(tmp_path) == ["out"]


def test_an_empty_folder_is_taken(tmp_path):
    (tmp_path / "out").mkdir()
    write(tmp_path / "out")
    assert names(tmp_path / "out") == ["a.txt", "ackclock.json"]


@pytest.mark.parametrize("foreign", ["thesis.tex", "notes/thesis.tex"])
def test_a_folder_with_something_else_is_refused(tmp_path, foreign):
    out = tmp_path / "out"
    write(out)
    (out / foreign).parent.mkdir(exist_ok=True)
    (out / foreign).write_text("years of work")
    entered = False
    with pytest.raises(files.FolderError, match=r"thesis\.tex"), files.output_folder(out):
        entered = True
    assert not entered
    assert (out / foreign).read_text() == "years of work"


def test_a_full_disk_is_said_of_the_folder(tmp_path):
    with (
        pytest.raises(files.FolderError, match=r"out: cannot be written: No space left"),
        files.output_folder(tmp_path / "out"),
    ):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert names(tmp_path) == []


@pytest.mark.parametrize("step", range(6))
def test_an_interrupt_while_folders_change_places_leaves_one_of_them(tmp_path, monkeypatch, step):
    """Before or after each of three steps: the old folder moves away, the new one comes, the old one goes."""
    monkeypatch.setattr(files, "_exchanged", lambda one, other: False)
    out = tmp_path / "out"
    write(out, "old")
    calls = iter(range(6))

    def interrupted(act):
        def call(*arguments, **options):
            number = next(calls, None)
            if number is None:
                return act(*arguments, **options)
            if 2 * number == step:
                raise KeyboardInterrupt
            act(*arguments, **options)
            if 2 * number + 1 == step:
                raise KeyboardInterrupt
            return None

        return call

    def replace(path, partial, kept):
        monkeypatch.setattr(files.Path, "rename", interrupted(files.Path.rename))
        monkeypatch.setattr(shutil, "rmtree", interrupted(shutil.rmtree))
        try:
            whole(path, partial, kept)
        finally:
            monkeypatch.undo()

    whole = files._replace
    with monkeypatch.context() as patch:
        patch.setattr(files, "_replace", replace)
        with pytest.raises(KeyboardInterrupt):
            write(out, "new")
    assert (out / "a.txt").read_text() == ("old" if step < 3 else "new")
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("step", range(8))
def test_an_interrupt_never_loses_the_folder_that_is_kept(tmp_path, monkeypatch, step):
    """The same, but the kept folder moves from the old to the new in between."""
    monkeypatch.setattr(files, "_exchanged", lambda one, other: False)
    out = tmp_path / "out"
    write(out, "old")
    (out / "runs").mkdir()
    (out / "runs" / "precious").write_text("x")
    calls = iter(range(8))
    whole, rename, rmtree = files._replace, files.Path.rename, shutil.rmtree

    def interrupted(act):
        def call(*arguments, **options):
            number = next(calls, None)
            if number is not None and 2 * number == step:
                raise KeyboardInterrupt
            act(*arguments, **options)
            if number is not None and 2 * number + 1 == step:
                raise KeyboardInterrupt

        return call

    def replace(path, partial, kept):
        with monkeypatch.context() as patch:
            patch.setattr(files.Path, "rename", interrupted(rename))
            patch.setattr(shutil, "rmtree", interrupted(rmtree))
            whole(path, partial, kept)

    monkeypatch.setattr(files, "_replace", replace)
    with pytest.raises(KeyboardInterrupt), files.output_folder(out, kept="runs") as folder:
        files.write_text(folder / "a.txt", "new")
    assert (out / "a.txt").read_text() == ("old" if step < 5 else "new")
    assert (out / "runs" / "precious").read_text() == "x"
    assert names(tmp_path) == ["out"]


@pytest.mark.skipif(sys.platform != "linux", reason="exchanges two names in one step, as Linux can")
@pytest.mark.parametrize("end", ["interrupted", "killed"])
@pytest.mark.parametrize("step", ["before", "exchanged", "moved"])
def test_a_folder_and_what_is_kept_in_it_are_there_wherever_the_process_ends(tmp_path, monkeypatch, step, end):
    """A process that is killed tidies nothing up: the next one that asks for the folder does."""
    out = tmp_path / "out"
    write(out, "old")
    (out / "runs").mkdir()
    (out / "runs" / "precious").write_text("x")
    exchanged, rename = files._exchanged, files.Path.rename
    stopped = []

    def stop():
        stopped.append(step)
        if end == "killed":
            os._exit(KILLED)
        raise KeyboardInterrupt

    def exchange(one, other):
        if step == "before":
            stop()
        assert exchanged(one, other)
        if step == "exchanged":
            stop()
        return True

    def move(path, target):
        rename(path, target)
        if step == "moved" and not stopped:
            stop()

    def act():
        with files.output_folder(out, kept="runs") as folder:
            files.write_text(folder / "a.txt", "new")

    with monkeypatch.context() as patch:
        patch.setattr(files, "_exchanged", exchange)
        patch.setattr(files.Path, "rename", move)
        if end == "killed":
            assert in_child(act) == KILLED
        else:
            with pytest.raises(KeyboardInterrupt):
                act()
    files.check_folder(out, kept="runs")
    assert (out / "a.txt").read_text() == ("old" if step == "before" else "new")
    assert (out / "runs" / "precious").read_text() == "x"
    assert names(tmp_path) == ["out"]


def test_the_next_file_removes_what_a_killed_process_left(tmp_path):
    def act():
        with draft(tmp_path, ".a.txt.partial-") as (descriptor, _):
            os.write(descriptor, b"half")
            os._exit(KILLED)

    (tmp_path / ".a.txt.swp").write_text("an editor's")
    assert in_child(act) == KILLED
    assert len(names(tmp_path)) == 2
    with draft(tmp_path, ".a.txt.partial-") as (_, other):
        files.write_text(tmp_path / "a.txt", "whole")
        assert other.exists(), "a process that lives has its lock"
    assert names(tmp_path) == [".a.txt.swp", "a.txt"]


def test_what_is_kept_is_nobodys_to_list(tmp_path):
    out = tmp_path / "out"
    (out / "runs").mkdir(parents=True)
    (out / "runs" / "precious").write_text("x")
    with pytest.raises(files.FolderError, match="runs/precious"):
        files.check_folder(out)
    for text in ("one", "two"):
        with files.output_folder(out, kept="runs") as folder:
            files.write_text(folder / "a.txt", text)
        assert names(out) == ["a.txt", files.MARKER, "runs"]
        assert (out / "runs" / "precious").read_text() == "x"


def test_something_else_that_appears_meanwhile_is_kept(tmp_path):
    out = tmp_path / "out"
    with pytest.raises(files.FolderError), files.output_folder(out):
        out.mkdir()
        (out / "thesis.tex").write_text("years of work")
    assert names(out) == ["thesis.tex"]


@pytest.mark.parametrize("marker", ["[1, 2", "[" * 200_000, '{"a":' * 200_000, f'{{"files": {"1" * 5000}}}', "\xff"])
def test_a_marker_that_is_not_ours_proves_nothing(tmp_path, marker):
    out = tmp_path / "out"
    out.mkdir()
    (out / files.MARKER).write_text(marker, encoding="latin-1")
    (out / "a.txt").write_text("x")
    with pytest.raises(files.FolderError):
        files.check_folder(out)


def test_places_that_cannot_be_folders_are_refused(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "to-file").symlink_to(file)
    for place in (file, file / "below", tmp_path / "link", tmp_path / "loop", tmp_path / "to-file"):
        with pytest.raises(files.FolderError):
            files.check_folder(place)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(files.FolderError, match="runs in"):
        files.check_folder(tmp_path / "here")


def test_a_symbolic_link_stands_for_the_folder_that_it_leads_to(tmp_path):
    """The command run accepts the same places as the command sweep."""
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "link"
    link.symlink_to("elsewhere")
    write(link, name="old.txt")
    write(link, name="new.txt")
    assert link.is_symlink()
    assert names(tmp_path / "elsewhere") == ["ackclock.json", "new.txt"]
    assert names(tmp_path) == ["elsewhere", "link"]
    (tmp_path / "elsewhere" / "thesis.tex").write_text("years of work")
    with pytest.raises(files.FolderError, match=r"link holds what ackclock did not write \(thesis.tex\)"):
        write(link)


def test_json_refuses_what_json_does_not_have(tmp_path):
    with pytest.raises(ValueError, match="JSON"):
        files.write_json(tmp_path / "a.json", {"x": float("nan")})
    assert names(tmp_path) == []


def test_csv_keeps_every_digit_and_empty_cells(tmp_path):
    table = make_table(x=[0.1 + 0.2, None], name=["a,b", "c"], n=[1, None], yes=[True, False])
    files.write_csv(tmp_path / "a.csv", table)
    assert (tmp_path / "a.csv").read_text() == 'x,name,n,yes\n0.30000000000000004,"a,b",1,True\n,c,,False\n'


def test_the_marker_lists_the_files(tmp_path):
    write(tmp_path / "out")
    assert json.loads((tmp_path / "out" / files.MARKER).read_text())["files"] == ["a.txt"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of open files")
@pytest.mark.parametrize("free", range(8))
def test_a_folder_is_removed_where_no_file_can_be_opened(tmp_path, free):
    """A process that has reached its limit of open files still removes the folder that it worked in."""
    code = f"""
import os, resource, sys
from pathlib import Path
from ackclock.base.workplace import workplace
import ackclock.base.locks, fcntl
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
taken = []
def take():
    while True:
        taken.append(os.open(os.devnull, os.O_RDONLY))
try:
    take()
except OSError:
    for one in range({free}):
        os.close(taken.pop())
try:
    with workplace(Path(sys.argv[1]), ".work-") as folder:
        below = folder / "a" / "b" / "c"
        below.mkdir(parents=True)
        (below / "link").symlink_to(sys.argv[1])
        for place in (folder, below.parent, below):
            (place / "file").write_bytes(b"x")
        take()
except OSError as error:
    print(error.errno)
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(errno.EMFILE)
    assert not list(tmp_path.iterdir())
