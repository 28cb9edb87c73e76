"""The gallery: each scenario has a page with all its parts, and the numbers in the text are those of the runs.

`test_pages.py` follows the pages: it compares their outputs and their pictures with what the engine prints and draws.
"""

import math
import re

import pytest

from ackclock import examples
from tests.docs.following import DOCS
from tests.helpers.places import ROOT
from tools.site import blocks

FOLDER = DOCS / "gallery"
PAGES = sorted(path for path in FOLDER.glob("*.md") if path.name != "index.md")
SECTIONS = ["Theory", "Run it", "What you see", "Exercise"]
REUSED = {"parking-lot"}
"""Examples that are older than the gallery."""
LARGEST = 100_000
"""Bytes of a picture."""

NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?")
EQUATION = re.compile(r"((?:[\d.]+|10[⁰¹²³⁴⁵⁶⁷⁸⁹]+)(?: [\u00d7/+-] (?:[\d.]+|10[⁰¹²³⁴⁵⁶⁷⁸⁹]+))+) = ([\d.]+)")
NO_CLAIM = re.compile(r"\([^()]*(?:RFC|SIGCOMM)[^()]*\)|`[^`]*`|\d+th percentile")
"""Sources, code, and the names of quantiles."""
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def value(text):
    return float(text.replace(",", ""))


def printed(page):
    """The numbers in the outputs of a page."""
    outputs = "\n".join(block.prints or "" for block in blocks.blocks(page))
    return {value(number) for number in NUMBER.findall(outputs)}


def given(name, page):
    """The numbers of the scenario, of the commands and of the theory, and the results of arithmetic on the page."""
    file = next(ROOT.glob(f"python/ackclock/examples/**/{name}.toml"))
    theory = page.partition("## Theory")[2].partition("## Run it")[0]
    commands = "\n".join(block.text for block in blocks.blocks(page))
    text = file.read_text(encoding="utf-8") + theory + commands
    # A unit stands directly behind many numbers of a scenario.
    return {value(number) for number in re.findall(r"(?<![\w.])\d[\d,]*(?:\.\d+)?", text)}


def is_rounded(number, exact):
    """Whether a number of the text is an exact number in some unit, rounded to the digits that the text has."""
    digits = len(number.partition(".")[2])
    half = 0.5 * 10**-digits
    return any(abs(value(number) - exact * unit) <= half * 1.000001 for unit in (1, 1e-6, 1e-3, 1e3, 100))


def claimed(page):
    """The numbers of the sections "What you see" and "Exercise", without blocks and references."""
    text = page.partition("## What you see")[2]
    text = re.sub(r"(?ms)^```.*?^```$", "", text)
    text = EQUATION.sub("", text)
    return NUMBER.findall(NO_CLAIM.sub("", text))


def name_of(page):
    return page.stem


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_a_page_has_all_its_parts(path):
    page = path.read_text(encoding="utf-8")
    assert re.findall(r"(?m)^## (.+)$", page) == SECTIONS
    question = re.search(r"(?m)^\*\*(.+)\*\*$", page)
    assert question is not None
    assert question[1] == examples.subject(path.stem)
    assert f"ackclock new scenario {path.stem}\n" in page
    assert re.search(rf"(?m)^!\[[^\]]{{20,}}\]\({path.stem}\.png\)$", page)
    assert path.with_suffix(".png").stat().st_size < LARGEST
    answer = page.partition("<details markdown>\n<summary>Answer</summary>\n\n")[2]
    assert answer.rstrip().endswith("</details>")
    run = [block for block in blocks.blocks(answer) if block.reason is None]
    assert run
    assert all(block.prints for block in run), "an answer has a command and its result"
    theory = page.partition("## Theory")[2].partition("## Run it")[0]
    assert re.search(r"RFC \d+|(?:19|20)\d\d\)", theory), "a theory has a source"


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_the_numbers_of_the_text_are_those_of_the_runs(path):
    page = path.read_text(encoding="utf-8")
    exact = printed(page) | given(path.stem, page)
    wrong = [number for number in claimed(page) if not any(is_rounded(number, one) for one in exact)]
    assert not wrong, f"{path.name}: no output of the page has {', '.join(wrong)}"


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_the_arithmetic_of_a_page_is_right(path):
    for terms, result in EQUATION.findall(path.read_text(encoding="utf-8")):
        plain_terms = re.sub(r"10([⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda match: f"1e{match[1].translate(RAISED)}", terms)
        found = eval(plain_terms.replace("\u00d7", "*"))
        assert math.isclose(found, value(result), rel_tol=0.006), f"{path.name}: {terms} = {found}, not {result}"


def test_the_index_shows_every_scenario():
    index = (FOLDER / "index.md").read_text(encoding="utf-8")
    gallery = {path.stem for path in (ROOT / "python/ackclock/examples/gallery").glob("*.toml")} | REUSED
    assert gallery == {path.stem for path in PAGES}
    shown = re.findall(r"- !\[[^\]]+\]\((\S+)\.png\)\n\n    \*\*\[[^\]]+\]\((\S+)\.md\)\*\*: ", index)
    assert {picture for picture, _ in shown} == {page for _, page in shown} == gallery
    assert len(shown) == len(gallery) == 16


@pytest.mark.parametrize(
    ("number", "exact", "expected"),
    [
        ("9.54", 9_535_949, True),
        ("9.53", 9_535_949, False),
        ("82.6", 0.8255, True),
        ("291", 291.2, True),
        ("292", 291.2, False),
        ("0.79", 793.2, True),
    ],
)
def test_a_rounded_number_is_recognised(number, exact, expected):
    assert is_rounded(number, exact) is expected
