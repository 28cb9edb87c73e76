"""The page with the results: it is what the tool writes, and each failure has a reason."""

import pytest

from ackclock.conform import Subject, cases
from ackclock.conform.report import conform
from tools.bbr.__main__ import ALGORITHMS, FINDINGS, PAGE, SEEDS, page


@pytest.fixture(scope="module")
def columns():
    return [conform(cases(), Subject(cc=name), SEEDS) for name in ALGORITHMS]


def test_the_page_has_the_present_results(columns):
    assert PAGE.read_text(encoding="utf-8") == page(columns), "python -m tools.bbr writes the page anew"


def test_every_failure_on_the_page_has_a_reason(columns):
    failed = {
        (name, one.case.number)
        for name, column in zip(ALGORITHMS, columns, strict=True)
        for one in column
        if one.verdict == "fail"
    }
    assert failed == FINDINGS.keys()
