"""Beginning of a report and of the page of a store: the question, the answer, and the content of the first figure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ackclock.report.experiment.answer import answer_of, question_of
from ackclock.report.experiment.axes import Axis, axes_of
from ackclock.report.experiment.curves import roles_of
from ackclock.report.experiment.differences import comparisons, rivals_of
from ackclock.report.experiment.measures import default_measures, flow_groups, goodputs, is_goodput, shown
from ackclock.results.measure import Measure
from ackclock.store import StoreError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.report.experiment.curves import Roles
    from ackclock.report.experiment.differences import Comparisons
    from ackclock.report.experiment.measures import Shown
    from ackclock.store import Store

__all__ = ["Beginning", "beginning"]


@dataclass(frozen=True, slots=True)
class Beginning:
    """The question of a sweep, its answer, and the measures that are drawn."""

    axes: Sequence[Axis]
    """Everything that was varied."""
    roles: Roles
    names: Sequence[str]
    """The measures, as text."""
    every: Sequence[Shown]
    """The measures at every point, in the same order."""
    drawn: Sequence[tuple[Shown, Roles]]
    """The figures' measures, with the places of what was varied. Rival flows are one measure."""
    compared: Comparisons | None
    question: str
    sentences: Sequence[str]
    """The answer."""
    details: Sequence[str]
    """Sentences on single settings, where they are too many for an answer."""
    note: str


def beginning(
    store: Store, measures: Sequence[str] = (), *, against: tuple[str, object] | None = None, question: str = ""
) -> Beginning:
    """The beginning for a store that shows one sweep; parameters and errors are those of `sweep_report`."""
    if len(store.sweeps) != 1:
        told = ", ".join(f"{sweep.id} ({sweep.name})" for sweep in store.sweeps) or "none"
        raise StoreError(f"{store.path}: a report is of one sweep; choose it with --sweep; there are {told}")
    sweep = store.sweeps[0]
    axes = axes_of(sweep.points, flow_groups(store))
    roles = roles_of(axes, len(sweep.points))
    names = list(measures) or default_measures(store)
    every = [shown(store, name) for name in names]
    control = None
    if against is not None:
        control = next(((axis, against[1]) for axis in axes if axis.name == against[0]), None)
        if control is None:
            raise ValueError(
                f"{against[0]!r} is not varied; what is: {', '.join(axis.name for axis in axes) or 'nothing'}"
            )
    rivals = None if against is not None else rivals_of(store, names, roles)
    compared = comparisons(store, names, roles, control, rivals)
    drawn = [(one, roles) for one in every]
    if rivals is not None:
        # One figure has all groups of flows.
        groups = [name for name in names if is_goodput(name)]
        flow = Axis("flow", tuple(str(Measure.parse(name).component) for name in groups), None, title="Flow")
        all_groups = replace(roles, scheme=flow, axes=[*axes, flow])
        drawn = [(goodputs(store, groups, flow), all_groups), *(one for one in drawn if one[0].measure not in groups)]
    if compared is not None and against is not None:
        drawn += [(one, roles) for one in compared.figures]
    sentences: list[str] = []
    details: list[str] = []
    if every:
        axis = None if compared is None else compared.axis
        question = question or question_of(sweep.name, every[0], roles, axis, rivals)
        sentences, details = answer_of(every[0], roles, compared, rivals)
    note = "" if compared is None else compared.note
    return Beginning(axes, roles, names, every, drawn, compared, question, sentences, details, note)
