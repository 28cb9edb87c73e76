"""The command ``matrix``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from ackclock.base import files
from ackclock.cli.card import fields_of
from ackclock.cli.commands import at_least_one, load_files
from ackclock.cli.output import DONE, FAILED, UsageError, complain, print_json, print_table
from ackclock.engine.run import seeds_from

if TYPE_CHECKING:
    from ackclock.judge.card.candidate import Candidate
    from ackclock.judge.matrix import Matrix
    from ackclock.sweeps.plan import Plan

__all__ = ["matrix"]

RUNS = "runs"
"""The store in the folder of --out."""
MOST_SEEDS = 1000


def matrix(
    *contestant: str,
    network: tuple[str, ...] = (),
    against: tuple[str, ...] = (),
    transport: str | None = None,
    library: str | None = None,
    field: tuple[str, ...] = (),
    load: tuple[Path, ...] = (),
    duration: float | None = None,
    warm_up: float | None = None,
    seed: int = 1,
    seeds: int | None = None,
    out: Path | None = None,
    threads: int | None = None,
    cluster: str | None = None,
    json: bool = False,
) -> int:
    """Run congestion controls beside each other, pair by pair, and write maps of shares, harm, delays and losses.

    The exit status is 1 if a run fails.

    Parameters
    ----------
    contestant
        A congestion control: a name of `ackclock list cc`, one of --load, or TRANSPORT:NAME such as quinn:cubic. A
        video call is call:NAME, such as call:gcc, with a name of `ackclock list media`. By default 24 of the catalogue
        and the three of quinn.
    network
        RATE,RTT,BUFFER of a path, such as 8Mbps,50ms,4bdp. Can be repeated. By default five networks, of which two are
        Prudentia's: 8 and 50 Mbit/s, 50 ms, 4 BDP.
    against
        A congestion control of your own, which is run against all contestants; pairs of two others are left out. Can be
        repeated. With call:gcc, the harm to a call by each contestant.
    transport
        Transport of the congestion control of --against, in place of TCP.
    library
        File of the library that holds the transport of --transport, such as mine/mine.so.
    field
        FIELD=VALUE: sets a field of the flows of --against, for example ecn=l4s. Can be repeated.
    load
        A file or folder with your own congestion controls. The file is executed. Can be repeated.
    duration
        Seconds of a run; by default 300.
    warm_up
        First seconds of a run that do not count; by default 60, or a fifth of --duration.
    seed
        First seed.
    seeds
        Number of seeds; by default 3.
    out
        Folder for matrix.html, matrix.json, matrix.md and the store of the runs. A matrix that was interrupted
        continues from its store, and a matrix with more contestants, networks or seeds runs what the store lacks.
    threads
        Number of simultaneous runs; by default one per core. It does not change the matrix.
    cluster
        Address of a Dask scheduler whose workers do the runs, such as tcp://host:8786, or file:PATH of a scheduler
        file.
    json
        Print one JSON document.
    """
    from ackclock.judge.card.candidate import Candidate
    from ackclock.judge.matrix import CONTESTANTS, DURATION_S, NETWORKS, SEEDS, WARM_UP_S, make
    from ackclock.judge.matrix import contestant as named
    from ackclock.judge.matrix import network as read
    from ackclock.judge.matrix.written import write

    at_least_one("--threads", threads)
    count = SEEDS if seeds is None else seeds
    if not 1 <= count <= MOST_SEEDS:
        raise UsageError(f"--seeds {count}: expected 1 to {MOST_SEEDS}")
    if duration is not None and not 1 <= duration <= 86_400:
        raise UsageError(f"--duration {duration:g}: expected seconds from 1 to 86400")
    lasting = DURATION_S if duration is None else duration
    start = warm_up if warm_up is not None else WARM_UP_S if duration is None else duration / 5
    if not 0 <= start < lasting:
        raise UsageError(f"--warm-up {start:g}: expected seconds from 0 to below the duration of {lasting:g}")
    if library is not None and transport is None:
        raise UsageError("--library needs --transport, the name of the transport in the library")
    if (transport is not None or field) and not against:
        raise UsageError("--transport and --field are those of the congestion control of --against; give --against")
    if transport is not None and field:
        raise UsageError("--field and --transport exclude each other: the fields are those of TCP")
    fields = tuple(fields_of(field))
    load_files(load)
    if out is not None:
        files.check_folder(out, kept=RUNS)
    path = None if library is None else str(Path(library).absolute())

    def mine(name: str) -> Candidate:
        if library is None and transport is None and not fields:
            return named(name)
        return Candidate(name, transport=transport, library=path, fields=fields)

    def begin(plan: Plan) -> None:
        seconds = len(plan.runs) * lasting
        complain(f"{len(plan.points):,} scenarios, {len(plan.runs):,} runs of {seconds:,.0f} s of network time in all")

    given: dict[str, object] = {"--network": network, "--against": against, "--transport": transport}
    given |= {"--library": library, "--field": field, "--load": load, "--duration": duration, "--warm-up": warm_up}
    given |= {"--seed": seed if seed != 1 else None, "--seeds": seeds}
    made = make(
        [read(one) for one in dict.fromkeys(network)] or NETWORKS,
        [named(one) for one in dict.fromkeys(contestant or CONTESTANTS)],
        against=[mine(one) for one in dict.fromkeys(against)],
        seeds=seeds_from(seed, count),
        duration_s=lasting,
        warm_up_s=start,
        out=None if out is None else out / RUNS,
        threads=threads,
        cluster=cluster,
        progress=True,
        begin=begin,
    )
    command = _command(contestant, given)
    if out is not None:
        with files.output_folder(out, kept=RUNS) as folder:
            write(made, folder, command)
        complain(f"results in {out}")
    if json:
        print_json(made.document(command))
    else:
        _print(made)
    for line in made.failures:
        complain(line)
    return FAILED if made.failures else DONE


def _command(contestants: tuple[str, ...], given: dict[str, object]) -> str:
    """The command line that makes the same matrix, as a shell takes it."""
    words = ["ackclock", "matrix", *contestants]
    for option, value in given.items():
        values = value if isinstance(value, tuple) else () if value is None else (value,)
        for one in values:
            words += [option, f"{one:g}" if isinstance(one, float) else str(one)]
    return shlex.join(words)


def _print(made: Matrix) -> None:
    """The shares of each network as a table; of --against, the numbers of its rows."""
    from ackclock.judge.matrix.matrix import MAPS
    from ackclock.judge.matrix.page import BESIDE_COLUMNS, beside

    for network in made.networks:
        if made.against:
            print_table(network.title, BESIDE_COLUMNS, beside(made, network, made.against), keys=2)
            continue
        columns = made.ordered()
        cells = [
            [row, *(_share(made.cell(MAPS[0], network.name, row, column)) for column in columns)] for row in made.rows()
        ]
        print_table(f"{network.title}: {MAPS[0].label}, beside the column", ["row", *columns], cells)


def _share(cell: object) -> str:
    from ackclock.stats import Estimate

    return f"{cell.value:.0f}" if isinstance(cell, Estimate) else "-"
