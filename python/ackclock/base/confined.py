"""Runs a module of ackclock in a process that can do nothing but compute.

This file is executed by itself, before anything of ackclock or of its libraries is loaded: a limit that a thread sets
holds for the threads that it starts, and not for those that are there. The process then

- reads only the system's files, Python's, ackclock's, and the folder that it was given;
- writes only in that folder (Landlock, landlock(7));
- makes no socket, starts no program or process, sends no signal to another process, locks no file, and changes no mode,
  owner or time of a file (seccomp(2));
- ends with the process that started it.

Both need no rights. Linux has them since 5.13, on x86-64 and arm64, unless an administrator switched them off.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import runpy
import signal
import struct
import sys
from pathlib import Path
from typing import NoReturn

__all__ = ["ConfinementError", "available", "confine"]

PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38
LANDLOCK_CREATE_RULESET, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT_SELF = 444, 445, 446
LANDLOCK_CREATE_RULESET_VERSION = 1
LANDLOCK_RULE_PATH_BENEATH = 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = (1 << bit for bit in range(4))
FILE_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
"""All rights on files by the first version of Landlock that has them; version 5 added ioctl on devices."""
NETWORK_RIGHTS = 0b11
"""bind and connect of TCP, from version 4."""
SCOPES = 0b11
"""Abstract UNIX sockets and signals, from version 6."""
MADE = WRITE_FILE | READ_FILE | READ_DIR | 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 14
"""Rights in the folder: to read, write, make and remove files and folders, and no links, devices, pipes or sockets."""
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | 1 << 14 | 1 << 15
"""Rights that a rule about a file, and not about a folder, may have."""

SYSTEM = (
    "/usr", "/lib", "/lib64", "/bin", "/opt", "/etc", "/nix", "/sys", "/dev/null", "/dev/urandom",
    "/proc/self", "/proc/sys", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/filesystems",
)  # fmt: skip
"""Paths that Python and its libraries read. The folders of other processes in /proc are not among them, because they
show the environments of these processes."""

MOST_FILE_BYTES = 1 << 34
"""Largest file that the process may write."""

SECCOMP_SET_MODE_FILTER = 1
SECCOMP_FILTER_FLAG_TSYNC = 1
ALLOW, DENY, KILL = 0x7FFF0000, 0x00050000, 0x80000000
LOAD, EQUAL, GREATER_EQUAL, AND, RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
"""Instructions of BPF: LD|W|ABS, JMP|JEQ|K, JMP|JGE|K, ALU|AND|K, RET."""
NUMBER, ARCHITECTURE, ARGUMENT = 0, 4, 16
"""Offsets in `struct seccomp_data`; an argument has 8 bytes, the lower half first."""
CLONE_THREAD = 0x00010000
NEWEST = 452
"""Calls from this number on are refused as unknown: this file was written before they were."""

REFUSED = """
socket 41 198, socketpair 53 199, execve 59 221, execveat 322 281, ptrace 101 117, process_vm_readv 310 270,
process_vm_writev 311 271, kill 62 129, tkill 200 130, rt_sigqueueinfo 129 138, rt_tgsigqueueinfo 297 240,
pidfd_open 434 434, pidfd_send_signal 424 424, pidfd_getfd 438 438, truncate 76 45, fchmod 91 52,
fchmodat 268 53, fchown 93 55, fchownat 260 54, setxattr 188 5, lsetxattr 189 6, fsetxattr 190 7,
removexattr 197 14, lremovexattr 198 15, fremovexattr 199 16, utimensat 280 88, mount 165 40, umount2 166 39,
pivot_root 155 41, chroot 161 51, unshare 272 97, setns 308 268, io_uring_setup 425 425,
io_uring_enter 426 426, io_uring_register 427 427, add_key 248 217, request_key 249 218, keyctl 250 219,
bpf 321 280, perf_event_open 298 241, userfaultfd 323 282, shmget 29 194, shmat 30 196, shmctl 31 195,
semget 64 190, semop 65 193, semctl 66 191, msgget 68 186, msgsnd 69 189, msgrcv 70 188, msgctl 71 187,
mq_open 240 180, mq_unlink 241 181, setsid 112 157, setpgid 109 154, name_to_handle_at 303 264,
open_by_handle_at 304 265, openat2 437 437, setpriority 141 140, sched_setscheduler 144 119,
sched_setaffinity 203 122, ioprio_set 251 30, reboot 169 142, kexec_load 246 104, init_module 175 105,
delete_module 176 106, finit_module 313 273, swapon 167 224, settimeofday 164 170, clock_settime 227 112,
adjtimex 159 171, clock_adjtime 305 266, sethostname 170 161, setdomainname 171 162, syslog 103 116,
acct 163 89, quotactl 179 60, fanotify_init 300 262, chmod 90 -, chown 92 -, lchown 94 -, utime 132 -,
utimes 235 -, futimesat 261 -, fork 57 -, vfork 58 -, fsopen 430 430, open_tree 428 428, move_mount 429 429,
fsconfig 431 431, fsmount 432 432, fspick 433 433, mount_setattr 442 442, semtimedop 220 192, swapoff 168 225,
kexec_file_load 320 294, sched_setparam 142 118, sched_setattr 314 274, migrate_pages 256 238,
move_pages 279 239, kcmp 312 272, process_madvise 440 440, process_mrelease 448 448, quotactl_fd 443 443,
vhangup 153 58, ioperm 173 -, iopl 172 -, flock 73 32
"""
"""System calls that are refused: name, number on x86-64, number on arm64."""

MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""Number of each machine in `linux/audit.h`, and the machine's column of numbers."""

