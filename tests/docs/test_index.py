"""The pages of the documentation are found and say whom they are for; the history of results keeps its form."""

import os
import re
from pathlib import PurePosixPath

import pytest

from tests.helpers.places import ROOT

STARTS = ("README.md", "docs/README.md")
STEPS = 2
PAGES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))
NOTEBOOKS = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.ipynb"))
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")
WIDTH, LINES = 120, 2
"""Columns of a line and lines of an entry of the history."""


def linked(page, text):
    """The files of the repository that a page leads to."""
    text = re.sub(r"(?ms)^```.*?^```$", "", text)
    folder = PurePosixPath(page).parent
    return {os.path.normpath(folder / link).replace(os.sep, "/") for link in LINK.findall(text) if "://" not in link}


def reached(starts, steps, read):
    """The files that are at most so many links from the first ones."""
    found = set(starts)
    last = found
    for _ in range(steps):
        last = {link for page in last if page.endswith(".md") for link in linked(page, read(page))} - found
        found |= last
    return found


def audience(text):
    """For whom a page is: the line in italics below its heading, or None."""
    match = re.match(r"# [^\n]+\n\n\*For ([^*\n]+)\.\*\n\n", text)
    return match and match[1]


def entries(text):
    """The entries of the history as lists of lines, by topic."""
    topics = {}
    for section in text.split("\n## ")[1:]:
        title, _, rest = section.partition("\n\n")
        topics[title] = [("- " + one).splitlines() for one in rest.removeprefix("- ").rstrip().split("\n- ")]
    return topics


def test_every_page_is_two_links_from_the_readme_or_the_index():
    def read(page):
        path = ROOT / page
        return path.read_text(encoding="utf-8") if path.is_file() else ""

    assert {*PAGES, *NOTEBOOKS} - reached(STARTS, STEPS, read) == set()


def test_a_page_three_links_away_is_not_reached():
    texts = {"a.md": "[b](docs/b.md)", "docs/b.md": "[c](x/c.md#part)", "docs/x/c.md": "[d](../d.md)"}
    found = reached(["a.md"], STEPS, lambda page: texts.get(page, ""))
    assert found == {"a.md", "docs/b.md", "docs/x/c.md"}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_for_whom_it_is(page):
    assert audience((ROOT / page).read_text(encoding="utf-8")), "*For ....* belongs below the heading"


def test_a_page_without_a_line_for_its_readers_is_noticed():
    assert audience("# Title\n\n*For students.*\n\nText.\n") == "students"
    assert audience("# Title\n\nText.\n") is None


def test_an_entry_of_the_history_has_at_most_two_lines():
    topics = entries((ROOT / "docs/history.md").read_text(encoding="utf-8"))
    assert all(topics.values())
    for topic, found in topics.items():
        for entry in found:
            first, *more = entry
            assert first.startswith("- "), f"{topic}: {first}"
            assert all(line.startswith("  ") for line in more), f"{topic}: {first}"
            assert len(entry) <= LINES, f"{topic}: {first}"
            assert max(map(len, entry)) <= WIDTH, f"{topic}: {first}"


def test_the_design_fits_into_200_lines():
    lines = (ROOT / "DESIGN.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 200
    prose = [line for line in lines if not line.startswith("|")]
    assert max(map(len, prose)) <= WIDTH
