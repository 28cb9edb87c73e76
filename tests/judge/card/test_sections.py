"""The sections of the card as data: all of the RFC's, with scenarios that run and rows that read what is there."""

import inspect
import json

import pytest

from ackclock._errors import RefusedError
from ackclock.judge.card import Candidate, sections
from ackclock.judge.card.measures import MEASURES
from ackclock.judge.card.perform import planned
from ackclock.judge.card.section import CANDIDATE, chosen
from ackclock.results.measure import Measure
from ackclock.scenario import check

NUMBERS = [
    "5.1.1", "5.1.2", "5.1.3", "5.1.4", "5.1.5", "5.2.1", "5.2.2", "5.2.3", "5.3.1", "5.3.2",
    "6.1", "6.2", "6.3", "6.4",
    "7.1", "7.2", "7.3", "7.4", "7.5", "7.6", "7.7", "7.8", "7.9", "7.10", "7.11",
]  # fmt: skip
"""The sections of RFC 9743 that have criteria or domains of their own."""

SCENARIOS = [(section, scenario) for section in sections() for scenario in section.scenarios]
ROWS = [(section, scenario, row) for section, scenario in SCENARIOS for row in scenario.rows]


def name_of(value):
    return getattr(value, "number", None) or getattr(value, "name", None) or getattr(value, "text", "")


def test_the_card_has_every_section_in_the_order_of_the_rfc():
    assert [section.number for section in sections()] == NUMBERS
    assert all(section.scenarios or section.unshown for section in sections())


def test_a_number_stands_for_all_sections_below_it():
    assert [one.number for one in chosen(("5.2",))] == ["5.2.1", "5.2.2", "5.2.3"]
    assert [one.number for one in chosen(("7.1", "5.1.4"))] == ["5.1.4", "7.1"], "7.1 is not 7.10"
    assert chosen(()) == sections()


def test_every_wrong_number_is_told_at_once():
    with pytest.raises(RefusedError) as error:
        chosen(("5.2.4", "7.1", "8"))
    text = str(error.value)
    assert "--section 5.2.4: RFC 9743 has no such section" in text
    assert "--section 8: RFC 9743 has no such section" in text
    assert "accepted: 5.1.1, 5.1.2" in text


@pytest.mark.parametrize(("section", "scenario"), SCENARIOS, ids=name_of)
def test_the_engine_accepts_every_point_of_a_scenario(section, scenario):
    plan = planned((section,), Candidate("reno"), (1,), quick=False)
    mine = [cell for cell in plan.cells if cell.scenario == scenario]
    assert len(mine) == len(scenario.points)
    assert any(point.quick for point in scenario.points), "the quick form has something of every scenario"
    texts = {(one.text.text, one.overrides) for one in plan.asked}
    canonical = [check(one.text, one.overrides) for one in plan.asked]
    assert len(texts) == len(canonical)
    # Two points that are the same run would be one row twice.
    assert len({point.name for point in scenario.points}) == len(scenario.points)
    assert len({point.settings for point in scenario.points}) == len(scenario.points)


@pytest.mark.parametrize(("section", "scenario"), SCENARIOS, ids=name_of)
def test_a_scenario_differs_between_seeds_and_has_the_candidate(section, scenario):
    mine = [flow for flow in scenario.flows if flow.get("role") == CANDIDATE]
    assert mine
    assert all("start_jitter" in flow for flow in mine), "equal runs under all seeds have no interval"
    assert all("cc" not in flow and "stack" not in flow for flow in mine)


@pytest.mark.parametrize(("section", "scenario", "row"), ROWS, ids=name_of)
def test_a_row_reads_what_is_there(section, scenario, row):
    flows = {flow["name"] for flow in scenario.flows}
    assert row.better in ("higher", "lower", "")
    assert not row.text.endswith(".")
    assert not set(row.harm) - flows
    assert {*row.args.get("flows", ()), *filter(None, [row.args.get("flow")])} <= flows
    if "." in row.measure:
        measure = Measure.parse(row.measure)
        measure.check()
        assert measure.component is None or measure.component in flows | {"bottleneck"}
    else:
        inspect.signature(MEASURES[row.measure]).bind(None, **row.args)
    if row.harm:
        # What is left without the rivals is what the harm is done to.
        assert set(row.args.get("flows", flows)) - set(row.harm)
    json.dumps(row.args)


def test_every_measure_is_used_by_a_row():
    assert {row.measure for _, _, row in ROWS if "." not in row.measure} == MEASURES.keys()


def test_rows_of_a_scenario_have_different_texts():
    for section, scenario in SCENARIOS:
        texts = [row.text for row in scenario.rows]
        assert len(set(texts)) == len(texts), (section.number, scenario.name)
