"""Studies from registry to files; the framework's own study with a worker that computes instead of simulating."""

import json
import re
import tomllib
from dataclasses import replace
from importlib import resources

import numpy as np
import pytest

from ackclock import studies
from ackclock.report import Plot, Series
from ackclock.stats import Estimate
from ackclock.studies.framework import Claim, Sheet, StudyResult, assess
from ackclock.studies.framework.grid import Grid


def files_of(folder):
    for path in folder.iterdir():
        if path.is_dir():
            yield from files_of(path)
        elif path.name.endswith(".toml"):
            yield path


def test_scenarios_of_studies_and_benchmarks_name_their_stack():
    """A study says which TCP its source ran, whatever the default is."""
    files = [
        path for package in ("ackclock.studies", "ackclock.engine.bench") for path in files_of(resources.files(package))
    ]
    flows = [flow for path in files for flow in tomllib.loads(path.read_text(encoding="utf-8")).get("flows", ())]
    named = [flow for flow in flows if "voip" not in str(flow.get("app"))]
    assert len(named) > 30
    assert [flow for flow in named if "stack" not in flow] == []


def result_of(value, *, recorded=None, quick=False):
    claim = Claim("up", "it rises", "a paper", 5.0, "above", "%", recorded=recorded)
    claims = [assess(claim, {"main": Estimate(value, value - 1, value + 1, 9)}, "main")]
    figure = Plot(
        "a figure", "x", "y", [Series("s", [0, 1], [2, 3], "#0072b2")], command="ackclock reproduce it", seed=1
    )
    sheets = [
        Sheet("shown", "A table", ["a"], [[1], [2]]),
        Sheet("kept", "Not in the report", ["b"], [[3]], shown=False),
    ]
    return StudyResult(
        "it",
        "A study",
        claims,
        [1, 2, 3],
        "ackclock reproduce it",
        quick,
        "# Page",
        sheets,
        [figure],
        {"main": "0" * 16},
    )


PAGE = "## The question\n\nWhy?\n\n## The answer\n\nSo.\n\n## The original\n\nA paper.\n\n## Unknowns\n\nMany.\n"


def test_a_report_opens_with_question_answer_and_figure_and_folds_the_rest():
    made = result_of(3)
    more = [replace(made.figures[0], title=f"figure {number}") for number in range(1, 5)]
    html = replace(made, page=PAGE, figures=more, findings="# Findings\n\nSome.").report().html()
    opening, rest = html.split("<nav", 1)
    headings = re.findall(r"<h2>(.*?)</h2>", opening)
    assert headings == ["The question", "The answer", "The published numbers and ours"]
    assert "<details" not in opening
    folded = re.findall(r'<details class="folded"><summary><h2 id="[^"]*">(.*?)</h2>', rest)
    assert folded == ["figure 3", "figure 4", "Findings", "The original", "Unknowns", "A table", "Provenance"]
    shown = re.findall(r'<h2 id="[^"]*">(.*?)</h2>', rest)
    assert [title for title in shown if title not in folded] == ["Published against measured", "figure 1", "figure 2"]
    assert html.count("ackclock reproduce it") == 1, "figures do not repeat the command of the page"


def test_means_of_shares_end_at_their_bounds():
    numbers = {"jain": [0.9, 0.99, 1.0], "drop_rate_percent": [0.0, 0.0, 3.0], "level_kbps": [0.0, 0.0, 3.0]}
    cells = {("main", "one"): {name: np.array(values) for name, values in numbers.items()}}
    grid = Grid((), (), {"main": (1, 2, 3)}, cells)
    jain, drops, level = (grid.mean("main", "one", name) for name in numbers)
    assert jain.high == 1
    assert drops.low == 0
    assert level.low < 0, "the framework knows no bounds of this measure"


