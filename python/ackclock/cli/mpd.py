"""``ackclock mpd``: the video of a DASH manifest as an application."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 -- read by cyclopts from the annotations

from ackclock.base import files
from ackclock.cli.output import DONE, UsageError, say

__all__ = ["mpd"]


def mpd(manifest: Path, /, *, adaptation: str | None = None, out: Path | None = None) -> int:
    """Turn the video of a DASH manifest (MPD) into the application dash of a scenario.

    The line has the bitrates, the duration and the number of the segments and, where the manifest has byte ranges, the
    size of each segment. It goes below [[flows]] of a scenario.

    Parameters
    ----------
    manifest
        The manifest.
    adaptation
        The id or the number, from 0, of the AdaptationSet; by default the first one of a video.
    out
        The file to write; by default, the line is printed.
    """
    from ackclock.scenario.traffic import mpd as manifests

    try:
        found = manifests.read(manifest, adaptation)
    except manifests.ManifestError as error:
        raise UsageError(str(error)) from None
    if out is None:
        say(found.toml().rstrip())
    else:
        files.write_text(out, found.toml())
        say(str(out))
    return DONE
