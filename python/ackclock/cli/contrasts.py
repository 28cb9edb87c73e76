"""Comparisons of the settings of a store, for ``ackclock compare`` and ``ackclock export``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ackclock.base import files
from ackclock.cli.output import (
    NOT_DRAWN,
    UsageError,
    complain,
    did_you_mean,
    print_json,
    print_table,
    say,
    tell_doubt,
)
from ackclock.cli.tables import columns_of_contrasts, latex_of_contrasts, table_of, write_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ackclock.store import Store
    from ackclock.store.contrasts import Contrast

__all__ = ["compare_settings", "contrasts_against", "control_of", "write_contrasts"]

EXAMPLE = "such as 'flows[0].cc=reno'"


def control_of(points: Sequence[Mapping[str, Any]], against: str) -> tuple[str, object]:
    """The path and the value of ``--against PATH=VALUE``, with the value as it is in the points."""
    path, equals, text = (part.strip() for part in against.partition("="))
    varied = list(dict.fromkeys(name for point in points for name in point))
    values = list(dict.fromkeys(point[path] for point in points if path in point))
    if not equals or not values:
        raise UsageError(
            f"--against {against}: expected PATH=VALUE of a setting that was varied, {EXAMPLE}; "
            f"that is {', '.join(varied) or 'nothing'}{did_you_mean(path, varied)}"
        )
    for value in values:
        if text in (str(value), json.dumps(value)):
            if len(values) < 2:
                raise UsageError(f"--against {against}: {path} has no other value in this sweep")
            return path, value
    told = [str(value) for value in values]
    raise UsageError(
        f"--against {against}: expected a value that was run; {path} is {', '.join(told)}{did_you_mean(text, told)}"
    )


def contrasts_against(store: Store, against: str, measures: Sequence[str], level: float) -> list[Contrast]:
    """All comparisons with the setting `against`; by default of the usual measures."""
    from ackclock.report.experiment.measures import default_measures

    if len(store.sweeps) != 1:
        told = ", ".join(f"{one.name} ({one.id})" for one in store.sweeps) or "none"
        raise UsageError(f"{store.path}: choose a sweep with --sweep; there are {told}")
    path, control = control_of(store.sweeps[0].points, against)
    names = measures or default_measures(store)
    found = store.contrasts(path, control, names, level=level)
    if not found:
        raise UsageError(
            f"{store.path}: no two runs with the same seed to compare; `ackclock ls {store.path}` says why"
        )
    return found


def write_contrasts(out: Path, contrasts: Sequence[Contrast], flows: Sequence[str]) -> None:
    """Writes comparisons as LaTeX, Parquet or CSV, by the name of the file; `flows` names the groups of flows."""
    if out.suffix == ".tex":
        files.write_text(out, latex_of_contrasts(contrasts, flows))
    else:
        write_table(out, table_of(columns_of_contrasts(contrasts)))


def compare_settings(
    folder: Path,
    against: str,
    measures: Sequence[str],
    *,
    sweep: str | None,
    level: float,
    csv: Path | None,
    latex: Path | None,
    as_json: bool,
) -> None:
    """Compares the settings of a store, prints and writes what was found."""
    from ackclock.report.experiment.measures import flow_groups
    from ackclock.results.measure import Measure
    from ackclock.store import open_store

    names = [str(Measure.parse(one)) for one in measures]
    with open_store(folder, sweep=sweep) as store:
        found = contrasts_against(store, against, names, level)
        flows = flow_groups(store)
        of, lost = store.sweeps[0], store.failed + store.missing
    if csv is not None:
        write_table(csv, table_of(columns_of_contrasts(found)))
    if latex is not None:
        files.write_text(latex, latex_of_contrasts(found, flows))
    if as_json:
        print_json({
            "store": str(folder),
            "sweep": of.id,
            "name": of.name,
            "level": level,
            "tests": sum(one.holm is not None for one in found),
            "comparisons": [one.document() for one in found],
        })  # fmt: skip
    else:
        _print(found, of.name, level)
    if lost:
        complain(f"{lost} of {len(of.runs)} runs failed or are missing; their pairs are left out")
    for path in (csv, latex):
        if path is not None:
            complain(f"comparisons in {path}")


def _print(found: Sequence[Contrast], sweep: str, level: float) -> None:
    from ackclock.report.tables import cell_text, counted
    from ackclock.store.contrasts import LEAST_PAIRS

    first = found[0]
    say(f"{sweep}: differences from {first.name} = {first.control}, over runs of the same seeds")
    names = list(dict.fromkeys(name for one in found for name in one.params))
    interval = f"{level * 100:g} % interval"
    head = [*names, first.name, "pairs", str(first.control), "difference", interval, "change %", interval, "p (Holm)"]
    for measure in dict.fromkeys(one.measure for one in found):
        rows = []
        for one in (each for each in found if each.measure == measure):
            change = None if one.relative is None else one.relative.scaled(100)
            rows.append([
                *(str(one.params.get(name, "population" if one.population else "-")) for name in names),
                str(one.treated),
                str(one.difference.n),
                cell_text(one.control_mean),
                _signed(one.difference.value),
                _ends(one.difference),
                "-" if change is None else _signed(change.value),
                "-" if change is None else _ends(change),
                "-" if one.holm is None else f"{one.holm.p:.2g}{' *' if one.holm.rejected else ''}",
            ])  # fmt: skip
        unit = next(one.unit for one in found if one.measure == measure)
        print_table(f"{measure} ({unit})" if unit else measure, head, rows, keys=1 + len(names))
    tests = [one.holm for one in found if one.holm is not None]
    rate = 1 - level
    differ = sum(one.rejected for one in tests)
    say(f"{counted(len(tests), 'comparison')}; after Holm's correction {differ} differ (*) at {rate * 100:.3g} %")
    if len(tests) > 1:
        missed = f"{len(tests) * rate:.2g}"
        say(f"each interval holds by itself: of {len(tests)} intervals, about {missed} miss the truth by chance")
    if any(not one.population and one.difference.n < LEAST_PAIRS for one in found):
        say(f"a relative change needs {LEAST_PAIRS} pairs")
    if any(not one.difference.has_interval for one in found):
        say("one pair has no interval: run more seeds")
    tell_doubt([one.difference for one in found])
    alike = sum(one.difference.has_interval and one.p is None for one in found)
    if alike:
        complain(f"the same difference under all seeds in {alike} of {len(found)} comparisons: {NOT_DRAWN}")


def _signed(value: float) -> str:
    from ackclock.report.tables import cell_text

    return f"{'+' if value > 0 else ''}{cell_text(value)}"


def _ends(estimate: Any) -> str:
    return f"[{_signed(estimate.low)}, {_signed(estimate.high)}]" if estimate.has_interval else "-"
