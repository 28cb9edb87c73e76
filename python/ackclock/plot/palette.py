"""Colours, markers and dashes, fixed for each algorithm so that they are the same in all figures.

Twelve colours identify the algorithms that are compared most; they can be distinguished with any kind of colour vision.
The other algorithms share these colours, each with its own marker and dash.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from importlib import resources
from typing import TYPE_CHECKING, Literal, TypeAlias

from ackclock.plot.contrast import GRAPHICS, WHITE, contrast

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "COLOURS", "COMPARED", "DARK", "GREY", "STYLES", "VARIANTS", "Style", "colour_of", "has_style", "shades",
    "solid_where_colours_differ", "style_of", "styles_of",
]  # fmt: skip

_PALETTE = json.loads(resources.files("ackclock.plot").joinpath("colours.json").read_text(encoding="utf-8"))

COLOURS: dict[str, str] = {name: one["colour"] for name, one in _PALETTE.items()}
"""Twelve colours for lines on white, each with a contrast of 3 to 1 or more (WCAG 2.2, 1.4.11).

Blue, green and vermillion are those of Okabe and Ito (2008), whose other colours are too light for white. A search
found most of the others: it maximises the smallest distance of two colours in CIELAB, with full colour vision and
without the long or the middle cones.
"""

DARK: dict[str, str] = {one["colour"]: one["dark"] for one in _PALETTE.values()}
"""The same colours on a dark page, found in the same way."""

VARIANTS = dict(list(COLOURS.items())[:7])
"""Seven colours of variants, in the order of use."""

GREY = "#7a7a7a"
"""Colour of baselines."""

Linestyle: TypeAlias = Literal["solid"] | tuple[int, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Style:
    """Style of an algorithm in figures, in terms of matplotlib."""

    colour: str
    marker: str
    dash: tuple[float, ...] = ()
    """Lengths of dashes and gaps in line widths; empty for a solid line."""

    @property
    def linestyle(self) -> Linestyle:
        """The dash in matplotlib's form."""
        return (0, self.dash) if self.dash else "solid"


SOLID: tuple[float, ...] = ()
DASHED, DOTTED, DASH_DOT = (5.0, 1.5), (1.2, 1.2), (5.0, 1.5, 1.2, 1.5)
SHORT, DASH_DOT_DOT, WIDE = (2.5, 1.2), (5.0, 1.5, 1.2, 1.5, 1.2, 1.5), (3.5, 3.0)


def _style(colour: str, marker: str, dash: tuple[float, ...] = SOLID) -> Style:
    return Style(COLOURS[colour], marker, dash)


COMPARED = {
    "reno": _style("blue", "o"),
    "reno+newcwv": _style("brown", "D"),
    "reno+newcwv+pacing": _style("plum", "s"),
    "cubic": _style("green", "^"),
    "bbr": _style("vermillion", "v"),
    "bbr1": _style("crimson", "<"),
    "vegas": _style("azure", ">"),
    "bic": _style("purple", "P"),
    "highspeed": _style("violet", "X"),
    "compound": _style("olive", "s"),
    "dctcp": _style("magenta", "D"),
    "remycc": _style("indigo", "*"),
}
"""The algorithms that are compared most: each has its own colour, and a solid line."""

STYLES = COMPARED | {
    "reno+pacing": _style("blue", "s", DASHED),
    "cubic-linux": _style("green", "o", DASHED),
    "cubic-2.0": _style("green", "s", DOTTED),
    "cubic-2.1": _style("green", "X", WIDE),
    "cubic-rfc8312": _style("green", "D", DASH_DOT),
    "cubic+newcwv": _style("green", "v", SHORT),
    "cubic+newcwv+pacing": _style("green", "P", DASH_DOT_DOT),
    "compound-tuned": _style("olive", "^", DASHED),
    "ledbat": _style("olive", "v", DOTTED),
    "ledbat++": _style("purple", "v", DASHED),
    "vegas-2.6": _style("azure", "o", DOTTED),
    "remycc-ns2": _style("indigo", "o", DASHED),
    "remycc-ns2-us": _style("indigo", "s", DOTTED),
    "prague": _style("purple", "o", DOTTED),
    "copa": _style("violet", "o", DASHED),
    "veno": _style("violet", "^", DOTTED),
    "scalable": _style("vermillion", "o", DASHED),
    "xcp": _style("vermillion", "s", DOTTED),
    "fast": _style("crimson", "^", DASHED),
    "htcp": _style("azure", "s", DASHED),
    "illinois": _style("brown", "o", DASHED),
    "lp": _style("brown", "<", DOTTED),
    "westwood": _style("brown", "^", DASH_DOT),
    "yeah": _style("magenta", "o", DASHED),
    "hybla": _style("plum", "^", DASHED),
    "fixed-rate": Style(GREY, "s", DASHED),
    "fixed-window": Style(GREY, "o"),
}
"""Styles of all congestion controls in the catalogue, and of combinations with window validation or pacing. No two of
the same colour share a marker or a dash, and algorithms that papers compare with one another have different colours."""

