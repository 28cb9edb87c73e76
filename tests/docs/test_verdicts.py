"""The verdicts on record of the studies, and the page of all verdicts."""

import json

import pytest

from ackclock import studies
from ackclock.base.markdown import cell
from ackclock.studies.framework import Claim
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
        statements = [cell(claim.statement) for claim in verdicts.claims_of(study).values()]
        assert statements, study
        assert all(f"| {statement} |" in section for statement in statements), study


def test_a_quick_run_does_not_go_on_record():
    with pytest.raises(ValueError, match="it: a quick run is too small"):
        verdicts.record_of({"study": "it", "quick": True})


def reading(verdict, kind="assumption"):
    return {"reading": "r", "kind": kind, "verdict": verdict}


def test_what_a_record_keeps(tmp_path, monkeypatch):
    claim = {"id": "a", "measured": 2.0, "ci": [1.0, 3.0], "n": 9, "verdict": "reproduced", "holds_under": ["m", "n"]}
    claim |= {"null": {"without": "it off", "verdict": "not reproduced"}}
    unkept = {"note": "", "cause": None, "beside": []}
    readings = [reading("reproduced"), reading("inconclusive"), reading("reproduced", "definition")]
    origin = {
        "seeds": [1, 2],
        "engine": "1a2b",
        "host": dict.fromkeys(verdicts.HOST, "m"),
        "scenario_hashes": {"m": "0f"},
    }
    document = {"study": "it", "quick": False, "version": "1", "title": "", **origin}
    document["host"] = origin["host"] | {"release": "not kept"}
    (tmp_path / "verdicts.json").write_text(
        json.dumps(document | {"claims": [claim | {"readings": readings} | unkept]})
    )
    monkeypatch.setattr(verdicts, "record_path", lambda study: tmp_path / f"{study}.json")
    kept = json.loads(verdicts.take_over(tmp_path).read_text())
    counts = {"holds_under": 2, "readings": 3, "kinds": {"assumption": [1, 2], "definition": [1, 1]}}
    assert kept == {"study": "it", "version": "1", **origin, "claims": [claim | counts]}
    assert verdicts.record("it") == kept


@pytest.mark.parametrize("study", studies.names())
def test_the_verdicts_on_record_follow_from_the_intervals_on_record(study):
    """A band, a bound or a rule that changes needs ``python -m tools.verdicts --rejudge``."""
    assert verdicts.rejudged(study) == verdicts.record(study)


def test_a_record_is_judged_anew_from_its_intervals(monkeypatch):
    study = studies.names()[0]
    kept = verdicts.record(study)
    true = [row["verdict"] for row in kept["claims"]]
    kept["claims"] = [row | {"verdict": "not testable"} for row in kept["claims"]]
    kept["claims"][0] |= {"ci": [None, None]}
    monkeypatch.setattr(verdicts, "record", lambda study: kept)
    assert [row["verdict"] for row in verdicts.rejudged(study)["claims"]] == ["not testable", *true[1:]]


def test_readings_of_several_kinds_are_counted_apart():
    row = {"readings": 3, "holds_under": 2}
    assert verdicts.holds(row) == "2 of 3 readings"
    assert verdicts.holds(row | {"holds_under": None}) == "not recorded"
    assert verdicts.holds(row | {"kinds": {"definition": [2, 3]}}) == "2 of 3 definitions"
    apart = verdicts.holds(row | {"kinds": {"assumption": [1, 2], "cell": [1, 1]}})
    assert apart == "1 of 2 assumptions, 1 of 1 cells"
    assert verdicts.holds({"readings": 1, "holds_under": 1, "kinds": {"assumption": [1, 1]}}) == ""


ROW = {"id": "a", "measured": -2.0, "ci": [-3.0, -1.0], "n": 9}


@pytest.mark.parametrize(
    ("verdict", "cause", "fields", "shown"),
    [
        ("not reproduced", "shown", {"because": "Why.", "turned_by": "other"}, "shown"),
        ("not reproduced", "shown", {}, "unexplained"),
        ("not reproduced", "unexplained", {"because": "Why."}, "argued"),
        ("not reproduced", None, {}, "unexplained"),
        ("reproduced", None, {"because": "Why."}, None),
    ],
)
def test_a_claim_that_fails_has_a_mark(verdict, cause, fields, shown):
    claim = Claim("a", "s", "p", "more", "above", **fields)
    assert verdicts.cause_of(ROW | {"verdict": verdict, "cause": cause}, claim) == shown


def test_a_record_with_readings_of_the_same_rank_and_a_null_reading_is_judged_anew(monkeypatch):
    claims = {"a": Claim("a", "s", "p", "more", "above")}
    rises = {"measured": 2.0, "ci": [1.0, 3.0], "n": 9, "verdict": "not testable"}
    kept = {"claims": [ROW | {"verdict": "not testable", "beside": [rises | {"reading": "other"}]}]}
    monkeypatch.setattr(verdicts, "record", lambda study: kept)
    monkeypatch.setattr(verdicts, "claims_of", lambda study: claims)
    (row,) = verdicts.rejudged("it")["claims"]
    assert (row["verdict"], row["beside"][0]["verdict"]) == ("split", "reproduced")
    kept["claims"] = [rises | {"id": "a", "null": {"without": "it off"} | rises}]
    (row,) = verdicts.rejudged("it")["claims"]
    assert (row["verdict"], row["null"]["verdict"]) == ("illustration", "reproduced")
    assert verdicts.without(row) == "holds (it off)"


def test_the_page_counts_the_causes_of_failure():
    page = verdicts.PAGE.read_text(encoding="utf-8")
    claims = {study: verdicts.claims_of(study) for study in studies.names()}
    causes = [
        verdicts.cause_of(row, claims[study][row["id"]])
        for study in studies.names()
        for row in verdicts.record(study)["claims"]
    ]
    for cause in ("shown", "argued", "unexplained"):
        assert f"{causes.count(cause)} {cause}" in page.partition("| study |")[0]
