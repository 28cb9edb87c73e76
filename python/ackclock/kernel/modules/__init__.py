"""Congestion controls for the running Linux that ackclock brings: loaded as BPF programs, without a kernel module.

Each object holds two forms of an algorithm or one. What is loaded stays until it is unloaded or the machine starts
again; what is loaded for a run leaves the kernel with the process that loaded it, whatever ends that process.
"""

from __future__ import annotations

import contextlib
import os
import platform
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ackclock.kernel.modules import libbpf
from ackclock.kernel.process import require_linux
from ackclock.kernel.source import KernelError
from ackclock.kernel.turns import turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["MODULES", "Module", "State", "available", "load", "loaded_for", "module_with", "status", "unit", "unload"]

OBJECTS = Path(__file__).with_name("objects")
BTF = Path("/sys/kernel/btf/vmlinux")
OLDEST = (6, 1)
"""The oldest Linux that the programs are made for."""
SETTINGS = Path("/proc/sys/net/ipv4")
PATIENCE_S = 3600.0
"""Seconds of waiting for other runs that load or use a module."""

UNIT = """\
[Unit]
Description=The congestion controls of ackclock's module {name}
Documentation=man:tcp(7)
Before=network-pre.target
Wants=network-pre.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart="{python}" -m ackclock kernel load {name}
ExecStop="{python}" -m ackclock kernel unload {name}

[Install]
WantedBy=multi-user.target
"""


@dataclass(frozen=True)
class Module:
    """Module of the kernel: one object with one or several algorithms."""

    name: str
    """The name on the command line."""
    algorithms: tuple[str, ...]
    """The names that sockets know (TCP_CONGESTION)."""
    summary: str
    source: str
    """RFC or paper."""

    @property
    def object(self) -> Path:
        """The compiled object."""
        return OBJECTS / f"{self.name}.bpf.o"


MODULES = {
    one.name: one
    for one in (
        Module(
            "newcwv",
            ("newcwv", "newcwv_np"),
            "Reno that keeps an unused window, with paced bursts (newcwv) or without (newcwv_np)",
            "RFC 7661",
        ),
        Module(
            "newcwv_cubic",
            ("newcwv_cubic", "newcwv_cubic_np"),
            "CUBIC that keeps an unused window, with paced bursts (newcwv_cubic) or without (newcwv_cubic_np)",
            "RFC 7661, RFC 9438",
        ),
        Module(
            "ctcp",
            ("ctcp",),
            "Compound TCP: Reno's window and a second one that grows while packets do not wait",
            "Tan, Song, Zhang, Sridharan, INFOCOM 2006",
        ),
    )
}


@dataclass(frozen=True)
class State:
    """An algorithm and the running kernel."""

    algorithm: str
    module: Module
    loaded: bool
    connections: int | None
    """Connections of this network namespace that use it; None where `ss` cannot count them."""


def available() -> list[str]:
    """The congestion controls that the running kernel offers."""
    return (SETTINGS / "tcp_available_congestion_control").read_text(encoding="ascii").split()


def module_with(algorithm: str) -> Module | None:
    """The module that holds an algorithm."""
    return next((one for one in MODULES.values() if algorithm in one.algorithms), None)


def load(name: str) -> Module:
    """Loads a module into the running kernel, where it stays.

    Raises
    ------
    KernelError
        If there is no such module, it is loaded already, or this machine cannot load it. Nothing of it is left then.
    """
    module = _module(name)
    library = _ready(module)
    there = [one for one in module.algorithms if one in available()]
    if there:
        raise KernelError(
            f"{', '.join(there)}: is loaded already; accepted: to use it, or first `ackclock kernel unload {name}`"
        )
    libbpf.Loaded(library, str(module.object), linked=False).close(remove=False)
    return module


def unload(name: str) -> dict[str, int | None]:
    """Takes a module out of the running kernel. Connections that use it keep it until they close.

    Returns
    -------
    dict[str, int | None]
        The number of connections of this network namespace that keep each algorithm; None where it is not known.

    Raises
    ------
    KernelError
        If there is no such module, it is not loaded, one of its algorithms is the default of this network namespace,
        or this process may not unload it.
    """
    module = _module(name)
    library = _ready(module)
    default = (SETTINGS / "tcp_congestion_control").read_text(encoding="ascii").strip()
    if default in module.algorithms:
        raise KernelError(
            f"{default}: is the default congestion control of new connections, so it cannot be unloaded; accepted: "
            "first another default, such as `sysctl net.ipv4.tcp_congestion_control=cubic`"
        )
    using = _using(module.algorithms)
    removed = [
        found for found, descriptor in library.struct_ops() if found in module.algorithms and library.remove(descriptor)
    ]
    if not removed:
        raise KernelError(f"{name}: is not loaded; accepted: {_loaded_names()}")
    return using


