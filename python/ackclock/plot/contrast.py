"""Contrast of colours, as WCAG 2.2 defines it."""

from __future__ import annotations

__all__ = ["GRAPHICS", "TEXT", "WHITE", "channels_of", "contrast", "luminance_of"]

GRAPHICS = 3.0
"""The least contrast of lines and marks with what is beside them (WCAG 2.2, 1.4.11)."""

TEXT = 4.5
"""The least contrast of text with its background (WCAG 2.2, 1.4.3)."""

WHITE = "#ffffff"


def channels_of(colour: str) -> list[float]:
    """Red, green and blue from 0 to 255 of a colour such as `#0072b2` or `#07b`."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    return [float(int(digits[at : at + 2], 16)) for at in (0, 2, 4)]


def luminance_of(channels: list[float]) -> float:
    """Relative luminance."""
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (channel / 255 for channel in channels)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, from 1 to 21."""
    low, high = sorted(luminance_of(channels_of(colour)) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)
