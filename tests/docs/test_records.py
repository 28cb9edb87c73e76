"""The pages of studies against their records: what a page says was measured is what the last full run measured."""

import json
import re
from pathlib import Path

import pytest

STUDIES = Path(__file__).parents[2] / "python/ackclock/studies"
RECORDED = sorted(path.parent.name for path in STUDIES.glob("*/record.json"))

UNQUOTED: dict[str, set[str]] = {
    "bbr_when": {
        "table-bbr-100000",
        "table-bbr-1000000",
        "table-bbr-10000000",
        "table-bbr-5000000",
        "table-bbr-50000000",
        "table-cubic-10000",
        "table-cubic-100000",
        "table-cubic-1000000",
        "table-cubic-10000000",
        "table-cubic-5000000",
    },
    "irto": {"lte-no-effect"},
    "iw10": {"elapsed-improves", "few-faster"},
    "iw10_aqm": {"delay-two-flows", "delay-two-flows-slightly"},
    "munir_fairness": {"newreno-least"},
    "newcwv_dash": {"retracted-switches"},
    "remy": {
        "att4-ordered",
        "lte4-delay-cubic",
        "lte4-delay-newreno",
        "lte4-delay-xcp",
        "lte4-speedup-newreno",
        "lte8-ordered",
        "n8-delay-cubic",
        "n8-delay-xcp",
        "n8-speedup-newreno",
        "n8-speedup-vegas",
    },
    "response_functions": {
        "cubic-1e-3",
        "cubic-1e-4",
        "cubic-1e-5",
        "cubic-1e-6",
        "highspeed-1e-3",
        "highspeed-1e-4",
        "highspeed-1e-5",
        "highspeed-1e-6",
        "mathis",
        "reno-1e-3",
        "reno-1e-4",
        "reno-1e-5",
        "reno-1e-6",
        "scalable-1e-3",
        "scalable-1e-4",
        "scalable-1e-5",
        "scalable-1e-6",
    },
}
"""Claims whose numbers a page leaves to its report and to the table of verdicts; it quotes those of all others."""


def spellings(value: float) -> set[str]:
    """A number as a page may round it, or its hundredfold as a percentage, without the sign.

    Below 1 one significant digit is enough, above two.
    """
    found = set()
    for size in (abs(value), abs(value) * 100):
        for text in (f"{size:.{digits}f}" for digits in range(7)):
            digits = re.sub(r"^[0.]*|[.]", "", text)
            if len(digits) >= 2 or float(text) == size or (size < 1 and digits):
                found.add(text)
        found.add(f"{size:.3g}")
        if size >= 1000:
            found.add(f"{size:,.0f}")
    return found


def is_quoted(value: float, page: str) -> bool:
    patterns = (rf"(?<![\d.,]){re.escape(text)}(?!\d|[.,]\d)" for text in spellings(value))
    return any(re.search(pattern, page) for pattern in patterns)


@pytest.mark.parametrize("study", RECORDED)
def test_a_page_quotes_the_numbers_of_its_record(study):
    page = (STUDIES / study / "README.md").read_text(encoding="utf-8")
    claims = json.loads((STUDIES / study / "record.json").read_text(encoding="utf-8"))["claims"]
    measured = {claim["id"]: claim["measured"] for claim in claims if claim["measured"]}
    missing = {name for name, value in measured.items() if not is_quoted(value, page)}
    assert missing == UNQUOTED.get(study, set()), {name: measured.get(name) for name in missing}


@pytest.mark.parametrize(
    ("value", "page", "expected"),
    [
        (-7.836, "7.8 % less", True),
        (-7.836, "7.9 % less", False),
        (-7.836, "8 % less", False),
        (12.71, "12.7", True),
        (12.71, "112.7 or 12.75", False),
        (3.0, "3 of them", True),
        (0.0123, "0.012 s", True),
        (20_512.3, "20,512 packets", True),
    ],
)
def test_a_number_is_found_as_it_is_rounded(value, page, expected):
    assert is_quoted(value, page) is expected
