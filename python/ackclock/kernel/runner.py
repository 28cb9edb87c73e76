"""The program that runs a scenario over the sockets of the kernel that it finds itself on.

Inside a kernel in user mode it is the first process; on the running kernel it is an ordinary one of root. Each end of a
flow has a network namespace of its own with a TUN device, and the emulated network is between the devices. Namespaces
and devices have no names: they end with this process, whatever ends it. It uses Python's standard library and the
extension alone. Arguments: guest and the folder of question and answer, or here,
where they are standard input and output.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
import signal
import stat
import subprocess
import sys
import traceback
from typing import Any, NoReturn

CLONE_NEWNET = 0x40000000
ALLOWED = "/proc/sys/net/ipv4/tcp_allowed_congestion_control"
AVAILABLE = "/proc/sys/net/ipv4/tcp_available_congestion_control"
ADDRESSES = ("10.0.0.1", "10.0.0.2")
"""Source and sink of every flow: each flow is alone in its namespaces."""


def load(path: str, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


class Namespaces:
    """Network namespaces without names, held by descriptors of this process."""

    def __init__(self, inside: Any, ip: str, mtu: int) -> None:
        self.inside, self.ip, self.mtu = inside, ip, mtu
        self.library = ctypes.CDLL(None, use_errno=True)

    def make(self, side: int, wanted: dict[str, Any]) -> tuple[str, int]:
        """Makes an end of a flow; its namespace's path, and the descriptor of its device."""
        self.inside.checked(self.library.unshare(CLONE_NEWNET), "unshare")
        namespace = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        device = self.inside.attach(self.inside.DEVICE)
        self.inside.quiet(self.inside.DEVICE)
        for name, value in wanted["sysctls"].items():
            path = "/proc/sys/" + name.replace(".", "/")
            write(path, value)
            with open(path) as file:
                found = file.read().split()
            if found != value.split():
                raise RuntimeError(f"the kernel made {' '.join(found)} of {value} for {name}")
        name, own, other = self.inside.DEVICE, ADDRESSES[side], ADDRESSES[1 - side]
        commands = [
            "link set dev lo up",
            f"address add {own}/32 dev {name}",
            f"link set dev {name} mtu {self.mtu} txqueuelen 10000 up",
            " ".join([f"route add {other}/32 dev {name} src {own}", *wanted["route"]]),
        ]
        done = subprocess.run([self.ip, "-batch", "-"], input="\n".join(commands), capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"ip: {(done.stdout + done.stderr).strip()}")
        return f"/proc/self/fd/{namespace}", device


def become_machine(guest: Any) -> None:
    """Gives the machine a device file for TUN and every congestion control."""
    if not os.path.exists("/dev/net/tun"):
        guest.mount("tmpfs", "/dev")
        os.mkdir("/dev/net")
        os.mknod("/dev/net/tun", stat.S_IFCHR | 0o600, os.makedev(10, 200))
        os.mknod("/dev/null", stat.S_IFCHR | 0o666, os.makedev(1, 3))
        os.mknod("/dev/urandom", stat.S_IFCHR | 0o444, os.makedev(1, 9))
    with open(AVAILABLE) as file:
        available = file.read()
    write(ALLOWED, available)


def work(question: dict[str, Any], guest: Any) -> dict[str, Any]:
    here = os.path.dirname(os.path.abspath(__file__))
    inside = load(os.path.join(here, "emulate", "inside.py"), "inside")
    core = load(question["core"], "_core")
    if guest is not None:
        become_machine(guest)
    namespaces = Namespaces(inside, question["ip"], question["mtu"])
    places = []
    for wanted in question["flows"]:
        ends = [namespaces.make(side, wanted) for side in (0, 1)]
        socket = {name: wanted[name] for name in ("cc", "nagle", "paced", "write_size")}
        paths, devices = ([end[part] for end in ends] for part in (0, 1))
        places.append(socket | {"namespaces": paths, "addresses": list(ADDRESSES), "devices": devices})
    scenario = question["scenario"]
    given = (scenario["text"], scenario["format"], scenario["folder"], question["seed"])
    answer: dict[str, Any] = json.loads(core.live_run(*given, places, guest is not None))
    return answer | {"release": os.uname().release}


def answered(text: str, guest: Any) -> str:
    """The answer to a question, or what failed."""
    try:
        question = json.loads(text)

        def too_late(*_: object) -> NoReturn:
            raise TimeoutError(f"the run did not end within {question['limit_s']:g} s")

        signal.signal(signal.SIGALRM, too_late)
        signal.setitimer(signal.ITIMER_REAL, question["limit_s"])
        answer = work(question, guest)
    except OSError as error:
        # What the machine forbids or lacks; where in this program does not matter to anybody.
        what = error.filename or "network namespaces and sockets"
        answer = {"error": f"{what}: {error.strerror or error}"}
    except BaseException:
        answer = {"error": traceback.format_exc()}
    return json.dumps(answer)


def answer_in(folder: str, guest: Any) -> None:
    """Reads the question in a folder, and answers there as a whole or not at all."""
    with open(f"{folder}/question.json") as file:
        text = file.read()
    write(f"{folder}/answer.new", answered(text, guest))
    os.rename(f"{folder}/answer.new", f"{folder}/answer.json")


def main() -> None:
    # The kernel may add arguments of its own.
    place, *folder = sys.argv[1:3]
    if place == "here":
        sys.stdout.write(answered(sys.stdin.read(), None))
        return
    guest = load(os.path.join(os.path.dirname(os.path.abspath(__file__)), "guest.py"), "guest")
    try:
        guest.set_up(folder[0])
        answer_in(guest.SHARED, guest)
    except BaseException:
        traceback.print_exc()
    finally:
        guest.power_off()


if __name__ == "__main__":
    main()
