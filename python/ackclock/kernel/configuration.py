"""The configuration of a user-mode kernel: TCP with all of its congestion controls, and the network around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.kernel.registers import STACK
from ackclock.kernel.source import KernelError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["HZ", "MODULES", "OPTIONS", "check", "fragment", "top"]

HZ = (100, 1000)
"""The ticks a second that a kernel is built with. 100 is the default of the architecture; distributions have 250 or
1000."""

MODULES = {
    "reno": "",
    "cubic": "CUBIC",
    "bbr": "BBR",
    "bic": "BIC",
    "cdg": "CDG",
    "dctcp": "DCTCP",
    "highspeed": "HSTCP",
    "htcp": "HTCP",
    "hybla": "HYBLA",
    "illinois": "ILLINOIS",
    "lp": "LP",
    "nv": "NV",
    "scalable": "SCALABLE",
    "vegas": "VEGAS",
    "veno": "VENO",
    "westwood": "WESTWOOD",
    "yeah": "YEAH",
}
"""The kernel's congestion controls: the name, and the option of Kconfig; Reno has none."""

DISCIPLINES = (
    "NETEM", "TBF", "FQ", "CODEL", "FQ_CODEL", "PIE", "FQ_PIE", "CAKE", "SFQ", "RED", "HTB", "DUALPI2",
)  # fmt: skip
"""The kernel's queue disciplines, as the ends of their options; some versions do not have all."""

OPTIONS = (
    "UML_TIME_TRAVEL_SUPPORT",
    "NET",
    "INET",
    "IPV6",
    "SYN_COOKIES",
    "TCP_MD5SIG",
    "PACKET",
    "NAMESPACES",
    "NET_NS",
    "NETDEVICES",
    "TUN",
    "VETH",
    "NET_SCHED",
    *(f"NET_SCH_{name}" for name in DISCIPLINES),
    "TCP_CONG_ADVANCED",
    *(f"TCP_CONG_{option}" for option in MODULES.values() if option),
    "HOSTFS",
    "TMPFS",
    "PROC_FS",
    "SYSFS",
    "HIGH_RES_TIMERS",
    "INET_DIAG",
    "FTRACE",
    "ENABLE_DEFAULT_TRACERS",
)
"""Options that are built in."""

FAST = ("CC_OPTIMIZE_FOR_PERFORMANCE", "INIT_STACK_NONE")
"""Choices for which the architecture's defaults are slower: small code, and stacks that are cleared."""

UNUSED = (
    "EXT4_FS", "REISERFS_FS", "ISO9660_FS", "AUTOFS_FS", "QUOTA", "BLK_DEV", "IOSCHED_BFQ", "MQ_IOSCHED_KYBER",
    "MQ_IOSCHED_DEADLINE", "INPUT_KEYBOARD", "INPUT_MOUSE", "SERIO", "HID_SUPPORT", "PPP", "SLIP", "LEGACY_PTYS",
    "IKCONFIG", "RUNTIME_TESTING_MENU",
)  # fmt: skip
"""Drivers and file systems of the architecture's default configuration, which no run has and a build would compile.

WLAN is none of them. With it every packet has 64 bytes more room for headers (LL_MAX_HEADER in
include/linux/netdevice.h), as in kernels of distributions. The receive window follows from the memory that packets
take, so that a receiver without WLAN sends other acknowledgments."""


def fragment() -> str:
    """The lines that follow the architecture's default configuration."""
    lines = [f"CONFIG_{option}=y" for option in (*OPTIONS, *FAST)]
    lines += [f"CONFIG_{option}=n" for option in ("MODULES", *UNUSED)]
    return "\n".join([*lines, "CONFIG_DEBUG_INFO_NONE=y", STACK, ""])


def top(tree: Path, hz: int) -> str:
    """A Kconfig file that reads the tree's own, but first gives HZ another default: the first default holds.

    The architecture's HZ has no prompt, so no configuration can set it, and the tree itself is not changed.
    """
    lines = (tree / "Kconfig").read_text(encoding="utf-8").splitlines()
    at = next((number for number, line in enumerate(lines) if line.startswith("mainmenu")), -1) + 1
    return "\n".join([*lines[:at], "config HZ", "\tint", f"\tdefault {hz}", *lines[at:], ""])


def check(config: Path, hz: int) -> list[str]:
    """The options that the tree does not have, which may be congestion controls of other versions.

    Raises
    ------
    KernelError
        If an option is missing without which no run is possible, or if the tick is another.
    """
    lines = set(config.read_text(encoding="utf-8").splitlines())
    missing = [option for option in OPTIONS if f"CONFIG_{option}=y" not in lines]
    needed = [option for option in missing if not option.startswith(("TCP_CONG_", "NET_SCH_"))]
    needed += [option for option in missing if option == "NET_SCH_NETEM"]
    if needed:
        raise KernelError(f"this kernel has no {', '.join(needed)}; accepted: a tree of Linux 5.4 or later")
    if f"CONFIG_HZ={hz}" not in lines:
        raise KernelError(f"the tick of this kernel cannot be set to {hz} a second")
    return missing
