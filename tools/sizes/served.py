"""The first answers of ``ackclock serve``: what the page of a store asks for when it opens."""

from __future__ import annotations

import os
import signal
import sys
import threading
import urllib.request
from pathlib import Path

from ackclock.report.serve import serve

__all__ = ["ask"]

PAGE = ("", "api/runs", "api/question")
"""The page, and the two requests that its script makes at once."""


def ask(store: Path) -> None:
    """Serves a store until its page has its first answers."""

    def asking(address: str) -> None:
        for name in PAGE:
            with urllib.request.urlopen(address + name) as answer:  # noqa: S310 -- an address of this process
                answer.read()
        os.kill(os.getpid(), signal.SIGTERM)

    def ready(addresses: list[str]) -> None:
        threading.Thread(target=asking, args=addresses[:1], daemon=True).start()

    # The server passes the signal on to this one when it has ended.
    signal.signal(signal.SIGTERM, lambda *_: None)
    serve(store, port=0, ready=ready)


if __name__ == "__main__":
    ask(Path(sys.argv[1]))
