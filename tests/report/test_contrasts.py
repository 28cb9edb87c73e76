"""Every text of a report can be read on its background (WCAG 2.2, 1.4.3), light and dark."""

import pytest

from tests.helpers.browser import Browser, needs_browser
from tests.helpers.contrasts import pale

pytestmark = needs_browser


@pytest.mark.parametrize("dark", [False, True])
def test_texts_of_a_report(made, dark):
    with Browser() as page:
        page.size(1200, 900)
        page.dark(dark)
        page.open(made / "report.html")
        page.run("document.querySelectorAll('details').forEach(one => one.open = true)")
        page.settle()
        assert pale(page) == []
        # The measure can tell.
        page.run("document.querySelectorAll('.save').forEach(one => one.style.opacity = 0.5)")
        assert {text for text, _ in pale(page)} >= {"PNG", "SVG", "PDF", "CSV"}
