"""The bounds of claims: a change without an entry and a reason is refused, also one that only the history shows."""

import subprocess
from dataclasses import replace

import pytest

from ackclock.studies.framework import Claim
from tests.helpers.places import ROOT
from tools import bounds

ABOVE = Claim("up", "it rises", "a paper", "more", "above", bound=0.5)
VALUE = Claim("near", "it is 10", "a paper", 10.0, "value", tolerance=2.0)
PINS = """
[reasons]
finer = "The figure was read again."

[pinned.it]
"up" = "above 0.5, published more"
"near" = "value 10 within 2"
"""
CHANGE = """
[[changes]]
study = "it"
claim = "up"
old = "above 0.5, published more"
new = "above 0.4, published more"
commit = ""
date = "2026-11-28"
when = "later"
reason = "finer"
"""


def test_every_bound_of_today_is_pinned_or_its_change_has_a_reason():
    assert bounds.faults(bounds.today(), bounds.pins()) == []


def test_the_page_is_the_list():
    assert bounds.PAGE.read_text(encoding="utf-8") == bounds.page(), "python -m tools.bounds writes it anew"


def faults(text, *claims):
    return bounds.faults({"it": {one.id: one for one in claims}}, bounds.load(text))


def test_a_bound_that_moves_needs_an_entry_with_a_reason():
    moved = replace(ABOVE, bound=0.4)
    assert faults(PINS, ABOVE, VALUE) == []
    (fault,) = faults(PINS, moved, VALUE)
    assert "a change needs an entry" in fault
    assert faults(PINS + CHANGE, moved, VALUE) == []
    (fault,) = faults(PINS + CHANGE, ABOVE, VALUE)
    assert "a change needs an entry" in fault
    (fault,) = faults(PINS + CHANGE.replace('"finer"', '"because"'), moved, VALUE)
    assert "has no reason" in fault


@pytest.mark.parametrize(
    "moved",
    [
        replace(VALUE, tolerance=2.5),
        replace(VALUE, published=11.0),
        replace(VALUE, expect="above"),
    ],
)
def test_every_term_of_a_claim_is_pinned(moved):
    (fault,) = faults(PINS, ABOVE, moved)
    assert "near asserts" in fault


def test_claims_that_are_new_or_dropped_are_found():
    assert faults(PINS, ABOVE, VALUE, replace(VALUE, id="new")) == ["it: new is not pinned"]
    assert faults(PINS, ABOVE) == ["it: near is pinned and was dropped"]


def test_pinning_adds_and_never_changes():
    moved, new = replace(ABOVE, bound=0.4), replace(VALUE, id="new")
    text = bounds.with_new(PINS + CHANGE, {"it": {"up": moved, "new": new}, "that": {"up": ABOVE}})
    kept = bounds.load(text)
    assert kept.pinned["it"] == bounds.load(PINS).pinned["it"] | {"new": "value 10 within 2"}
    assert kept.pinned["that"] == {"up": "above 0.5, published more"}
    assert kept.changes == bounds.load(PINS + CHANGE).changes
    assert bounds.with_new(text, {"it": {"new": new}}) == text


CLAIMS = """
[[claims]]
id = "up"
statement = "it rises"
source = "a paper"
published = "more"
expect = "above"
bound = {bound}
"""


@pytest.fixture
def repository(tmp_path):
    """A repository whose bound moves before anything is measured, with the measurement, and after it."""
    folder = tmp_path / "studies/a_study"
    folder.mkdir(parents=True)

    def git(*arguments):
        identity = ("-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false")
        subprocess.run(["git", "-C", str(tmp_path), *identity, *arguments], check=True, capture_output=True)

    def commit(bound, measured=None):
        (folder / "claims.toml").write_text(CLAIMS.format(bound=bound))
        if measured is not None:
            (folder / "record.json").write_text(f'{{"claims": [{{"id": "up", "measured": {measured}}}]}}')
        git("add", ".")
        git("commit", "-m", "m")

    git("init", "-q")
    for step in ((0.1,), (0.2,), (0.3, 1.0), (0.4, 2.0), (0.5,)):
        commit(*step)
    return tmp_path


def test_the_history_shows_every_change_and_whether_it_came_after_the_measurement(repository):
    found = bounds.history(repository, "studies")
    assert [(one.study, one.claim, one.old.split(",")[0], one.new.split(",")[0], one.when) for one in found] == [
        ("a-study", "up", "above 0.1", "above 0.2", "before"),
        ("a-study", "up", "above 0.2", "above 0.3", "same commit"),
        ("a-study", "up", "above 0.3", "above 0.4", "same commit"),
        ("a-study", "up", "above 0.4", "above 0.5", "later"),
    ]
    assert bounds.unnamed(found, found[:3]) == found[3:]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="these sources have no history")
def test_no_change_of_the_history_lacks_its_entry():
    assert bounds.unnamed(bounds.history(ROOT), bounds.pins().changes) == []
