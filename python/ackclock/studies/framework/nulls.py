"""Null readings: the claims of a study with the mechanism removed that they are about.

A claim that holds without its mechanism says nothing of it. A study names in `Study.nulls` how its mechanisms are
removed: a name, and a function from the overrides of a run to those that switch the mechanism off. Each claim is
measured under the null reading that it names (``null`` in ``claims.toml``), or under the first. What holds there is an
illustration, whatever its verdict would be.

    def newcwv_off(overrides):
        return {"flows[0].validation": "rfc2861-linux"}

    STUDY = Study(..., nulls={"newCWV off": newcwv_off})
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from importlib import resources
from typing import TYPE_CHECKING

from ackclock.stats import Estimate
from ackclock.studies.framework.claims import NO_NULL, NullReading, judge, with_null

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.studies.framework.claims import Claim, ClaimResult
    from ackclock.studies.framework.lab import Lab, Removal
    from ackclock.studies.framework.study import Study

__all__ = ["held", "measured", "name_of", "recorded", "with_nulls"]

MOST_TIMES = 8
"""Most times as many replications as those of a quick run."""


def held(settings: Mapping[str, object]) -> Removal:
    """A removal that gives these settings their value without the mechanism, in every run of a study.

    Parameters
    ----------
    settings
        Path of a setting to its value without the mechanism, for example ``{"flows[*].initial_window": 3}``.
    """
    return lambda _: dict(settings)


def name_of(claim: Claim, nulls: Mapping[str, object]) -> str | None:
    """The name of the null reading of a claim, or None if it has none.

    Raises
    ------
    ValueError
        If the claim names a null reading that its study does not have.
    """
    if claim.null == NO_NULL or not nulls:
        return None
    name = claim.null or next(iter(nulls))
    if name not in nulls:
        raise ValueError(f"claim {claim.id}: null is one of {', '.join([*nulls, NO_NULL])}, not {name!r}")
    return name


def measured(study: Study, lab: Lab) -> dict[str, NullReading]:
    """Runs the study with each of its mechanisms removed: claim to its null reading.

    Without the mechanism the variants of a pair are alike, so that the size of a quick run shows what is left. While a
    null reading is inconclusive, the replications of the readings that decide are doubled, at most to `MOST_TIMES`.
    """
    found: dict[str, NullReading] = {}
    for name, removal in study.nulls.items():
        small = replace(lab, quick=True, times=1, without=removal, progress=None)
        own = _of(study, small, name)
        while small.times < MOST_TIMES and any(one.verdict == "inconclusive" for one in own.values()):
            small = replace(small, times=2 * small.times)
            own = _of(study, small, name)
        found |= own
    return found


def _of(study: Study, lab: Lab, name: str) -> dict[str, NullReading]:
    """The claims that have this null reading, measured in a laboratory that removes their mechanism."""
    return {
        one.claim.id: _judged(one.claim, name, one.measured)
        for one in study.run(study, lab).claims
        if name_of(one.claim, study.nulls) == name
    }


def recorded(study: Study) -> dict[str, NullReading]:
    """The null readings on record: claim to its null reading. Those that the study no longer names are left out."""
    try:
        record = json.loads(resources.files(study.package).joinpath("record.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    claims = study.claims
    found = {}
    for row in record["claims"]:
        null, claim = row.get("null"), claims.get(row["id"])
        if null is not None and claim is not None and name_of(claim, study.nulls) == null["without"]:
            found[claim.id] = of_row(claim, null)
    return found


def of_row(claim: Claim, row: Mapping[str, object]) -> NullReading:
    """The null reading of a record, judged by the claim of today."""
    value, ci, n = row["measured"], row["ci"], row["n"]
    if value is None:
        return _judged(claim, str(row["without"]), None)
    low, high = (math.nan if end is None else end for end in ci)  # type: ignore[attr-defined]
    return _judged(claim, str(row["without"]), Estimate(value, low, high, n))  # type: ignore[arg-type]


def _judged(claim: Claim, name: str, estimate: Estimate | None) -> NullReading:
    return NullReading(name, estimate, judge(replace(claim, status="published"), estimate)[0])


def with_nulls(result: ClaimResult, nulls: Mapping[str, NullReading]) -> ClaimResult:
    """The result of a claim with its null reading, where there is one."""
    null = nulls.get(result.claim.id)
    return result if null is None else with_null(result, null)
