"""When to use and when not to use BBR: goodput and retransmissions of BBR and CUBIC by buffer, rate and RTT."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.bbr_when import cells, figures, random_loss, transfers, verdicts
from ackclock.studies.framework import Outcome, Study, Variant, hash_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.studies.framework import Lab

__all__ = ["STUDY"]

REPLICATIONS, QUICK_REPLICATIONS = 3, 2
"""Replications with one flow, of which only BBR draws: the first phase of its cycle."""
OTHER_REPLICATIONS = 2
"""Replications with the buffers that no claim is about."""
MIX_REPLICATIONS, QUICK_MIX_REPLICATIONS = 4, 2
"""Replications with both flows."""


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the study. With `quick`, some rates and round-trip times of figure 5, and the mixes of two buffers."""
    lan, mix = study.scenario("lan.toml"), study.scenario("mix.toml")
    seeds, mix_seeds = lab.seeds(REPLICATIONS, QUICK_REPLICATIONS), lab.seeds(MIX_REPLICATIONS, QUICK_MIX_REPLICATIONS)
    together = (Variant("", "BBR and CUBIC"),)
    rates, rtts = lab.pick((cells.RATES, cells.RTTS), (cells.QUICK_RATES, cells.QUICK_RTTS))
    sizes = lab.pick(cells.MIX_SIZES, cells.QUICK_MIX_SIZES)
    main: Mapping[str, Mapping[str, object]] = {cells.MAIN: {}}
    choices = lab.pick(cells.CHOICES, cells.QUICK_CHOICES)
    kinds = [
        (cells.readings(lan, cells.grid_cells(rates, rtts), main), seeds, lab.part(0, 0.45)),
        (cells.readings(lan, cells.HEADLINE, choices), lab.seeds(REPLICATIONS, 1), lab.part(0.45, 0.5)),
    ]
    if not lab.quick:
        elsewhere = cells.readings(lan, cells.grid_cells(rates, rtts, cells.OTHER_BUFFERS), main)
        kinds.append((elsewhere, range(1, 1 + OTHER_REPLICATIONS), lab.part(0.5, 0.85)))
    mixes = [(cells.mixes(mix, sizes, main), lab.part(0.85, 0.92))]
    if not lab.quick:
        mixes.append((cells.mixes(mix, cells.CLAIMED_SIZES, cells.MIX_CHOICES), lab.part(0.92, 0.95)))
    singles = [part.grid(some, cells.VARIANTS, numbers, cells.single) for some, numbers, part in kinds]
    deciding = [one.name for one in mixes[0][0]]
    both = [part.grid(some, together, mix_seeds, cells.both, deciding) for some, part in mixes]
    losses = random_loss.readings(study.scenario("loss.toml"), lab.pick(random_loss.LOSSES, random_loss.QUICK_LOSSES))
    lossy = lab.part(0.95, 0.97).grid(losses, random_loss.VARIANTS, seeds, random_loss.measures)
    measured = verdicts.Measured(singles[0], singles[1], both, lossy, singles[2] if len(singles) > 2 else None)
    command = study.command(lab)
    sheets = [verdicts.grid_sheet(singles), verdicts.table_sheet(measured.mixes), random_loss.sheet(lossy)]
    runs = {
        "runs-cells": measured.cells,
        "runs-readings": measured.others,
        **{f"runs-together-{number}": grid for number, grid in enumerate(measured.mixes, 1)},
        "runs-random-loss": lossy,
    }
    shown = [
        *figures.heat_maps(measured.cells, command),
        figures.mix_shares(measured.mixes[0], command),
        figures.mix_retransmissions(measured.mixes[0], command),
        random_loss.figure(lossy, command),
    ]
    if measured.buffers is not None:
        sent = transfers.readings(study.scenario("transfer.toml"), cells.grid_cells(rates, rtts))
        times = lab.part(0.97, 1).grid(sent, cells.VARIANTS, seeds, transfers.measures)
        sheets.append(transfers.sheet(times))
        runs |= {"runs-buffers": measured.buffers, "runs-transfers": times}
        shown += [figures.other_heat_maps(measured.buffers, command), transfers.heat_maps(times, command)]
    return Outcome(
        claims=verdicts.assess_claims(measured),
        seeds=mix_seeds,
        sheets=sheets,
        runs=runs,
        figures=shown,
        hashes={
            f"{one.name}; {cc.label}": hash_of(one, cc)
            for grid in runs.values()
            for one in grid.readings
            for cc in grid.variants
        },
    )


STUDY = Study(
    slug="bbr-when",
    title="When to use and when not to use BBR",
    summary="Goodput and retransmissions of BBR and CUBIC by buffer, rate and round-trip time, and both together",
    source="Cao, Jain, Sharma, Balasubramanian, Gandhi, IMC 2019",
    package=__name__,
    run=run,
    scenarios=("lan.toml", "mix.toml", "transfer.toml", "loss.toml"),
    most_times=1,
)
