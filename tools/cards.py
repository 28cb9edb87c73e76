"""The report cards of the documentation: ``python -m tools.cards`` writes docs/cards.md.

Each card is a command of its own, whose folder in out/cards is kept: a card that is there is not made again by the same
version. All of them take about a quarter of an hour of CPU time; names on the command line choose some, `--section` and
`--seeds` make less of each, and the page has the cards that are there and says what they have. `--kernel` makes two
sections of BBRv1's card on Linux in virtual time as well.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock import _core
from ackclock.cli import main as ackclock

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
MADE = ROOT / "out/cards"
SECTIONS = 25
"""Number of sections of a whole card."""
POLITE = MADE / "polite.py"
"""The class in Python that docs/your-own-congestion-control.md writes."""


@dataclass(frozen=True)
class Candidate:
    """A congestion control with a card on the page."""

    key: str
    """Name of its folder and of its column."""
    arguments: str
    """Its command without ``ackclock card`` and --quick."""
    needs: str = ""
    """A file that has to be there, and how it is made; relative to the project."""


CANDIDATES = (
    Candidate("cubic", "cubic"),
    Candidate("reno", "reno"),
    Candidate("bbr1", "bbr1"),
    Candidate("bbr3", "bbr3"),
    Candidate("prague", "prague"),
    Candidate("copa", "copa"),
    Candidate("ledbat++", "ledbat++"),
    Candidate("quinn:cubic", "cubic --transport quinn"),
    Candidate(
        "quiche:cubic",
        "cubic --transport quiche --library stacks/quiche/quiche.so",
        "stacks/quiche/quiche.so: make quiche",
    ),
    Candidate("polite", f"polite --load {POLITE.relative_to(ROOT)}"),
    Candidate("learned-alone", "learned-alone --load docs/gym/learned_alone.py"),
)

ON_LINUX = Candidate("bbr1-linux", "bbr1 --backend linux:6.12 --section 5.1.5 --section 7.4 --seeds 2")
"""Two sections on Linux, in which few packets are sent: each packet passes a kernel."""


@dataclass(frozen=True)
class Row:
    """A row of the cards that stands on the page."""

    section: str
    scenario: str
    point: str
    text: str
    title: str
    """The number in few words, with its unit."""


ROWS = (
    Row("5.2.1", "beside-cubic", "0.25 BDP", "Harm to the goodput of CUBIC", "harm to CUBIC, 0.25 BDP (%)"),
    Row("5.2.1", "beside-cubic", "1 BDP", "Harm to the goodput of CUBIC", "harm to CUBIC, 1 BDP (%)"),
    Row("5.2.1", "beside-cubic", "4 BDP", "Harm to the goodput of CUBIC", "harm to CUBIC, 4 BDP (%)"),
    Row("5.2.1", "beside-reno", "10 Mbit/s", "Harm to the goodput of Reno", "harm to Reno, 10 Mbit/s (%)"),
    Row("5.2.1", "beside-reno", "100 Mbit/s", "Harm to the goodput of Reno", "harm to Reno, 100 Mbit/s (%)"),
    Row("5.1.3", "shallow-buffer", "0.25 BDP", "Packets lost at the bottleneck", "lost, 4 flows, 0.25 BDP (%)"),
    Row("5.1.3", "shallow-buffer", "1 BDP", "Packets lost at the bottleneck", "lost, 4 flows, 1 BDP (%)"),
    Row("5.1.3", "heavy-loss", "", "Rate at which the flow goes on sending", "rate at 20 % random loss (Mbit/s)"),
    Row("5.1.5", "alone", "14 kB", "Median completion time", "14 kB over 80 ms (ms)"),
    Row("5.1.5", "alone", "1 MB", "Median completion time", "1 MB over 80 ms (ms)"),
)


@dataclass(frozen=True)
class Published:
    """A published result, the numbers that show it, and whether they do."""

    text: str
    source: str
    needs: tuple[str, ...]
    told: str
    """The numbers in words; names in braces are those of `numbers`."""
    numbers: Callable[[Any], dict[str, float]]
    shows: Callable[[dict[str, float]], bool]


PUBLISHED = (
    Published(
        "BBRv1 takes most of a shallow buffer from CUBIC, and not of a deep one",
        "Ware, Mukerjee, Seshan and Sherry, IMC 2019",
        ("bbr1",),
        "harm of {shallow:.3g} % with 0.25 BDP, {deep:.3g} % with 4 BDP",
        lambda read: {"shallow": read("bbr1", 0), "deep": read("bbr1", 2)},
        lambda one: one["shallow"] > 80 and one["deep"] < one["shallow"] - 20,
    ),
    Published(
        "Several flows of BBRv1 lose packets all the time in a shallow buffer",
        "Hock, Bless and Zitterbart, ICNP 2017; RFC 9743 section 5.1.3",
        ("bbr1", "cubic"),
        "{bbr:.3g} % lost with 0.25 BDP, CUBIC {cubic:.3g} %",
        lambda read: {"bbr": read("bbr1", 5), "cubic": read("cubic", 5)},
        lambda one: one["bbr"] > 5 and one["bbr"] > 10 * one["cubic"],
    ),
    Published(
        "BBRv3 loses less than BBRv1 in a shallow buffer, as it has bounds from losses",
        "draft-ietf-ccwg-bbr",
        ("bbr1", "bbr3"),
        "{new:.3g} % lost with 0.25 BDP, BBRv1 {old:.3g} %",
        lambda read: {"new": read("bbr3", 5), "old": read("bbr1", 5)},
        lambda one: one["new"] < one["old"] / 2,
    ),
    Published(
        "LEDBAT++ yields to CUBIC where the buffer is deeper than its target of 60 ms",
        "draft-irtf-iccrg-ledbat-plus-plus section 4",
        ("ledbat++",),
        "harm of {deep:.3g} % with 4 BDP (160 ms), {shallow:.3g} % with 0.25 BDP (10 ms)",
        lambda read: {"deep": read("ledbat++", 2), "shallow": read("ledbat++", 0)},
        lambda one: one["deep"] < 10,
    ),
    Published(
        "CUBIC takes from Reno what Reno takes while the product of bandwidth and delay is small, and more where it is "
        "large",
        "RFC 9438 section 4.3",
        ("cubic", "reno"),
        "harm to Reno of {small:.3g} % against {small_reno:.3g} % of Reno itself at 10 Mbit/s, {large:.3g} % against "
        "{large_reno:.3g} % at 100 Mbit/s",
        lambda read: {
            "small": read("cubic", 3),
            "small_reno": read("reno", 3),
            "large": read("cubic", 4),
            "large_reno": read("reno", 4),
        },
        lambda one: abs(one["small"] - one["small_reno"]) < 8 and one["large"] > one["large_reno"] + 3,
    ),
    Published(
        "14 kB fit into the initial window of ten segments, so that a transfer takes a handshake and one way",
        "RFC 6928",
        ("cubic",),
        "{time:.4g} ms; 80 ms, 40 ms and ten packets of 0.6 ms are 126 ms",
        lambda read: {"time": read("cubic", 8)},
        lambda one: abs(one["time"] - 126) < 2,
    ),
    Published(
        "Copa gets its share beside CUBIC by its mode for flows that fill the buffer",
        "Arun and Balakrishnan, NSDI 2018",
        ("copa", "cubic"),
        "harm to CUBIC of {harm:.3g} % with 1 BDP, CUBIC {cubic:.3g} %",
        lambda read: {"harm": read("copa", 1), "cubic": read("cubic", 1)},
        lambda one: abs(one["harm"] - one["cubic"]) < 15,
    ),
)

INTRODUCTION = """\
# Report cards of known congestion controls

