"""The answer of a study's page follows from verdicts: those of the run that is shown, and those on record."""

import json
import tomllib

import pytest

from ackclock import studies
from ackclock.studies.framework.answers import OF_RECORD, compose, of_record, with_answer

TEXT = """
[[sentences]]
claims = ["up"]
holds = "It rises by {up:.1f} %."
fails = "It does not rise."
open = "Whether it rises is open."

[[sentences]]
claims = ["up", "down-again"]
holds = "And it falls by {down-again:.0f}."
fails = "No more than that."
open = "The rest is open."
"""
MEASURED = {"up": 2.04, "down-again": -3.0, "other": None}


@pytest.mark.parametrize(
    ("up", "down", "answer"),
    [
        ("reproduced", "reproduced", "It rises by 2.0 %. And it falls by 3."),
        ("illustration", "inconclusive", "It rises by 2.0 %. The rest is open."),
        ("split", "reproduced", "Whether it rises is open. The rest is open."),
        ("not reproduced", "inconclusive", "It does not rise. No more than that."),
    ],
)
def test_sentences_follow_from_verdicts(up, down, answer):
    assert compose(TEXT, {"up": up, "down-again": down}, MEASURED) == answer


def test_a_sentence_about_no_claim_is_refused():
    with pytest.raises(ValueError, match="do not exist: down-again"):
        compose(TEXT, {"up": "reproduced"}, MEASURED)


def test_a_page_gets_its_answer():
    page = "## The question\n\nWhy?\n\n## The answer\n\nSo.\nAnd so.\n\n## The rest\n\n## The answer\n\nNo.\n"
    assert with_answer(page, "Thus.") == page.replace("So.\nAnd so.", "Thus.")


def test_a_quick_run_says_whose_answer_a_fixed_one_is():
    page = "## The question\n\nWhy?\n\n## The answer\n\nSo.\n\n## The rest\n"
    assert of_record(page) == page.replace("So.", f"{OF_RECORD}\n\nSo.")


FIXED = {
    "bbr-loss",
    "bbr-share",
    "bbr-when",
    "call-newcwv",
    "calls-together",
    "dctcp",
    "gcc-queues",
    "l4s",
    "scream-l4s",
}
"""Studies whose answers are fixed, and do not follow from verdicts. None is of a deck."""


def answered():
    for name in studies.names():
        study = studies.get(name)
        try:
            yield pytest.param(study, study.file("answer.toml"), id=name)
        except FileNotFoundError:
            continue


def test_the_studies_with_fixed_answers_are_known():
    assert set(studies.names()) - {one.id for one in answered()} == FIXED


@pytest.mark.parametrize(("study", "sentences"), list(answered()))
def test_a_sentence_about_what_is_open_has_no_number(study, sentences):
    assert not [one for one in tomllib.loads(sentences)["sentences"] if "{" in one["open"]]


@pytest.mark.parametrize(("study", "sentences"), list(answered()))
def test_the_answer_of_a_page_is_that_of_the_record(study, sentences):
    rows = json.loads(study.file("record.json"))["claims"]
    verdicts = {row["id"]: row["verdict"] for row in rows}
    answer = compose(sentences, verdicts, {row["id"]: row["measured"] for row in rows})
    page = study.file("README.md")
    assert " ".join(with_answer(page, answer).split()) == " ".join(page.split())
