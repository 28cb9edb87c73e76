"""The extended registers of the host's processor in a user-mode kernel: room for them, and fewer writes.

The kernel keeps the extended registers of each of its processes, and writes them back to the host as a whole. Up to
Linux 6.12 it has 2696 bytes for them. A processor with AMX has 11,008, and the host refuses a part of them, so that the
kernel's first program is killed as it starts. The number is not an option; it is a constant that the build compiles
from ``arch/x86/um/user-offsets.c`` to assembly before everything else. It is changed there, and the source stays as it
is.

Every system call inside reads the registers and writes them back, mostly unchanged. ``spared.c``, which is linked into
the kernel around libc's ptrace, leaves out the writes that change nothing.
"""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["SPARED", "STACK", "make_room", "wraps"]

STACK = "CONFIG_KERNEL_STACK_ORDER=3"
"""The kernel's stacks hold the registers, too: they have 32 KiB in place of 16."""

ROOM = 12_288 // 8
"""The room in words of 8 bytes: all extended registers of today's processors with AMX, and some more."""

SPARED = Path(__file__).with_name("spared.c")
"""The source of what is linked into the kernel."""

CONSTANT = re.compile(r"(->HOST_FP_SIZE \$)(\d+)\b")


def make_room(objects: Path) -> bool:
    """Gives the kernel that is built in a folder room for the registers; False if it needs none.

    `make prepare` has to be done before. Kernels from 6.13 on ask the host for the number, and other architectures have
    no such constant.
    """
    file = objects / "arch/x86/um/user-offsets.s"
    if not file.exists():
        return False
    text = file.read_text(encoding="utf-8")
    found = CONSTANT.search(text)
    if found is None or int(found[2]) >= ROOM:
        return False
    file.write_text(CONSTANT.sub(rf"\g<1>{ROOM}", text), encoding="utf-8")
    return True


def wraps(linked: Path) -> str:
    """The variable of `make` that links a compiled ``spared.c``, beside what the kernel wraps itself."""
    wrapped = (f"-Wl,--wrap,{name}" for name in ("malloc", "free", "calloc", "ptrace"))
    return f"LINK_WRAPS={' '.join(wrapped)} {linked}"
