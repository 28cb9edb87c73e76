"""Every public case comes out as its folder says, and the page of the cases is current."""

import pytest

from tools import cases

EVERY = cases.cases()
TEXT = """
title = "t"
topic = "t"
source = "s"
tracker = "r"
about = "a"
[[expect]]
what = "w"
measure = "flows.goodput_bps"
basis = "theory"
how = "h"
value = 100
relative = 0.1
"""


def judged(case, now):
    """The complaints about a case whose values are known."""
    record = case.record()
    for one in case.expect:
        value = now[one.key]
        if one.accepts(value) and one.wrong:
            yield f"{one.what}: {value} is right now: remove `wrong` from case.toml"
        if not one.accepts(value) and not one.wrong:
            yield f"{one.what}: {value} is outside {one.low} to {one.high}"
        kept = record.get(one.key, {}).get("ours")
        if kept is None or not one.current(kept, value):
            yield f"{one.what}: {kept} is recorded, {value} came out: python -m tools.cases --run {case.name}"


@pytest.mark.parametrize("case", EVERY, ids=[case.name for case in EVERY])
def test_a_case_comes_out_as_its_folder_says(case):
    assert not [*judged(case, cases.values(case))]


def test_the_page_has_the_cases_of_today():
    assert cases.PAGE.read_text(encoding="utf-8") == cases.page(), "python -m tools.cases writes it anew"


def test_the_collection_names_its_sources():
    for case in EVERY:
        assert case.source.startswith("https://") or " " in case.source, case.name
        assert {*case.record()} == {one.key for one in case.expect}, case.name


@pytest.fixture
def written(tmp_path):
    def write(text):
        (tmp_path / "case.toml").write_text(text)
        return cases.read(tmp_path)

    return write


def test_a_state_is_checked_both_ways(written, tmp_path):
    key = "flows.goodput_bps"
    (tmp_path / "record.json").write_text(f'{{"{key}": {{"first": 1, "ours": 100}}}}')
    right, wrong = written(TEXT), written(TEXT + 'wrong = "reason"')
    assert not [*judged(right, {key: 101.0})]
    assert len([*judged(right, {key: 111.0})]) == 2
    assert [*judged(wrong, {key: 100.0})] == ["w: 100.0 is right now: remove `wrong` from case.toml"]
    (tmp_path / "record.json").write_text(f'{{"{key}": {{"first": 1, "ours": 111}}}}')
    assert not [*judged(wrong, {key: 111.0})]


def test_a_case_that_cannot_be_judged_is_refused(written):
    with pytest.raises(ValueError, match="no range"):
        written(TEXT.replace("value = 100", "").replace("relative = 0.1", ""))
    with pytest.raises(ValueError, match="unknown keys: colour"):
        written(TEXT + 'colour = "red"')
    with pytest.raises(ValueError, match="basis: accepted: report, kernel, theory"):
        written(TEXT.replace('"theory"', '"ours"'))
    with pytest.raises(ValueError, match="missing: title"):
        written(TEXT.replace('title = "t"', ""))
    with pytest.raises(ackclock_error(), match="goodput"):
        written(TEXT.replace("goodput_bps", "goodput_bp"))


def ackclock_error():
    from ackclock import MeasureError

    return MeasureError
