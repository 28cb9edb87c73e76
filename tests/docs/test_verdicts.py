"""The verdicts on record of the studies, and the page of all verdicts."""

import json

import pytest

from ackclock import studies
from tools import verdicts


@pytest.mark.parametrize("study", studies.names())
def test_a_record_has_every_claim_and_agrees_with_the_claims_that_say_so(study):
    kept, claims = verdicts.record(study), verdicts.claims_of(study)
    assert kept["study"] == study
    assert [row["id"] for row in kept["claims"]] == (list(claims) if kept["claims"] else [])
    reproduced = {row["id"] for row in kept["claims"] if row["verdict"] == "reproduced"}
    assert reproduced == {name for name, claim in claims.items() if claim.recorded == "reproduced"}


def test_the_page_has_the_verdicts_of_today():
    assert verdicts.PAGE.read_text(encoding="utf-8") == verdicts.page(), "python -m tools.verdicts writes it anew"


def test_the_page_has_every_claim_of_every_study_and_their_sum():
    page = verdicts.PAGE.read_text(encoding="utf-8")
    verdict_of = [row["verdict"] for study in studies.names() for row in verdicts.record(study)["claims"]]
    counts = [str(verdict_of.count(verdict) or "") for verdict in verdicts.VERDICTS]
    assert f"| all | {' | '.join(counts)} |" in page
    for study in studies.names():
        section = page.partition(f"\n## {study}\n")[2].partition("\n## ")[0]
        statements = [claim.statement.replace("|", "\\|") for claim in verdicts.claims_of(study).values()]
        assert statements, study
        assert all(f"| {statement} |" in section for statement in statements), study


def test_a_quick_run_does_not_go_on_record():
    with pytest.raises(ValueError, match="it: a quick run is too small"):
        verdicts.record_of({"study": "it", "quick": True})


def test_what_a_record_keeps(tmp_path, monkeypatch):
    claim = {"id": "a", "measured": 2.0, "ci": [1.0, 3.0], "n": 9, "verdict": "reproduced", "holds_under": ["m"]}
    document = {"study": "it", "quick": False, "version": "1", "claims": [claim | {"readings": [{}, {}], "note": ""}]}
    (tmp_path / "verdicts.json").write_text(json.dumps(document))
    monkeypatch.setattr(verdicts, "record_path", lambda study: tmp_path / f"{study}.json")
    kept = json.loads(verdicts.take_over(tmp_path).read_text())
    assert kept == {"study": "it", "version": "1", "claims": [claim | {"holds_under": 1, "readings": 2}]}
    assert verdicts.record("it") == kept
