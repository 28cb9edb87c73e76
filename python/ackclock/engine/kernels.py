"""Runs with the TCP of a kernel, as hooks: the room `kernel` is above this one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ackclock.base.hooks import Hook

if TYPE_CHECKING:
    from ackclock.results.result import Result

__all__ = ["SIM", "Kernel", "check", "choose", "run"]

SIM = "sim"
"""Name of the backend that is the simulator."""


class Kernel(Protocol):
    """A kernel to run on."""

    @property
    def exact(self) -> str:
        """A name that means this kernel and no other of the same version."""


choose: Hook[[str], Kernel] = Hook("kernel.choose")
"""The kernel that the name of a backend means; see `ackclock.kernel.backends.backend`."""
check: Hook[..., object] = Hook("kernel.check")
"""Refuses what a kernel cannot do of a scenario; see `ackclock.kernel.live.checked`."""
run: Hook[..., Result] = Hook("kernel.run")
"""Runs a scenario with the TCP of a kernel; see `ackclock.kernel.live.run`."""
