"""``ackclock pack`` and ``ackclock verify``: experiments that can be handed on, and repeated from the archive alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ackclock.cli.commands import at_least_one
from ackclock.cli.output import DONE, FAILED, UsageError, complain, print_json, say

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["pack", "verify"]

SHOWN = 20
"""Runs that are named; the others are counted."""


def pack(
    store: Path,
    /,
    *,
    out: Path | None = None,
    wheel: Path | None = None,
    without_wheel: bool = False,
    json: bool = False,
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

    target = Path(f"{Path(os.path.realpath(store)).name}.zip") if out is None else out
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
    any_version: bool = False,
    trust: bool = False,
    repeats: int = 5,
    threads: int | None = None,
    json: bool = False,
) -> int:
    """Repeat the runs of a pack and derive again everything that it shows.

    Runs of the simulator have to give the same cells in every table. Each measure of a run of a kernel has to lie in
    the spread of repetitions on this machine. Scenarios, labels, hashes, the README and the document are made again
    and compared. The exit status is 0 if at least one run was reproduced, and nothing differs, was changed or could
    not be repeated; else 1.

    The code of a pack is executed in a process without network that writes to a temporary folder alone. Where the
    system has no such processes, a pack with code is refused without --trust.

    Parameters
    ----------
    archive
        The archive that `ackclock pack` wrote.
    most
        Repeat so many runs, spread over all of them.
    any_version
        Repeat them with this version of ackclock, even if another one made the results.
    trust
        Execute the code of the pack with your rights. Read the code first.
    repeats
        Repetitions of each run of a kernel, at least 2.
    threads
        Number of simultaneous runs; by default one per core.
    json
        Print one JSON document.
    """
    from ackclock.judge import packs

    at_least_one("--most", most)
    at_least_one("--threads", threads)
    if repeats < 2:
        raise UsageError(f"--repeats {repeats}: accepted: at least 2")
    done = packs.verify(
        archive,
        threads=threads,
        most=most,
        any_version=any_version,
        trust=trust,
        repeats=repeats,
        progress=True,
    )
    if done.code:
        complain(f"{archive}: brings code: {', '.join(done.code)}; {done.executed}")
    if json:
        print_json(
            {
                "pack": str(archive),
                "verified": done.good,
                "runs": done.runs,
                "same": done.same,
                "failed": done.failed,
                "equivalent": done.equivalent,
                "different": list(done.different),
                "left_out": list(done.left_out),
                "not_repeated": list(done.not_repeated),
                "changed": list(done.changed),
                "not_compared": list(done.not_compared),
                "measures": list(done.measures),
                "code": list(done.code),
                "executed": done.executed,
            }
        )
    else:
        equivalent = f", {done.equivalent} of a kernel are equivalent" if done.equivalent else ""
        failed = f", {done.failed} failed as the pack says and gave none" if done.failed else ""
        say(f"{archive}: {done.same} of {done.runs} runs gave the same results{equivalent}{failed}")
        _tell("came out differently", done.different)
        _tell("not repeated", [*done.left_out, *done.not_repeated])
        _tell("does not follow from the runs", done.changed)
        _tell("not compared", done.not_compared)
    return DONE if done.good else FAILED


def _tell(what: str, runs: Sequence[str]) -> None:
    for one in runs[:SHOWN]:
        complain(f"{what}: {one}")
    if len(runs) > SHOWN:
        complain(f"{what}: {len(runs) - SHOWN} more")
