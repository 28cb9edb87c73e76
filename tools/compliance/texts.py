"""The tables against the texts of the RFCs, which are not part of the repository.

``python -m tools.compliance FOLDER`` reads ``rfcN.txt`` from a folder. It lists the quotations that are not in the
text, and the sentences with a key word that no requirement quotes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tools.compliance.requirements import Document

KEY_WORD = re.compile(
    r"\b(MUST NOT|MUST|SHALL NOT|SHALL|SHOULD NOT|SHOULD|NOT RECOMMENDED|RECOMMEND(?:ED|S)?|REQUIRED|MAY|OPTIONAL)\b"
)
_PAGE_BREAK = re.compile(r"(.)\s*\n[^\n]*\[Page \d+\]\s*RFC \d+[^\n]*\n+")
_SECTION = re.compile(r"^(?:(\d+(?:\.\d+)*)\.?\s+[A-Z]|Appendix ([A-Z]))")
_SENTENCE = re.compile(r"(?<=[.:;])\s+(?=[A-Z(\"o*])")


def unpaged(text: str) -> str:
    """A text without the headers and footers of pages. A sentence that a page had split is one again."""
    return _PAGE_BREAK.sub(lambda match: match[1] + ("\n\n" if match[1] in ".:" else "\n"), text)


def plain(text: str) -> str:
    """A text in one line, with words joined that lines had split."""
    return re.sub(r"(?<=\w)- (?=[a-z])", "-", " ".join(text.split()))


def sentences(text: str) -> list[tuple[str, str]]:
    """The sentences of an RFC that have a key word of RFC 2119, each with its section."""
    section, found = "", []
    for paragraph in re.split(r"\n\s*\n", unpaged(text)):
        heading = _SECTION.match(paragraph.lstrip("\n"))
        if heading and "...." not in paragraph:
            section = heading[1] or heading[2]
        required = (one for one in _SENTENCE.split(plain(paragraph)) if KEY_WORD.search(one))
        found += [(section, one) for one in required if "are to be interpreted as" not in one]
    return found


def missing(document: Document, text: str) -> list[str]:
    """The quotations of the table that the text lacks, and the required sentences that no requirement quotes."""
    whole = plain(unpaged(text))
    quotes = [*(one.quote for one in document.requirements), *document.not_requirements]
    found = [
        f"RFC {document.rfc}, {one.id}: not in the text: {one.quote}"
        for one in document.requirements
        if one.quote not in whole
    ]
    for section, sentence in sentences(text):
        if not any(quote in sentence or sentence in quote for quote in quotes):
            found.append(f"RFC {document.rfc}, section {section}: no requirement quotes: {sentence}")
    return found
