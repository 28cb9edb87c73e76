"""The panels of several runs as one: each run has a colour, and a row of its events."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ackclock.plot.palette import COLOURS, style_of
from ackclock.report.experiment.traces import CAPACITY_OF, DOTTED
from ackclock.report.figures import Lane, Plot, Series

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from ackclock.results.result import Result

__all__ = ["RUN_COLOURS", "colours_of", "overlaid"]

RUN_COLOURS = list(COLOURS.values())
"""The colours of runs: as many as are overlaid."""

MOST_IN_FULL = 3
"""Runs that are overlaid with every line. Of more runs, the thin and dotted lines beside the main one are left out."""

LEFT_OUT = f"Thin and dotted lines, such as what is in flight and ssthresh, are drawn for up to {MOST_IN_FULL} runs."


def colours_of(results: Sequence[Result]) -> list[str]:
    """A colour for each run: that of its algorithm if just this tells the runs apart, else one of its own."""
    algorithms = [{str(cc) for cc in result.flows["cc"]} for result in results]
    common = set.intersection(*algorithms)
    own = [found - common for found in algorithms]
    # A run that differs from the others by nothing but what they have besides has what all have.
    names = [next(iter(found or common), None) if len(found or common) == 1 else None for found in own]
    colours = [style_of(name).colour if name else "" for name in names]
    if "" not in colours and len({*colours}) == len(colours) > 1:
        return colours
    return RUN_COLOURS[: len(results)]


def overlaid(runs: Sequence[Sequence[Plot]], colours: Sequence[str]) -> list[Plot]:
    """Panels of one title become one; those of a single run stay as they are."""
    if len(runs) == 1:
        return list(runs[0])
    by_title: dict[str, list[tuple[int, Plot]]] = {}
    for number, plots in enumerate(runs):
        for plot in plots:
            by_title.setdefault(plot.title, []).append((number, plot))
    return [_panel(found, colours, in_full=len(runs) <= MOST_IN_FULL) for found in by_title.values()]


def _panel(found: Sequence[tuple[int, Plot]], colours: Sequence[str], *, in_full: bool) -> Plot:
    names = list(dict.fromkeys(name for _, plot in found for name in plot.y_names))
    lines: list[Series] = []
    events: dict[str, list[Series]] = {}
    left_out = False
    for number, plot in found:
        dashes = _dashes(plot)
        for series in plot.series:
            if series.kind in ("marks", "spans"):
                lane = np.full(np.size(series.x), number)
                events.setdefault(series.label, []).append(replace(series, lane=lane))
                continue
            if series.label.startswith(CAPACITY_OF):
                # The same capacity is drawn once.
                if not any(_alike(series, one) for one in lines):
                    lines.append(series)
                continue
            if not in_full and _beside(series):
                left_out = True
                continue
            # The flows of a run differ in their dashes.
            place = dashes[series.colour]
            own = series.kind not in ("points", "bars")
            dash = series.dash or ((4.0, 1.0 + place) if place and own else ())
            one = replace(series, label=f"{number + 1}: {series.label}", colour=colours[number], dash=dash)
            if plot.y_names:
                one = replace(one, y=_renamed(one.y, plot.y_names, names))
            lines.append(one)
    captions: dict[str, list[str]] = {}
    for number, plot in found:
        if plot.caption:
            captions.setdefault(plot.caption, []).append(str(number + 1))
    caption = " ".join(f"{', '.join(numbers)}: {text}" for text, numbers in captions.items())
    caption = f"{caption} {LEFT_OUT}".strip() if left_out else caption
    merged = [_merged(kind) for kind in events.values()]
    lanes = [Lane(f"run {number + 1}", colour) for number, colour in enumerate(colours)] if merged else []
    return replace(found[0][1], series=[*lines, *merged], lanes=lanes, y_names=names, caption=caption)


def _dashes(plot: Plot) -> dict[str, int]:
    """The number of each flow's dash, by its colour: in the order of names, which is the same in every run."""
    names: dict[str, str] = {}
    for series in plot.series:
        if series.kind not in ("marks", "spans") and not series.label.startswith(CAPACITY_OF):
            names[series.colour] = min(series.label, names.get(series.colour, series.label))
    return {colour: place for place, colour in enumerate(sorted(names, key=names.__getitem__))}


def _beside(series: Series) -> bool:
    """Whether a line explains another line of its flow."""
    return series.kind in ("line", "step") and (series.faint or series.dash == DOTTED)


def _alike(one: Series, other: Series) -> bool:
    return one.label == other.label and np.array_equal(one.x, other.x) and np.array_equal(one.y, other.y)


def _renamed(values: ArrayLike, old: Sequence[str], new: Sequence[str]) -> NDArray[np.float64]:
    """Numbers of names in another list of names."""
    places = np.array([new.index(name) for name in old], dtype=np.float64)
    array = np.asarray(values, dtype=np.float64)
    known = np.isfinite(array)
    return np.where(known, places[np.where(known, array, 0).astype(int)], np.nan)


def _merged(kinds: Sequence[Series]) -> Series:
    """The events of one kind of all runs."""
    x, y, lane = (_joined([getattr(one, name) for one in kinds]) for name in ("x", "y", "lane"))
    to = _joined([one.to for one in kinds if one.to is not None])
    count = sum(one.count or 0 for one in kinds)
    return replace(kinds[0], x=x, y=y, lane=lane, to=to if kinds[0].kind == "spans" else None, count=count)


def _joined(columns: Sequence[ArrayLike]) -> NDArray[np.float64]:
    return np.concatenate([np.asarray(column, dtype=np.float64) for column in columns] or [np.empty(0)])
