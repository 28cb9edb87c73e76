"""packetdrill scripts on a kernel: in user mode with a virtual clock, or on the running one."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock import _core
from ackclock.base.workplace import workplace
from ackclock.kernel import backends, machine
from ackclock.kernel.backends import Backend
from ackclock.kernel.process import end, started
from ackclock.kernel.source import KernelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


__all__ = ["Backend", "backend", "run"]

PATIENCE_S = 5
"""Seconds of the kernel's clock for which a late packet is awaited."""
ALIGNMENT_MS = {True: 32_768, False: 0}
"""Scripts start at a multiple of this time, by whether the clock is virtual: that of the kernel's timers of minutes."""
LIMIT_S = {True: 100_000, False: 600}
"""Seconds of the kernel's clock after which a script is ended, by whether the clock is virtual."""
SILENCE_S = 180.0
"""Seconds of real time without a verdict after which the script under way is ended."""
DRILLER = Path(__file__).with_name("driller.py")
ALLOWED = Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")


def backend(name: str, report: Callable[[float], object] | None = None) -> Backend:
    """The kernel that a name means for scripts: ``linux``, ``linux:VERSION``, ``linux:DIGEST`` or ``linux:TREE``.

    Raises
    ------
    KernelError
        If the name means no kernel, or if the kernel cannot be built or used.
    """
    found = backends.backend(name, report)
    if found.kernel is None and "cubic" not in ALLOWED.read_text(encoding="ascii").split():
        raise KernelError(
            f"--backend linux: {ALLOWED} does not have cubic, so that scripts would run with another congestion "
            f"control; accepted: allow it with `sysctl net.ipv4.tcp_allowed_congestion_control='reno cubic'`"
        )
    return found


def run(
    where: Backend,
    scripts: Sequence[Path],
    defines: Sequence[tuple[str, str]] = (),
    report: Callable[[float], object] | None = None,
    silence_s: float = SILENCE_S,
) -> list[dict[str, Any]]:
    """Runs scripts on a kernel, one after the other. The outcomes have verdict, line, reason and snippets.

    A script that does not come to an end fails, and the others run in a new machine.

    Parameters
    ----------
    where
        The kernel.
    scripts
        Files.
    defines
        Symbols and their values.
    report
        A function of the share done.
    silence_s
        Seconds of real time without a verdict after which the script under way is ended.

    Raises
    ------
    KernelError
        If a program is missing, or if the machine fails.
    """
    question = {
        "core": str(Path(_core.__file__).resolve()),
        "scripts": [str(script.resolve()) for script in scripts],
        "defines": [list(pair) for pair in defines],
        "patience_s": PATIENCE_S,
        "alignment_ms": ALIGNMENT_MS[where.kernel is not None],
        "limit_s": LIMIT_S[where.kernel is not None],
    }
    outcomes: dict[int, dict[str, Any]] = {}
    while left := [number for number in range(len(scripts)) if number not in outcomes]:
        with workplace(Path(tempfile.gettempdir()), machine.WORKPLACE) as folder:
            (folder / "question.json").write_text(json.dumps({**question, "numbers": left}), encoding="utf-8")

            def told(done: int) -> None:
                if report:
                    report((len(outcomes) + done) / len(scripts))  # noqa: B023 -- called within this round

            ended = _machine(where, folder, told, silence_s)
            found = {number: folder / f"{number}.json" for number in left}
            outcomes |= {number: _read(file) for number, file in found.items() if file.exists()}
            if not ended:
                stuck = _read(folder / "begun.json") if (folder / "begun.json").exists() else left[0]
                reason = f"gave no verdict within {silence_s:g} s of real time"
                outcomes[stuck] = {"verdict": "fail", "line": None, "reason": reason, "snippets": []}
                continue
            _check(where, folder)
            if any(number not in outcomes for number in left):
                raise KernelError(f"Linux {where.version} gave no verdict on every script")
    return [outcomes[number] for number in range(len(scripts))]


def _machine(where: Backend, folder: Path, told: Callable[[int], None], silence_s: float) -> bool:
    """Runs a machine to its end; False if it was ended because it gave no verdict for too long."""
    with _started(where, folder) as process:
        done, since = 0, time.monotonic()
        while True:
            try:
                process.wait(0.2)
                return True
            except subprocess.TimeoutExpired:
                now = sum(file.stem.isdigit() for file in folder.glob("*.json"))
            if now > done:
                done, since = now, time.monotonic()
                told(done)
            elif time.monotonic() - since > silence_s:
                return False


@contextlib.contextmanager
def _started(where: Backend, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The program that runs the scripts of a folder; it ends with the block."""
    if where.kernel is not None:
        with machine.booted(where.kernel, folder, str(DRILLER), "guest", str(folder)) as process:
            yield process
        return
    line = [sys.executable, "-I", "-S", "-u", str(DRILLER), "here", str(folder)]
    with (folder / "log").open("wb") as log:
        process = started(line, log, log, {"PATH": machine.search_path(), "HOME": str(folder)})
        try:
            yield process
        finally:
            end(process)


def _read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def _check(where: Backend, folder: Path) -> None:
    answer = folder / "answer.json"
    if not answer.exists():
        last = (folder / "log").read_text(encoding="utf-8", errors="replace").splitlines()[-12:]
        raise KernelError("\n".join([f"Linux {where.version} gave no answer; its last lines:", *last]))
    document = _read(answer)
    if "error" in document:
        raise KernelError(f"the scripts on Linux {where.version} failed:\n{document['error']}")
