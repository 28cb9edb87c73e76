"""Samples of the server's TCP, as `ss -ti` tells it."""

from __future__ import annotations

import contextlib
import re
import subprocess
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ackclock.kernel.testbed.programs import require

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["EVERY_S", "Sample", "samples_of", "sampling"]

EVERY_S = 0.05
"""Seconds between two samples."""
FIELD = re.compile(r"\b(cwnd|ssthresh|bytes_acked|unacked|rtt|retrans):(?:\d+/(?=\d+\b(?!\.)))?([0-9.]+)")


@dataclass(frozen=True)
class Sample:
    """One connection at one time."""

    time_s: float
    """Seconds since 1970."""
    port: int
    """The client's port, which names the connection."""
    cwnd: int
    """Congestion window in packets."""
    ssthresh: int | None
    """Slow-start threshold in packets; None while it is infinite."""
    acked: int
    """Bytes acknowledged so far."""
    flight: int
    """Packets not acknowledged yet."""
    rtt_ms: float
    """Smoothed round-trip time in milliseconds."""
    resent: int
    """Packets sent again so far."""


def samples_of(text: str, time_s: float) -> list[Sample]:
    """The samples in what ``ss -tinOH`` printed."""
    found = []
    for line in text.splitlines():
        addresses = re.findall(r"\S+:(\d+)(?=\s)", line)
        fields = dict(FIELD.findall(line))
        if len(addresses) < 2 or "cwnd" not in fields:
            continue
        found.append(
            Sample(
                time_s,
                int(addresses[1]),
                int(fields["cwnd"]),
                int(fields["ssthresh"]) if "ssthresh" in fields else None,
                int(fields.get("bytes_acked", 0)),
                int(fields.get("unacked", 0)),
                float(fields.get("rtt", 0)),
                int(fields.get("retrans", 0)),
            )
        )
    return found


@contextlib.contextmanager
def sampling(port: int) -> Iterator[list[Sample]]:
    """Samples the connections of a server in this network namespace for as long as the context lasts."""
    command = [require(["ss"])["ss"], "-tinOH", "state", "connected", "sport", "=", f":{port}"]
    samples: list[Sample] = []
    stop = threading.Event()

    def sample() -> None:
        while not stop.wait(EVERY_S):
            done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 -- a fixed program
            samples.extend(samples_of(done.stdout, time.time()))

    thread = threading.Thread(target=sample, name="ackclock-samples")
    thread.start()
    try:
        yield samples
    finally:
        stop.set()
        thread.join()
