"""The first moments of the command line's process: signals that come before, and while, anything is imported."""

import subprocess
import sys
from pathlib import Path

import pytest

TYPICAL = """
duration = "200ms"
[bottleneck]
rate = "2Mbps"
delay = "10ms"
queue = "8 packets"
[[flows]]
name = "one"
app = "bulk"
"""


def python(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_nothing_large_is_imported_before_signals_are_handled():
    code = "import ackclock._entry, sys; print([name for name in ('numpy', 'rich', 'cyclopts') if name in sys.modules])"
    assert python(code) == (0, "[]\n", "")


def test_a_signal_during_the_imports_is_seen_to_after_them():
    code = """
import os, signal, sys
from ackclock import _entry
sys.argv = ["ackclock", "schema"]
_entry._open_streams = lambda: os.kill(os.getpid(), signal.SIGINT)
sys.exit(_entry.main())
"""
    assert python(code) == (130, "", "ackclock: interrupted; nothing is half-written\n")


def test_signals_that_were_switched_off_stay_off():
    code = """
import os, signal, sys
signal.signal(signal.SIGHUP, signal.SIG_IGN)
from ackclock import _entry
sys.argv = ["ackclock", "--version"]
_entry._open_streams = lambda: os.kill(os.getpid(), signal.SIGHUP)
sys.exit(_entry.main())
"""
    status, _, err = python(code)
    assert (status, err) == (0, "")


@pytest.mark.parametrize(
    "raised", ["KeyboardInterrupt()", "ackclock.Cancelled()", "ImportError()", "ackclock.StoreError()"]
)
def test_the_exit_status_is_the_signals_whatever_a_library_makes_of_it(raised):
    code = f"""
import os, signal, sys
import ackclock
from ackclock import _entry
from ackclock.base import signals
from ackclock.cli import plain
def command(arguments):
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    except signals.Stopped:
        raise {raised} from None
plain.call = command
sys.exit(_entry.main())
"""
    assert python(code) == (143, "", "ackclock: interrupted; nothing is half-written\n")


def test_public_names_come_when_they_are_used():
    code = "import ackclock; print(sorted(ackclock.__all__) == dir(ackclock), ackclock.stats.mean([1, 2]).value)"
    assert python(code) == (0, "True 1.5\n", "")
    code = "import ackclock\nfor name in ackclock.__all__: getattr(ackclock, name)\nackclock.nothing"
    status, _, err = python(code)
    assert status == 1
    assert err.endswith("AttributeError: module 'ackclock' has no attribute 'nothing'\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_message_without_room_changes_no_exit_status(tmp_path):
    """Standard error may be a file on the disk that is full: the run goes on, and its status says how it went."""
    path = tmp_path / "x.toml"
    path.write_text('[[flows]]\nname = "one"\napp = "bulk"\n[bottleneck]\nrate = "nothing"\n', encoding="utf-8")
    sound = path.with_name("y.toml")
    sound.write_text(TYPICAL, encoding="utf-8")
    with Path("/dev/full").open("w") as full:
        for words, status in {("run", str(path)): 2, ("run", str(sound), "--out", str(tmp_path / "out")): 0}.items():
            line = [sys.executable, "-m", "ackclock", *words]
            done = subprocess.run(line, stdout=subprocess.DEVNULL, stderr=full, check=False)
            assert done.returncode == status, words
    assert (tmp_path / "out" / "ackclock.json").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_signal_has_its_status_where_its_message_has_no_room():
    code = """
import os, signal, sys
from ackclock import _entry
sys.argv = ["ackclock", "schema"]
_entry._open_streams = lambda: os.kill(os.getpid(), signal.SIGINT)
sys.stderr = open("/dev/full", "w")
sys.exit(_entry.main())
"""
    assert python(code)[0] == 130


@pytest.mark.parametrize(
    "size", ["9" * 5000, "abc", "-5", "0", "\u0663"], ids=["long", "word", "below 0", "0", "arabic"]
)
def test_sizes_that_no_terminal_has(size):
    code = f"""
import os, sys
os.environ.update(COLUMNS={size!r}, LINES={size!r})
from ackclock import _entry
sys.argv = ["ackclock", "check", "nothing.toml"]
sys.exit(_entry.main())
"""
    assert python(code) == (2, "", "ackclock: nothing.toml: no such file [ACK010]\n")
