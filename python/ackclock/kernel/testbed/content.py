"""The clip: a test picture that ffmpeg encodes at every level of a ladder, cut into segments, with its MPD."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ackclock._errors import RefusedError
from ackclock.kernel.testbed.programs import require

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["MANIFEST", "Clip", "ContentError", "encode"]

MANIFEST = "manifest.mpd"
RATE = 10
"""Pictures a second: the bytes count here, and not the picture."""
SIZE = "320x180"


class ContentError(RefusedError):
    """ffmpeg failed; the message has what it said."""

    code = "ACK053"


@dataclass(frozen=True)
class Clip:
    """Clip that is encoded."""

    ladder_kbps: Sequence[int]
    """The levels, each at a constant bit rate."""
    segment_s: int
    duration_s: int

    def command(self, ffmpeg: str) -> list[str]:
        """The call of ffmpeg that encodes the clip into the current folder."""
        picture = f"testsrc2=size={SIZE}:rate={RATE}:duration={self.duration_s}"
        words = [ffmpeg, "-nostdin", "-loglevel", "error", "-f", "lavfi", "-i", picture]
        words += ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"]
        pictures = str(RATE * self.segment_s)
        words += ["-g", pictures, "-keyint_min", pictures, "-sc_threshold", "0"]
        # Filler makes every segment as large as its level says, whatever the picture needs.
        words += ["-x264-params", "nal-hrd=cbr:force-cfr=1"]
        for level, kbps in enumerate(self.ladder_kbps):
            words += ["-map", "0:v"]
            for name in ("b", "minrate", "maxrate", "bufsize"):
                words += [f"-{name}:v:{level}", f"{kbps}k"]
        words += ["-f", "dash", "-seg_duration", str(self.segment_s), "-use_template", "1", "-use_timeline", "0"]
        words += ["-init_seg_name", "init-$RepresentationID$.m4s"]
        words += ["-media_seg_name", "media-$RepresentationID$-$Number$.m4s"]
        return [*words, "-adaptation_sets", "id=0,streams=v", MANIFEST]


def encode(clip: Clip, folder: Path) -> None:
    """Encodes a clip into an existing folder: the MPD, and ``init-LEVEL.m4s`` and ``media-LEVEL-NUMBER.m4s``.

    Levels count from 0, numbers of segments from 1.

    Raises
    ------
    MissingError
        If ffmpeg is not installed.
    ContentError
        If ffmpeg fails.
    """
    ffmpeg = require(["ffmpeg"])["ffmpeg"]
    done = subprocess.run(clip.command(ffmpeg), cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise ContentError(f"ffmpeg ended with status {done.returncode}: {said[-1] if said else 'it said nothing'}")
