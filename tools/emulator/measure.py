"""The command's end of a measurement. It runs inside the emulated network and uses the standard library alone."""

from __future__ import annotations

import json
import os
import socket
import sys
import time


def receive(port: int, skip_s: float, take_s: float) -> dict[str, float]:
    """The goodput of a stream from the machine outside, in bit/s, after its first seconds."""
    with socket.create_connection((os.environ["ACKCLOCK_OUTSIDE"], port)) as stream:
        buffer = bytearray(1 << 18)
        began = time.monotonic()
        while time.monotonic() < began + skip_s:
            stream.recv_into(buffer)
        began, received = time.monotonic(), 0
        while (now := time.monotonic()) < began + take_s:
            received += stream.recv_into(buffer)
    return {"goodput_bps": received * 8 / (now - began)}


if __name__ == "__main__":
    port, skip_s, take_s = sys.argv[1:]
    print(json.dumps(receive(int(port), float(skip_s), float(take_s))))  # noqa: T201 -- the caller reads it
