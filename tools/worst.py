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
    """What is published, and what the find says, in sentences."""


SEARCHES = (
    Search(
        "vegas-starvation",
        "Vegas: starved by a wrong base RTT",
        "vegas --goal starvation --rate 60 --rtt 30 --buffer 2 --budget 200",
        "Arun, Alizadeh and Balakrishnan (SIGCOMM 2022) show that a control which converges to a small range of delays "
        "can be starved by a jitter of the size of that range.",
    ),
    Search(
        "copa-starvation",
        "Copa: starved by a jitter of a few milliseconds",
        "copa --goal starvation --rate 60 --rtt 30 --buffer 2 --budget 200",
        "The same paper starves Copa with a minimum of the RTT that is a millisecond too low.",
    ),
    Search(
        "bbr1-starvation",
        "BBRv1: starved by a jitter of a few milliseconds",
        "bbr1 --goal starvation --rate 60 --rtt 10 --buffer 8 --budget 200",
        "The same paper starves BBRv1.",
    ),
    Search(
        "bbr1-under-use",
        "BBRv1: a long stall",
        "bbr1 --rate 10..20 --budget 500",
        "CC-Fuzz (Ray and Seshan, HotNets 2022) found a stall of BBRv1 after retransmissions whose acknowledgments "
        "give false samples of the bandwidth.",
    ),
    Search(
        "cubic-under-use",
        "CUBIC: a long under-use after two early losses",
        "cubic --rate 50..100 --rtt 50..150 --losses 2 --fades 0 --bursts 0 --budget 150",
        "CUBIC grows slowest near the window of the last loss, so that losses in a small window hold it back.",
    ),
    Search("bbr3-under-use", "BBRv3: under-use", "bbr3 --rate 10..20 --budget 300", ""),
    Search(
        "bbr3-starvation", "BBRv3: starvation", "bbr3 --goal starvation --rate 60 --rtt 30 --buffer 2 --budget 200", ""
    ),
    Search(
        "prague-starvation", "Prague: starvation",
        "prague --goal starvation --rate 60 --rtt 30 --buffer 2 --budget 200 --field ecn=l4s",
        "The queue is drop-tail and marks nothing, so that Prague responds to losses.",
    ),
    Search("quinn-under-use", "quinn's CUBIC: under-use", "cubic --transport quinn --rate 10..20 --budget 200", ""),
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
