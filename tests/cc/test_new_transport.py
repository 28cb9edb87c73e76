"""The transport in C that ``ackclock new transport`` writes; crates/ackclock-plugin tests its behaviour."""

import ctypes
import shutil
import struct
import subprocess

import pytest

from ackclock._errors import RefusedError
from ackclock.base.files import FolderError
from ackclock.cc import templates

needs_make = pytest.mark.skipif(not (shutil.which("cc") and shutil.which("make")), reason="cc or make is not installed")


def test_a_folder_is_written_whole_or_not_at_all(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, _ = cli("new", "transport", "my.own_2")
    assert status == 0
    assert "make -C my-own-2" in out
    folder = tmp_path / "my-own-2"
    texts = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    assert sorted(texts) == [".gitignore", "Makefile", "README.md", "ackclock_transport.h", "my-own-2.c"]
    assert 'ACKCLOCK_TEXT("my.own_2")' in texts["my-own-2.c"]
    assert not [name for name, text in texts.items() if "template-" in text]
    exists = "ackclock: my-own-2 exists; it is not overwritten [ACK008]\n"
    assert cli("new", "transport", "my.own_2") == (2, "", exists)
    (tmp_path / "file").write_text("")
    with pytest.raises(FolderError, match="cannot be written: Not a directory"):
        templates.write_transport("other", within=tmp_path / "file")
    with pytest.raises(RefusedError, match="'Mine' is no name"):
        templates.write_transport("Mine")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "my-own-2"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "expected the name of the transport: ackclock new transport NAME"),
        (("mine", "--rust"), "--rust is for congestion controls: ackclock new cc NAME --rust"),
        (("mine", "--full"), "--full is for congestion controls: ackclock new cc NAME --full"),
    ],
)
def test_wrong_uses_have_a_message(cli, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert cli("new", "transport", *arguments) == (2, "", f"ackclock: {message} [ACK001]\n")
    assert not list(tmp_path.iterdir())


@needs_make
def test_make_builds_a_library_without_warnings(tmp_path):
    folder = templates.write_transport("mine", within=tmp_path)
    done = subprocess.run(["make"], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    header = (ctypes.c_char * 16).in_dll(ctypes.CDLL(str(folder / "mine.so")), "ACKCLOCK_PLUGIN")
    assert struct.unpack("=8sII", header.raw) == (b"ackclock", 2, 2)
    again = subprocess.run(["make"], cwd=folder, capture_output=True, text=True, check=True)
    assert "up to date" in again.stdout
