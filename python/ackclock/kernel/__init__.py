"""The Linux kernel in virtual time: its unmodified TCP as an ordinary process, without root.

`build` makes a user-mode kernel of a source tree and keeps it in the user's cache; `run` runs a scenario in it. The
clock of such a kernel jumps from event to event, so a run has no scheduling noise, and its tables are those of the
simulator where they mean the same.
"""

from ackclock.kernel.builds import Built, KernelError, build, built
from ackclock.kernel.runs import KernelRun, run

__all__ = ["Built", "KernelError", "KernelRun", "build", "built", "run"]
