"""``ackclock pack`` and ``ackclock verify``: experiments that can be handed on, and repeated from the archive alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ackclock.cli.commands import Json, at_least_one
from ackclock.cli.output import DONE, FAILED, complain, print_json, say

__all__ = ["pack", "verify"]

SHOWN = 20
"""Runs that are named; the others are counted."""


def pack(
    store: Path,
    /,
    *,
    out: Path | None = None,
    wheel: Path | None = None,
    without_wheel: Annotated[bool, Parameter(negative="")] = False,
    json: Json = False,
) -> int:
    """Write a store, with everything that repeats its runs, into one archive.

    The archive has the scenarios, the files and your own congestion controls that they name, the commands, the
    environment, ackclock itself, and the results with a digest of each. Of a congestion control in Python it has the
    file, and of one in Rust the library, which serves one system and processor.

    Parameters
    ----------
    store
        The store of sweeps. All runs have to have ended.
    out
        The archive, NAME.zip; by default the name of the store and .zip.
    wheel
        The wheel of ackclock that is put in. By default, it is made of the installed files.
    without_wheel
        Leave ackclock itself out.
    json
        Print one JSON document.
    """
    from ackclock.judge import packs

    target = Path(f"{store.resolve().name}.zip") if out is None else out
    packed = packs.pack(store, target, wheel=wheel, without_wheel=without_wheel)
    if json:
        print_json({"pack": str(packed.path), "runs": packed.runs, "bytes": packed.bytes, "wheel": packed.wheel})
    else:
        say(f"{packed.path}: {packed.runs} runs, {packed.bytes / 1e6:.3g} MB")
    return DONE


def verify(
    archive: Path,
    /,
    *,
    most: int | None = None,
    any_version: Annotated[bool, Parameter(negative="")] = False,
    threads: int | None = None,
    json: Json = False,
) -> int:
    """Repeat the runs of a pack and compare their results with those that it holds.

    Runs of the simulator have to give the same cells in every table. Runs of a kernel are equivalent if the goodput of
    no flow differs by more than 5 %. The exit status is 1 if a run came out differently.

    Parameters
    ----------
    archive
        The archive that `ackclock pack` wrote.
    most
        Repeat so many runs, spread over all of them.
    any_version
        Repeat them with this version of ackclock, even if another one made the results.
    threads
        Number of simultaneous runs; by default one per core.
    json
        Print one JSON document.
    """
    from ackclock.judge import packs

    at_least_one("--most", most)
    at_least_one("--threads", threads)
    done = packs.verify(archive, threads=threads, most=most, any_version=any_version, progress=True)
    if json:
        print_json(
            {
                "pack": str(archive),
                "runs": done.runs,
                "same": done.same,
                "equivalent": done.equivalent,
                "different": list(done.different),
                "left_out": list(done.left_out),
                "changed": list(done.changed),
            }
        )
    else:
        equivalent = f", {done.equivalent} of a kernel are equivalent" if done.equivalent else ""
        say(f"{archive}: {done.same} of {done.runs} runs gave the same results{equivalent}")
        _tell("came out differently", done.different)
        _tell("not repeated", done.left_out)
        _tell("is not in the pack as it was made", done.changed)
    return DONE if done.good else FAILED


def _tell(what: str, runs: object) -> None:
    told = list(runs) if isinstance(runs, (list, tuple)) else []
    for one in told[:SHOWN]:
        complain(f"{what}: {one}")
    if len(told) > SHOWN:
        complain(f"{what}: {len(told) - SHOWN} more runs")
