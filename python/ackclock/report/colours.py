"""Colours of a page that is light or dark."""

from __future__ import annotations

from functools import cache

__all__ = ["both", "channels_of", "luminance_of", "mix", "on_dark", "readable_on"]

DARK_PAGE = 0.0085
"""The relative luminance of the dark page (``--page`` in page.css)."""

CONTRAST = 4.0
"""That lines have with the page at least; WCAG 2.2 asks for 3."""


@cache
def on_dark(colour: str) -> str:
    """The colour on a dark page for a colour ``#rrggbb`` or ``#rgb``: the same hue, light enough to be seen."""
    if not colour.startswith("#"):
        return colour
    channels = channels_of(colour)
    for step in range(21):
        mixed = [channel + (255 - channel) * step / 20 for channel in channels]
        if (luminance_of(mixed) + 0.05) / (DARK_PAGE + 0.05) >= CONTRAST:
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


def channels_of(colour: str) -> list[float]:
    """Red, green and blue from 0 to 255 of a colour such as `#0072b2` or `#07b`."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    return [float(int(digits[at : at + 2], 16)) for at in (0, 2, 4)]


def _text(channels: list[float]) -> str:
    return "#" + "".join(f"{round(channel):02x}" for channel in channels)


def luminance_of(channels: list[float]) -> float:
    """Relative luminance, as WCAG 2.2 defines it."""
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (channel / 255 for channel in channels)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
