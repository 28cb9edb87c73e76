"""Colours that people with any kind of colour vision can tell apart (Okabe and Ito, 2008)."""

from __future__ import annotations

__all__ = ["OKABE_ITO", "colour_of"]

OKABE_ITO = {
    "blue": "#0072b2",
    "orange": "#e69f00",
    "green": "#009e73",
    "vermillion": "#d55e00",
    "purple": "#cc79a7",
    "sky": "#56b4e9",
    "yellow": "#f0e442",
}
"""The palette without its black, which a dark page would hide; the order is the one to take them in."""


def colour_of(index: int) -> str:
    """The colour of the variant number `index`, counted from 0. There are seven: more do not stay apart."""
    colours = list(OKABE_ITO.values())
    if not 0 <= index < len(colours):
        raise ValueError(f"colour {index} of {len(colours)}: a figure with more variants needs to be two figures")
    return colours[index]
