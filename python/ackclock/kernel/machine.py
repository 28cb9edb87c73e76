"""One run of a kernel in user mode: a Python program inside it, its answer, and two watchdogs."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock.base.workplace import workplace
from ackclock.kernel.cores import core
from ackclock.kernel.process import end, started
from ackclock.kernel.source import KernelError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.kernel.builds import Built

__all__ = ["GUEST", "SHARED", "TOOLS", "WORKPLACE", "answer", "answer_in", "ask", "booted", "search_path"]

SHARED = "/run/host"
"""The folder inside in which question and answer are."""

TOOLS = {"ip": "iproute2", "tc": "iproute2", "mount": "mount"}
"""The programs that a run needs, with the packages of Debian that have them."""

WORKPLACE = "ackclock-kernel-"

GUEST = Path(__file__).with_name("guest.py")


def search_path() -> str:
    """The search path of a run, on which all of its programs are.

    Raises
    ------
    KernelError
        If a program is missing.
    """
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])
    missing = {tool: package for tool, package in TOOLS.items() if shutil.which(tool, path=path) is None}
    if missing:
        packages = " ".join(dict.fromkeys(missing.values()))
        raise KernelError(f"a run needs {', '.join(missing)}; on Debian: apt-get install {packages}")
    return path


def ask(kernel: Built, question: dict[str, Any], patience_s: float) -> dict[str, Any]:
    """Hands a question to the program inside the kernel and returns its answer.

    Parameters
    ----------
    kernel
        A kernel of the cache.
    question
        What `ackclock.kernel.guest` reads; `limit_s` is its watchdog, in seconds of virtual time.
    patience_s
        Seconds of real time after which the run is ended.

    Raises
    ------
    KernelError
        If a program is missing, if a watchdog ended the run, or if the program inside failed.
    """
    with workplace(Path(tempfile.gettempdir()), WORKPLACE) as folder:
        (folder / "question.json").write_text(json.dumps(question), encoding="utf-8")
        _run(kernel, folder, patience_s)
        return answer_in(folder, f"Linux {kernel.version}")


@contextlib.contextmanager
def booted(kernel: Built, folder: Path, *program: str) -> Iterator[subprocess.Popen[bytes]]:
    """A kernel whose first process is Python with a program and its arguments; it ends with the block.

    It stays on one core, and what it says goes to the file ``log`` of the folder.

    Raises
    ------
    KernelError
        If a program is missing.
    """
    environment = {"PATH": search_path(), "HOME": str(folder)}
    with core() as place, (folder / "log").open("wb") as log:
        process = started(_command(kernel, folder, *program), log, log, environment, core=place)
        try:
            yield process
        finally:
            end(process)


def _command(kernel: Built, folder: Path, *program: str) -> list[str]:
    return [
        str(kernel.binary),
        "mem=768M",
        "rootfstype=hostfs",
        "rootflags=/",
        "ro",
        "con=null",
        "con0=null,fd:2",
        "con1=fd:0,fd:1",
        "time-travel=inf-cpu",
        "quiet",
        f"uml_dir={folder}",
        f"init={sys.executable}",
        "--",
        *("-I", "-S", "-u", *program),
    ]


def _run(kernel: Built, folder: Path, patience_s: float) -> None:
    with booted(kernel, folder, str(GUEST), str(folder)) as process:
        try:
            process.wait(patience_s)
        except subprocess.TimeoutExpired:
            raise KernelError(
                f"the run inside Linux {kernel.version} did not end within {patience_s:g} s; accepted: more patience, "
                "or a shorter scenario"
            ) from None


def answer_in(folder: Path, kernel: str) -> dict[str, Any]:
    """The answer in a folder.

    Raises
    ------
    KernelError
        If there is none, with the last lines of the log, or if it says what failed.
    """
    file = folder / "answer.json"
    return answer(file.read_bytes() if file.exists() else b"", (folder / "log").read_bytes(), kernel)


def answer(text: bytes, log: bytes, kernel: str) -> dict[str, Any]:
    """The answer of the program in a kernel.

    Raises
    ------
    KernelError
        If there is none, with the last lines of the log, or if it says what failed.
    """
    if not text:
        last = log.decode("utf-8", "replace").splitlines()[-12:]
        raise KernelError("\n".join([f"{kernel} gave no answer; its last lines:", *last]))
    found: dict[str, Any] = json.loads(text)
    if "error" in found:
        raise KernelError(f"the run on {kernel} failed:\n{found['error']}")
    return found
