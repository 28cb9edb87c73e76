"""The finds of the documentation: ``python -m tools.worst`` writes docs/worst.md, its pictures and its scenarios.

Each search is a command of its own, whose folder in out/worst is kept: a search that has ended is not made again by the
same version. All of them take about an hour on two cores; names on the command line choose some.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock import _core, stats
from ackclock.cli import main as ackclock

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
FOUND = ROOT / "out/worst"
SCENARIOS = DOCS / "worst"


@dataclass(frozen=True)
class Search:
    """A search whose find stands on the page."""

    key: str
    """Name of its folder, picture and scenario."""
    title: str
    arguments: str
    """Its command without ``ackclock worst``."""
    about: str
    """Published result, and result of the search, in sentences."""


SEARCHES = (
    Search(
        "vegas-starvation",
        "Vegas: starved by a wrong base RTT",
        "vegas --goal starvation --rate 60 --rtt 30 --buffer 2 --budget 200",
        "Arun, Alizadeh and Balakrishnan (SIGCOMM 2022) show that a control which converges to a small range of delays "
        "can be starved by a jitter of the size of that range. Here the smallest RTT that the attacked flow has seen "
        "is too low by its extra delay. It takes that delay for a queue of its own, gives way, and never recovers.",
    ),
    Search(
        "copa-starvation",
        "Copa: starved by a jitter of a few milliseconds",
        "copa --goal starvation --rate 60 --rtt 30 --buffer 2 --budget 200",
        "The same paper starves Copa with a minimum of the RTT that is a millisecond too low. Here the flow whose "
        "minimum is too low wins: it never sees the queue empty, so that it competes as if a flow that fills buffers "
        "were beside it, and the untouched flow starves.",
    ),
    Search(
        "bbr1-starvation",
        "BBRv1: an unequal share by a jitter of a few milliseconds",
        "bbr1 --goal starvation --rate 60 --rtt 10 --buffer 8 --budget 200",
        "The same paper starves BBRv1. Here a jitter of 5 ms on a path of 10 ms leaves the untouched flow less than a "
        "third of the other's goodput for the whole run: slots make the samples of the attacked flow's bandwidth too "
        "large, and the window of each flow grows with its own smallest RTT. On a path of 30 ms the same search found "
        "a difference of 30 %. A starvation by orders of magnitude, as the paper has it, was not found.",
    ),
    Search(
        "bbr1-under-use",
        "BBRv1: a long stall",
        "bbr1 --rate 10..20 --budget 500",
        "CC-Fuzz (Ray and Seshan, HotNets 2022) found a stall of BBRv1 after retransmissions whose acknowledgments "
        "give false samples of the bandwidth. Here BBRv1 lies still for eight seconds after a burst of datagrams has "
        "ended: its window is a few packets, and its samples of the bandwidth confirm the small rate. How long it "
        "lasts depends on the phase of its cycle, as the other seeds show. `docs/worst/bbr1-probe-rtt.toml` is the "
        "find of an earlier form of the search: the burst comes at the time of a ProbeRTT, and the stall lasts 5 s.",
    ),
    Search(
        "cubic-under-use",
        "CUBIC: a long under-use after two early losses",
        "cubic --rate 50..100 --rtt 50..150 --losses 2 --fades 0 --bursts 0 --budget 150",
        "CUBIC grows slowest near the window of the last loss, so that a loss in a small window holds it back: one "
        "lost packet ends slow start, and the second one comes before the window has grown. Reno needs longer still.",
    ),
    Search(
        "bbr3-under-use", "BBRv3: no under-use beyond CUBIC's found", "bbr3 --rate 10..20 --budget 300",
        "The search found nothing that hurts BBRv3 more than CUBIC and Reno on the same path.",
    ),
    Search(
        "bbr3-starvation", "BBRv3: no starvation found",
        "bbr3 --goal starvation --rate 60 --rtt 30 --buffer 2 --budget 200",
        "The search found no starvation of BBRv3: the difference is smaller than Reno's on the same path.",
    ),
    Search(
        "prague-starvation", "Prague: slow convergence under jitter",
        "prague --goal starvation --rate 60 --rtt 30 --buffer 2 --budget 200 --field ecn=l4s",
        "The queue is drop-tail and marks nothing, so that Prague responds to losses, like Reno. Two flows that lose "
        "in turn need more than 30 s for an equal share, and a small jitter decides who loses. That is slow "
        "convergence and no starvation.",
    ),
    Search(
        "quinn-under-use", "quinn's CUBIC: a loss in the first flight",
        "cubic --transport quinn --rate 10..20 --budget 200",
        "A loss in the first flight ends slow start at a few packets, and quinn's CUBIC then grows like Reno for "
        "twenty seconds. TCP's second packet is an ACK without data, whose loss costs nothing, so that the columns "
        "of CUBIC and Reno are no comparison here.",
    ),
    Search(
        "quiche-under-use", "quiche's CUBIC: a burst and a short outage",
        "cubic --transport quiche --library stacks/quiche/quiche.so --rate 10..20 --budget 40",
        "A burst of datagrams leaves quiche's CUBIC with a window of a few packets. An outage of 40 ms two seconds "
        "later ends an epoch of CUBIC's curve at that window, which then grows by 12 kB a second. Half of the "
        "damage is there without any event: even with packets in the queue, the bytes of the stream are 85 % of the "
        "capacity. The budget is small, because a run of quiche takes seconds.",
    ),
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Makes the searches that are missing, and writes the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("only", nargs="*", choices=[[], *(one.key for one in SEARCHES)], default=[])
    parser.add_argument("--page", action="store_true", help="write the page from the searches that are there")
    given = parser.parse_args(arguments)
    if not given.page:
        for one in SEARCHES:
            if (not given.only or one.key in given.only) and not _is_there(one):
                status = ackclock(["worst", *shlex.split(one.arguments), "--out", str(FOUND / one.key)])
                if status:
                    return status
    shown = [one for one in SEARCHES if (FOUND / one.key / "worst.json").exists()]
    SCENARIOS.mkdir(parents=True, exist_ok=True)
    for one in shown:
        shutil.copyfile(FOUND / one.key / "worst.png", DOCS / f"worst-{one.key}.png")
        text = (FOUND / one.key / "worst.toml").read_text(encoding="utf-8").replace("worst.toml", f"{one.key}.toml")
        # A library has its path on this machine; the scenario's paths are relative to its own folder.
        text = text.replace(f'"{DOCS.parent}/', '"../../')
        (SCENARIOS / f"{one.key}.toml").write_text(text, encoding="utf-8")
    (DOCS / "worst.md").write_text(page(shown), encoding="utf-8")
    return 0


def _is_there(one: Search) -> bool:
    path = FOUND / one.key / "worst.json"
    return path.exists() and json.loads(path.read_text(encoding="utf-8"))["engine"] == _core.engine()[:8]


INTRODUCTION = """\
# The worst cases that searches found

