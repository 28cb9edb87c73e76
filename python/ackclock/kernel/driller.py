"""The program that runs packetdrill scripts on the kernel that it finds itself on, each in a process of its own.

Inside a kernel in user mode it is the first process; on the running kernel it is an ordinary one of root. It uses
Python's standard library and the extension alone. Arguments: guest or here, and the folder of question and answers.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import json
import os
import signal
import stat
import sys
import traceback
from typing import Any

ROOT = "/run/root"
"""Place inside at which the host's files are seen also where the machine has its own /tmp."""
TUN = "/run/tun"
TUN_NUMBER = (10, 200)
ALLOWED = "/proc/sys/net/ipv4/tcp_allowed_congestion_control"
AVAILABLE = "/proc/sys/net/ipv4/tcp_available_congestion_control"
PR_SET_PDEATHSIG = 1


def load(path: str, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def become_machine(guest: Any) -> None:
    """Gives the machine a device file for TUN, a /tmp of its own and every congestion control."""
    os.mknod(TUN, stat.S_IFCHR | 0o600, os.makedev(*TUN_NUMBER))
    os.mkdir(ROOT)
    guest.shell("mount", "-r", "-t", "hostfs", "-o", "/", "none", ROOT)
    guest.mount("tmpfs", "/tmp")
    with open(AVAILABLE) as file:
        available = file.read()
    guest.write(ALLOWED, available)


def tell(folder: str, name: str, document: object) -> None:
    """Writes a document as a whole or not at all."""
    with open(f"{folder}/{name}.new", "w") as file:
        json.dump(document, file)
    os.rename(f"{folder}/{name}.new", f"{folder}/{name}.json")


def run(core: Any, folder: str, question: dict[str, Any], number: int, root: str, tun: str) -> None:
    """Runs a script in a process of its own, and writes its outcome if the process does not."""
    path = question["scripts"][number]
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        signal.alarm(question["limit_s"])
        try:
            with open(root + path, "rb") as file:
                text = file.read().decode("utf-8", "replace")
            defines = [tuple(pair) for pair in question["defines"]]
            place = root + os.path.dirname(path)
            waits = (question["patience_s"], question["alignment_ms"])
            outcome = json.loads(core.live_drill(text, place, defines, tun, *waits))
            tell(folder, str(number), outcome)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(0)
    _, status = os.waitpid(child, 0)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    left = f"/tmp/sysctl_restore_{child}.sh"
    if os.path.exists(left):
        os.remove(left)
    if not os.path.exists(f"{folder}/{number}.json"):
        late = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM
        why = f"did not end within {question['limit_s']} s" if late else f"the runner ended with status {status}"
        tell(folder, str(number), {"verdict": "fail", "line": None, "reason": why, "snippets": []})


def drill(folder: str, root: str, tun: str, guest: Any) -> None:
    """Runs the scripts of the question in a folder, and answers there."""
    try:
        with open(f"{folder}/question.json") as file:
            question = json.load(file)
        core = load(question["core"], "_core")
        if guest is not None:
            become_machine(guest)
        for number in question["numbers"]:
            tell(folder, "begun", number)
            run(core, folder, question, number, root, tun)
        answer = {"release": os.uname().release}
    except BaseException:
        answer = {"error": traceback.format_exc()}
    tell(folder, "answer", answer)


def main() -> None:
    # The kernel may add arguments of its own.
    place, folder = sys.argv[1:3]
    if place == "here":
        drill(folder, "", "/dev/net/tun", None)
        return
    guest = load(os.path.join(os.path.dirname(os.path.abspath(__file__)), "guest.py"), "guest")
    try:
        guest.set_up(folder)
        drill(guest.SHARED, ROOT, TUN, guest)
    except BaseException:
        traceback.print_exc()
    finally:
        guest.power_off()


if __name__ == "__main__":
    main()
