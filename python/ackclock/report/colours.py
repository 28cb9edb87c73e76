"""Colours of a page that is light or dark."""

from __future__ import annotations

from functools import cache

from ackclock.plot.contrast import channels_of, contrast, luminance_of
from ackclock.plot.palette import DARK

__all__ = ["CONTRAST", "DARK_PAGE", "both", "mix", "on_dark", "readable_on"]

DARK_PAGE = "#14171b"
"""The dark page (``--page`` in plot.css)."""

CONTRAST = 4.0
"""Minimum contrast of lines with the page; WCAG 2.2 asks for 3."""


@cache
def on_dark(colour: str) -> str:
    """The colour on a dark page for a colour ``#rrggbb`` or ``#rgb``: that of the palette, or the same hue, lighter."""
    if colour in DARK or not colour.startswith("#"):
        return DARK.get(colour, colour)
    channels = channels_of(colour)
    for step in range(21):
        mixed = [channel + (255 - channel) * step / 20 for channel in channels]
        if contrast(_text(mixed), DARK_PAGE) >= CONTRAST:
            return _text(mixed)
    return "#ffffff"


def both(colour: str) -> str:
    """A colour for CSS and SVG on a light or a dark page."""
    dark = on_dark(colour)
    return colour if dark == colour else f"light-dark({colour},{dark})"


def readable_on(background: str) -> str:
    """Black or white, whichever has the larger contrast (WCAG 2.2) with a background: 4.5 at least."""
    luminance = luminance_of(channels_of(background))
    return "#000000" if (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) else "#ffffff"


def mix(colour: str, other: str, share: float) -> str:
    """A colour between two: the first at 0, the other at 1."""
    return _text([a + (b - a) * share for a, b in zip(channels_of(colour), channels_of(other), strict=True)])


def _text(channels: list[float]) -> str:
    return "#" + "".join(f"{round(channel):02x}" for channel in channels)
