"""The how-to guides can be followed as they stand."""

import pytest

from tests.docs.following import HOW_TO, follow

pytestmark = pytest.mark.slow

PAGES = [path for path in sorted(HOW_TO.glob("*.md")) if "\n```" in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", PAGES, ids=[path.stem for path in PAGES])
def test_a_page_can_be_followed(page, tmp_path, monkeypatch):
    follow(page, tmp_path, monkeypatch)