*For those who ask what a [report card](how-to/card.md) shows of algorithms that are known.*

Each of these is a card with `--quick`: {sections} under {seeds} seeds, with CUBIC and Reno in the place
of the candidate.
The version is {version}, engine {engine}. `python -m tools.cards{command}` makes the cards and writes this page.

## Verdicts

A row is as good if the candidate is not worse than CUBIC, between if it is worse than CUBIC and not worse than Reno,
and worse otherwise; "better" counts the rows in which it is better than CUBIC. The rule has no threshold: a small
difference that every seed shows is worse.
"""

FINDINGS = """\
## As an author and as a chair would read them

- **CUBIC** beside itself is as good in every row, because the two runs are the same run. A card that has another
  verdict for CUBIC would show a fault of the card.
- **Reno** is worse than CUBIC where it needs longer for the same, such as a transfer of 1 MB, and better where it takes
  less from CUBIC. CUBIC takes more from Reno than Reno does also at 10 Mbit/s, but much more at 100 Mbit/s.
- **BBRv1**: a chair sees at once that a flow takes nine tenths from CUBIC and from Reno up to 1 BDP, and that four
  flows lose a tenth of their packets. An author sees that the same flow harms CUBIC less than CUBIC does over 4 BDP.
  The rate that it keeps at 20 % random losses is "worse", because section 5.1.3 asks for an algorithm that sends less.