_OTHERS = tuple(
    Style(colour, marker, dash)
    for marker, dash in (("h", (8.0, 2.0)), ("p", (8.0, 2.0, 2.0, 2.0)), ("d", (8.0, 1.5, 1.0, 1.5, 1.0, 1.5)))
    for colour in COLOURS.values()
)
"""Styles of unknown algorithms, with markers and dashes that no known algorithm has."""

_ALIASES = {
    "newreno": "reno",
    "newcwv": "reno+newcwv",
    "bbr3": "bbr",
    "ctcp": "compound",
    "h-tcp": "htcp",
    "hstcp": "highspeed",
    "remy": "remycc",
    "westwood+": "westwood",
}


_FORM = re.compile(r"-(linux|paper|rfc\d+)$")
"""The end of the full name of a form, such as reno-rfc5681. A form without a style has that of its family."""


def _known(name: str) -> str | None:
    """The name in `STYLES` for a common spelling, such as "newCWV with pacing"."""
    text = name.lower().replace(" with ", "+").replace(" and ", "+").replace(" + ", "+").strip()
    first, plus, rest = text.partition("+")
    family = _FORM.sub("", first)
    candidates = (text, _ALIASES.get(text), *(f"{_ALIASES.get(one, one)}{plus}{rest}" for one in (first, family)))
    return next((known for known in candidates if known in STYLES), None)


def has_style(name: str) -> bool:
    """Whether an algorithm, in one of its spellings, has a style of its own or of its family."""
    return _known(name) is not None


def style_of(name: str, order: int = 0) -> Style:
    """The style of an algorithm: a name of ``ackclock list cc``, optionally followed by "+newcwv" and "+pacing".

    Other spellings are accepted: "newCWV" is "reno+newcwv", "newCWV with pacing" is "reno+newcwv+pacing", "NewReno" is
    "reno", and "bbr3" is "bbr". Any other name, such as that of an algorithm in Python, gets the style number `order`
    of the styles for unknown algorithms. Number the unknown names of a figure from 0, or use `styles_of`.
    """
    known = _known(name)
    if known is not None:
        return STYLES[known]
    if order < 0:
        raise ValueError(f"{name}: the order of an unknown name must be 0 or more, not {order}")
    if order >= len(_OTHERS):
        raise ValueError(f"{name}: a figure has styles for {len(_OTHERS)} algorithms that are not in the catalogue")
    return _OTHERS[order]


def styles_of(names: Iterable[str]) -> dict[str, Style]:
    """The styles of a figure's algorithms, all different. Unknown names get colours that no known one there has."""
    names = list(dict.fromkeys(names))
    styles: dict[str, Style] = {}
    taken: list[str] = []
    for name in names:
        known = _known(name)
        if known is not None and STYLES[known] not in styles.values():
            styles[name] = STYLES[known]
        else:
            taken.append(name)
    # An unknown name must not look like a known one beside it: colours that nobody has come first.
    used = {style.colour for style in styles.values()}
    free = [*(one for one in _OTHERS if one.colour not in used), *(one for one in _OTHERS if one.colour in used)]
    if len(taken) > len(free):
        raise ValueError(f"a figure has styles for {len(free)} algorithms that are not in the catalogue")
    chosen = styles | dict(zip(taken, free, strict=False))
    return {name: chosen[name] for name in dict.fromkeys(names)}


def solid_where_colours_differ(styles: Mapping[str, Style]) -> dict[str, Style]:
    """The styles without their dashes, except where an earlier style has the same colour."""
    taken: set[str] = set()
    found = {}
    for name, style in styles.items():
        found[name] = style if style.colour in taken else replace(style, dash=())
        taken.add(style.colour)
    return found


def colour_of(index: int) -> str:
    """The colour of the variant number `index`, from 0. There are seven, as more could not be distinguished."""
    colours = list(VARIANTS.values())
    if not 0 <= index < len(colours):
        raise ValueError(f"colour {index} of {len(colours)}: divide a figure with more variants into several")
    return colours[index]


DARKEST, LIGHTEST = -0.6, 0.5
"""Range of the shades of a colour: the share of the way to black, and to white."""

_STEP = 0.05


def shades(colour: str, count: int) -> list[str]:
    """Shades of a colour from dark to light, all of them with enough contrast on white; of one, the colour itself."""
    if count == 1:
        return [colour]
    lightest = LIGHTEST
    while lightest > 0 and contrast(_towards(colour, lightest), WHITE) < GRAPHICS:
        lightest -= _STEP
    lightest = max(lightest, 0.0)
    ends = (at / (count - 1) for at in range(count))
    return [_towards(colour, (1 - end) * DARKEST + end * lightest) for end in ends]


def _towards(colour: str, share: float) -> str:
    """A colour a share of the way to white, or to black if the share is negative."""
    end = 1.0 if share > 0 else 0.0
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    mixed = [(1 - abs(share)) * part + abs(share) * end for part in parts]
    return "#" + "".join(f"{round(255 * part):02x}" for part in mixed)
