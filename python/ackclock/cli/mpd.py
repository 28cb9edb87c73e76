"""``ackclock mpd``: the video of a DASH manifest, or of a table of sizes, as an application."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 -- read by cyclopts from the annotations

from ackclock.base import files
from ackclock.cli.output import DONE, UsageError, say

__all__ = ["mpd"]


def mpd(
    manifest: Path, /, *, adaptation: str | None = None, segment: float | None = None, out: Path | None = None
) -> int:
    """Turn the video of a DASH manifest (MPD), or of a table of sizes, into the application dash of a scenario.

    The line has the bitrates, the duration and the number of the segments and, where the manifest has byte ranges, the
    size of each segment. It goes below [[flows]] of a scenario.

    Parameters
    ----------
    manifest
        The manifest; with --segment, a table of the sizes of segments. The first line of a table has the bitrates, such
        as 300kbps,750kbps, and each further line the bytes of one segment at each bitrate.
    adaptation
        The id or the number, from 0, of the AdaptationSet; by default the first one of a video.
    segment
        The playing time of a segment in seconds. The file is then a table.
    out
        The file to write; by default, the line is printed.
    """
    from ackclock.scenario.traffic import ladder
    from ackclock.scenario.traffic import mpd as manifests

    if segment is not None and adaptation is not None:
        raise UsageError("--adaptation: a table has none; accepted: --segment for a table, --adaptation for a manifest")
    try:
        found = manifests.read(manifest, adaptation) if segment is None else ladder.read_table(manifest, segment)
    except manifests.ManifestError as error:
        raise UsageError(str(error)) from None
    if out is None:
        say(found.toml().rstrip())
    else:
        files.write_text(out, found.toml())
        say(str(out))
    return DONE