def status() -> list[State]:
    """All algorithms of all modules, and whether the running kernel has them."""
    require_linux()
    there = available()
    using = _using([algorithm for one in MODULES.values() for algorithm in one.algorithms])
    return [
        State(algorithm, one, algorithm in there, using[algorithm] if algorithm in there else 0)
        for one in MODULES.values()
        for algorithm in one.algorithms
    ]


def unit(name: str, python: Path) -> str:
    """A unit for systemd that loads a module when the machine starts.

    Parameters
    ----------
    name
        The module.
    python
        The interpreter that has ackclock.
    """
    module = _module(name)
    return UNIT.format(name=module.name, python=python)


@contextlib.contextmanager
def loaded_for(algorithms: Sequence[str]) -> Iterator[None]:
    """Has algorithms in the running kernel for as long as the context lasts, if they are not there anyway.

    They leave the kernel with this process, whatever ends it. Where other processes use what this one loaded, the end
    of the context waits for theirs.

    Raises
    ------
    KernelError
        If this machine cannot load them.
    """
    wanted = {one for algorithm in algorithms if (one := module_with(algorithm))}
    with contextlib.ExitStack() as stack:
        for module in sorted(wanted, key=lambda one: one.name):
            stack.enter_context(_held(module))
        yield


@contextlib.contextmanager
def _held(module: Module) -> Iterator[None]:
    """A module that stays: every process that uses it shares a lock, and who loaded it waits for that lock alone."""
    users, using = f"module-{module.name}", f"another run with the module {module.name}"
    loaded = None
    with contextlib.ExitStack() as stack:
        # Two processes must not find it missing at once.
        with turn("modules", "another run that loads a module", PATIENCE_S):
            stack.enter_context(turn(users, using, PATIENCE_S, alone=False))
            if not set(module.algorithms) <= set(available()):
                library = _ready(module)
                if _release() < libbpf.LINKED_SINCE:
                    raise KernelError(
                        f"{module.name}: Linux {platform.release()} cannot load an algorithm for one run; accepted: "
                        f"first `ackclock kernel load {module.name}`, or Linux {_dotted(libbpf.LINKED_SINCE)} or later"
                    )
                loaded = libbpf.Loaded(library, str(module.object), linked=True)
        try:
            yield
        finally:
            stack.close()
            if loaded is not None:
                try:
                    with turn(users, using, PATIENCE_S):
                        loaded.close(remove=False)
                except BaseException:
                    loaded.close(remove=False)
                    raise


def _module(name: str) -> Module:
    require_linux()
    if name not in MODULES:
        raise KernelError(f"{name}: is no module; accepted: {', '.join(MODULES)}")
    return MODULES[name]


def _ready(module: Module) -> libbpf.Library:
    """libbpf, where this machine can load a module."""
    require_linux()
    if os.geteuid() != 0:
        raise KernelError(f"{module.name}: needs root, because a congestion control is a part of the kernel")
    if _release() < OLDEST:
        raise KernelError(f"{module.name}: needs Linux {_dotted(OLDEST)} or later; this is Linux {platform.release()}")
    if not BTF.exists():
        raise KernelError(
            f"{module.name}: needs {BTF}, the kernel's description of its own types; accepted: a kernel that was built "
            "with CONFIG_DEBUG_INFO_BTF, as those of Debian, Ubuntu and Fedora are"
        )
    if not module.object.exists():
        raise KernelError(
            f"{module.name}: has not been compiled; accepted: `make bpf` in the source, with clang and libbpf's "
            "headers, or an installed wheel, which has it"
        )
    return libbpf.library()


def _release() -> tuple[int, int]:
    found = re.match(r"(\d+)\.(\d+)", platform.release())
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _dotted(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"


def _loaded_names() -> str:
    there = available()
    names = [one.name for one in MODULES.values() if any(algorithm in there for algorithm in one.algorithms)]
    return ", ".join(names) if names else "nothing, because no module is loaded"


def _using(algorithms: Sequence[str]) -> dict[str, int | None]:
    """Connections of this network namespace by algorithm."""
    try:
        ran = subprocess.run(["ss", "-tinH"], capture_output=True, text=True, check=True)  # noqa: S607 -- iproute2
        said = ran.stdout.split()
    except (OSError, subprocess.CalledProcessError):
        return dict.fromkeys(algorithms)
    return {one: said.count(one) for one in algorithms}
