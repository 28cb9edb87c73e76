"""The study over the sockets of the running kernel: DASH against FTP, and against HTTP from connection vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import Outcome, Reading, Variant
from ackclock.studies.framework.live import Line, both, lateness, outcome
from ackclock.studies.framework.setups.http_vectors import vectors, vectors_folder
from ackclock.studies.framework.setups.newcwv import LIVE_VARIANTS
from ackclock.studies.newcwv_sharing.readings import FTP, HTTP, MAIN, RIVALS, readings

if TYPE_CHECKING:
    from ackclock.results.result import Result
    from ackclock.studies.framework import Lab, Study

__all__ = ["run"]

DURATION_S, QUICK_DURATION_S = 180, 60
SEEDS = (1,)
"""One replication, because a run takes its whole duration; vectors are those of this seed."""


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the live part: both rivals for 180 s under each variant; with `quick` for 60 s."""
    duration_s = lab.pick(DURATION_S, QUICK_DURATION_S)
    with vectors_folder(vectors(SEEDS)) as folder:
        chosen = []
        for rival in (FTP, HTTP):
            main = next(one for one in readings(rival, folder) if one.name == MAIN)
            changes: dict[str, object] = {"duration": f"{duration_s}s", "flows[*].stack": "linux"}
            changes |= {"probes.packets": False, "flows[1].cc": "reno", "flows[1].validation": "linux"}
            chosen.append(Reading(rival, main.scenario, changes))
        columns = both(lab, chosen, LIVE_VARIANTS, SEEDS, shares, at_once=4)
        return outcome(
            columns,
            LINES,
            SEEDS,
            study.live_command(lab),
            title="Simulated and measured",
            caption=f"One run of {duration_s} s for each rival, variant and column: the main reading. The rival is "
            " NewReno's in every run.",
        )


def shares(result: Result) -> dict[str, float]:
    """The rate of each class over the run, losses, and the level and the stalls of the DASH client."""
    rows = list(result.flows.rows())
    end_s = float(result.meta["duration_s"])
    carried = [
        8e-3 * sum(row["bytes_delivered"] for row in rows if (row["flow"] == "dash") is dash) / end_s
        for dash in (True, False)
    ]
    link = next(row for row in result.links.rows() if row["link"] == "bottleneck")
    client = next(result.dash.rows())
    return {
        "dash_kbps": carried[0],
        "rival_kbps": carried[1],
        "dash_share": 100 * carried[0] / sum(carried),
        "loss_percent": 100 * link["drop_rate"],
        "level_kbps": client["mean_level_bps"] / 1e3,
        "stalled_s": client["stall_s"],
    } | lateness(result)


def _line(rival: str, name: str, unit: str, variant: Variant, measure: str) -> Line:
    return Line(
        f"DASH against {RIVALS[rival].partition(' ')[0]}, {variant.label}: {name}",
        unit,
        lambda grid: grid.mean(rival, variant.name, measure),
    )


LINES = tuple(
    _line(rival, name, unit, variant, measure)
    for rival in (FTP, HTTP)
    for name, unit, measure in (
        ("DASH's share of the bytes", "%", "dash_share"),
        ("segment rate", "kbit/s", "level_kbps"),
        ("loss", "% of the segments", "loss_percent"),
    )
    for variant in LIVE_VARIANTS
)
