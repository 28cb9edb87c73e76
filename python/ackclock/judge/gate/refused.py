"""The error of a gate that cannot judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock._errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["GateError"]

SHOWN = 12
"""Problems that a message lists."""


class GateError(RefusedError):
    """A baseline, a configuration or a request that a gate cannot use; the message lists every problem."""

    code = "ACK060"

    @classmethod
    def of(cls, source: str, problems: Sequence[str]) -> GateError:
        """The error of a file with several problems, one in a line."""
        lines = [f"{source}: {one}" for one in problems[:SHOWN]]
        more = len(problems) - len(lines)
        return cls("\n".join([*lines, *([f"{source}: and {more} more"] if more else [])]))
