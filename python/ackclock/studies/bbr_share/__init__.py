"""BBR's share beside loss-based flows: by queue and number of flows, against the model, and mixes of ten flows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.bbr_share import cells, figures, verdicts
from ackclock.studies.framework import Outcome, Study, hash_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.scenario import Text
    from ackclock.studies.framework import Grid, Lab

__all__ = ["STUDY"]

REPLICATIONS = 3
QUICK_REPLICATIONS = 2


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the study. With `quick`, two queues, few flows, and some of the mixes."""
    pair, mix = study.scenario("pair.toml"), study.scenario("ten.toml")
    seeds = lab.seeds(REPLICATIONS, QUICK_REPLICATIONS)
    buffers = lab.pick((cells.BUFFERS, cells.SOME), (cells.QUICK_BUFFERS, cells.QUICK_SOME))
    many = lab.pick(cells.BUFFERS, ())
    some, deep = cells.grid_cells(*buffers, many), cells.grid_cells((cells.DEEP,))
    numbers = lab.pick(cells.MIXES, cells.QUICK_MIXES)
    choices = lab.pick(cells.CHOICES, {})
    ten_choices = lab.pick(cells.TEN_CHOICES, {})
    main: Mapping[str, Mapping[str, object]] = {cells.MAIN: {}}
    pairs = [cells.readings(pair, some, main), *([cells.readings(pair, deep, choices)] if choices else [])]
    tens = [
        cells.mixes(mix, numbers, main),
        *([cells.mixes(mix, cells.QUICK_MIXES, ten_choices)] if ten_choices else []),
    ]
    deciding = [one.name for one in (*pairs[0], *tens[0])]
    parts = iter((lab.part(0, 0.3), lab.part(0.3, 0.4), lab.part(0.4, 0.5), lab.part(0.5, 0.6)))
    measured = verdicts.Measured(
        [next(parts).grid(one, cells.ALONE, seeds, cells.shares, deciding) for one in pairs],
        [next(parts).grid(one, cells.ALONE, seeds, cells.per_flow, deciding) for one in tens],
        None if lab.quick else _fast(lab, pair, seeds),
    )
    command = study.command(lab)
    more = [] if measured.fast is None else [measured.fast]
    grids = [*measured.pairs, *measured.tens, *more]
    return Outcome(
        claims=verdicts.assess_claims(measured),
        seeds=seeds,
        sheets=[verdicts.shares_sheet([*measured.pairs, *more]), verdicts.ten_sheet(measured.tens)],
        runs={f"runs-{number}": grid for number, grid in enumerate(grids, 1)},
        figures=[
            figures.by_queue(measured.pairs[0], command),
            figures.by_number(measured.pairs[0], command),
            figures.many_bbr(measured.pairs[0], measured.fast, command),
            figures.ten(measured.tens[0], command),
        ],
        hashes={one.name: hash_of(one, cc) for grid in grids for one in grid.readings for cc in cells.ALONE},
    )


def _fast(lab: Lab, pair: Text, seeds: Sequence[int]) -> Grid:
    """The runs over the fast path, which decide verdicts too."""
    fast = cells.fast_readings(pair)
    return lab.part(0.6, 1).grid(fast, cells.ALONE, seeds, cells.shares, [one.name for one in fast])


STUDY = Study(
    slug="bbr-share",
    title="BBR's share beside loss-based flows",
    summary="BBR's share beside any number of CUBIC or Reno flows by queue, against its model, and mixes of ten flows",
    source="Ware, Mukerjee, Seshan, Sherry, IMC 2019; Mishra, Tiu, Leong, IMC 2022",
    package=__name__,
    run=run,
    scenarios=("pair.toml", "ten.toml"),
    compares=False,
    most_times=2,
)
