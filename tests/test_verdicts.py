"""What is on record of the studies, and the README's table of it."""

import json

import pytest

from ackclock import studies
from docs import verdicts


@pytest.mark.parametrize("study", studies.names())
def test_a_record_has_every_claim_and_agrees_with_the_claims_that_say_so(study):
    kept, claims = verdicts.record(study), verdicts.claims_of(study)
    assert kept["study"] == study
    assert [row["id"] for row in kept["claims"]] == (list(claims) if kept["claims"] else [])
    reproduced = {row["id"] for row in kept["claims"] if row["verdict"] == "reproduced"}
    assert reproduced == {name for name, claim in claims.items() if claim.recorded == "reproduced"}


def test_the_readme_has_the_table_of_today():
    text = verdicts.README.read_text(encoding="utf-8")
    assert verdicts.readme(text) == text, "python -m docs.verdicts writes it anew"


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


def test_a_readme_without_a_place_is_refused():
    with pytest.raises(ValueError, match="no place for the table"):
        verdicts.readme("# Mine\n")
