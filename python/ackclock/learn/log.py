"""The log of a search: one JSON object a line. The first line is the search, the others are its decisions in order.

The decisions rebuild the table. Lines with the key ``session`` say how long processes computed; they decide nothing.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ackclock.base import files, locks, reading
from ackclock.base.documents import parse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["FORMAT", "Log", "LogError", "log_of"]

FORMAT = 1
"""Format of the log, in its first line."""
SUFFIX = ".learn.jsonl"


class LogError(ValueError):
    """A file is not the log of a search, or belongs to another search."""

    code = "ACK063"


def log_of(table: Path) -> Path:
    """The log of a table: beside it, with another suffix.

    Raises
    ------
    LogError
        If the path has no name, as an empty one.
    """
    if not table.name:
        raise LogError(f"{table}: no file; accepted: the name of a table, such as x.dna")
    return table.with_suffix(SUFFIX)


@dataclass
class Log:
    """A log as it was read."""

    path: Path
    design: str
    """Text of the design."""
    settings: dict[str, Any]
    """Settings of the search, all of them."""
    engine: str
    """Build of the engine with which the search began."""
    decisions: list[str] = field(default_factory=list)
    """The decisions, each as JSON."""
    sessions: list[dict[str, Any]] = field(default_factory=list)
    """Stretches of work, from split to split: CPU seconds, threads or cluster, number of decisions at the end of the
    stretch, engine. The stretch in which a process was killed is missing."""
    size: int = 0
    """Bytes of the whole lines that were read or written."""

    @property
    def cpu_s(self) -> float:
        """CPU seconds of all stretches of work."""
        return sum(float(session["cpu_s"]) for session in self.sessions)

    @staticmethod
    def create(path: Path, design: str, settings: dict[str, Any], engine: str) -> Log:
        """Begins a log. The file appears with its first line or not at all.

        Raises
        ------
        LogError
            If another process has begun it meanwhile.
        """
        head = {"log": FORMAT, "engine": engine, "settings": settings, "design": design}
        content = (json.dumps(head) + "\n").encode()
        try:
            files.write_new(path, content)
        except FileExistsError:
            raise LogError(_busy(path)) from None
        return Log(path, design, settings, engine, size=len(content))

    @staticmethod
    def read(path: Path) -> Log:
        """Reads a log. A last line without its end, which a killed process leaves, is left out.

        Raises
        ------
        LogError
            If the file cannot be read, or is not the log of a search.
        """
        try:
            content = reading.contents(path)
        except OSError as error:
            raise LogError(f"{path}: {error.strerror}") from None
        lines = content.split(b"\n")[:-1]
        try:
            head, *rest = [parse(line) for line in lines]
            design, settings, engine = head["design"], head["settings"], head["engine"]
            if not all(isinstance(row, dict) for row in (head, *rest)) or not isinstance(settings, dict):
                raise TypeError
            if not isinstance(design, str) or not all(_is_sound(row) for row in rest):
                raise TypeError
        except (ValueError, KeyError, TypeError):
            raise LogError(f"{path}: not the log of a search; accepted: a file that `ackclock learn` wrote") from None
        if head.get("log") != FORMAT:
            raise LogError(f"{path}: a log of format {head.get('log')!r}; accepted: {FORMAT}")
        log = Log(path, design, settings, str(engine), size=content.rfind(b"\n") + 1)
        for line, row in zip(lines[1:], rest, strict=True):
            if "session" in row:
                log.sessions.append(row["session"])
            else:
                log.decisions.append(line.decode())
        return log

    @contextmanager
    def appending(self) -> Iterator[Appender]:
        """The log open for further lines. A line without its end is removed first.

        Raises
        ------
        LogError
            If another process writes to the log, or has written to it since it was read.
        """
        with self.path.open("r+b") as file:
            try:
                locks.take(file.fileno())
            except OSError:
                raise LogError(_busy(self.path)) from None
            whole = file.read().rfind(b"\n") + 1
            if whole != self.size:
                raise LogError(f"{self.path}: another process has gone on with it meanwhile; start the command again")
            file.truncate(whole)
            file.seek(0, os.SEEK_END)
            yield Appender(self, file.fileno())


def _is_sound(row: dict[str, Any]) -> bool:
    """Whether a line after the first has what readers of logs ask for; the search itself checks its decisions."""
    if "session" not in row:
        do, score = row.get("do"), row.get("score")
        with_score = do in ("improve", "slow", "validate")
        numbers = isinstance(score, int | float) and abs(score) <= sys.float_info.max
        return isinstance(do, str) and (numbers or not with_score)
    session = row["session"]
    if not isinstance(session, dict):
        return False
    cpu_s = session.get("cpu_s")
    return isinstance(cpu_s, int | float) and abs(cpu_s) < MOST_S and type(session.get("decisions")) is int


MOST_S = 1e12
"""Seconds that no computation takes."""


class Appender:
    """Writes lines to a log, each to the disk before the next."""

    def __init__(self, log: Log, descriptor: int) -> None:
        self._log = log
        self._descriptor = descriptor

    def decision(self, decision: str) -> None:
        """Adds a decision, given as JSON."""
        self._write(decision)
        self._log.decisions.append(decision)

    def session(self, session: dict[str, Any]) -> None:
        """Adds a stretch of work."""
        self._write(json.dumps({"session": session}))
        self._log.sessions.append(session)

    def _write(self, line: str) -> None:
        content = (line + "\n").encode()
        self._log.size += len(content)
        while content:
            content = content[os.write(self._descriptor, content) :]
        os.fsync(self._descriptor)


def _busy(path: Path) -> str:
    return f"{path}: another process is training this table; wait for it or end it"
