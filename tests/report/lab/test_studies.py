"""The studies that the laboratory runs, shortened."""

import json
from pathlib import Path

import pytest

import ackclock.studies
from ackclock.studies.newcwv_dash import STUDY
from tests.helpers.browser import DRAWN
from tests.helpers.lab import NEEDS, opened

pytestmark = NEEDS

SLUGS = ("newcwv-dash", "iw10", "munir-fairness")

ROWS = "[...document.querySelectorAll('#study tbody tr')].map(row => [...row.cells].map(one => one.textContent))"
RAN = "document.getElementById('study').dataset.ran"
SLIDER = "document.querySelector('#study input[type=range]')"


def record(slug):
    folder = Path(ackclock.studies.__file__).parent / slug.replace("-", "_")
    return {one["id"]: one for one in json.loads((folder / "record.json").read_text(encoding="utf-8"))["claims"]}


def number(text):
    return float(text.split(" ")[0].replace(",", "").replace("\N{MINUS SIGN}", "-"))


@pytest.mark.parametrize("slug", SLUGS)
def test_a_study_runs_beside_the_published_numbers_and_ours(page, address, slug):
    opened(page, f"{address}#study-{slug}")
    page.until(f"{RAN} !== undefined")
    assert "Shortened." in page.run("document.getElementById('study').textContent")
    rows = page.run(ROWS)
    ours = record(slug)
    assert len(rows) >= 2
    for _, _, published, measured, verdict, here in rows:
        assert published
        assert verdict in {one["verdict"] for one in ours.values()}
        assert any(number(measured) == pytest.approx(one["measured"], rel=0.02, abs=0.06) for one in ours.values())
        number(here)


def test_the_slider_runs_the_study_again(page, address):
    opened(page, f"{address}#study-newcwv-dash")
    page.until(f"{RAN} === '100'")
    before = {row[0]: number(row[5]) for row in page.run(ROWS)}
    page.run(f"{SLIDER}.value = '200'; {SLIDER}.dispatchEvent(new Event('input'))")
    page.until(f"{RAN} === '200'")
    after = {row[0]: number(row[5]) for row in page.run(ROWS)}
    assert after.keys() == before.keys()
    assert after != before
    assert page.run("location.hash") == "#study-newcwv-dash?unknown=200"
    # A link opens with the slider where it was.
    opened(page, page.run("location.href"))
    page.until(f"{RAN} === '200'")
    assert {row[0]: number(row[5]) for row in page.run(ROWS)} == after


def test_the_numbers_are_those_of_the_study_with_the_same_runs(page, address):
    """The texts that the page makes are what the study's package runs: the same duration and seeds give the same."""
    opened(page, f"{address}#study-newcwv-dash")
    page.until(f"{RAN} === '100'")
    here = {row[0]: row[5] for row in page.run(ROWS)}
    text = STUDY.scenario()
    overrides = {"flows[0].validation": "rfc2861-linux", "flows[0].pacing": "off"}
    levels = [
        ackclock.run(text, seed=seed, overrides=overrides).dash["mean_level_bps"][0] / 1e3 for seed in range(1, 11)
    ]
    told = here["NewReno reaches an average segment rate of 803.40 kbit/s"]
    assert number(told) == pytest.approx(sum(levels) / 10, abs=0.06 * float(told.rpartition(" ")[2]) + 0.06)


def test_the_runs_can_be_looked_at(page, address):
    opened(page, f"{address}#study-iw10")
    page.until(f"{RAN} !== undefined")
    assert page.run("document.getElementById('experiment').hidden")
    page.run("[...document.querySelectorAll('#study button')].at(-1).click()")
    page.until("document.querySelectorAll('#figures canvas').length > 0")
    assert all(page.run(DRAWN))
    assert not page.run("document.getElementById('variants').hidden")


def test_there_are_three_with_links(page):
    links = page.run("[...document.querySelectorAll('#studies a')].map(one => one.getAttribute('href'))")
    assert links == [f"#study-{slug}" for slug in SLUGS]
