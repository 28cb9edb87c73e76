"""The message of a port that a server of ours cannot have."""

from __future__ import annotations

import errno

__all__ = ["refusal"]


def refusal(host: str, port: int, error: OSError) -> str:
    """Says why a server could not take a port, and what to do."""
    if error.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is in use; --port names another, and 0 takes a free one"
    return f"port {port} of {host}: {error.strerror}"
