"""The process that can do nothing but compute."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ackclock.base import confined

HEADERS = {
    "x86_64": [Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), Path("/usr/include/asm/unistd_64.h")],
    "aarch64": [Path("/usr/include/asm-generic/unistd.h")],
}
needs_confinement = pytest.mark.skipif(confined.available() is not None, reason="no Landlock and seccomp here")

PROBE = """
import os, signal, socket, subprocess, sys, threading
outside, inside = sys.argv[1] + "/../outside", sys.argv[1]
victim = outside + "/victim"
ATTEMPTS = {
    "socket": socket.socket,
    "pair of sockets": socket.socketpair,
    "program": lambda: subprocess.run([sys.executable, "--version"]),
    "process": os.fork,
    "file": lambda: open(outside + "/new", "w"),
    "append": lambda: open(victim, "a"),
    "read": lambda: open(victim).read(),
    "empty": lambda: os.open(victim, os.O_RDONLY | os.O_TRUNC),
    "truncate": lambda: os.truncate(victim, 0),
    "mode": lambda: os.chmod(victim, 0o777),
    "owner": lambda: os.chown(victim, 0, 0),
    "time": lambda: os.utime(victim),
    "rename": lambda: os.rename(victim, inside + "/victim"),
    "link": lambda: os.link(victim, inside + "/victim"),
    "link by name": lambda: os.symlink(victim, inside + "/link"),
    "pipe": lambda: os.mkfifo(inside + "/pipe"),
    "remove": lambda: os.unlink(victim),
    "folder": lambda: os.mkdir(outside + "/folder"),
    "signal": lambda: os.kill(os.getppid(), 0),
    "session": os.setsid,
    "parent's memory": lambda: open(f"/proc/{os.getppid()}/mem", "rb"),
    "parent's environment": lambda: open(f"/proc/{os.getppid()}/environ", "rb").read(),
    "terminal": lambda: open("/dev/tty"),
    "name of a place in memory": lambda: open("/proc/self/oom_score_adj", "w"),
}
for name, attempt in ATTEMPTS.items():
    try:
        attempt()
    except OSError:
        continue
    print(name)
with open(inside + "/new", "w") as file:
    file.write("x")
os.mkdir(inside + "/folder")
done = []
thread = threading.Thread(target=done.append, args=(1,))
thread.start()
thread.join()
print("computed", done, os.listdir(inside))
"""


@needs_confinement
def test_a_confined_process_computes_and_writes_to_its_folder_alone(tmp_path):
    for name in ("work", "outside", "modules"):
        (tmp_path / name).mkdir()
    (tmp_path / "outside/victim").write_text("mine", encoding="utf-8")
    (tmp_path / "modules/probe.py").write_text(PROBE, encoding="utf-8")
    command = [sys.executable, "-P", confined.__file__, str(tmp_path / "work"), "probe", str(tmp_path / "modules")]
    environment = {"PYTHONPATH": str(tmp_path / "modules"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.stderr == ""
    assert re.fullmatch(r"computed \[1\] \['(new|folder)', '(new|folder)'\]\n", done.stdout), done.stdout
    assert (tmp_path / "outside/victim").read_text(encoding="utf-8") == "mine"
    assert [path.name for path in (tmp_path / "outside").iterdir()] == ["victim"]


def numbers(machine):
    """The numbers of calls in the system's headers, which a machine without them lacks."""
    found = {}
    for header in HEADERS[machine]:
        if header.exists():
            text = header.read_text(encoding="utf-8")
            found |= {name: int(one) for name, one in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text)}
    return found


@pytest.mark.parametrize("machine", sorted(HEADERS))
def test_the_numbers_of_calls_are_those_of_the_system(machine):
    known = numbers(machine)
    if not known:
        pytest.skip("no headers of the system")
    column = confined.MACHINES[machine][1]
    ours = confined.refused(machine) | {
        name: given[column] for name, given in confined.CONDITIONAL.items() if given[column] is not None
    }
    # Headers of an older Linux lack calls that are younger.
    assert {name: known[name] for name in ours if name in known} == {
        name: number for name, number in ours.items() if name in known
    }
    assert len(known) > 250


@pytest.mark.parametrize("machine", sorted(confined.MACHINES))
def test_the_filter_ends_every_path(machine):
    program = confined.instructions(machine, 1)
    for place, (code, yes, no, _) in enumerate(program):
        assert code in (confined.LOAD, confined.EQUAL, confined.GREATER_EQUAL, confined.AND, confined.RETURN)
        if code != confined.RETURN:
            assert place + 1 + max(yes, no) < len(program)
    assert program[-1] == (confined.RETURN, 0, 0, confined.ALLOW)
    assert len(program) < 4096, "the most that Linux takes"


def verdict(machine, number, arguments=()):
    """Verdict of the filter on a call, as Linux evaluates the filter."""
    program = confined.instructions(machine, 77)
    data = {confined.NUMBER: number, confined.ARCHITECTURE: confined.MACHINES[machine][0]}
    data |= {confined.ARGUMENT + 8 * place: value for place, value in enumerate(arguments)}
    place = value = 0
    while True:
        code, yes, no, operand = program[place]
        place += 1
        if code == confined.LOAD:
            value = data.get(operand, 0)
        elif code == confined.AND:
            value &= operand
        elif code == confined.RETURN:
            return operand
        else:
            met = value == operand if code == confined.EQUAL else value >= operand
            place += yes if met else no


@pytest.mark.parametrize("machine", sorted(confined.MACHINES))
def test_calls_with_conditions(machine):
    column = confined.MACHINES[machine][1]
    call = {name: given[column] for name, given in confined.CONDITIONAL.items()}
    allow = confined.ALLOW
    assert verdict(machine, call["clone"], [confined.CLONE_THREAD | 0x100]) == allow
    assert verdict(machine, call["clone"], [17]) != allow
    assert verdict(machine, call["tgkill"], [77, 1, 6]) == allow
    assert verdict(machine, call["tgkill"], [78, 1, 6]) != allow
    assert verdict(machine, call["prlimit64"], [0]) == allow
    assert verdict(machine, call["prlimit64"], [78]) != allow
    assert verdict(machine, call["openat"], [0, 0, os.O_RDONLY]) == allow
    assert verdict(machine, call["openat"], [0, 0, os.O_WRONLY | os.O_TRUNC]) == allow
    assert verdict(machine, call["openat"], [0, 0, os.O_RDONLY | os.O_TRUNC]) != allow
    assert verdict(machine, call["ioctl"], [0, 0x5401]) == allow
    assert verdict(machine, call["ioctl"], [0, 0x40086602]) != allow, "FS_IOC_SETFLAGS"
    assert verdict(machine, call["clone3"]) != allow
    assert verdict(machine, confined.NEWEST) != allow
    assert all(verdict(machine, number) != allow for number in confined.refused(machine).values())


def test_other_systems_have_none(monkeypatch):
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    assert "riscv64" in confined.available()
