"""Files are read as far as a size, and pipes as long as a process writes into them."""

import os
import threading
from pathlib import Path

import pytest

from ackclock.base.reading import contents, opened, text


def test_a_file(tmp_path):
    file = tmp_path / "x"
    file.write_bytes(b"one\r\ntwo\rthree\n")
    assert contents(file) == b"one\r\ntwo\rthree\n"
    assert text(file) == "one\ntwo\nthree\n"
    with opened(file) as stream:
        assert stream.read(3) == b"one"


def test_a_file_that_is_too_large(tmp_path):
    file = tmp_path / "x"
    file.write_bytes(b"12345")
    assert contents(file, 5) == b"12345"
    with pytest.raises(OSError, match="more than 4 bytes") as refused:
        contents(file, 4)
    assert refused.value.filename == str(file)
    with file.open("wb") as stream:
        stream.truncate(1 << 40)
    with pytest.raises(OSError, match="more than 1024 MiB"):
        contents(file)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_into_which_no_process_writes(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="a pipe into which no process writes"):
        contents(tmp_path / "pipe")


@pytest.mark.skipif(not Path("/dev/fd/0").exists(), reason="the system has no /dev/fd")
@pytest.mark.parametrize("at_once", [True, False])
def test_a_pipe_into_which_a_process_writes(at_once):
    """As a shell makes one for <(command), which may have written before or write later."""
    reading, writing = os.pipe()
    data = b"x" * 300_000

    def write():
        with os.fdopen(writing, "wb") as stream:
            stream.write(data)

    thread = threading.Thread(target=write)
    if at_once:
        thread.start()
    else:
        threading.Timer(0.05, thread.start).start()
    try:
        assert contents(f"/dev/fd/{reading}") == data
    finally:
        os.close(reading)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
@pytest.mark.parametrize("size", [1, 2, 3, 300_000])
def test_no_byte_of_a_pipe_is_lost_when_its_writer_is_looked_for(tmp_path, size):
    os.mkfifo(tmp_path / "pipe")
    data = bytes(index % 251 for index in range(size))
    # A second reader lets the writer open the pipe before it is read.
    reading = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    writing = os.open(tmp_path / "pipe", os.O_WRONLY)
    os.write(writing, data[:1])

    def write():
        with os.fdopen(writing, "wb") as stream:
            stream.write(data[1:])

    with opened(tmp_path / "pipe") as stream:
        os.close(reading)
        thread = threading.Thread(target=write)
        thread.start()
        assert stream.read(2) + stream.read() == data
        thread.join()


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="the system has no /dev/zero")
def test_devices_and_folders(tmp_path):
    with pytest.raises(OSError, match="a device; accepted: a file"):
        contents("/dev/zero")
    with pytest.raises(IsADirectoryError):
        contents(tmp_path)
    with pytest.raises(FileNotFoundError):
        contents(tmp_path / "gone")
