"""The kernels that scenarios and scripts can run on, by the names that the command line has for them."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock.kernel import builds, runs
from ackclock.kernel.process import require_linux
from ackclock.kernel.source import KernelError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock.kernel.builds import Built

__all__ = ["HERE", "TUN", "Backend", "backend"]

TUN = Path("/dev/net/tun")
HERE = "linux"
"""Name of the backend that is the running kernel."""
HZ = 1000
"""Ticks a second of kernels: with 100, timers are later than the tolerances of scripts, 4 ms."""


@dataclass(frozen=True)
class Backend:
    """A kernel to run on."""

    kernel: Built | None
    """A kernel of the cache; None is the running kernel."""

    @property
    def version(self) -> str:
        """The version of the kernel."""
        return platform.release() if self.kernel is None else self.kernel.version

    @property
    def name(self) -> str:
        """Name of this kernel among all backends: ``linux``, or ``linux:`` and the version."""
        return HERE if self.kernel is None else f"{HERE}:{self.kernel.version}"

    @property
    def exact(self) -> str:
        """A name that means this kernel and no other of the same version: ``linux`` or ``linux:DIGEST``."""
        return HERE if self.kernel is None else f"{HERE}:{self.kernel.digest}"

    def document(self) -> dict[str, Any]:
        """Name and kernel, for JSON."""
        kernel: dict[str, Any] = {"version": self.version, "clock": "real"}
        if self.kernel is not None:
            kernel |= {"hz": self.kernel.hz, "digest": self.kernel.digest, "clock": "virtual"}
        return {"backend": self.name, "kernel": kernel}


def backend(name: str, report: Callable[[float], object] | None = None) -> Backend:
    """The kernel that a name means: ``linux``, ``linux:VERSION``, ``linux:DIGEST`` or ``linux:TREE``.

    A tree is built, unless the cache has a kernel of it: nine minutes on two cores.

    Raises
    ------
    KernelError
        If the name means no kernel, or if the kernel cannot be built or used.
    """
    require_linux()
    kind, colon, which = name.partition(":")
    if kind != HERE or (colon and not which):
        raise KernelError(f"--backend {name}: accepted: sim, linux, linux:VERSION such as linux:6.12, or linux:TREE")
    if not colon:
        return _running()
    if os.sep in which or which in (os.curdir, os.pardir):
        return Backend(builds.build(Path(which), hz=HZ, report=report))
    known = [one for one in builds.built() if which in (one.version, one.digest) or one.version.startswith(f"{which}.")]
    return Backend(runs.choose(which, HZ if all(one.digest != which for one in known) else None))


def _running() -> Backend:
    if os.geteuid() != 0:
        raise KernelError(
            "--backend linux: needs root for namespaces and TUN devices; accepted: root, a user namespace as in "
            "unshare --user --map-root-user ackclock ..., or a kernel in user mode, linux:6.12"
        )
    if not TUN.exists():
        raise KernelError(f"--backend linux: needs {TUN}, which this machine does not have; on Linux: modprobe tun")
    return Backend(None)
