"""Colours, markers and dashes, fixed for each algorithm so that they are the same in all figures.

Seven colours are those of Okabe and Ito (2008). Twelve colours identify the algorithms that are compared most; they can
be distinguished with any kind of colour vision. The other algorithms share these colours, each with its own marker and
dash.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "COLOURS", "COMPARED", "OKABE_ITO", "STYLES", "Style", "colour_of", "has_style", "solid_where_colours_differ",
    "style_of", "styles_of",
]  # fmt: skip

OKABE_ITO = {
    "blue": "#0072b2",
    "orange": "#e69f00",
    "green": "#009e73",
    "vermillion": "#d55e00",
    "purple": "#cc79a7",
    "sky": "#56b4e9",
    "yellow": "#f0e442",
}
"""The palette without black, which is invisible on a dark page, in the order of use."""

COLOURS = {name: colour for name, colour in OKABE_ITO.items() if name != "yellow"} | {
    "plum": "#800066",
    "indigo": "#0000ff",
    "violet": "#6600b3",
    "crimson": "#b30033",
    "periwinkle": "#8080ff",
    "khaki": "#b3b366",
}
"""Twelve colours for lines on white; yellow is too light for lines. The last six were found by a search: they maximise
the smallest distance of two colours in CIELAB, with full colour vision and without the long or the middle cones."""

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
    "reno+newcwv": _style("orange", "D"),
    "reno+newcwv+pacing": _style("plum", "s"),
    "cubic": _style("green", "^"),
    "bbr": _style("vermillion", "v"),
    "bbr1": _style("crimson", "<"),
    "vegas": _style("sky", ">"),
    "bic": _style("purple", "P"),
    "highspeed": _style("violet", "X"),
    "compound": _style("khaki", "s"),
    "dctcp": _style("periwinkle", "D"),
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
    "compound-tuned": _style("khaki", "^", DASHED),
    "ledbat": _style("khaki", "v", DOTTED),
    "ledbat++": _style("purple", "v", DASHED),
    "vegas-2.6": _style("sky", "o", DOTTED),
    "remycc-ns2": _style("indigo", "o", DASHED),
    "remycc-ns2-us": _style("indigo", "s", DOTTED),
    "prague": _style("purple", "o", DOTTED),
    "copa": _style("violet", "o", DASHED),
    "veno": _style("violet", "^", DOTTED),
    "scalable": _style("vermillion", "o", DASHED),
    "xcp": _style("vermillion", "s", DOTTED),
    "fast": _style("crimson", "^", DASHED),
    "htcp": _style("sky", "s", DASHED),
    "illinois": _style("orange", "o", DASHED),
    "lp": _style("orange", "<", DOTTED),
    "westwood": _style("orange", "^", DASH_DOT),
    "yeah": _style("periwinkle", "o", DASHED),
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
    colours = list(OKABE_ITO.values())
    if not 0 <= index < len(colours):
        raise ValueError(f"colour {index} of {len(colours)}: divide a figure with more variants into several")
    return colours[index]
