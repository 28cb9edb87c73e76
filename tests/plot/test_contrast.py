"""Contrast of everything that is drawn, with what is behind it (WCAG 2.2, 1.4.3 and 1.4.11)."""

import re
from pathlib import Path

import pytest

import ackclock
from ackclock.judge.card.page import MARKS
from ackclock.judge.conform.figure import SHADES
from ackclock.plot.contrast import GRAPHICS, TEXT, WHITE, contrast
from ackclock.plot.palette import COLOURS, COMPARED, DARK, GREY, shades
from ackclock.report.colours import DARK_PAGE, on_dark, readable_on

PACKAGE = Path(ackclock.__file__).parent
WEB = PACKAGE.parents[1] / "web" / "src"

RAISED, DARK_RAISED = "#f5f7f9", "#1d2126"
CAPACITY = "#f4f4f4"
"""The ground of a link's capacity, which lines of any colour cross."""

LIGHT, BLACK = (WHITE, RAISED), (DARK_PAGE, DARK_RAISED)

TEXTS = {
    **dict.fromkeys(["#1b1f24", "#5b6470", "#4a525c", "#b03a00", "#005a8c", "#8a3d00", "#404040"], LIGHT),
    **dict.fromkeys(["#e6e9ed", "#9aa4b0", "#ff8f5c", "#6cb8e6", "#f0a860"], BLACK),
    "#000000": (WHITE, *MARKS.values()),
}
"""Texts, and what is behind them."""

DRAWN = {
    **dict.fromkeys(["#7a7a7a", "#777777", "#909090"], (WHITE,)),
    **dict.fromkeys(["#808a95", "#a86e00", "#c0609a", "#0d84f9"], LIGHT),
    **dict.fromkeys(["#6b7682", "#e69f00", "#cc79a7", "#56b4e9"], BLACK),
    **dict.fromkeys(["#009e73", "#d55e00", "#b07aa1", "#7d8791"], LIGHT + BLACK),
    **dict.fromkeys(MARKS.values(), (WHITE, DARK_PAGE)),
}
"""Lines, marks and edges of controls, and what is behind them."""

GROUNDS = {
    *(WHITE, DARK_PAGE, RAISED, DARK_RAISED, CAPACITY, *SHADES.values()),
    # The ends of the scales of heat-maps, whose numbers are black or white.
    *("#f7fbff", "#08519c", "#2166ac", "#b2182b", "#d0d0d0"),
}
FAINT = {"#d5dae0", "#3a424c", "#e4e4e4"}
"""Lines of tables and grids, which nobody needs to see."""

EXAMPLE = {"#07b", "#0072b2"}
"""Colours in docstrings."""


def used():
    """Every colour that is written in the sources, but the palette."""
    files = [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.html"), *WEB.rglob("*.ts"), *WEB.rglob("*.css")]
    texts = (file.read_text(encoding="utf-8") for file in files if "vendor" not in file.parts)
    return {one.lower() for text in texts for one in re.findall(r"#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{3})\b", text)}


def test_every_colour_of_the_sources_has_a_role():
    """A new colour is added to one of the tables above, which check it."""
    assert used() - {*TEXTS, *DRAWN, *GROUNDS, *FAINT, *EXAMPLE} == set()


@pytest.mark.parametrize("colour", TEXTS)
def test_texts(colour):
    grounds = TEXTS[colour] if colour != "#000000" else [one for one in TEXTS[colour] if readable_on(one) == colour]
    assert grounds
    assert all(contrast(colour, ground) >= TEXT for ground in grounds)


@pytest.mark.parametrize("colour", DRAWN)
def test_lines_and_marks(colour):
    assert {ground: contrast(colour, ground) for ground in DRAWN[colour] if contrast(colour, ground) < GRAPHICS} == {}


@pytest.mark.parametrize("name", COLOURS)
def test_the_palette_on_light_and_dark_pages(name):
    colour = COLOURS[name]
    assert min(contrast(colour, ground) for ground in (*LIGHT, CAPACITY)) >= GRAPHICS
    assert min(contrast(on_dark(colour), ground) for ground in BLACK) >= GRAPHICS
    assert on_dark(colour) == DARK[colour]


@pytest.mark.parametrize("name", COLOURS)
@pytest.mark.parametrize("count", [2, 4, 12])
def test_shades_of_the_flows_of_an_algorithm(name, count):
    found = shades(COLOURS[name], count)
    assert len({*found}) == count
    assert min(contrast(one, WHITE) for one in found) >= GRAPHICS
    assert min(contrast(on_dark(one), DARK_PAGE) for one in found) >= GRAPHICS


@pytest.mark.parametrize("ground", SHADES.values())
def test_lines_over_the_shaded_states_of_a_congestion_control(ground):
    assert min(contrast(COLOURS[name], ground) for name in ("blue", "vermillion")) >= GRAPHICS


def test_signs_on_the_marks_of_a_card():
    assert all(contrast(readable_on(colour), colour) >= TEXT for colour in MARKS.values())


def test_styles_of_algorithms_are_of_the_palette():
    assert {style.colour for style in COMPARED.values()} == {*COLOURS.values()}
    assert contrast(GREY, WHITE) >= GRAPHICS
    # The measure can tell: two of the colours of Okabe and Ito are too light.
    assert contrast("#e69f00", WHITE) < GRAPHICS
    assert contrast("#56b4e9", WHITE) < GRAPHICS
