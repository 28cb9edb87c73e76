"""TCP ex Machina: computer-generated congestion control beside that of people, over a dumbbell, LTE, a datacentre."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.base.workplace import temporary
from ackclock.plot.palette import VARIANTS
from ackclock.report import Cloud, Clouds, Figure
from ackclock.studies.framework import Outcome, Reading, Study, hash_of
from ackclock.studies.remy import measures, others_data, readings, verdicts

if TYPE_CHECKING:
    from pathlib import Path

    from ackclock.studies.framework import Grid, Lab
    from ackclock.studies.remy.verdicts import Measured

__all__ = ["STUDY"]

SCENARIOS = ("scenario", "rtts", "datacentre")
REPLICATIONS, QUICK_REPLICATIONS = 16, 3
DURATION_S, QUICK_DURATION_S = 100.0, 100.0
OTHERS = 4
"""Replications of the readings beside the main one."""
RTT_REPLICATIONS = 4
DATACENTRE_REPLICATIONS, QUICK_DATACENTRE_REPLICATIONS = 5, 2
DATACENTRE_S, QUICK_DATACENTRE_S = 2.0, 1.0

FAMILIES = ("remy", "cubic", "compound", "newreno", "vegas", "cubic-sfqcodel", "xcp")
"""Schemes in the order of their colours; the three tables of RemyCC share one."""


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the study. With `quick`, a few replications, and no reading but the main one."""
    with temporary("remy") as folder:
        return _run(study, lab, folder)


def _run(study: Study, lab: Lab, folder: Path) -> Outcome:
    """Runs the study as `run` does. A trace that is made from counts is written to `folder`."""
    scenarios = {name: study.scenario(f"{name}.toml") for name in SCENARIOS}
    settings, schemes = readings.present()
    seeds = lab.seeds(REPLICATIONS, QUICK_REPLICATIONS)
    duration = lab.pick(DURATION_S, QUICK_DURATION_S)
    hashes: dict[str, str] = {}
    grids: dict[str, list[Grid]] = {}
    for index, setting in enumerate(settings):
        main, others = readings.readings_of(setting, scenarios["scenario"], duration, folder)
        part = lab.part(0.85 * index / len(settings), 0.85 * (index + 1) / len(settings))
        measure = measures.senders(setting.less_ms)
        of_setting = readings.schemes_of(setting, schemes)
        rest = 0.7 if others and not lab.quick else 1.0
        run = [([main], seeds, part.part(0, rest))]
        if not lab.quick:
            run.append((list(others), range(1, 1 + OTHERS), part.part(rest, 1)))
        grids[setting.name] = [stage.grid(of, of_setting, over, measure, (readings.MAIN,)) for of, over, stage in run]
        hashes |= {
            f"{setting.label}; {one.name}; {scheme.label}": hash_of(one, scheme)
            for of, _, _ in run
            for one in of
            for scheme in of_setting
        }
    seconds = lab.pick(DATACENTRE_S, QUICK_DATACENTRE_S)
    datacentre = lab.part(0.9, 1).grid(
        [Reading(readings.MAIN, scenarios["datacentre"], {"duration": f"{seconds:g}s"})],
        readings.datacentre_schemes(),
        lab.seeds(DATACENTRE_REPLICATIONS, QUICK_DATACENTRE_REPLICATIONS),
        measures.datacentre,
        (readings.MAIN,),
    )
    sheets = [verdicts.datacentre_sheet(datacentre)]
    rtts = readings.over_differing_rtts(scenarios["rtts"], DURATION_S)
    if rtts is not None:
        over_rtts = lab.part(0.85, 0.9).grid(
            [rtts],
            [readings.with_cc(one, 4) for one in schemes if one.name in readings.RTT_SCHEMES],
            lab.seeds(RTT_REPLICATIONS, QUICK_REPLICATIONS),
            measures.over_differing_rtts,
        )
        sheets.insert(0, verdicts.rtts_sheet(over_rtts))
    measured = verdicts.measured_in(grids)
    return Outcome(
        claims=verdicts.assess_claims(measured, datacentre),
        seeds=seeds,
        sheets=[verdicts.medians_sheet(measured), *sheets],
        runs={
            f"runs-{name}-{number}": grid
            for name, of_setting in grids.items()
            for number, grid in enumerate(of_setting, 1)
        },
        figures=_figures(measured, study.command(lab)),
        hashes=hashes,
        findings=_findings(),
    )


def _figures(measured: Measured, command: str) -> list[Figure]:
    """Throughput against delay, a figure for each network."""
    published = verdicts.published()
    colours = dict(zip(FAMILIES, VARIANTS.values(), strict=True))
    figures: list[Figure] = []
    for setting in readings.SETTINGS:
        if readings.MAIN not in measured[setting.name]:
            continue
        mbps, queue = measured[setting.name][readings.MAIN]
        clouds = [
            Cloud(
                scheme.label,
                queue[scheme.name].values,
                mbps[scheme.name].values,
                colours["remy" if scheme.name.startswith("remy") else scheme.name],
                published[setting.name].get(scheme.name),
            )
            for scheme in readings.SCHEMES
            if scheme.name in mbps
        ]
        caption = (
            "Each sender of each replication is a point: up and to the right is better. Dots are medians, ellipses one "
            "standard deviation (of the logarithm of the delay), crosses the published medians, in the same colours."
        )
        title = f"Throughput against queueing delay: {setting.label}"
        figures.append(Clouds(title, "queueing delay (ms)", "throughput (Mbit/s)", clouds, caption, command))
    return figures


def _findings() -> str:
    """Says which tables of RemyCC were used, and which data of others is missing with what follows from that."""
    own = readings.own_tables()
    if own:
        tables = (
            f"RemyCC's original tables are absent for delta {', '.join(own)}. The tables that come with ackclock were "
            "used instead: `ackclock learn` trained them on the published design range. Their claims compare a new "
            "search with the published one."
        )
    else:
        tables = "RemyCC has the original tables of 2013."
    missing = [path for path in readings.absent() if path not in map(others_data.table, readings.DELTAS)]
    if not missing:
        return tables
    return (
        f"{tables}\n\nNot in `../shared/data`: {', '.join(f'`{path}`' for path in missing)}. What needs them was "
        "skipped, and its claims are not testable here."
    )


STUDY = Study(
    slug="remy",
    title="TCP ex Machina",
    summary="RemyCC beside six schemes made by people: throughput and queueing delay over a dumbbell and LTE",
    source="Winstein, Balakrishnan, SIGCOMM 2013",
    package=__name__,
    run=run,
    compares=False,
    scenarios=tuple(f"{name}.toml" for name in SCENARIOS),
    nulls={"every scheme NewReno": readings.every_scheme_newreno},
)
