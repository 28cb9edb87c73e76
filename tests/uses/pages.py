"""Actions of a user on a page: reading it, looking at its figures, and saving them."""

import json
import os
from pathlib import Path

from tests.helpers.browser import DRAWN, Browser

PICTURES = os.environ.get("ACKCLOCK_PICTURES")
"""A folder for pictures of the pages that the stories open, for those who want to look at them."""


def words(text):
    """A text of a terminal without the breaks of its lines."""
    return " ".join(text.split())


def opened(browser, address):
    """Opens a page at the size of a laptop's window, and returns its headings in order."""
    browser.size(1200, 900)
    browser.open(address)
    return browser.run("[...document.querySelectorAll('h2')].map(one => one.textContent)")


def looked_at(browser, name):
    """Keeps a picture of the page, if somebody wants to look at it."""
    if PICTURES:
        browser.picture(Path(PICTURES) / f"uses-{name}.png")


def text_below(browser, heading):
    """The text of the element that follows a heading."""
    return browser.run(f"{heading_of(heading)}.nextElementSibling.textContent")


def heading_of(text):
    """The expression of the first visible heading that begins with a text."""
    return (
        "[...document.querySelectorAll('h2, h3, h4')].find(one => one.offsetParent && "
        f"one.textContent.startsWith({json.dumps(text)}))"
    )


def unfold(browser):
    """Opens every folded part of a page."""
    browser.run("document.querySelectorAll('details').forEach(one => (one.open = true))")
    browser.settle()


def all_drawn(browser):
    """Whether each visible plot of the page has a line in a colour, and there is such a plot."""
    colours = browser.run(DRAWN)
    return bool(colours) and all(colours)


def legends(browser):
    """The names in the legends of the visible plots, without the counts of events."""
    names = browser.run(
        "[...document.querySelectorAll('.u-label')].filter(one => one.offsetParent).map(one => one.textContent)"
    )
    return {name.partition(" (")[0] for name in names}


def save(browser: Browser, heading, form, folder):
    """Clicks the first button of a form after a heading, and returns the content of the file that is saved."""
    browser.download_to(folder)
    browser.run(
        f"(heading => [...document.querySelectorAll('.save button')].find(one => one.textContent === '{form}' && "
        "heading.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING && one.offsetParent).click())"
        f"({heading_of(heading)})"
    )
    suffix = {"LaTeX": ".tex"}.get(form, f".{form.lower()}")
    return browser.saved(suffix)
