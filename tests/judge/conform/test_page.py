"""The page with the results: it is what the tool writes, and each failure has a reason."""

import dataclasses

import pytest

from ackclock.judge.conform import Subject, cases, chosen
from ackclock.judge.conform.report import conform
from ackclock.kernel import Built
from tools.bbr.__main__ import ALGORITHMS, FINDINGS, PAGE, SEEDS, page, simulated
from tools.bbr.record import digest, load, row_of, save


@pytest.fixture(scope="module")
def columns():
    record = load()
    return {name: simulated(name) for name in ALGORITHMS} | {record.name: record.rows}


def test_the_page_has_the_present_results(columns):
    assert PAGE.read_text(encoding="utf-8") == page(columns, load()), "python -m tools.bbr writes the page anew"


def test_every_failure_on_the_page_has_a_reason(columns):
    failed = {(name, number) for name, rows in columns.items() for number, row in rows.items() if row.verdict == "fail"}
    assert failed == FINDINGS.keys()


def test_the_kernel_ran_the_present_cases():
    record = load()
    assert record.seeds == SEEDS
    assert record.stale(cases()) == [], "python -m tools.bbr --kernel runs them anew"


@pytest.mark.parametrize(
    "change", [{"scenario": {"duration": "1s"}}, {"rate_bps": 1.0}, {"checks": ()}, {"stages": ()}, {"versions": (3,)}]
)
def test_a_case_that_has_changed_is_out_of_date(change):
    case = cases()[10 - 1]
    staged = cases()[15 - 1]
    before = staged if "stages" in change else case
    assert digest(dataclasses.replace(before, **change)) != digest(before)
    assert digest(dataclasses.replace(case, summary="other words", title="", remark="")) == digest(case)


def test_the_record_keeps_the_results_of_the_same_kernel(tmp_path):
    path = tmp_path / "kernel.json"
    kernel = Built("6.12.9", 1000, "", "0123456789abcdef", (), tmp_path)
    first = conform(chosen("bbr", ("drain-inflight",)), Subject(cc="bbr1"), (1,))
    second = conform(chosen("bbr", ("drain-time",)), Subject(cc="bbr1"), (1,))
    save(first, kernel, (1,), path)
    save(second, kernel, (1,), path)
    found = load(path)
    assert found.name == "linux 6.12"
    assert found.rows == {3: row_of(first[0]), 4: row_of(second[0])}
    assert found.rows[4].verdict == "not applicable"
    assert found.stale(chosen("bbr", ("3", "4", "5"))) == [5]
    save(second, dataclasses.replace(kernel, version="6.12.10"), (1,), path)
    assert load(path).rows.keys() == {4}
