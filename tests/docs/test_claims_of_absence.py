"""Pages that say what ackclock does not have, against the inventory of what it has."""

import re

import pytest

import ackclock
from tests.docs.following import DOCS

DENIED = re.compile(
    r"\b(?:ackclock has no|there is no|there are no|ackclock does not have|ackclock cannot)\b([^.|]*)", re.IGNORECASE
)
SECTION = re.compile(r"^## Not in ackclock\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
PAGES = [*sorted((DOCS / "coming-from").glob("*.md")), DOCS / "limits.md"]


def things():
    """Names in bold in the inventory, and kinds of the catalogue, in the singular."""
    bold = re.findall(r"\*\*(.+?)\*\*", (DOCS / "inventory.md").read_text(encoding="utf-8"))
    names = {*bold, "QUIC", *ackclock.catalogue()} - {"The rest", "cc"}
    return {name.lower().replace("_", " ").removesuffix("s") for name in names}


def denied(text):
    """The claims of a page that something is not there: sentences, and the first sentence of each point of its list."""
    claims = [found.strip() for found in DENIED.findall(text)]
    for section in SECTION.findall(text):
        claims += [re.split(r"[.:](?:\s|$)", point)[0] for point in re.split(r"^- ", section, flags=re.MULTILINE)[1:]]
    return claims


def wrong(text):
    return [
        (claim, thing)
        for claim in denied(text)
        for thing in things()
        if re.search(rf"\b{re.escape(thing)}s?\b", claim.lower())
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_nothing_is_denied_that_the_inventory_has(page):
    assert wrong(page.read_text(encoding="utf-8")) == []


def test_the_pages_deny_something():
    assert sum(len(denied(page.read_text(encoding="utf-8"))) for page in PAGES) > 5


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("## Not in ackclock\n\n- Real-time emulation by the simulator.\n", "emulation"),
        ("## Not in ackclock\n\n- Mobility.\n- Transport protocols other than TCP.\n\n## Next\n", "transport"),
        ("There is no policer.", "policer"),
    ],
)
def test_a_stale_claim_is_found(text, thing):
    assert thing in {name for _, name in wrong(text)}