class Registered:
    """A study of made numbers."""

    slug, title, summary, source = "it", "A study", "a summary", "a paper"
    outcome = result_of(3)

    @classmethod
    def reproduce(cls, lab):
        if lab.progress is not None:
            lab.progress(1.0)
        return cls.outcome


@pytest.fixture
def registered(monkeypatch):
    monkeypatch.setattr(studies, "STUDIES", {"it": "nowhere"})
    monkeypatch.setattr(studies, "get", lambda name: Registered)
    return Registered


def test_a_result_is_written_whole(registered, tmp_path):
    studies.reproduce("it", out=tmp_path / "out")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"report.html", "verdicts.json", "shown.csv", "kept.csv", "ackclock.json"}
    verdicts = json.loads((tmp_path / "out" / "verdicts.json").read_text())
    assert verdicts["study"] == "it"
    assert verdicts["claims"][0]["verdict"] == "reproduced"
    assert (tmp_path / "out" / "kept.csv").read_text() == "b\n3\n"
    html = (tmp_path / "out" / "report.html").read_text()
    assert "a figure" in html
    assert "Not in the report" not in html


def test_the_command_goes_on_with_the_store_of_a_study_that_was_stopped(registered, capsys, tmp_path):
    from ackclock.cli import main

    store = tmp_path / "out" / studies.RUNS / "ackclock-store.json"
    store.parent.mkdir(parents=True)
    store.write_text("{}")
    assert main(["reproduce", "it", "--json", "--out", str(tmp_path / "out")]) == 0
    assert store.read_text() == "{}"
    (tmp_path / "out" / "thesis.tex").write_text("mine")
    assert main(["reproduce", "it", "--json", "--out", str(tmp_path / "out")]) == 2
    assert "thesis.tex" in capsys.readouterr().err


def test_a_failing_study_leaves_nothing(registered, monkeypatch, tmp_path):
    def fail(self):
        raise RuntimeError

    monkeypatch.setattr(StudyResult, "report", fail)
    with pytest.raises(RuntimeError):
        studies.reproduce("it", out=tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("value", "recorded", "quick", "status"),
    [
        (3, "reproduced", False, 0),
        (-3, "reproduced", False, 1),
        (-3, None, False, 0),
        (-3, "reproduced", True, 0),
        (0, "reproduced", True, 0),
    ],
)
def test_the_exit_status_tells_a_regression(registered, monkeypatch, capsys, value, recorded, quick, status):
    from ackclock.cli import main

    monkeypatch.setattr(registered, "outcome", result_of(value, recorded=recorded, quick=quick))
    assert main(["reproduce", "it", "--json"]) == status
    captured = capsys.readouterr()
    assert json.loads(captured.out)["claims"][0]["id"] == "up"
    assert ("on record" in captured.err) == (status == 1)


def test_one_study_is_an_object_and_several_are_a_list(registered, monkeypatch, capsys, tmp_path):
    from ackclock.cli import main

    monkeypatch.setattr(studies, "STUDIES", {"it": "nowhere", "that": "nowhere"})
    assert main(["reproduce", "all", "--json", "--out", str(tmp_path / "out")]) == 0
    assert [entry["study"] for entry in json.loads(capsys.readouterr().out)] == ["it", "it"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["it", "report.html", "that"]
    front = (tmp_path / "out" / "report.html").read_text()
    assert "it rises" in front
    assert 'href="that/report.html"' in front


def test_tables_for_people(registered, capsys):
    from ackclock.cli import main

    assert main(["reproduce", "it"]) == 0
    out = capsys.readouterr().out
    for words in ("A study: 3 paired replications", "it rises", "5.00", "[2.00, 4.00]", "reproduced"):
        assert words in out


def test_every_registered_study_says_what_it_is():
    for name, entry in zip(studies.names(), studies.catalogue(), strict=True):
        assert entry["name"] == name == studies.get(name).slug
        assert entry["summary"]
        assert entry["source"]
    with pytest.raises(KeyError, match="newcwv-dash"):
        studies.get("nothing")
