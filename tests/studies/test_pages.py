"""The pages of the studies, which argue: the question, the answer, and then the rest."""

import re

import pytest

from ackclock import studies
from ackclock.studies.framework.study import opening_of

MOST_SENTENCES = 3


@pytest.mark.parametrize("name", studies.names())
def test_a_page_opens_with_its_question_and_a_short_answer(name):
    opening, rest = opening_of(studies.get(name).file("README.md"))
    assert re.findall("^## (.*)$", opening, re.MULTILINE) == ["The question", "The answer"]
    question, answer = (part.strip() for part in re.split("^## .*$", opening, flags=re.MULTILINE)[1:])
    assert question.endswith("?")
    assert 1 <= len(re.findall(r"[.!](?=\s|$)", answer)) <= MOST_SENTENCES
    assert re.search("^## What is (printed and what is )?unknown$", rest, re.MULTILINE) or name == "remy"


def test_a_page_without_an_answer_is_its_opening():
    assert opening_of("## The question\n\nWhy?\n") == ("## The question\n\nWhy?\n", "")
    assert opening_of("") == ("", "")
