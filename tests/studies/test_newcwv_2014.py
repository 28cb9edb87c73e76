"""The authors' module decides the studies of their slides, and RFC 7661 stands beside it, on a worker that computes."""

import pytest

from ackclock.scenario import Text
from ackclock.stats import Estimate
from ackclock.studies import newcwv_dash, newcwv_http, newcwv_sharing
from ackclock.studies.framework import Claim, Lab, Reading, assess
from ackclock.studies.framework.setups.newcwv import NEWCWV, NEWRENO, PACED, VARIANTS, newcwv_off
from ackclock.studies.framework.setups.newcwv_2014 import (
    MODULE,
    MODULE_PACED,
    both_forms,
    form_hashes,
    forms_sheet,
    in_rfc,
    is_rfc,
    of_2014,
)
from ackclock.studies.newcwv_sharing.readings import HTTP, variants
from tests.helpers.scenarios import SMALL
from tests.helpers.tables import make_result


def test_a_variant_of_the_module_differs_in_the_form_alone():
    assert of_2014(NEWRENO) == NEWRENO
    assert of_2014(PACED).overrides == MODULE_PACED.overrides
    assert (of_2014(PACED).name, of_2014(PACED).label) == (PACED.name, PACED.label)
    assert of_2014(NEWCWV).overrides == {
        **NEWCWV.overrides,
        "flows[0].validation": "newcwv-2014",
        "flows[0].frto": False,
    }


def test_both_classes_have_the_module_where_both_have_newcwv():
    both = of_2014(variants(HTTP)[0]).overrides
    for flow in ("flows[0]", "flows[1]"):
        assert (both[f"{flow}.validation"], both[f"{flow}.frto"]) == ("newcwv-2014", False)


def test_without_newcwv_the_module_is_linux_newreno():
    removed = {**MODULE.overrides, **newcwv_off(MODULE.overrides)}
    assert removed == {**NEWRENO.overrides, "flows[0].frto": True}, "F-RTO is what Linux 3.12 has without the module"


def test_both_forms_run_and_controls_run_once():
    ran = []

    def worker(job, cancel, progress):
        overrides = dict(job.overrides)
        ran.append((overrides["flows[0].validation"], job.seed))
        result = make_result(job.seed)
        result.meta["duration_s"] = {"newcwv-2014": 1.0, "newcwv": 2.0}.get(overrides["flows[0].validation"], 3.0)
        return result

    lab = Lab(threads=1, worker=worker, times=2)
    reading = Reading("main", Text(SMALL))
    grid = both_forms(
        lab, [reading], (NEWRENO, NEWCWV), [1, 2], lambda result: {"s": result.meta["duration_s"]}, ("main",)
    )
    assert [one.name for one in grid.readings] == ["main", "main; RFC 7661"]
    assert {name: list(cell["s"]) for name, cell in grid.cells.items()} == {
        ("main", "newreno"): [3.0] * 4,
        ("main", "newcwv"): [1.0] * 4,
        ("main; RFC 7661", "newreno"): [3.0] * 4,
        ("main; RFC 7661", "newcwv"): [2.0] * 4,
    }
    assert grid.seeds == dict.fromkeys(["main", "main; RFC 7661"], (1, 2, 3, 4))
    assert sorted(ran) == sorted(
        (rule, seed) for rule in ("rfc2861-linux", "newcwv-2014", "newcwv") for seed in (1, 2, 3, 4)
    )


def test_a_reading_of_the_rfc_keeps_what_its_name_says_besides():
    assert in_rfc("main; level; FQ of Linux 3.12") == "main; RFC 7661; level; FQ of Linux 3.12"
    assert is_rfc("main; RFC 7661; level")
    assert not is_rfc("main; RFC 5681's NewReno")


def test_the_forms_stand_beside_each_other_where_both_were_run():
    claim = Claim("a", "it rises", "p", "more", "above")
    measured = {"main; level": Estimate(2, 1, 3, 9), "main; RFC 7661; level": Estimate(-2, -3, -1, 9)}
    sheet = forms_sheet([assess(claim, measured, "main; level")], lambda _: "main; level")
    assert (sheet.name, sheet.rows) == (
        "both-forms",
        [["it rises", "", 2, 1, 3, "reproduced", -2, -3, -1, "not reproduced"]],
    )
    control = assess(claim, {"main; level": Estimate(2, 1, 3, 9)}, "main; level")
    assert forms_sheet([control], lambda _: "main; level").rows == []


def test_the_hashes_name_both_forms():
    hashed = form_hashes([Reading("main", Text(SMALL))], NEWCWV)
    assert list(hashed) == ["main; newcwv-2014", "main; RFC 7661"]
    assert len(set(hashed.values())) == 2


@pytest.mark.parametrize("study", [newcwv_dash, newcwv_http, newcwv_sharing], ids=lambda one: one.STUDY.slug)
def test_the_readings_that_decide_are_of_the_module(study):
    for identifier in study.STUDY.claims:
        main = study.verdicts.main_of(identifier)
        assert not any(is_rfc(one) for one in ([main] if isinstance(main, str) else main))


def test_variants_with_newcwv_are_all_of_the_slides():
    assert {one.name for one in VARIANTS if of_2014(one) != one} == {"newcwv", "newcwv-pacing", "newcwv-spread"}