CONDITIONAL = {
    "clone": (56, 220),
    "clone3": (435, 435),
    "openat": (257, 56),
    "open": (2, None),
    "prlimit64": (302, 261),
    "tgkill": (234, 131),
    "ioctl": (16, 29),
    "seccomp": (317, 277),
}
"""Calls that depend on their arguments, and the one that sets the filter: numbers on x86-64 and on arm64."""

QUESTIONS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
"""Requests to ioctl that change nothing of a file: TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX."""


class ConfinementError(Exception):
    """The system cannot confine a process; the message says why."""

    code = "ACK057"


def _call(number: int, *arguments: object) -> int:
    done: int = ctypes.CDLL(None, use_errno=True).syscall(ctypes.c_long(number), *arguments)
    if done < 0:
        raise ConfinementError(os.strerror(ctypes.get_errno()))
    return done


def available() -> str | None:
    """Reason for which this system cannot confine a process; None if it can."""
    if not sys.platform.startswith("linux") or platform.machine() not in MACHINES:
        return f"{platform.system()} on {platform.machine()} has no Landlock and seccomp that ackclock knows"
    try:
        _version()
    except ConfinementError as error:
        return f"this Linux has no Landlock: {error}"
    return None


def _version() -> int:
    return _call(LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(LANDLOCK_CREATE_RULESET_VERSION))


def confine(folder: str, readable: list[str]) -> None:
    """Confines this process for good, as the head of this file says.

    Parameters
    ----------
    folder
        The folder in which the process may write.
    readable
        Files and folders that it may read, besides `SYSTEM`.

    Raises
    ------
    ConfinementError
        If the system cannot do it. The process may be confined in part.
    """
    # Windows has no such module, and its command line reads this one.
    import resource

    libc = ctypes.CDLL(None, use_errno=True)
    for option, value in ((PR_SET_PDEATHSIG, signal.SIGKILL), (PR_SET_NO_NEW_PRIVS, 1)):
        if libc.prctl(option, value, 0, 0, 0) != 0:
            raise ConfinementError(os.strerror(ctypes.get_errno()))
    # The first that Linux ends when memory is short.
    Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_FILE_BYTES, MOST_FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _restrict_files(folder, readable)
    _restrict_calls()


def _restrict_files(folder: str, readable: list[str]) -> None:
    version = _version()
    rights = FILE_RIGHTS[max(one for one in FILE_RIGHTS if one <= version)]
    fields = [rights, NETWORK_RIGHTS if version >= 4 else 0, SCOPES if version >= 6 else 0]
    size = 8 if version < 4 else 16 if version < 6 else 24
    given = struct.pack("=3Q", *fields)[:size]
    rules = _call(LANDLOCK_CREATE_RULESET, given, ctypes.c_size_t(size), ctypes.c_uint32(0))
    try:
        for path in dict.fromkeys((*SYSTEM, *readable)):
            _allow(rules, path, READ_FILE | READ_DIR | EXECUTE)
        _allow(rules, "/dev/null", READ_FILE | WRITE_FILE)
        _allow(rules, folder, MADE & rights)
        _call(LANDLOCK_RESTRICT_SELF, ctypes.c_int(rules), ctypes.c_uint32(0))
    finally:
        os.close(rules)


