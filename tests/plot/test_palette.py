"""Styles of algorithms: every one has its own, and people with any kind of colour vision tell the usual ones apart."""

import itertools
import json

import numpy as np
import pytest

from ackclock import _core
from ackclock.plot import palette
from ackclock.plot.palette import COMPARED, STYLES, style_of, styles_of

VISIONS = {
    "full": np.eye(3),
    # Without long and without middle cones. Machado, Oliveira, Fernandes, "A Physiologically-based Model for Simulation
    # of Color Vision Deficiency", IEEE TVCG 15(6), 2009: severity 1.0, for linear RGB.
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}
# IEC 61966-2-1, from linear RGB to XYZ with white at D65.
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)

TOGETHER = [
    ("reno", "highspeed", "scalable", "bic", "cubic", "htcp", "illinois", "compound", "fast", "yeah", "hybla"),
    ("reno", "cubic", "bbr", "bbr1", "vegas", "copa", "ledbat", "remycc"),
    ("reno", "cubic", "vegas", "ledbat", "ledbat++", "lp"),
    ("reno", "cubic", "vegas", "veno", "westwood"),
    ("reno", "cubic", "bbr", "dctcp", "prague"),
    ("remycc", "cubic", "compound", "reno", "vegas", "xcp"),
    ("reno", "reno+newcwv", "reno+newcwv+pacing", "cubic"),
]


def lab(colours, vision):
    """CIE 1976 L*a*b* of colours as somebody sees them."""
    coded = np.array([[int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)] for colour in colours])
    linear = np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)
    t = np.clip(linear @ vision.T, 0, 1) @ XYZ.T / (XYZ @ np.ones(3))
    f = np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1)


def nearest(colours, vision):
    """The distance of the two that are most alike."""
    places = lab(colours, VISIONS[vision])
    return min(float(np.linalg.norm(one - other)) for one, other in itertools.combinations(places, 2))


def test_lightness_of_black_and_white():
    np.testing.assert_allclose(lab(["#000000", "#ffffff"], VISIONS["full"]), [[0, 0, 0], [100, 0, 0]], atol=1e-3)


@pytest.mark.parametrize(("vision", "distance"), [("full", 25), ("protanopia", 14), ("deuteranopia", 14)])
def test_colours_stay_apart(vision, distance):
    assert nearest([style.colour for style in COMPARED.values()], vision) >= distance
    # Red and green of one lightness do not: the measure can tell.
    if vision == "deuteranopia":
        assert nearest(["#d55e00", "#9a7d00"], vision) < distance < nearest(["#d55e00", "#9a7d00"], "full")


def test_lines_can_be_seen_on_white_and_on_black():
    lightness = lab([style.colour for style in STYLES.values()], VISIONS["full"])[:, 0]
    assert 25 < lightness.min() < lightness.max() < 80


def test_every_congestion_control_has_a_style_of_its_own():
    catalogue = {entry["name"] for entry in json.loads(_core.catalogue())["cc"]}
    # A new algorithm need not be in the table. It gets a style that no algorithm of the table has.
    styles = styles_of([*STYLES, *sorted(catalogue), "some-new-one"])
    assert len({*styles.values()}) == len(styles)
    assert {name.partition("+")[0] for name in STYLES.keys() - catalogue} <= catalogue
    pairs = [(style.colour, style.marker) for style in STYLES.values()]
    assert len({*pairs}) == len(pairs)
    pairs = [(style.colour, style.dash) for style in STYLES.values()]
    assert len({*pairs}) == len(pairs)


@pytest.mark.parametrize("names", TOGETHER, ids=lambda names: names[-1])
def test_what_is_compared_has_different_colours(names):
    assert len({style_of(name).colour for name in names}) == len(names)


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        ("NewReno", "reno"),
        ("newcwv", "reno+newcwv"),
        ("newCWV + pacing", "reno+newcwv+pacing"),
        ("newCWV with pacing", "reno+newcwv+pacing"),
        ("newCWV and pacing", "reno+newcwv+pacing"),
        ("CUBIC+newCWV", "cubic+newcwv"),
        ("bbr3", "bbr"),
        ("ledbat++", "ledbat++"),
        ("Westwood+", "westwood"),
    ],
)
def test_names_as_people_write_them(spelled, name):
    assert style_of(spelled) is STYLES[name]


def test_unknown_names_have_styles_in_their_order():
    others = [style_of("mine", order) for order in range(36)]
    for kind in ("marker", "dash"):
        assert not {getattr(style, kind) for style in others} & {getattr(style, kind) for style in STYLES.values()}
    assert len({*others}) == 36
    # The first of them has Reno's colour, and is left out beside it.
    assert others[0].colour == STYLES["reno"].colour
    assert styles_of(["mine", "reno", "yours", "mine"]) == {
        "mine": others[1],
        "reno": STYLES["reno"],
        "yours": others[2],
    }
    assert styles_of(["mine"]) == {"mine": others[0]}
    assert style_of("yours") == others[0]
    for order in (-1, 36):
        with pytest.raises(ValueError, match="mine"):
            style_of("mine", order)
    with pytest.raises(ValueError, match="36"):
        styles_of(map(str, range(37)))


def test_two_names_of_one_algorithm_in_a_figure_are_told_apart():
    styles = styles_of(["reno", "NewReno"])
    assert styles["reno"] is STYLES["reno"]
    assert styles["NewReno"] == palette.style_of("mine", 1)


def test_dashes_are_as_matplotlib_takes_them():
    assert style_of("reno").linestyle == "solid"
    assert style_of("htcp").linestyle == (0, style_of("htcp").dash)
