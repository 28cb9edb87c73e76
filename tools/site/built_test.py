"""Tests of the site that `make docs` has built, opened from the disk: search, and tables at the width of a phone.

``SITE=out/docs/site pytest tools/site/built_test.py``. The site itself takes too long for `make test`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.browser import Browser, needs_browser

SITE = Path(os.environ["SITE"]).resolve()
PHONE = 390
"""Width of a window in CSS pixels."""

pytestmark = needs_browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser without a network."""
    with Browser() as opened:
        opened.offline()
        yield opened


@pytest.mark.parametrize(
    ("page", "words", "found"),
    [
        ("index.html", "bufferbloat", "gallery/bufferbloat.html"),
        ("gallery/index.html", "return routes", "how-to/topologies.html"),
    ],
)
def test_a_search_finds_a_page(browser: Browser, page: str, words: str, found: str) -> None:
    browser.size(1200, 800)
    browser.open(SITE / page)
    browser.run("document.querySelector('.md-search__button').click()")
    # The field is in a shadow tree, and has the focus once the index is there.
    browser.until("document.activeElement !== document.body")
    browser.send("Input.insertText", text=words)
    inside = """[...document.querySelectorAll("*")].flatMap(element =>
        element.shadowRoot ? [...element.shadowRoot.querySelectorAll("a[href]")] : [])"""
    links = f'[...document.querySelectorAll("a[href]"), ...{inside}].map(link => link.href)'
    address = (SITE / found).as_uri()
    browser.until(f"{links}.some(link => link.startsWith({address!r}))")
    assert browser.errors == []
    assert [request for request in browser.requests if not request.startswith("blob:")] == []


def test_no_page_is_wider_than_a_phone(browser: Browser) -> None:
    browser.size(PHONE, 800, phone=True)
    pages = sorted(SITE.rglob("*.html"))
    assert len(pages) > 50
    wide, scrolled = [], 0
    for page in pages:
        browser.open(page)
        if browser.run("document.documentElement.scrollWidth") > PHONE:
            wide.append(page.relative_to(SITE).as_posix())
        # A table too wide for the window scrolls, or is inside an element that does.
        hidden = browser.run(
            """[...document.querySelectorAll("article table, article pre")].filter(found => {
                if (found.scrollWidth <= innerWidth) return false;
                for (let at = found; at !== document.body; at = at.parentElement) {
                    const style = getComputedStyle(at).overflowX;
                    if (at.clientWidth < at.scrollWidth && (style === "auto" || style === "scroll")) return false;
                }
                return true;
            }).length"""
        )
        assert hidden == 0, f"{page}: {hidden} tables or blocks are cut off"
        scrolled += browser.run(
            '[...document.querySelectorAll("article table")].some(one => one.scrollWidth > innerWidth)'
        )
    assert wide == []
    assert scrolled > 5
