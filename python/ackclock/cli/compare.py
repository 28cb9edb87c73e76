"""The command ``compare``: settings of a store, or backends."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 -- read by cyclopts from the annotations
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ackclock.base import extras, files
from ackclock.cli.commands import at_least_one, overrides_of, tell_lateness
from ackclock.cli.contrasts import compare_settings
from ackclock.cli.output import DONE, FAILED, UsageError, complain, print_json, print_table, say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.kernel.compared import Backends, Residual

__all__ = ["compare"]

PAIRS = 3
"""Pairs of runs of backends by default."""


def compare(
    what: Path,
    /,
    *,
    against: str | None = None,
    measure: Annotated[tuple[str, ...], Parameter(name=["--of", "--measure"])] = (),
    sweep: str | None = None,
    csv: Path | None = None,
    latex: Path | None = None,
    level: float = 0.95,
    backends: str | None = None,
    seeds: int | None = None,
    settings: tuple[str, ...] = (),
    tolerance: str | None = None,
    fail: bool = False,
    out: Path | None = None,
    threads: int | None = None,
    json: bool = False,
) -> int:
    """Compare the settings of a store pair by pair, or run a scenario on several backends and say what differs.

    With --against, every other value of the setting is compared with the given one, at every point, over runs of the
    same seeds. If the points have weights, the differences over the population follow. Holm's correction tells which
    differences are real when there are several comparisons.

    With --backends, each backend is compared with the first one. A measure is the same if the whole confidence interval
    of its difference is within the tolerance, it differs if the whole interval is outside, and otherwise it is open.

    Parameters
    ----------
    what
        The store of a sweep with --against, or a scenario with --backends.
    against
        PATH=VALUE, such as flows[0].cc=reno: the setting with which the other values of PATH are compared.
    measure
        A measure such as flows[video].goodput_bps. Can be repeated. By default, the usual measures of a store are
        compared; of backends goodput, retransmissions, recoveries, timeouts, window and RTT of each flow, and use,
        drops and delay of the bottleneck.
    sweep
        The sweep, if the store has several: its name, or the beginning of its id.
    csv
        A file for the comparisons as CSV, with all digits.
    latex
        A file for the comparisons as a LaTeX table, which needs the packages booktabs and siunitx.
    level
        Confidence of each interval.
    backends
        At least two, separated by commas: sim, linux, linux:VERSION, linux:DIGEST, or linux:TREE with the path of a
        kernel's source, which is built first.
    seeds
        Number of pairs of runs of backends; by default 3.
    settings
        PATH=VALUE: replaces a value of the scenario of backends. Can be repeated.
    tolerance
        The difference of backends that does not matter, relative to the first one; by default 1%.
    fail
        Exit with status 1 if a measure of the backends differs.
    out
        A new folder for summary.json, the runs of each backend, and a figure with windows, RTTs and queues.
    threads
        Number of simultaneous runs of a backend; by default one per core.
    json
        Print one JSON document.
    """
    if not 0 < level < 1:
        raise UsageError(f"--level {level:g}: expected a confidence between 0 and 1")
    of_backends = {
        "--backends": backends, "--seeds": seeds, "--set": settings, "--tolerance": tolerance, "--fail": fail,
        "--out": out, "--threads": threads,
    }  # fmt: skip
    of_store = {"--against": against, "--sweep": sweep, "--csv": csv, "--latex": latex}
    if (what / files.STORE).is_file() or against is not None:
        _refuse(of_backends, f"{what}: the settings of a store are compared with --against PATH=VALUE")
        if against is None:
            against = _none_given(what, sweep)
        if what.is_file():
            raise UsageError(f"{what}: no store; `ackclock sweep {what} --vary PATH=VALUE,VALUE --seeds 20` makes one")
        compare_settings(
            what, against, measure, sweep=sweep, level=level, csv=csv, latex=latex, as_json=json,
        )  # fmt: skip
        return DONE
    _refuse(of_store, f"{what}: a scenario is compared on --backends, such as sim,linux:6.12")
    if backends is None:
        raise UsageError("expected --against PATH=VALUE and a store, or --backends and a scenario")
    at_least_one("--seeds", seeds)
    at_least_one("--threads", threads)
    names = [name.strip() for name in backends.split(",") if name.strip()]
    if len(names) < 2 or len(set(names)) < len(names):
        raise UsageError(f"--backends {backends}: expected at least two different ones, such as sim,linux:6.12")
    if out is not None:
        extras.require("matplotlib", "the figures of --out")
    share = _share("1%" if tolerance is None else tolerance)
    found = _compared(what, names, measure, seeds or PAIRS, settings, share, level, out, threads)
    for runs in found.runs.values():
        tell_lateness(runs)
    if json:
        print_json(found.document())
    else:
        _print(found, names)
    return FAILED if fail and found.differing else DONE


def _refuse(options: Mapping[str, object], why: str) -> None:
    """Refuses options of the other kind of comparison."""
    given = [name for name, value in options.items() if value not in (None, False, ())]
    if given:
        raise UsageError(f"{why}; leave out {', '.join(given)}")


def _none_given(folder: Path, sweep: str | None) -> str:
    """Says which settings of a store could be compared."""
    from ackclock.store import open_store

    with open_store(folder, sweep=sweep, mixed=True) as store:
        varied = dict.fromkeys(name for one in store.sweeps for name in one.varied)
        first = next((f"{name}={value}" for one in store.sweeps for name, value in one.points[0].items()), "PATH=VALUE")
    raise UsageError(
        f"{folder}: say with what to compare, for example --against '{first}'; "
        f"what was varied: {', '.join(varied) or 'nothing'}"
    )


def _compared(
    scenario: Path,
    names: list[str],
    measure: tuple[str, ...],
    seeds: int,
    settings: tuple[str, ...],
    tolerance: float,
    level: float,
    out: Path | None,
    threads: int | None,
) -> Backends:
    """Runs a scenario on backends, and writes what came of it if `out` is a folder."""
    from ackclock.kernel.compared import compare_backends

    def run() -> Backends:
        return compare_backends(
            scenario,
            names,
            measure or None,
            seeds=seeds,
            overrides=overrides_of(settings),
            tolerance=tolerance,
            level=level,
            threads=threads,
            progress=lambda _: True,
        )

    if out is None:
        return run()
    with files.output_folder(out) as folder:
        found = run()
        found.write(folder)
    complain(f"results in {out}")
    return found


def _share(text: str) -> float:
    try:
        share = float(text.removesuffix("%")) / 100
    except ValueError:
        share = -1.0
    if not (text.endswith("%") and 0 <= share < 1):
        raise UsageError(f"--tolerance {text}: expected a percentage such as 1%")
    return share


def _print(found: Backends, names: list[str]) -> None:
    first = next(iter(found.runs.values()))
    say(f"{first[0].meta['name']}: {len(first)} pairs of runs, differences from {names[0]}")
    head = ["measure", names[0], "other", "difference", f"{found.level * 100:g} % interval", "verdict"]
    for name in names[1:]:
        rows = [_row(one) for one in found.residuals if one.backend == name]
        print_table(name, head, rows)
    count = len(found.differing)
    told = f"{count} of {len(found.residuals)} measures differ" if count else "no measure differs"
    left = sum(one.verdict == "open" for one in found.residuals)
    say(f"{told} by more than {found.tolerance * 100:g} %; open: {left}")


def _row(one: Residual) -> list[str]:
    interval = f"[{one.low:.4g}, {one.high:.4g}]" if one.low == one.low else "none of one pair"
    unit = f" ({one.unit})" if one.unit else ""
    return [
        one.measure + unit,
        f"{one.reference:.6g}",
        f"{one.value:.6g}",
        f"{one.value - one.reference:+.4g}",
        interval,
        one.verdict,
    ]
