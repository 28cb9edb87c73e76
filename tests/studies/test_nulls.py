"""Null readings: the claims of a study with its mechanism removed, what still holds, and what is on record of it."""

import json

import pytest

from ackclock import studies
from ackclock.scenario import Text
from ackclock.stats import Estimate
from ackclock.studies.framework import (
    NO_NULL,
    Claim,
    Lab,
    NullReading,
    Outcome,
    Reading,
    Study,
    Variant,
    assess,
    nulls,
    with_null,
)
from tests.helpers.scenarios import SMALL
from tests.helpers.tables import make_result

READING = Reading("main", Text(SMALL), {"bottleneck.rate": "20Mbps"})
OLD = Variant("old", "Old", {"bottleneck.queue": "1bdp"})
NEW = Variant("new", "New", {"bottleneck.queue": "3bdp"})
RISES = Claim("rises", "it rises", "a paper", "more", "above")
FULL = Claim("full", "the link is used", "a paper", "used", "above", bound=5.0)
OTHER = Claim("other", "it rises", "a paper", "more", "above", null="half the rate")
ALONE = Claim("alone", "it rises", "a paper", "more", "above", null=NO_NULL)


def worker(job, cancel, progress):
    """A rate that a longer queue raises, and a seed a little."""
    overrides = dict(job.overrides)
    result = make_result(job.seed)
    queue = float(overrides["bottleneck.queue"].strip('"').removesuffix("bdp"))
    scale = 0.5 if "10M" in overrides["bottleneck.rate"] else 1.0
    result.meta["duration_s"] = scale * (10 + queue + 0.01 * (job.seed % 3))
    return result


def run(study, lab):
    seeds = lab.seeds(6, 3)
    grid = lab.grid([READING], [OLD, NEW], seeds, lambda result: {"rate": result.meta["duration_s"]}, ("main",))
    rise = grid.difference("main", "new", "old", "rate")
    level = grid.mean("main", "new", "rate")
    claims = [assess(one, {"main": level if one is FULL else rise}, "main") for one in (RISES, FULL, OTHER, ALONE)]
    return Outcome(claims, seeds, {})


def queue_off(overrides):
    return {"bottleneck.queue": "1bdp"} if "bottleneck.queue" in overrides else {}


def half_the_rate(overrides):
    return {"bottleneck.rate": "10Mbps"}


STUDY = Study(
    "it",
    "A study",
    "",
    "a paper",
    "ackclock.studies.dctcp",
    run,
    (),
    nulls={"queue off": queue_off, "half the rate": half_the_rate},
)


def test_a_full_run_measures_every_claim_without_its_mechanism():
    found = {one.claim.id: one for one in STUDY.reproduce(Lab(threads=1, worker=worker)).claims}
    assert {name: one.verdict for name, one in found.items()} == {
        "rises": "reproduced",
        "full": "illustration",
        "other": "illustration",
        "alone": "reproduced",
    }
    rises, full, other, alone = (found[name].null for name in ("rises", "full", "other", "alone"))
    assert (rises.without, rises.measured.value, rises.verdict) == ("queue off", 0.0, "not reproduced")
    assert full.verdict == "reproduced"
    assert (other.without, other.measured.value) == ("half the rate", 1.0)
    assert alone is None
    assert found["full"].reason == "it holds with the mechanism removed: queue off"
    assert rises.measured.n == 3, "a null reading has the size of a quick run"


def test_a_null_reading_has_more_replications_while_it_is_inconclusive():
    seen = []

    def near(study, lab):
        seeds = lab.seeds(6, 3)
        grid = lab.grid([READING], [NEW], seeds, lambda result: {"rate": float(result.meta["seed"] % 2)}, ("main",))
        seen.append((lab.without is None, lab.times))
        return Outcome([assess(RISES, {"main": grid.mean("main", "new", "rate")}, "main")], seeds, {})

    study = Study("it", "A study", "", "a paper", STUDY.package, near, (), most_times=1, nulls={"queue off": queue_off})
    (one,) = study.reproduce(Lab(threads=1, worker=worker)).claims
    assert seen == [(True, 1), (False, 1), (False, 2), (False, 4)], "six seeds do not tell a half from 0, twelve do"
    assert one.null.measured.n == 12


def test_what_fails_is_no_illustration_whatever_its_null_reading():
    failed = assess(RISES, {"main": Estimate(-1, -2, -0.5, 9)}, "main")
    assert with_null(failed, NullReading("queue off", None, "reproduced")).verdict == "not reproduced"


def test_a_claim_names_a_null_reading_of_its_study():
    with pytest.raises(ValueError, match="null is one of queue off, none, not 'half'"):
        nulls.name_of(Claim("x", "s", "p", "more", "above", null="half"), {"queue off": None})
    assert nulls.name_of(OTHER, {}) is None


def test_the_document_has_the_null_reading():
    document = with_null(assess(RISES, {}, "main"), NullReading("queue off", Estimate(0, 0, 0, 3), "not reproduced"))
    assert document.document()["null"] == {
        "without": "queue off",
        "measured": 0,
        "ci": [0, 0],
        "n": 3,
        "verdict": "not reproduced",
    }
    assert assess(RISES, {}, "main").document()["null"] is None


WITHOUT_NULLS = {"bbr-loss", "bbr-when", "bbr-share", "dctcp", "l4s"}
"""Studies of no deck, which do not yet name how their mechanism is removed."""


def test_the_studies_without_null_readings_are_known():
    assert {name for name in studies.names() if not studies.get(name).nulls} == WITHOUT_NULLS


@pytest.mark.parametrize("name", sorted(set(studies.names()) - WITHOUT_NULLS))
def test_every_claim_has_its_null_reading_on_record(name):
    study = studies.get(name)
    wanted = {one.id for one in study.claims.values() if nulls.name_of(one, study.nulls) is not None}
    assert set(nulls.recorded(study)) == wanted
    rows = json.loads(study.file("record.json"))["claims"]
    held = {row["id"] for row in rows if row.get("null", {}).get("verdict") == "reproduced"}
    assert not held & {row["id"] for row in rows if row["verdict"] == "reproduced"}
