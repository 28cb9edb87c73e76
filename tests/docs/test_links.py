"""Links of written pages lead to files and headings of the repository: a reader of the sources needs no `make docs`."""

import os
import re
from pathlib import PurePosixPath

import pytest

from tests.helpers.places import ROOT

LINK = re.compile(r"!?\[[^\]]*\]\(([^)#\s]*)(#[^)\s]*)?\)")


def pages():
    """The pages of the repository, without what builds leave in it."""
    roots = ("docs", "python", "crates", "stacks", "tests", "tools", "bpf")
    found = [*ROOT.glob("*.md"), *(path for root in roots for path in (ROOT / root).rglob("*.md"))]
    inner = [path.relative_to(ROOT) for path in sorted(found)]
    return [path.as_posix() for path in inner if not {"target", "node_modules", "out"} & {*path.parts}]


def anchors(text):
    """The anchors of a page's headings, as hosts of repositories name them."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"(?ms)^```.*?^```$", "", text), re.MULTILINE)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in headings]
    named = re.findall(r'<a id="([^"]+)"></a>', text)
    return {*named, *(re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in plain)}


def astray(page, text, read):
    """The links of a page that lead nowhere. `read` gives the text of a file, or None if it does not exist."""
    prose = re.sub(r"(?ms)^```.*?^```$|`[^`\n]*`", "", text)
    found = []
    for link, anchor in LINK.findall(prose):
        if "://" in link or link.startswith("mailto:"):
            continue
        target = os.path.normpath(PurePosixPath(page).parent / link) if link else page
        there = text if target == page else read(target)
        if there is None or (anchor and target.endswith(".md") and anchor[1:] not in anchors(there)):
            found.append(link + anchor)
    return found


def read(path):
    place = ROOT / path
    if place.is_dir():
        return ""
    return place.read_text(encoding="utf-8", errors="replace") if place.is_file() else None


@pytest.mark.parametrize("page", pages())
def test_links_lead_to_files_of_the_repository(page):
    assert astray(page, (ROOT / page).read_text(encoding="utf-8"), read) == []


def test_a_link_to_a_page_of_the_site_alone_is_found():
    text = "[a](reference/scenario.md) [b](b.md#two) [c](b.md#one) [d](#here) [e](https://e.org) `[f](f.md)`\n## Here\n"
    files = {"docs/b.md": "# One\n"}
    assert astray("docs/a.md", text, files.get) == ["reference/scenario.md", "b.md#two"]