- **BBRv3** loses a tenth of what BBRv1 loses in a shallow buffer, and its four flows share equally. It still takes more
  from CUBIC than CUBIC does over every buffer, most over 1 BDP, and more from Reno. Without SACK at the peer (5.3.2) it
  has a sixth of the rate, as BBRv1 has a fifteenth; see [the limits](limits.md).
- **Prague** harms CUBIC and Reno less than CUBIC does. It falls back to Reno's answer where there are no marks, so that
  many of its worse rows are a few per cent of the goodput. Where FQ-CoDel sees a tunnel as one flow (6.2) it takes
  nearly everything from CUBIC in the tunnel, a known case: CoDel marks for classic ECN.
- **Copa** leaves others most of what they have, and the delay is low. It does not answer random losses, so that it
  keeps its rate where 20 % are lost, and 77 % of its packets die at a policer. Under jitter, changing delays and Wi-Fi
  it loses a half to three quarters of the rate, as its window follows the smallest RTT.
- **LEDBAT++** yields over deep buffers, and needs longer for everything. Where delays change or ACKs are few, it has a
  half to two thirds of the rate.
- **quinn's CUBIC** needs a round trip more for 14 kB, which its first window of ten datagrams of 1,200 bytes does not
  hold. It has no HyStart, and loses what a slow start overshoots. It runs beside TCP's CUBIC of Linux: a row that is
  worse may be the transport's and not the algorithm's. Two scenarios have packets of 200 bytes, which QUIC refuses.
- **quiche's CUBIC** leaves a flow of CUBIC a quarter to a sixteenth of what it has alone, least over 4 BDP, and eight
  flows of CUBIC 38 %. After a loss it takes the reduction of its window back if fewer than a fifth of the window's
  packets were lost (quiche 0.30.0, the rollback of spurious congestion events), so that a full queue seldom reduces
  it. Four such flows alone have 41 of 50 Mbit/s over 0.25 and 1 BDP, where TCP's CUBIC has 48.
- **polite**, a class of a few lines in Python from [the tutorial](your-own-congestion-control.md), is Reno that stops
  growing. A card takes a minute and shows what its author has not asked: four such flows do not share equally (5.1.4),
  and it mistakes a longer path for a queue (7.9).
- **learned-alone**, the policy of [the environment's first example](how-to/gym.md), was trained with one flow on paths
  of one kind. Elsewhere it fails: it sends 790 segments into a silence (5.1.1), does not answer losses, starves flows
  with other RTTs, and after a change to a slower path it has a fifteenth of the rate.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Makes the cards that are chosen and not there, and writes the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[[], *(one.key for one in CANDIDATES)])
    parser.add_argument("--section", action="append", default=[])
    parser.add_argument("--seeds", type=int, default=None)
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--kernel", action="store_true", help="make the sections on Linux in virtual time as well")
    given = parser.parse_args(arguments)
    less = [word for one in given.section for word in ("--section", one)]
    less += [] if given.seeds is None else ["--seeds", str(given.seeds)]
    threads = [] if given.threads is None else ["--threads", str(given.threads)]
    _write_polite()
    chosen = [(one, less) for one in CANDIDATES if not given.names or one.key in given.names]
    for one, options in [*chosen, *([(ON_LINUX, [])] if given.kernel else [])]:
        if _card(one.key) is None:
            file, _, how = one.needs.partition(": ")
            if file and not (ROOT / file).exists():
                sys.stderr.write(f"{one.key} needs {file}: {how}\n")
                return 1
            words = ["card", *shlex.split(one.arguments), "--quick", *options, "--out", str(_folder(one.key))]
            status = ackclock([*words, *threads])
            if status:
                return status
    found = {one.key: card for one in CANDIDATES if (card := _card(one.key)) is not None}
    (DOCS / "cards.md").write_text(page(found, less, _card(ON_LINUX.key)), encoding="utf-8")
    return 0


def _write_polite() -> None:
    """Writes the class that the documentation shows, so that its card is of what readers have."""
    text = (DOCS / "your-own-congestion-control.md").read_text(encoding="utf-8")
    block = text[text.index("    # polite.py") :].split("\n<!--")[0]
    MADE.mkdir(parents=True, exist_ok=True)
    POLITE.write_text(textwrap.dedent(block), encoding="utf-8")


def _folder(key: str) -> Path:
    return MADE / key.replace(":", "-")


