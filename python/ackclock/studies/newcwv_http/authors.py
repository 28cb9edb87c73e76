"""The readings with the authors' own generator and the authors' own forms of newCWV, beside RFC 7661."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.scenario import Text
from ackclock.studies.framework import Reading, Sheet, study_file
from ackclock.studies.framework.setups.newcwv import NEWRENO
from ackclock.studies.framework.setups.newcwv_2014 import FORMS, OF_2014
from ackclock.studies.newcwv_http import measures
from ackclock.studies.newcwv_http.generator import generated_name

if TYPE_CHECKING:
    from ackclock.results.result import Result
    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid

__all__ = ["COMPARED", "PACINGS", "VECTORS", "claimed", "exchanges", "readings", "sheet"]

VECTORS = "flows[0].app.vectors.file"

COMPARED = (NEWRENO, *(variant for form in FORMS.values() for variant in form))
"""NewReno, and every form of newCWV with every pacing."""

PACINGS = ("no pacing", "FQ of Linux 3.12", "over an SRTT")


def readings(folder: str) -> list[Reading]:
    """The authors' generator with both readings of "200 ms", and at two other loads. The vectors are in `folder`."""
    text = Text(study_file(__package__, "scenario.toml"), name="newcwv_http/scenario.toml", folder=folder)
    own: dict[str, object] = {VECTORS: generated_name("", 1)}
    changes: dict[str, dict[str, object]] = {
        "the authors' generator": own,
        "the authors' generator, 200 ms round trip": {**own, "bottleneck.delay": "100ms"},
        "the authors' generator, light": {VECTORS: generated_name("-light", 1)},
        "the authors' generator, heavy": {VECTORS: generated_name("-heavy", 1)},
    }
    return [Reading(name, text, overrides) for name, overrides in changes.items()]


def exchanges(result: Result) -> dict[str, float]:
    """The measures of the study, and the geometric mean of the durations of all exchanges.

    The authors' client reports each of these durations: from before the request to the last byte of the answer.
    """
    log_time = np.log(result.tmix_epochs["duration_s"])
    return {**measures.traffic(result), "every_s": float(np.exp(log_time.mean()))}


def claimed(*, paced: bool) -> dict[str, str]:
    """Suffix of a reading to the variant that a claim about newCWV without pacing, or with it, is held against."""
    found = {}
    for form, (plain, fq, spread) in FORMS.items():
        suffix = "" if form == OF_2014 else f"; {form}"
        if paced:
            found[suffix] = fq.name
            found[f"{suffix}; paced over an SRTT"] = spread.name
        else:
            found[suffix] = plain.name
    return found


def sheet(grid: Grid) -> Sheet:
    """Losses and times against NewReno, by reading, form of newCWV and pacing."""

    def shown(estimate: Estimate) -> list[object]:
        return [estimate.value, estimate.low, estimate.high]

    rows: list[list[object]] = []
    for reading in grid.readings:
        for form, variants in FORMS.items():
            for pacing, variant in zip(PACINGS, variants, strict=True):
                names = reading.name, variant.name, NEWRENO.name
                after_idle, every = (
                    grid.geometric_change([reading.name], variant.name, NEWRENO.name, measure)
                    for measure in ("all_s", "every_s")
                )
                loss = grid.mean(reading.name, NEWRENO.name, "loss_percent").value
                change = grid.change(*names, "loss_percent")
                rows.append([reading.name, form, pacing, loss, *shown(change), *shown(after_idle), every.value])
    columns = [
        *("reading", "newCWV", "pacing", "NewReno loses %", "loss, % of NewReno's", "low", "high"),
        *("time after idle, %", "low of the time", "high of the time", "time of all exchanges, %"),
    ]
    caption = (
        "The authors' generator, with vectors of their capture of 2013. Changes against NewReno with 95 % intervals; "
        "times as geometric means. Published: losses +6.6 % without pacing and -1.4 % with it."
    )
    return Sheet("authors", "The authors' generator and their forms of newCWV", columns, rows, caption)
