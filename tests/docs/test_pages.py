"""The pages of the documentation, but for the how-to guides, can be followed as they stand."""

import pytest

from tests.docs.following import DOCS, HOW_TO, follow

pytestmark = pytest.mark.slow

PAGES = [
    path for path in sorted(DOCS.rglob("*.md")) if "\n```" in path.read_text(encoding="utf-8") and path.parent != HOW_TO
]


@pytest.mark.parametrize("page", PAGES, ids=[path.stem for path in PAGES])
def test_a_page_can_be_followed(page, tmp_path, monkeypatch):
    follow(page, tmp_path, monkeypatch)
