"""One session: a server, the links of a scenario and a player, in a process with a network namespace of its own."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ackclock.base.signals import Stopped, listen, stopped_status
from ackclock.base.workplace import temporary
from ackclock.kernel.emulate.run import emulate
from ackclock.kernel.process import end, started
from ackclock.kernel.testbed.content import MANIFEST
from ackclock.kernel.testbed.programs import require
from ackclock.kernel.testbed.server import ServerError, log_lines, serving
from ackclock.kernel.testbed.sockets import Sample, sampling

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.kernel.testbed.server import Line

__all__ = [
    "PLAYERS",
    "Ask",
    "Player",
    "Request",
    "Sample",
    "Session",
    "SessionError",
    "acknowledged",
    "changes",
    "play",
]

Player = Literal["vlc", "ackclock"]
PLAYERS: tuple[Player, ...] = ("vlc", "ackclock")
PROGRAMS: dict[Player, tuple[str, ...]] = {"vlc": ("cvlc", "setpriv"), "ackclock": ()}
VIEWER = Path(__file__).with_name("viewer.py")
NOBODY = "65534"
"""VLC refuses to run as root."""
OVERTIME_S = 60.0
"""Seconds by which a player may be later than the clip, for its start and its stalls, before it is ended."""
PACKAGE = "ackclock.kernel.testbed"
"""Its process runs ``__main__.py`` there."""
ENDED_LATE = 124
"""The exit status of coreutils' timeout."""
SETTINGS = Path("/proc/sys")


class SessionError(ServerError):
    """A session failed; the message has what its programs said."""

    code = "ACK056"


@dataclass(frozen=True)
class Ask:
    """Settings of a session."""

    scenario: str
    """A scenario as TOML; its links and its first flow's route are used."""
    overrides: Sequence[tuple[str, str]]
    seed: int
    cc: str
    """The kernel's name of the server's congestion control."""
    player: Player
    seconds: float
    """Length of the clip."""
    buffer_s: float = 30.0
    """The player's buffer. VLC has its own setting of the same meaning."""
    paced: bool = False
    sysctls: Mapping[str, str] = field(default_factory=dict)
    """Settings of the server's namespace, such as net.ipv4.tcp_pacing_ca_ratio."""
    persistent: bool = True
    """Whether a connection carries more than one request."""
    logic: str = "rate"
    """VLC's rate adaptation (--adaptive-logic)."""


@dataclass(frozen=True)
class Request:
    """A media segment that the player asked for. Times are seconds after the first request of the session."""

    number: int
    """The segment's number, from 1."""
    level_kbps: int
    bytes: int
    start_s: float
    """Time at which the player sent the request: its time at the server, less half a round trip of the empty path."""
    done_s: float | None
    """Time at which the player had the last byte: the time of the byte's acknowledgment, less half a round trip of the
    empty path; None if the byte was never acknowledged."""
    connection: int
    """The number of the connection that carried it."""


@dataclass(frozen=True)
class Session:
    """Record of a session."""

    requests: tuple[Request, ...]
    samples: tuple[Sample, ...]
    """Samples of the server's connections; times count as in the requests."""
    segments: tuple[dict[str, float], ...]
    """Report of the player on each segment; VLC gives no reports."""
    meta: dict[str, Any]
    """The emulator's meta, with the links' drops."""
    complete: bool
    """Whether the player ended by itself, and not because it was too late."""
    errors: tuple[str, ...]
    """Answers of the server that were no success."""


def play(ask: Ask, content: Path, ladder_kbps: Sequence[int]) -> Session:
    """Runs a session and waits for its end.

    Parameters
    ----------
    ask
        What is to be done.
    content
        The folder of the clip (`encode`); every user has to be able to read it.
    ladder_kbps
        The levels of the clip.

    Raises
    ------
    MissingError
        If a program is not installed.
    SessionError
        If the session failed.
    """
    require(["nginx", "ss", "ip", *PROGRAMS[ask.player]])
    question = asdict(ask) | {"content": str(content), "ladder_kbps": list(ladder_kbps)}
    with contextlib.ExitStack() as stack:
        given, out, log = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(3))
        # This process removes the folder, whatever ends the other one.
        folder = stack.enter_context(temporary("testbed"))
        folder.chmod(0o755)
        given.write(json.dumps(question | {"folder": str(folder)}).encode())
        given.seek(0)
        process = started([sys.executable, "-m", PACKAGE], out, log, os.environ, given)
        try:
            status = process.wait()
        finally:
            end(process)
        out.seek(0)
        log.seek(0)
        if status:
            said = " ".join(log.read().decode(errors="replace").split())
            raise SessionError(f"a session of the test bed ended with status {status}: {said[-2000:]}")
        answer = json.loads(out.read())
    return Session(
        tuple(Request(**one) for one in answer["requests"]),
        tuple(Sample(**one) for one in answer["samples"]),
        tuple(answer["segments"]),
        answer["meta"],
        answer["complete"],
        tuple(answer["errors"]),
    )