*For those who ask where a congestion control breaks, and for its authors.*

`ackclock worst` searches bounds that are stated for the case that hurts a congestion control most
([how to](how-to/worst.md)). Each case below was made small: an event that adds less than a tenth of the damage is left
out. The scenarios are in `docs/worst`. A find is a bad case within the bounds, and no proof that none is worse; a
search that finds nothing proves nothing either. `python -m tools.worst` writes this page.

"""


def page(shown: Sequence[Search]) -> str:
    """The page."""
    rows = []
    parts = []
    for one in shown:
        found = json.loads((FOUND / one.key / "worst.json").read_text(encoding="utf-8"))
        unit = found["unit"]
        others = [f"{value:.3g}" for value in found["damage_of_others_in_its_place"].values()]
        rows.append([one.title, found["damage_is"].lower(), f"{found['damage']:.3g} {unit}", *others])
        parts.append(_part(one, found))
    lines = ["| find | damage | | with CUBIC | with Reno |", "|---|---|---:|---:|---:|"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return INTRODUCTION + "\n".join(lines) + "\n\n" + "\n".join(parts)


def _part(one: Search, found: dict[str, Any]) -> str:
    again = stats.mean(found["damage_under_other_seeds"])
    spread = f"{again.value:.3g} [{again.low:.3g}, {again.high:.3g}]"
    unit = found["unit"]
    lines = [f"## {one.title}", ""]
    lines += [one.about, ""] if one.about else []
    plain = f"{found['damage_with_nothing_happening']:.3g} {unit}"
    lines.append(
        f"- {found['damage_is']}: **{found['damage']:.3g} {unit}**; under eight other seeds {spread}; with nothing "
        f"happening on the same path {plain}."
    )
    lines += [f"- {line}" for line in found["case"]]
    lines += [
        f"- The bounds: {' '.join(found['bounds'])}",
        f"- `{found['command']}` ran {found['tried']} cases with the engine {found['engine']}.",
        "",
        f"![{one.title}: goodput, window and queueing delay over time](worst-{one.key}.png)",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
