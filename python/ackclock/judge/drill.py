"""packetdrill scripts, run against the TCP of the simulator in virtual time, or against a Linux kernel.

The engine plays sockets, packets and time; the Python in a script's ``%{ ... }%`` is run here, with the numbers of
``tcp_info`` at that moment in scope under the names that packetdrill gives them.
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
import textwrap
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ackclock import _core
from ackclock.base import reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path
    from types import CodeType

    from ackclock.kernel.scripts import Backend

__all__ = ["STACK", "ScriptResult", "Verdict", "document", "find", "judge", "run", "run_on_kernel"]

Verdict = Literal["pass", "fail", "unsupported"]

STACK = "linux"
"""The stack that the public scripts are about."""

STATES = """
TCP_ESTABLISHED TCP_SYN_SENT TCP_SYN_RECV TCP_FIN_WAIT1 TCP_FIN_WAIT2 TCP_TIME_WAIT TCP_CLOSE TCP_CLOSE_WAIT
TCP_LAST_ACK TCP_LISTEN TCP_CLOSING
"""
FREEBSD_STATES = """
ESTABLISHED SYN_SENT SYN_RECEIVED FIN_WAIT_1 FIN_WAIT_2 TIME_WAIT CLOSED CLOSE_WAIT LAST_ACK LISTEN CLOSING
"""
CONGESTION_STATES = "TCP_CA_Open TCP_CA_Disorder TCP_CA_CWR TCP_CA_Recovery TCP_CA_Loss"
OPTIONS = {
    "TCPI_OPT_TIMESTAMPS": 1,
    "TCPI_OPT_SACK": 2,
    "TCPI_OPT_WSCALE": 4,
    "TCPI_OPT_ECN": 8,
    "TCPI_OPT_ECN_SEEN": 16,
    "TCPI_OPT_SYN_DATA": 32,
}
CONSTANTS: dict[str, int] = {
    **{name: number for number, name in enumerate(STATES.split(), 1)},
    **{f"TCPI_{name}": number for number, name in enumerate(FREEBSD_STATES.split(), 1)},
    **{name: number for number, name in enumerate(CONGESTION_STATES.split())},
    **OPTIONS,
}
"""Symbols that the code in scripts may use (Linux ``include/uapi/linux/tcp.h``), and the states by the names that
FreeBSD's scripts use, with Linux's numbers."""


@dataclass(frozen=True)
class ScriptResult:
    """The verdict on one script."""

    path: str
    """The script's file."""
    verdict: Verdict
    reason: str
    """Reason of the verdict: for a failure, expected and actual behaviour with the line; for an unsupported script, the
    feature that the script needs; empty for a script that passes."""
    line: int | None
    """Line of the script that the reason is about."""


def find(paths: Iterable[Path]) -> list[Path]:
    """The scripts that paths name: files as they are, folders with every ``*.pkt`` below them, in order, once each.

    Raises FileNotFoundError for a path that does not exist and for a folder without scripts.
    """
    scripts: dict[Path, None] = {}
    for path in paths:
        if not path.is_dir():
            if not path.exists():
                raise FileNotFoundError(2, "no such file", str(path))
            scripts[path] = None
            continue
        found = sorted(file for file in path.rglob("*.pkt") if file.is_file())
        if not found:
            raise FileNotFoundError(2, "no *.pkt in this folder", str(path))
        scripts.update(dict.fromkeys(found))
    return list(scripts)


def run(path: Path, *, stack: str = STACK, defines: Sequence[tuple[str, str]] = ()) -> ScriptResult:
    """Runs one script.

    ``defines`` are symbols and their values, as packetdrill takes them with ``-D``. Raises ValueError for an unknown
    stack and OSError for a file that cannot be read.
    """
    text = reading.contents(path, reading.MOST_WRITTEN).decode("utf-8", "replace")
    return judge(path, json.loads(_core.drill(text, str(path.parent), stack, list(defines))))


