"""The front page of several studies."""

import json

from ackclock.cli import main
from ackclock.report import front_page
from tests.helpers.pages import Page


def verdicts(study, found, *, quick=False):
    claim = {
        "statement": "it <rises>", "published": 5.0, "measured": 4.2, "ci": [4.0, 4.4], "unit": "%", "readings": [],
        "holds_under": [],
    }  # fmt: skip
    claims = [claim | {"verdict": verdict} for verdict in found]
    return {"study": study, "title": "A study", "version": "1", "quick": quick, "seeds": [1, 2], "claims": claims}


class TestFrontPage:
    def test_every_claim_and_the_counts(self):
        documents = [verdicts("a", ["reproduced", "not reproduced"]), verdicts("b", ["withdrawn"], quick=True)]
        page = Page(front_page(documents, links={"a": "a/report.html"}))
        assert page.loads == ["a/report.html"] * 3
        assert "3 claims of 2 studies" in page.words
        assert page.words.count("it <rises>") == 3
        assert "withdrawn (quick)" in page.words
        assert "all 3 1 1 0 0 0 1 0" in page.words

    def test_a_folder_of_studies(self, tmp_path, capsys):
        for name in ("a", "b"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "verdicts.json").write_text(json.dumps(verdicts(name, ["reproduced"])))
            (tmp_path / name / "report.html").write_text("")
        assert main(["report", str(tmp_path), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["studies"] == ["a", "b"]
        page = Page((tmp_path / "report.html").read_text(encoding="utf-8"))
        assert {*page.loads} == {"a/report.html", "b/report.html"}
        assert main(["report", str(tmp_path / "a")]) == 2
        assert "this study has its report" in capsys.readouterr().err
        assert main(["report", str(tmp_path), "--of", "flows.goodput_bps"]) == 2
        (tmp_path / "b" / "verdicts.json").write_text('{"study": "b"}')
        assert main(["report", str(tmp_path)]) == 2
        assert "lack" in capsys.readouterr().err
