"""Colours of the flows of a run, which follow what differs.

Flows of one algorithm have colours of their own; of several algorithms, each has its colour, in shades for its flows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ackclock.plot.palette import COLOURS, has_style, shades, solid_where_colours_differ, styles_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.plot.palette import Style
    from ackclock.results.result import Result

__all__ = ["Look", "looks", "other_colours"]

LISTED = 12
"""Largest number of flows that a legend names; with more flows, it names the algorithms."""

MARKERS = "osD^v<>PX*hp"
"""Markers of flows of one algorithm."""


@dataclass(frozen=True, slots=True)
class Look:
    """Style and label of a flow."""

    style: Style
    label: str | None
    """Label in the legend; None if the entry of another flow represents this one."""


def looks(result: Result, flows: Sequence[str]) -> dict[str, Look]:
    """The looks of the given flows of a run.

    A flow has the same colour in every figure of its run, however many flows the figure has, as long as a legend could
    name all flows of the run. A line is dashed only if another algorithm of the run has the same colour.
    """
    algorithms = _algorithms(result)
    every = [*algorithms, *(flow for flow in flows if flow not in algorithms)]
    if len(every) > LISTED:
        every = list(flows)
    found = _looks(every, {flow: algorithms.get(flow, flow) for flow in every})
    if len(flows) > LISTED or len(every) == len(flows):
        return {flow: found[flow] for flow in flows}
    return {flow: Look(found[flow].style, flow) for flow in flows}


def other_colours(result: Result, count: int) -> list[str]:
    """Colours for `count` things of a run that are no flows: colours that no flow has, as far as there are some."""
    flows = list(dict.fromkeys(result.flows["flow"].tolist())) if "flows" in result.tables else []
    taken = {look.style.colour for look in looks(result, flows).values()} if 0 < len(flows) <= LISTED else set()
    colours = list(COLOURS.values())
    return [*(one for one in colours if one not in taken), *(one for one in colours if one in taken)][:count]


def _looks(flows: Sequence[str], algorithms: Mapping[str, str]) -> dict[str, Look]:
    groups: dict[str, list[str]] = {}
    for flow in flows:
        groups.setdefault(algorithms[flow], []).append(flow)
    styles = solid_where_colours_differ(styles_of(groups))
    found: dict[str, Look] = {}
    if len(groups) == 1 and 1 < len(flows) <= LISTED:
        [style] = styles.values()
        own = dict(zip(flows, zip(COLOURS.values(), MARKERS, strict=True), strict=False))
        return {flow: Look(replace(style, colour=own[flow][0], marker=own[flow][1]), flow) for flow in flows}
    for algorithm, style in styles.items():
        members = groups[algorithm]
        for at, (flow, colour) in enumerate(zip(members, shades(style.colour, len(members)), strict=True)):
            label: str | None = flow
            if len(flows) > LISTED:
                label = (
                    f"{algorithm}, {len(members)} flow{'s' * (len(members) > 1)}" if at == len(members) // 2 else None
                )
            found[flow] = Look(replace(style, colour=colour), label)
    return {flow: found[flow] for flow in flows}


def _algorithms(result: Result) -> dict[str, str]:
    """The algorithm of each flow, with window validation and pacing if this combination has its own style."""
    found = {}
    for row in result.flows.rows():
        validated = f"{row['cc']}+newcwv" if str(row["validation"]).startswith("newcwv") else row["cc"]
        paced = f"{validated}+pacing" if row["pacing"] not in (None, "off") else validated
        found[row["flow"]] = next((name for name in (paced, validated) if has_style(name)), row["cc"])
    return found
