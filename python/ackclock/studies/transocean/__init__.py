"""High-speed congestion control over a transocean link: twenty flows of one variant over small and large buffers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.report import Figure, Plot, Series, colour_of
from ackclock.studies.framework import Outcome, Study, hash_of
from ackclock.studies.framework.nulls import held
from ackclock.studies.transocean import cells, verdicts

if TYPE_CHECKING:
    from ackclock.studies.framework import Grid, Lab, Variant

__all__ = ["STUDY"]

REPLICATIONS = 3
DECIDING_REPLICATIONS = 10
"""Replications with the buffer that decides claims, because a run of Reno has few congestion events."""
QUICK_REPLICATIONS = 2
QUICK_S = 10

UTILISATION = {
    "measure": verdicts.MEASURE,
    "title": "Utilisation by buffer",
    "unit": "utilisation (%)",
    "beside": "",
}
RESPONSE = {
    "measure": verdicts.PAGE,
    "title": "Response time by buffer",
    "unit": "page of 64 kB (ms), mean",
    "beside": ", pages beside them",
}
"""Arguments of `_by_buffer`."""


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the study. With `quick`, two buffers under two readings for seconds of simulated time."""
    text, web_text = study.scenario(), study.scenario("web.toml")
    replications = lab.pick(REPLICATIONS, QUICK_REPLICATIONS)
    seeds = lab.seeds(DECIDING_REPLICATIONS, QUICK_REPLICATIONS)
    buffers = lab.pick(cells.BUFFERS, cells.QUICK_BUFFERS)
    short: dict[str, object] = {"duration": f"{QUICK_S}s"} if lab.quick else {}
    short_web = {**short, "flows[1].start": f"{QUICK_S // 2}s"} if lab.quick else {}
    others = {name: {**short, **cells.CHOICES[name]} for name in lab.pick(tuple(cells.CHOICES), cells.QUICK_CHOICES)}
    deciding = cells.readings(text, (verdicts.SMALL,), {cells.MAIN: short})
    larger = cells.readings(text, tuple(one for one in buffers if one != verdicts.SMALL), {cells.MAIN: short})
    pages = cells.readings(web_text, buffers, {cells.MAIN: short_web})
    if not lab.quick:
        pages += cells.readings(web_text, (verdicts.SMALL,), cells.WEB_CHOICES)
    stages = (
        (deciding, seeds, cells.use, lab.part(0, 0.22)),
        (larger, seeds[:replications], cells.use, lab.part(0.22, 0.49)),
        (
            cells.readings(text, (verdicts.SMALL,), others),
            seeds[:replications],
            cells.use,
            lab.part(0.49, 0.7),
        ),
        (pages, seeds[:replications], cells.pages, lab.part(0.7, 1)),
    )
    decide = [one.name for one in deciding]
    *grids, web = [part.grid(some, cells.VARIANTS, chosen, measure, decide) for some, chosen, measure, part in stages]
    command = study.command(lab)
    return Outcome(
        claims=verdicts.assess_claims(grids, web),
        seeds=seeds,
        sheets=[verdicts.use_sheet(grids), verdicts.pages_sheet(web)],
        runs={**{f"runs-{number}": grid for number, grid in enumerate(grids, 1)}, "runs-web": web},
        figures=[
            _by_buffer(some, buffers, half, command, **drawn)
            for some, drawn in ((grids, UTILISATION), ([web], RESPONSE))
            for half in (cells.VARIANTS[:5], cells.VARIANTS[5:])
        ],
        hashes={
            f"{kind}{one.name}; {cc.label}": hash_of(one, cc)
            for kind, some in (("", (*deciding, *larger)), ("pages; ", pages))
            for one in some
            for cc in cells.VARIANTS
        },
    )


def _by_buffer(
    grids: list[Grid],
    buffers: tuple[int, ...],
    variants: tuple[Variant, ...],
    command: str,
    *,
    measure: str,
    title: str,
    unit: str,
    beside: str,
) -> Figure:
    """A measure of NewReno and some others over the size of the buffer."""
    by_name = {reading.name: grid for grid in grids for reading in grid.readings}
    series = []
    for index, one in enumerate([cells.RENO, *(one for one in variants if one is not cells.RENO)]):
        means = [by_name[name].mean(name, one.name, measure) for name in map(cells.name, buffers)]
        low, high = [mean.low for mean in means], [mean.high for mean in means]
        value = [mean.value for mean in means]
        series.append(Series(one.label, buffers, value, colour_of(index), "interval", low, high))
    label = "buffer (% of a bandwidth-delay product)"
    named = f"{title}: " + ", ".join(one.label for one in variants if one is not cells.RENO)
    whole = (
        f"Twenty flows of one variant, 1 Gbit/s, a round-trip time of 130 ms{beside}; 95 % intervals over replications."
    )
    return Plot(named, label, unit, series, whole, command, from_zero=False)


STUDY = Study(
    slug="transocean",
    title="High-speed congestion control over a transocean link",
    summary="Utilisation of a transocean link by twenty flows of nine variants, and pages beside them, over the buffer",
    source="Wu 2008; RFC 3649; RFC 9438; draft-sridharan-tcpm-ctcp",
    package=__name__,
    run=run,
    scenarios=("scenario.toml", "web.toml"),
    nulls={"every variant NewReno": held(cells.RENO.overrides)},
)
