"""The buffer of a DASH player over time, as it was between the segments, and its stalls."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ackclock.results.result import Result

    Numbers: TypeAlias = NDArray[np.float64]

__all__ = ["buffer_of", "stalls_of"]


def buffer_of(result: Result, flow: str) -> tuple[Numbers, Numbers]:
    """Times and media in the buffer of a player, both in seconds: the corners of a line.

    A segment adds its length at once. From one segment to the next, the buffer falls by what is played: it stays before
    the player has started, and it is at zero during a stall, which is over when the next segment is there. After the
    last segment it falls to zero, or to the end of the run.
    """
    table = result.dash_segments
    mine = (table["flow"] == flow) & np.isfinite(table["done_s"])
    done, filled, stalled = (table[name][mine].astype(np.float64) for name in ("done_s", "buffer_s", "stall_s"))
    if not done.size:
        return np.empty(0), np.empty(0)
    # The first segment meets an empty buffer.
    segment = filled[0]
    time, buffer = [done[0], done[0]], [0.0, segment]
    for before, now, had, has, stall in zip(done[:-1], done[1:], filled[:-1], filled[1:], stalled[1:], strict=True):
        left = min(max(has - segment, 0.0), had)
        played = min(had - left, now - before)
        if stall > 0:
            time.append(before + played)
            buffer.append(left)
        else:
            time.append(now - played)
            buffer.append(had)
        time += [now, now]
        buffer += [left, has]
    end = min(done[-1] + filled[-1], max(done[-1], float(result.meta["duration_s"])))
    time.append(end)
    buffer.append(max(filled[-1] - (end - done[-1]), 0.0))
    return np.array(time), np.array(buffer)


def stalls_of(result: Result, flow: str) -> tuple[Numbers, Numbers]:
    """Starts and ends of a player's stalls in seconds; each ends with the arrival of a segment."""
    table = result.dash_segments
    mine = (table["flow"] == flow) & np.isfinite(table["done_s"])
    ends, lengths = table["done_s"][mine].astype(np.float64), table["stall_s"][mine].astype(np.float64)
    there = lengths > 0
    return ends[there] - lengths[there], ends[there]
