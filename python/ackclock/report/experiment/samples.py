"""Figures of all runs of a setting together: throughput against delay, and distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.plot.series import RECORDS
from ackclock.report.choice import Choice
from ackclock.report.clouds import Cloud, Clouds
from ackclock.report.experiment.axes import describe
from ackclock.report.experiment.curves import MOST_OPTIONS, styles
from ackclock.report.figures import Plot, Series
from ackclock.results.measure import Measure
from ackclock.results.names import measure_label

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.report.experiment.curves import Roles
    from ackclock.store import Store

__all__ = ["completion_times", "one_way_delays", "throughput_delay"]

QUANTILES = np.linspace(0, 1, 101)[1:]
"""At which a distribution is drawn."""

DELAYS = ("links[bottleneck].queue_delay_mean_ms", "flows.srtt_ms")
"""The delays to choose from: the first that is above zero in every run, which a logarithmic axis needs."""


def throughput_delay(store: Store, roles: Roles, command: str) -> Choice | None:
    """Throughput against delay, a cloud of runs for each scheme.

    None where the store has no such numbers, and where no setting has two schemes: a single dot compares nothing.
    """
    if "flows" not in store.tables:
        return None
    throughput = _by_run(store, "flows.goodput_bps")
    candidates = [
        (measure_label(one), _by_run(store, one)) for one in DELAYS if Measure.parse(one).table in store.tables
    ]
    label, delay = next(
        ((label, delay) for label, delay in candidates if delay and all(value > 0 for value in delay.values())),
        ("", {}),
    )
    both = [key for key in throughput if key in delay]
    if len(both) < 2:
        return None
    points = store.sweeps[0].points
    found = styles(roles.scheme)
    options = []
    for name, numbers in _settings(points, roles).items():
        clouds = []
        for scheme, style in found.items():
            keys = [key for key in both if key[0] in numbers and _scheme(points[key[0]], roles) == scheme]
            if keys:
                x, y = [delay[key] for key in keys], [throughput[key] / 1e6 for key in keys]
                clouds.append(Cloud(scheme or "all runs", x, y, style.colour))
        if len(clouds) > 1:
            options.append(
                (name, Clouds("Throughput against delay", label, measure_label("flows.goodput_bps", [1e6]), clouds))
            )
    caption = (
        "A dot is the median of a scheme's runs, the ellipse one standard deviation. Better is up and to the right."
    )
    return _choice("Throughput against delay", options, caption, command) if options else None


def completion_times(store: Store, roles: Roles, command: str) -> Choice | None:
    """Completion times of everything that began, over the runs of a setting together; None where nothing completes."""
    kinds = {what: table for what, table in RECORDS.items() if table in store.tables}

    def curve(what: str) -> Callable[[Sequence[int]], tuple[Any, Any] | None]:
        def of(numbers: Sequence[int]) -> tuple[Any, Any] | None:
            row = next(
                store.sql(
                    f"SELECT quantile_cont(t.duration_s, {QUANTILES.tolist()}) AS q, count(*) AS n, "  # noqa: S608
                    f"count(t.duration_s) AS done FROM {kinds[what]} AS t JOIN runs USING (run) WHERE {_in(numbers)}"
                ).cells()
            )
            quantiles, n, done = row
            return (np.asarray(quantiles), QUANTILES * done / n) if done else None

        return of

    options = []
    for what in kinds:
        for name, plot in _distributions(
            store, roles, "Completion time (s)", f"Share of all {what}s", curve(what), is_log=True
        ):
            options.append((", ".join(part for part in (what if len(kinds) > 1 else "", name) if part), plot))
    caption = "What was not complete at the end of its run counts as longer than any: a curve may end below 1."
    return _choice("Completion times", options, caption, command) if options else None


def one_way_delays(store: Store, roles: Roles, command: str) -> Choice | None:
    """One-way delays: at each quantile the mean over flows and runs; None where they were not recorded."""
    if "delay_cdf" not in store.tables:
        return None

    def curve(numbers: Sequence[int]) -> tuple[Any, Any] | None:
        table = store.sql(
            "SELECT quantile, avg(delay_ms) AS delay FROM delay_cdf JOIN runs USING (run) "  # noqa: S608
            f"WHERE {_in(numbers)} GROUP BY quantile ORDER BY quantile"
        )
        return (table["delay"], table["quantile"]) if len(table) else None

    options = _distributions(store, roles, "One-way delay (ms)", "Share of packets", curve)
    caption = "At each share the mean over flows and runs of the delay that so many packets do not exceed."
    return _choice("One-way delays", options, caption, command) if options else None


def _choice(title: str, options: Sequence[tuple[str, Any]], caption: str, command: str) -> Choice:
    if len(options) > MOST_OPTIONS:
        caption += f" The first {MOST_OPTIONS} of {len(options)} settings are here."
    return Choice(title, "shown at", options[:MOST_OPTIONS], caption, command)


def _distributions(
    store: Store,
    roles: Roles,
    x_label: str,
    y_label: str,
    curve: Callable[[Sequence[int]], tuple[Any, Any] | None],
    *,
    is_log: bool = False,
) -> list[tuple[str, Plot]]:
    points = store.sweeps[0].points
    options = []
    for name, numbers in list(_settings(points, roles).items())[: MOST_OPTIONS + 1]:
        series = []
        for scheme, style in styles(roles.scheme).items():
            mine = [number for number in numbers if _scheme(points[number], roles) == scheme]
            drawn = curve(mine) if mine else None
            if drawn is not None:
                series.append(Series(scheme or "all runs", drawn[0], drawn[1], style.colour, dash=style.dash, digits=5))
        if series:
            above_zero = all(np.min(one.x) > 0 for one in series)
            options.append((name, Plot(x_label, x_label, y_label, series, x_log=is_log and above_zero)))
    return options


def _settings(points: Sequence[Mapping[str, Any]], roles: Roles) -> dict[str, list[int]]:
    """Numbers of points by what is not the scheme; of points that lie anywhere all together."""
    rest = [] if roles.scattered else roles.without(roles.scheme)
    found: dict[str, list[int]] = {}
    for number, params in enumerate(points):
        found.setdefault(describe(params, rest), []).append(number)
    return found


def _scheme(params: Mapping[str, Any], roles: Roles) -> str:
    return "" if roles.scheme is None else roles.scheme.text(params.get(roles.scheme.name))


def _in(numbers: Sequence[int]) -> str:
    return f"runs.status = 'done' AND runs.point IN ({', '.join(map(str, numbers))})"


def _by_run(store: Store, measure: str) -> dict[tuple[int, int], float]:
    """A measure by point and seed."""
    return {
        (one.point, int(seed)): float(value)
        for one in store.values(measure)
        for seed, value in zip(one.seeds, one.values, strict=True)
    }
