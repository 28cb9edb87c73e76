"""The program in the namespaces of an emulated network. It uses Python's standard library alone.

It makes the namespaces and the device in them, hands the device's descriptor to the emulator, and runs the command
under a first process of its own. When the emulator ends, whatever ends it, the kernel kills this program and the first
process, and with the first process everything else in the namespaces.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys

DEVICE = "ackclock"
TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000
CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET = 0x00020000, 0x20000000, 0x40000000
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REC, MS_PRIVATE = 2, 4, 8, 16384, 1 << 18
PR_SET_PDEATHSIG = 1
NOT_FOUND, NOT_EXECUTABLE = 127, 126
"""Exit status of a command that does not exist or cannot be executed, as shells have it."""

library = ctypes.CDLL(None, use_errno=True)


def attach(name: str) -> int:
    """Makes a TUN device that ends with its descriptor, which does not block and is returned."""
    descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        fcntl.ioctl(descriptor, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def quiet(name: str) -> None:
    """Keeps the kernel from sending packets of IPv6 of its own on a device."""
    with contextlib.suppress(OSError), open(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6", "w") as file:
        file.write("1")


def checked(result: int, what: str) -> None:
    """Raises the error of a call of the C library that returned `result`."""
    if result:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)


def bind_to_parent() -> None:
    """Has the kernel kill this process when the one that started it ends."""
    checked(library.prctl(PR_SET_PDEATHSIG, signal.SIGKILL), "prctl")


def network(ip: str, inside: str, outside: str, prefix: int, mtu: int) -> int:
    """Makes the network's end in this namespace."""
    tun = attach(DEVICE)
    quiet(DEVICE)
    for path, value in (("ipv4/ip_forward", "1"), ("ipv4/tcp_no_metrics_save", "1")):
        with contextlib.suppress(FileNotFoundError), open(f"/proc/sys/net/{path}", "w") as file:
            file.write(value)
    for command in (
        ("link", "set", "dev", "lo", "up"),
        ("address", "add", f"{inside}/{prefix}", "dev", DEVICE),
        ("link", "set", "dev", DEVICE, "mtu", str(mtu), "txqueuelen", "1000", "up"),
        ("route", "add", "default", "via", outside, "dev", DEVICE),
    ):
        done = subprocess.run((ip, *command), capture_output=True, text=True, check=False)  # noqa: S603 -- as it is given
        if done.returncode:
            raise OSError(0, f"ip {' '.join(command)}: {(done.stdout + done.stderr).strip()}")
    return tun


def mount() -> None:
    """Shows the processes and the devices of the namespaces in /proc and /sys."""
    flags = MS_NOSUID | MS_NODEV | MS_NOEXEC
    checked(library.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None), "mount /")
    checked(library.mount(b"proc", b"/proc", b"proc", flags, None), "mount /proc")
    # Programs that look for devices there are few, and some containers forbid it.
    library.mount(b"sysfs", b"/sys", b"sysfs", flags, None)


def first_process(command: list[str], alive: int) -> int:
    """Runs the command as the first process of the namespaces, and returns its exit status."""
    bind_to_parent()
    # The parent holds the other end: it may have ended before the kernel was told.
    if select.select([alive], [], [], 0)[0]:
        return 1
    mount()
    child = os.fork()
    if child == 0:
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        try:
            os.execvp(command[0], command)  # noqa: S606 -- the user's command
        except OSError as error:
            sys.stderr.write(f"ackclock: {command[0]}: {error.strerror}\n")
            os._exit(NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_EXECUTABLE)
    while True:
        ended, status = os.wait()
        if ended == child:
            return status_of(status)


def status_of(status: int) -> int:
    """The exit status of a process as shells have it: 128 and the signal's number if a signal ended it."""
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def main() -> int:
    """Reads the question from the socket, answers with the device, and runs the command when told to."""
    bind_to_parent()
    for number in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    with socket.socket(fileno=int(sys.argv[1])) as channel:
        question = json.loads(channel.recv(1 << 20))
        try:
            checked(library.unshare(CLONE_NEWNET | CLONE_NEWNS), "unshare")
            tun = network(**question["network"])
        except OSError as error:
            channel.send(json.dumps({"error": f"{error.filename or 'network'}: {error.strerror}"}).encode())
            return 1
        socket.send_fds(channel, [b"{}"], [tun])
        os.close(tun)
        if channel.recv(1) != b"g":
            return 1
    # The next process that is made, and only that one, is the first of the namespace.
    checked(library.unshare(CLONE_NEWPID), "unshare")
    alive, held = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(held)
        try:
            status = first_process(question["command"], alive)
        except OSError as error:
            sys.stderr.write(f"ackclock: {error.filename or ''}: {error.strerror}\n")
            status = 1
        os._exit(status)
    os.close(alive)
    return status_of(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    sys.exit(main())
