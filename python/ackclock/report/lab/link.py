"""Links of the laboratory: an experiment in the part of an address after ``#``, as ``web/src/lab/link.ts`` reads it."""

from __future__ import annotations

import base64
import json
import zlib

from ackclock import _core

__all__ = ["fragment"]


def fragment(text: str, seed: int = 1) -> str:
    """The end of a link that opens a scenario in the laboratory, from ``#`` on.

    Parameters
    ----------
    text
        The scenario as TOML.
    seed
        Seed of the run.
    """
    # The text as a change of an empty one: the first line, how many lines are replaced, and the new ones.
    change = [0, 1, *text.split("\n")]
    packed = {"v": _core.version(), "e": _core.engine()[:8], "t": [[change]], "s": seed}
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    written = json.dumps(packed, ensure_ascii=False, separators=(",", ":")).encode()
    data = compressor.compress(written) + compressor.flush()
    return "#1" + base64.urlsafe_b64encode(data).decode().rstrip("=")
