"""The measures that every command shows when nobody names any: they follow from the applications of the flows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["MOST_GROUPS", "Group", "all_compete", "competing_at_all", "competing_of", "usual_measures"]

GREEDY = ("bulk",)
"""Applications that always have data to send. All others send at a rate of their own, or have pauses."""

FINISHES = ("transfer", "list", "rpc", "bursts", "onoff", "web", "tmix")
"""Applications whose deliveries have completion times."""

MOST_GROUPS = 4
"""Groups of flows of which each has measures of its own."""

FORWARD = ("left", "right")
"""The route of flows that name none."""


@dataclass(frozen=True, slots=True)
class Group:
    """A flow of a scenario with all its copies."""

    name: str
    app: str
    count: int = 1


def competing_of(canonical: Mapping[str, Any]) -> list[list[str]]:
    """The flows of a canonical scenario that always have data to send, by name, one list for each pair of routes.

    Only the goodputs of flows in one list are shares of the same capacity.
    """
    found: dict[str, list[str]] = {}
    for flow in canonical["flows"]:
        if flow["app"]["kind"] in GREEDY:
            # A transfer over several paths competes with those over the same ones.
            route = tuple(flow.get("paths") or flow.get("route") or FORWARD)
            back = tuple(flow.get("return_route") or reversed(route))
            found.setdefault(str((route, back)), []).append(str(flow["name"]))
    return list(found.values())


def all_compete(canonical: Mapping[str, Any]) -> bool:
    """Whether all flows of a canonical scenario share their routes and always have data to send."""
    return any(len(names) == len(canonical["flows"]) for names in competing_of(canonical))


def competing_at_all(points: Sequence[list[list[str]]]) -> list[list[str]]:
    """The flows that compete at all points of a sweep; none if the points differ in that."""
    return points[0] if points and all(one == points[0] for one in points) else []


def usual_measures(
    groups: Sequence[Group], competing: Sequence[Sequence[str]] = (), first: Iterable[str] = ()
) -> list[str]:
    """The usual measures of these flows, those that matter most first.

    Stalls and mean level of videos, completion times, and MOS of calls come first, then the queueing delay, then the
    goodput. The goodputs of flows that share their route are what competition is about, and are before the delay unless
    another application is there. A run need not have all of these measures.

    Parameters
    ----------
    groups
        The flows.
    competing
        As from `competing_of`. Jain's index is of flows that compete, and of no others.
    first
        Names of flows whose measures come before those of the other flows.
    """
    names = list(dict.fromkeys([*first, *(one.name for one in groups)]))
    groups = sorted(groups, key=lambda one: names.index(one.name))
    kinds = {one.app for one in groups}
    video = ["dash.stall_s", "dash.mean_level_bps"] if "dash" in kinds else []
    if "live" in kinds:
        video += ["live.stall_s", "live.latency_mean_s", "live.mean_level_bps"]
    if "moq" in kinds:
        video += ["moq.stall_s", "moq.latency_mean_s", "moq.frames_skipped"]
    calls = ["voip.mos"] if "voip" in kinds else []
    if "call" in kinds:
        calls += ["call.freeze_s", "call.frame_delay_p95_ms", "call.received_bps"]
    of_applications = [*video, *_completions(groups), *calls]
    delay = ["links[bottleneck].queue_delay_mean_ms", "delays.p95_ms"]
    if "cbr" in kinds:
        delay.append("cbr.delay_p95_ms")
    goodput = _goodputs(groups, competing)
    rivals = len(kinds) == 1 and any(len(one) > 1 for one in competing)
    then = [*goodput, *delay] if rivals else [*delay, *goodput]
    loss = ["cbr.loss"] if "cbr" in kinds else []
    rest = ["links[bottleneck].utilisation", "links[bottleneck].drop_rate"]
    return [*of_applications, *then, *loss, *rest]


def _completions(groups: Sequence[Group]) -> list[str]:
    """The mean completion times; of each group where they are several, for their deliveries have different sizes."""
    finishing = [one.name for one in groups if one.app in FINISHES]
    if not finishing:
        return []
    if 1 < len(finishing) <= MOST_GROUPS:
        return [f"completions[{name}].mean_s" for name in finishing]
    return ["completions.mean_s"]


def _goodputs(groups: Sequence[Group], competing: Sequence[Sequence[str]]) -> list[str]:
    """Goodputs of the flows that always have data to send, and Jain's indices of those that compete."""
    greedy = [one for one in groups if one.app in GREEDY]
    known = {one.name for one in groups}
    # The first two are compared, so that they are two that compete.
    place = {name: at for at, list_ in enumerate(competing) for name in list_}
    if greedy and greedy[0].name in place:
        own = place[greedy[0].name]
        greedy.sort(key=lambda one: place.get(one.name) != own)
    alone = len(greedy) == len(groups)
    if not greedy or len(greedy) > MOST_GROUPS or (alone and len(greedy) == 1):
        found = ["flows.goodput_bps"]
    else:
        found = [f"flows[{one.name}].goodput_bps" for one in greedy]
    for names in competing:
        inside = [one for one in groups if one.name in names]
        if len(inside) == len(known) and sum(one.count for one in inside) > 1:
            found.append("jain(flows.goodput_bps)")
        elif len(inside) == 1 and inside[0].count > 1:
            found.append(f"jain(flows[{inside[0].name}].goodput_bps)")
    return found
