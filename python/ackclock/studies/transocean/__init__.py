"""High-speed congestion control over a transocean link: twenty flows of one variant over small and large buffers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.report import Figure, Plot, Series, colour_of
from ackclock.scenario import Text
from ackclock.studies.grid import Grid, hash_of
from ackclock.studies.study import StudyResult, command_for, page, runs_sheet
from ackclock.studies.transocean import cells, verdicts

if TYPE_CHECKING:
    from ackclock.studies.grid import Variant
    from ackclock.studies.lab import Lab

__all__ = ["SLUG", "SOURCE", "SUMMARY", "TITLE", "reproduce"]

SLUG = "transocean"
TITLE = "High-speed congestion control over a transocean link"
SUMMARY = "Utilisation of a transocean link by twenty flows of nine variants, and pages beside them, over the buffer"
SOURCE = "Wu 2008; RFC 3649; RFC 9438; draft-sridharan-tcpm-ctcp"

REPLICATIONS = 3
DECIDING_REPLICATIONS = 10
"""With the buffer that decides claims: few congestion events are in a run of Reno."""
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
"""What `_by_buffer` draws."""


def reproduce(lab: Lab) -> StudyResult:
    """Runs the study. With `quick`, two buffers under two readings for seconds of simulated time."""
    text = Text(cells.scenario(), name="transocean/scenario.toml")
    web_text = Text(cells.web_scenario(), name="transocean/web.toml")
    replications = QUICK_REPLICATIONS if lab.quick else REPLICATIONS
    seeds = range(1, 1 + (replications if lab.quick else DECIDING_REPLICATIONS))
    buffers = cells.QUICK_BUFFERS if lab.quick else cells.BUFFERS
    short: dict[str, object] = {"duration": f"{QUICK_S}s"} if lab.quick else {}
    short_web = {**short, "flows[1].start": f"{QUICK_S // 2}s"} if lab.quick else {}
    others = {name: {**short, **cells.CHOICES[name]} for name in (cells.QUICK_CHOICES if lab.quick else cells.CHOICES)}
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
    *grids, web = [part.grid(some, cells.VARIANTS, chosen, measure) for some, chosen, measure, part in stages]
    command = command_for(SLUG, quick=lab.quick)
    return StudyResult(
        slug=SLUG,
        title=TITLE,
        claims=verdicts.assess_claims(grids, web),
        seeds=list(seeds),
        command=command,
        quick=lab.quick,
        page=page(__package__, "README.md"),
        sheets=[
            verdicts.use_sheet(grids),
            verdicts.pages_sheet(web),
            *(runs_sheet(f"runs-{number}", "Every run", grid) for number, grid in enumerate(grids, 1)),
            runs_sheet("runs-web", "Every run with pages", web),
        ],
        figures=[
            _by_buffer(some, buffers, half, command, **what)
            for some, what in ((grids, UTILISATION), ([web], RESPONSE))
            for half in (cells.VARIANTS[:5], cells.VARIANTS[5:])
        ],
        scenarios={
            f"{kind}{one.name}; {cc.label}": hash_of(one, cc)
            for kind, some in (("", (*deciding, *larger)), ("pages; ", pages))
            for one in some
            for cc in cells.VARIANTS
        },
        files={"scenario.toml": text.text, "web.toml": web_text.text},
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
    whole = f"Twenty flows of one variant, 1 Gbit/s, 130 ms there and back{beside}; 95 % intervals over replications."
    return Plot(named, label, unit, series, whole, command, from_zero=False)
