"""Sessions of the test bed with its real programs, where they are installed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ackclock.kernel.testbed import Ask, Clip, encode, play
from ackclock.kernel.testbed.programs import found
from ackclock.kernel.testbed.session import SessionError

RIGHTS = sys.platform == "linux" and os.geteuid() == 0 and Path("/dev/net/tun").exists()
LADDER = (50, 200, 400)
SCENARIO = """
duration = "60s"
[bottleneck]
rate = "2Mbps"
delay = "20ms"
queue = "1bdp"
[[flows]]
name = "dash"
app = "bulk"
"""

pytestmark = pytest.mark.skipif(
    not RIGHTS or any(found(name) is None for name in ("ffmpeg", "nginx", "ss", "ip")),
    reason="needs root, /dev/net/tun, ffmpeg, nginx and iproute2",
)


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    """A clip of 12 s in a folder that every user can read."""
    folder = tmp_path_factory.mktemp("clip")
    encode(Clip(LADDER, 2, 12), folder)
    # pytest's folders are its user's alone.
    for path in (folder, *folder.parents[:3]):
        path.chmod(0o755)
    return folder


def ask(**changes) -> Ask:
    return Ask(
        **{
            "scenario": SCENARIO,
            "overrides": [],
            "seed": 1,
            "cc": "reno",
            "player": "ackclock",
            "seconds": 12.0,
            **changes,
        }
    )


def test_every_segment_has_the_size_of_its_level(clip) -> None:
    for level, kbps in enumerate(LADDER):
        sizes = [(clip / f"media-{level}-{number}.m4s").stat().st_size for number in range(1, 7)]
        assert sum(sizes) == pytest.approx(kbps * 1e3 / 8 * 12, rel=0.15), level


@pytest.mark.parametrize("persistent", [True, False])
def test_our_player_plays_the_clip_and_the_server_sees_it(clip, persistent) -> None:
    done = play(ask(persistent=persistent), clip, LADDER)
    assert (done.complete, done.errors) == (True, ())
    assert [one.number for one in done.requests] == [1, 2, 3, 4, 5, 6]
    assert len({one.connection for one in done.requests}) == (1 if persistent else 6)
    assert [one["level_bps"] / 1e3 for one in done.segments] == [one.level_kbps for one in done.requests]
    # What the server's side says of a download is what the player measured, but for the spacing of the samples.
    for told, seen in zip(done.segments, done.requests, strict=True):
        assert seen.done_s is not None
        assert abs(told["download_s"] - (seen.done_s - seen.start_s)) < 0.15
    assert {one.cwnd for one in done.samples}


@pytest.mark.skipif(shutil.which("cvlc") is None, reason="needs VLC")
def test_vlc_plays_the_clip(clip) -> None:
    done = play(ask(player="vlc"), clip, LADDER)
    assert (done.complete, done.errors) == (True, ())
    assert sorted({one.number for one in done.requests}) == [1, 2, 3, 4, 5, 6]


def test_a_congestion_control_that_the_kernel_has_not_ends_the_session_with_a_message(clip) -> None:
    with pytest.raises(SessionError, match=r"nonesuch: is no congestion control of this kernel; accepted: .*reno"):
        play(ask(cc="nonesuch"), clip, LADDER)


def test_a_session_leaves_no_process_and_no_folder(clip, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    tmp_path.chmod(0o755)
    for path in tmp_path.parents[:2]:
        path.chmod(0o755)
    play(ask(seconds=2.0), clip, LADDER)
    assert list(tmp_path.iterdir()) == []
    # The mark is in the configuration's path, which nginx has among its arguments.
    assert not [path for path in Path("/proc").glob("[0-9]*/cmdline") if str(tmp_path).encode() in _read(path)]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGKILL])
def test_a_session_that_is_ended_leaves_no_server(clip, tmp_path, sent) -> None:
    """The next session removes the folder of one that was killed."""
    for path in (tmp_path, *tmp_path.parents[:2]):
        path.chmod(0o755)
    code = f"""
from pathlib import Path
from ackclock.base.signals import Stopped, listen
from ackclock.kernel.testbed import Ask, play
listen()
try:
    play(Ask({SCENARIO!r}, [], 1, "reno", "ackclock", 12.0), Path({str(clip)!r}), {LADDER!r})
except Stopped:
    pass
"""
    # Without the interpreter's own handlers, as in the command line.
    process = subprocess.Popen([sys.executable, "-c", code], env=os.environ | {"TMPDIR": str(tmp_path)})
    while not any(b"nginx" in one for one in _of(tmp_path)):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(sent)
    process.wait()
    while _of(tmp_path):
        time.sleep(0.01)
    if sent == signal.SIGTERM:
        assert list(tmp_path.iterdir()) == []


def _of(folder) -> list[bytes]:
    """The command lines of the processes that name a folder."""
    found = [_read(path) for path in Path("/proc").glob("[0-9]*/cmdline")]
    return [one for one in found if str(folder).encode() in one]