def _card(key: str) -> dict[str, Any] | None:
    """The card of this version, if it is there."""
    try:
        card: dict[str, Any] = json.loads((_folder(key) / "card.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return card if card["engine"] == _core.engine()[:8] else None


def page(cards: dict[str, dict[str, Any]], options: Sequence[str] = (), kernel: dict[str, Any] | None = None) -> str:
    """The page. All cards have the sections of the first one, and its seeds unless the page says so."""
    first = next(iter(cards.values()))
    numbers = [one["section"] for one in first["sections"]]
    sections = "all sections" if len(numbers) == SECTIONS else f"the sections {', '.join(numbers)}"
    command = "".join(f" {one}" for one in options)
    engine = _core.engine()[:8]
    facts = {"version": _core.version(), "engine": engine, "command": command, "seeds": len(first["seeds"])}
    parts = [INTRODUCTION.format(sections=sections, **facts)]
    heads = ["as good", "better", "between", "worse"]
    rows = [[f"`{name}`", *(str(number) for number in _verdicts(card))] for name, card in cards.items()]
    parts.append(_table(["", *heads], rows))
    for name, card in cards.items():
        if len(card["seeds"]) != facts["seeds"]:
            seeds = f"The card of `{name}` has {len(card['seeds'])} seeds, because its runs take so long."
            parts.append(f"{seeds} Intervals are wide then, and a row is seldom worse: read the numbers.\n")
    parts.append("## Rows\n\nMeans over the seeds. The harm is that of Ware and others (HotNets 2019).\n")
    parts.append(_table(["", *(f"`{name}`" for name in cards)], [_numbers(row, cards) for row in ROWS]))
    parts.append("## Published results\n")
    parts.append(_table(["published", "source", "the cards", "shown"], list(_published(cards)), align="---"))
    if kernel is not None:
        parts.append(_on_linux(kernel, cards["bbr1"]))
    parts.append(FINDINGS)
    return "\n".join(parts)


def _on_linux(kernel: dict[str, Any], simulated: dict[str, Any]) -> str:
    """The rows of BBRv1's card on Linux beside the same rows of the simulator."""
    ours = {(row["section"], row["scenario"], row["point"], row["row"]): row for row in _rows(simulated)}
    rows = []
    for row in _rows(kernel):
        place = (row["section"], row["scenario"], row["point"], row["row"])
        here = ours[place]
        cells = [f"{row['scenario']}{', ' if row['point'] else ''}{row['point']}: {row['row']} ({row['unit']})"]
        for who in ("candidate", "cubic", "reno"):
            cells += ["" if (mean := one["mean"].get(who)) is None else f"{mean:.4g}" for one in (here, row)]
        rows.append([row["section"], *cells, here["verdict"], row["verdict"]])
    names = ("`bbr1`", "`cubic`", "`reno`", "verdict")
    heads = ["section", "row", *(f"{name}, {who}" for name in names for who in ("here", "Linux"))]
    return (
        "## Two sections on Linux\n\n"
        f"`ackclock card {ON_LINUX.arguments} --quick` runs the scenarios on Linux in virtual time, where all three "
        f"algorithms are the kernel's, under {len(kernel['seeds'])} seeds.\n\n" + _table(heads, rows)
    )


def _rows(card: dict[str, Any]) -> list[dict[str, Any]]:
    return [row | {"section": one["section"]} for one in card["sections"] for row in one["rows"]]


def _verdicts(card: dict[str, Any]) -> list[int]:
    rows = _rows(card)
    counts = {name: sum(row["verdict"] == name for row in rows) for name in ("as good", "between", "worse")}
    better = sum(row["better_than_cubic"] is True and row["verdict"] == "as good" for row in rows)
    return [counts["as good"], better, counts["between"], counts["worse"]]


def _mean(row: Row, card: dict[str, Any]) -> float | None:
    """The candidate's mean in a row of its card; None where it has none."""
    wanted = {"section": row.section, "scenario": row.scenario, "row": row.text}
    found = [one for one in _rows(card) if wanted.items() <= one.items() and row.point in ("", one["point"])]
    (one,) = found
    value: float | None = one["mean"].get("candidate")
    return value


def _numbers(row: Row, cards: dict[str, dict[str, Any]]) -> list[str]:
    values = [_mean(row, card) for card in cards.values()]
    return [row.title, *("" if one is None else f"{one:.3g}" for one in values)]


def _published(cards: dict[str, dict[str, Any]]) -> Sequence[list[str]]:
    rows = []
    for one in PUBLISHED:
        if all(name in cards for name in one.needs):
            numbers = one.numbers(lambda name, place: _mean(ROWS[place], cards[name]))
            rows.append([one.text, one.source, one.told.format(**numbers), "yes" if one.shows(numbers) else "**no**"])
    return rows


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], align: str = "---:") -> str:
    lines = [f"| {' | '.join(heads)} |", "|---" + f"|{align}" * (len(heads) - 1) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


if __name__ == "__main__":
    sys.exit(main())