def _allow(rules: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        # What is not there needs no rule.
        return
    try:
        if not Path(path).is_dir():
            rights &= OF_FILES
        attributes = struct.pack("=Qi", rights, place)
        _call(LANDLOCK_ADD_RULE, ctypes.c_int(rules), LANDLOCK_RULE_PATH_BENEATH, attributes, ctypes.c_uint32(0))
    finally:
        os.close(place)


def _restrict_calls() -> None:
    program = b"".join(struct.pack("=HBBI", *one) for one in instructions(platform.machine(), os.getpid()))
    buffer = ctypes.create_string_buffer(program)
    head = ctypes.create_string_buffer(
        struct.pack("=H6xQ", len(program) // 8, ctypes.addressof(buffer))  # struct sock_fprog
    )
    number = CONDITIONAL["seccomp"][MACHINES[platform.machine()][1]]
    assert number is not None  # noqa: S101 -- every machine has this call
    _call(number, ctypes.c_uint(SECCOMP_SET_MODE_FILTER), ctypes.c_uint(SECCOMP_FILTER_FLAG_TSYNC), head)


def refused(machine: str) -> dict[str, int]:
    """The refused calls of a machine, by name."""
    column = MACHINES[machine][1]
    rows = [one.split() for one in REFUSED.replace("\n", " ").split(",")]
    return {name: int(numbers[column]) for name, *numbers in rows if numbers[column] != "-"}


def instructions(machine: str, process: int) -> list[tuple[int, int, int, int]]:
    """The filter of calls: instructions of BPF, each with its code, its two jumps, and its operand."""
    architecture, column = MACHINES[machine]
    deny, unknown = DENY | errno.EPERM, DENY | errno.ENOSYS
    conditional = {name: numbers[column] for name, numbers in CONDITIONAL.items()}

    def call(name: str) -> int:
        number = conditional[name]
        assert number is not None, name  # noqa: S101 -- the caller has looked
        return number

    def argument(place: int) -> tuple[int, int, int, int]:
        return (LOAD, 0, 0, ARGUMENT + 8 * place)

    found = [
        (LOAD, 0, 0, ARCHITECTURE),
        (EQUAL, 1, 0, architecture),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
        (GREATER_EQUAL, 0, 1, NEWEST),
        (RETURN, 0, 0, unknown),
        # Its flags are in memory, which no filter sees. The C library then takes clone.
        (EQUAL, 0, 1, call("clone3")),
        (RETURN, 0, 0, unknown),
    ]
    for one in refused(machine).values():
        found += [(EQUAL, 0, 1, one), (RETURN, 0, 0, deny)]
    # A new thread, and no new process.
    found += [(EQUAL, 0, 5, call("clone")), argument(0), (AND, 0, 0, CLONE_THREAD)]
    found += [(EQUAL, 0, 1, 0), (RETURN, 0, 0, deny), (RETURN, 0, 0, ALLOW)]
    # Signals to this process, as abort sends them, and its own limits.
    found += [(EQUAL, 0, 4, call("tgkill")), argument(0), (EQUAL, 1, 0, process), (RETURN, 0, 0, deny)]
    found += [(RETURN, 0, 0, ALLOW)]
    found += [(EQUAL, 0, 4, call("prlimit64")), argument(0), (EQUAL, 1, 0, 0), (RETURN, 0, 0, deny)]
    found += [(RETURN, 0, 0, ALLOW)]
    found += [(EQUAL, 0, 3 + len(QUESTIONS), call("ioctl")), argument(1)]
    found += [(EQUAL, len(QUESTIONS) - place, 0, one) for place, one in enumerate(QUESTIONS)]
    found += [(RETURN, 0, 0, deny), (RETURN, 0, 0, ALLOW)]
    # A file that is opened for reading is emptied with O_TRUNC, which Landlock does not see before version 3.
    for name, place in (("openat", 2), ("open", 1)):
        if conditional[name] is not None:
            found += [(EQUAL, 0, 5, call(name)), argument(place), (AND, 0, 0, os.O_TRUNC | os.O_ACCMODE)]
            found += [(EQUAL, 0, 1, os.O_TRUNC), (RETURN, 0, 0, deny), (RETURN, 0, 0, ALLOW)]
    return [*found, (RETURN, 0, 0, ALLOW)]


def _main() -> NoReturn:
    """``confined.py FOLDER MODULE READABLE...``: runs the module with its name and the folder as arguments."""
    folder, module, *more = sys.argv[1:]
    readable = [*more, sys.prefix, sys.base_prefix, sys.exec_prefix, *(one for one in sys.path if one)]
    try:
        confine(folder, [os.path.realpath(one) for one in readable])
    except (ConfinementError, OSError) as error:
        sys.stderr.write(f"this system cannot confine a process: {error}\n")
        sys.exit(3)
    sys.argv = [module, folder]
    runpy.run_module(module, run_name="__main__")
    sys.exit(0)


if __name__ == "__main__":
    _main()
