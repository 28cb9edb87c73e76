"""Beginning of the page of a store: the question of a sweep, its answer, the first figure, and the points."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ackclock.report.choice import Choice
from ackclock.report.colours import on_dark
from ackclock.report.experiment.beginning import beginning
from ackclock.report.experiment.curves import figures_of
from ackclock.report.figures import Intervals, Plot
from ackclock.report.words import interval_text
from ackclock.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ackclock.report.experiment.measures import Shown
    from ackclock.stats import Estimate

__all__ = ["MOST_POINTS", "one_sweep", "question"]

MOST_POINTS = 500
"""Points that the page lists."""


@contextmanager
def one_sweep(store: Store, number: int) -> Iterator[Store]:
    """The store as it shows one of its sweeps alone."""
    if len(store.sweeps) <= 1:
        yield store
    else:
        with Store(store.path, sweep=store.sweeps[number].id, mixed=True) as one:
            yield one


def question(store: Store) -> dict[str, Any]:
    """The question's view of a store that shows one sweep, as data for the page.

    Parameters
    ----------
    store
        See `ackclock.open`.

    Raises
    ------
    StoreError
        If the store shows none or several sweeps, or is damaged.
    """
    begun = beginning(store)
    sweep = store.sweeps[0]
    done = {row["run"] for row in store.runs.rows() if row["status"] == "done"}
    runs: list[list[dict[str, Any]]] = [[] for _ in sweep.points]
    for run, point, seed, _ in sweep.runs:
        if run in done:
            runs[point].append({"run": run, "seed": seed})
    numbers = range(min(len(sweep.points), MOST_POINTS))
    return {
        "question": begun.question,
        "answer": list(begun.sentences),
        "details": list(begun.details),
        "note": begun.note,
        "figure": _figure(begun.drawn),
        "axes": [axis.title or axis.name for axis in begun.axes],
        "measures": [{"measure": name, "label": one.label} for name, one in zip(begun.names, begun.every, strict=True)],
        "points": [
            {
                "values": [axis.text(sweep.points[number].get(axis.name)) for axis in begun.axes],
                "numbers": [_number(one.cells[number].estimate) for one in begun.every],
                "runs": runs[number],
            }
            for number in numbers
        ],
        "more": len(sweep.points) - len(numbers),
    }


def _number(estimate: Estimate | None) -> str:
    return "-" if estimate is None else interval_text(estimate.value, estimate.low, estimate.high)


def _figure(drawn: Sequence[tuple[Shown, Any]]) -> dict[str, Any] | None:
    """The first figure as data, unless it would show a single number."""
    if not drawn or sum(cell.estimate is not None for cell in drawn[0][0].cells) < 2:
        return None
    figures, _ = figures_of(*drawn[0], "")
    figure = figures[0]
    options = list(figure.options) if isinstance(figure, Choice) else [("", figure)]
    drawable = [(name, _drawn(one)) for name, one in options]
    return {
        "title": figure.title,
        "caption": figure.caption,
        "what": figure.what if isinstance(figure, Choice) else "",
        "options": [{"name": name, **one} for name, one in drawable if one is not None],
    }


def _drawn(figure: object) -> dict[str, Any] | None:
    if isinstance(figure, Plot):
        return {"plot": figure.data()}
    if isinstance(figure, Intervals):
        places = figure.places()
        rows = [_coloured(row) for row in places["rows"]]
        return {"intervals": places | {"rows": rows, "references": [_coloured(one) for one in places["references"]]}}
    return None


def _coloured(row: Mapping[str, Any]) -> dict[str, Any]:
    return {**row, "dark": on_dark(row["colour"])}
