"""The sentences of the decks: every row has an answer, every answer exists, and the page is the rows."""

import pytest

from tools import decks

DECKS = decks.decks()


def test_there_are_five_decks_and_each_has_every_kind_of_row_that_it_needs():
    assert len(DECKS) == 5
    assert {row.kind for deck in DECKS for row in deck.rows} == set(decks.KINDS)
    for deck in DECKS:
        says = [row.says for row in deck.rows]
        assert len(set(says)) == len(says), deck.title


@pytest.mark.parametrize("deck", DECKS, ids=lambda deck: deck.title)
def test_every_row_has_an_answer_that_exists(deck):
    assert decks.faults(deck) == []


def test_the_page_is_the_rows():
    assert decks.PAGE.read_text(encoding="utf-8") == decks.page(), "python -m tools.decks writes it anew"


def row(**fields):
    return decks.Row(**{"kind": "sentence", "says": "it rises"} | fields)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "a row has answers, or says why"),
        ({"answers": ("claim iw10/few-faster",), "nothing": "a name"}, "a row has answers, or says why"),
        ({"kind": "picture", "nothing": "a name"}, "is no kind of row"),
        ({"answers": ("claim iw10/fewer",)}, "no such claim"),
        ({"answers": ("claim iw9/few-faster",)}, "no such study"),
        ({"answers": ("reading newcwv-dash/300 ms one-way",)}, "no such name"),
        ({"answers": ("figure newcwv-dash/A picture",)}, "no such name"),
        ({"answers": ("system stack/linux-3.11",)}, "no such entry"),
        ({"answers": ("system stacks/linux-3.12",)}, "no such entry"),
        ({"answers": ("setting newcwv-dash/scenario.toml bottleneck.rate = 2Mbps",)}, "the scenario has 1Mbps"),
        ({"answers": ("setting newcwv-dash/scenario.toml bottleneck.speed = 2Mbps",)}, "the scenario has None"),
        ({"answers": ("setting newcwv-dash/other.toml bottleneck.rate = 1Mbps",)}, "no such scenario"),
        ({"answers": ("setting newcwv-dash/scenario.toml",)}, "a setting is FILE PATH = VALUE"),
        ({"answers": ("sentence newcwv-dash/x",)}, "an answer begins with claim"),
    ],
)
def test_a_row_without_an_answer_is_found(fields, words):
    (fault,) = decks.faults(decks.Deck("a deck", "a source", (row(**fields),)))
    assert words in fault


@pytest.mark.parametrize(
    "answer",
    [
        "claim remy/n8-*",
        "setting iw10/scenario.toml flows[1].app.kind = transfer",
        "reading newcwv-dash/200 ms round trip",
        "variant newcwv-sharing/newCWV with pacing",
        "system validation/newcwv",
    ],
)
def test_an_answer_that_exists_is_none(answer):
    assert decks.fault(answer) == ""


def test_a_claim_stands_with_its_verdict():
    page = decks.page()
    assert "`newcwv-freezes`: *illustration*" in page
    assert "says nothing testable: " in page