def _player(ask: Mapping[str, Any], url: str, folder: Path) -> list[str]:
    """The command of the player, which is run inside the emulated network."""
    limit = ["timeout", "-k", "5", str(ask["seconds"] + OVERTIME_S)]
    if ask["player"] == "ackclock":
        return [*limit, sys.executable, "-I", "-S", str(VIEWER), url, str(ask["buffer_s"]), str(ask["seconds"])]
    programs = require(PROGRAMS["vlc"])
    home = folder / "home"
    home.mkdir()
    os.chown(home, int(NOBODY), int(NOBODY))
    user = [programs["setpriv"], f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    words = [programs["cvlc"], "--no-color", "-vv", "--ignore-config", "--no-lua", "--vout", "dummy", "--no-audio"]
    words += ["--adaptive-logic", ask["logic"], "--adaptive-maxbuffer", str(round(1000 * ask["buffer_s"]))]
    return [*limit, *user, "env", f"HOME={home}", f"XDG_RUNTIME_DIR={home}", *words, url, "vlc://quit"]


def _session(ask: dict[str, Any]) -> dict[str, Any]:
    """Runs the session that `play` asks for in this process, which gets a namespace of its own."""
    from ackclock.kernel.emulate.inside import CLONE_NEWNET, checked, library
    from ackclock.scenario import Text

    checked(library.unshare(CLONE_NEWNET), "unshare")
    for name, value in {"net.ipv4.tcp_no_metrics_save": "1", **ask["sysctls"]}.items():
        (SETTINGS / name.replace(".", "/")).write_text(value)
    folder = Path(ask["folder"])
    content = Path(ask["content"])
    kept = {"paced": ask["paced"], "persistent": ask["persistent"]}
    with serving(content, folder, ask["cc"], **kept) as port, sampling(port) as samples:
        # The address of this side is known inside only.
        command = _player(ask, f"http://$ACKCLOCK_OUTSIDE:{port}/{MANIFEST}", folder)
        said = folder / "player.said"
        done = emulate(
            Text(ask["scenario"], name="scenario.toml"),
            ["sh", "-c", f"exec {' '.join(command)} > {said} 2> {folder / 'player.log'}"],
            ask["overrides"],
            seed=ask["seed"],
            side="sink",
        )
    lines = log_lines(folder)
    if done.status not in (0, ENDED_LATE) or not lines:
        log = (folder / "player.log").read_text(errors="replace")
        raise SessionError(f"the player ended with status {done.status} after {len(lines)} requests: {log[-1500:]}")
    return _told(ask, done.document(), lines, samples, said.read_text(encoding="utf-8", errors="replace"))


def _told(
    ask: Mapping[str, Any], meta: dict[str, Any], lines: Sequence[Line], samples: Sequence[Sample], said: str
) -> dict[str, Any]:
    lines = sorted(lines, key=lambda line: line.ended_s)
    began = min(line.ended_s - line.took_s for line in lines)
    way_s = meta["rtt_ms"] / 2e3
    sent: dict[int, int] = {}
    requests = []
    for line in lines:
        sent[line.connection] = sent.get(line.connection, 0) + line.sent
        kind, *rest = Path(line.uri).stem.split("-")
        if kind != "media" or line.status != 200:
            continue
        done = acknowledged(samples, line, sent[line.connection])
        requests.append(
            {
                "number": int(rest[1]),
                "level_kbps": ask["ladder_kbps"][int(rest[0])],
                "bytes": line.body,
                "start_s": line.ended_s - line.took_s - way_s - began,
                "done_s": None if done is None else done - way_s - began,
                "connection": line.connection,
            }
        )
    told = [json.loads(row) for row in said.splitlines()] if ask["player"] == "ackclock" else []
    return {
        "requests": requests,
        "samples": [asdict(one) | {"time_s": one.time_s - began} for one in changes(samples)],
        "segments": told,
        "meta": meta,
        "complete": meta["status"] == 0,
        "errors": [f"{line.status} {line.uri}" for line in lines if line.status >= 400],
    }


def changes(samples: Sequence[Sample]) -> list[Sample]:
    """The samples that differ from the one before of their connection, and the last of each."""
    kept: dict[int, Sample] = {}
    found = []
    for one in samples:
        before = kept.get(one.port)
        if before is None or replace(before, time_s=one.time_s) != one:
            found.append(one)
        kept[one.port] = one
    return sorted({*found, *kept.values()}, key=lambda one: (one.time_s, one.port))


def acknowledged(samples: Sequence[Sample], line: Line, sent: int) -> float | None:
    """Time at which `sent` bytes from the answer `line` on were acknowledged: the middle between two samples."""
    before: Sample | None = None
    for sample in samples:
        if sample.port != line.port or sample.time_s < line.ended_s - line.took_s:
            continue
        if before is not None and sample.acked < before.acked:
            # Another connection has the port now.
            break
        if sample.acked >= sent:
            return sample.time_s if before is None else (before.time_s + sample.time_s) / 2
        before = sample
    # A connection that is gone had everything acknowledged, or it was reset.
    return None if before is None else before.time_s


def main() -> int:
    """Reads the question from the standard input and writes the answer to the standard output."""
    ask = json.load(sys.stdin)
    answer = os.dup(1)
    os.dup2(2, 1)
    listen()
    try:
        found = _session(ask)
    except Stopped:
        return stopped_status()
    except Exception as error:  # noqa: BLE001 -- the caller tells it
        sys.stderr.write(f"{error}\n")
        return 1
    with os.fdopen(answer, "w", encoding="utf-8") as out:
        json.dump(found, out)
    return 0