def run_on_kernel(
    where: Backend,
    paths: Sequence[Path],
    *,
    defines: Sequence[tuple[str, str]] = (),
    report: Callable[[float], object] | None = None,
) -> list[ScriptResult]:
    """Runs scripts on a Linux kernel, which `ackclock.kernel.scripts.backend` finds.

    ``report`` is a function of the share done. Raises KernelError if the kernel cannot be used.
    """
    from ackclock.kernel import scripts

    outcomes = scripts.run(where, paths, defines, report)
    return [judge(path, outcome) for path, outcome in zip(paths, outcomes, strict=True)]


def judge(path: Path, outcome: dict[str, Any]) -> ScriptResult:
    """Runs the Python of a script with the values in its outcome; the first piece that fails is the verdict."""
    if trouble := _run_code(path, outcome["snippets"]):
        return trouble
    verdict: Verdict = outcome["verdict"]
    line: int | None = outcome["line"]
    reason = outcome["reason"] if line is None else f"line {line}: {outcome['reason']}"
    return ScriptResult(str(path), verdict, reason, line)


def document(results: Sequence[ScriptResult]) -> dict[str, Any]:
    """Everything about the results, for JSON."""
    verdicts: tuple[Verdict, ...] = ("pass", "fail", "unsupported")
    return {
        "scripts": [
            {"path": result.path, "verdict": result.verdict, "reason": result.reason, "line": result.line}
            for result in results
        ],
        "summary": {verdict: sum(result.verdict == verdict for result in results) for verdict in verdicts},
    }


def _run_code(path: Path, snippets: Sequence[dict[str, Any]]) -> ScriptResult | None:
    """Runs the Python of a script; what is wrong with the first piece that does not run to its end.

    The pieces share their variables, as packetdrill runs them: in one program, each after the assignments of its
    ``tcp_info``. What they print goes to standard error.
    """
    scope: dict[str, Any] = {"__name__": "__main__", **CONSTANTS}
    for snippet in snippets:
        scope.update(snippet["values"])
        line: int = snippet["line"]
        try:
            # Lines count as they do in the script, so that a traceback names the right one. A last line that ends in a
            # backslash goes on in an empty one.
            code = _compile("\n" * (line - 1) + _dedent(snippet["code"]) + "\n\n", str(path))
            with _output_to_stderr():
                exec(code, scope)  # noqa: S102 -- a script is a program, run by whoever wrote or trusts it
        except NameError as error:
            if error.name is not None and error.name.startswith("tcpi_"):
                what = f"{error.name} in code"
                return ScriptResult(str(path), "unsupported", f"line {line}: {what}", line)
            return _failure(path, line, error)
        except (Exception, SystemExit) as error:  # noqa: BLE001 -- whatever the code raises is its verdict
            return _failure(path, line, error)
    return None


PRINT_STATEMENT = re.compile(r"^([ \t]*)print[ \t]+(?![(=])(.+?)[ \t]*$", re.MULTILINE)


def _compile(code: str, path: str) -> CodeType:
    """Compiles code, in which ``print`` may be the statement of Python 2, as in older scripts."""
    try:
        return compile(code, path, "exec")
    except SyntaxError as error:
        try:
            return compile(PRINT_STATEMENT.sub(r"\1print(\2)", code), path, "exec")
        except SyntaxError:
            raise error from None


def _dedent(code: str) -> str:
    """Code that begins on a line of its own may be indented as a whole; else it begins after ``%{`` and its blanks."""
    stripped = code.strip(" \t")
    return textwrap.dedent(stripped) if stripped.startswith("\n") else stripped


def _failure(path: Path, line: int, error: BaseException) -> ScriptResult:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    if isinstance(error, SyntaxError):
        line = error.lineno or line
    elif frames:
        line = frames[0].lineno or line
    source = _line(path, line)
    name = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    told = f": {name}{message}" if name or message else ""
    return ScriptResult(str(path), "fail", f"line {line}: {source}{told}", line)


def _line(path: Path, number: int) -> str:
    """A line of the script without the marks around code."""
    lines = reading.contents(path, reading.MOST_WRITTEN).decode("utf-8", "replace").split("\n")
    text = lines[number - 1] if 0 < number <= len(lines) else ""
    return text.partition("%{")[2].strip().removesuffix("}%").strip() if "%{" in text else text.strip()


@contextlib.contextmanager
def _output_to_stderr() -> Iterator[None]:
    with contextlib.redirect_stdout(sys.stderr):
        yield
