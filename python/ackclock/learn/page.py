"""The page of a table: its training, its rules and their use, and its evaluation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock.learn.evaluation import QUEUE, Evaluation, evaluate
from ackclock.learn.log import Log, log_of
from ackclock.plot.palette import VARIANTS
from ackclock.report import Intervals, Plot, Report, Row, Series

if TYPE_CHECKING:
    from ackclock.base.progress import ProgressCallback
    from ackclock.learn.evaluation import Cell

__all__ = ["page", "write_page"]

INFINITE = 16_384.0
"""Upper bound of the memory in a table that covers all of it."""
SHOWN_SPECIMENS = 16


def write_page(
    table: str | Path,
    to: str | Path,
    *,
    count: int = 8,
    threads: int | None = None,
    folder: str | Path = "",
    progress: ProgressCallback | None = None,
) -> Evaluation:
    """Evaluates a trained table, whose log is beside it, and writes its page.

    `count` is the number of networks of each kind on which the schemes are compared; `folder` is the one in which the
    files that the design names are.

    Raises
    ------
    LogError
        If there is no log beside the table.
    """
    table = Path(table)
    log = Log.read(log_of(table))
    evaluation = evaluate(
        log.design, table, log.settings, folder=Path(folder), count=count, threads=threads, progress=progress
    )
    page(log, evaluation).write(Path(to))
    return evaluation


def page(log: Log, evaluation: Evaluation) -> Report:
    """The page of an evaluation."""
    settings = log.settings
    objective = (
        "-1/throughput" if settings["objective"] == "inverse" else f"log(throughput) - {settings['delta']:g} log(delay)"
    )
    used = sum(1 for rule in evaluation.rules if rule["uses"])
    report = Report(
        f"{evaluation.table}: a congestion control found by search",
        subtitle=f"{len(evaluation.rules)} rules for {objective}; score {evaluation.score:.4f} on networks of the "
        "design that the search did not train on",
    )
    report.open_with(_training(log, used))
    report.add_figure(_progress(log))
    _add_comparison(report, evaluation)
    _add_rules(report, evaluation)
    _add_use(report, evaluation)
    report.add_text(f"## The design\n\n```toml\n{log.design.rstrip()}\n```\n")
    report.add_table("Settings of the search", ["setting", "value"], [[key, value] for key, value in settings.items()])
    return report


def _training(log: Log, used: int) -> str:
    counts = {"improve": 0, "slow": 0, "keep": 0, "split": 0}
    why = "The search has not ended: the table is the best one so far."
    for line in log.decisions:
        decision = json.loads(line)
        if decision["do"] in counts:
            counts[decision["do"]] += 1
        if decision["do"] == "finish":
            why = f"The search ended: {decision['why']}."
    return (
        f"{why} {counts['improve']} actions were improved, {counts['slow']} made slower without a loss, "
        f"{counts['keep']} times no candidate was better, and {counts['split']} rules were split, in "
        f"{log.cpu_s / 3600:.2f} CPU hours with seed {log.settings['seed']}. {used} rules are in use on the networks "
        "of the evaluation."
    )


def _progress(log: Log) -> Plot:
    scores: dict[str, tuple[list[float], list[float]]] = {
        "training networks": ([], []),
        "validation networks": ([], []),
    }
    for number, line in enumerate(log.decisions, 1):
        decision = json.loads(line)
        name = {"improve": "training networks", "slow": "training networks", "validate": "validation networks"}.get(
            decision["do"]
        )
        # The scores of the first rules are far below all others, and would leave no room for them.
        if name is not None:
            scores[name][0].append(number)
            scores[name][1].append(decision["score"])
    colours = list(VARIANTS.values())
    series = [
        Series(name, x, y, colours[index], "points" if name.startswith("validation") else "line")
        for index, (name, (x, y)) in enumerate(scores.items())
        if x
    ]
    caption = (
        "Mean objective of a flow. The training networks are drawn anew at each split of a rule, so their scores "
        "compare only between two splits."
    )
    series = series or [Series("no decision yet", [0.0], [0.0], colours[0])]
    return Plot("Score of the search", "decision", "score", series, caption=caption, from_zero=False)


def _add_comparison(report: Report, evaluation: Evaluation) -> None:
    schemes = list(dict.fromkeys(scheme for _, scheme in evaluation.cells))
    colours = dict(zip(schemes, VARIANTS.values(), strict=False))
    rows: list[list[object]] = []
    figures: dict[str, list[Row]] = {"mbps": [], "delay_ms": []}
    for (network, scheme), cell in evaluation.cells.items():
        rows.append([network, scheme, *_cells(cell)])
        figures["mbps"].append(Row(network, scheme, cell.mbps, colours[scheme]))
        figures["delay_ms"].append(Row(network, scheme, cell.delay_ms, colours[scheme]))
    if not rows:
        return
    queue = (
        f"a queue of {QUEUE}, because the design's queue has no limit" if evaluation.limited else "the design's queue"
    )
    caption = (
        "Medians with 95 % intervals over the networks that were drawn; the same networks and seeds for all schemes, "
        f"with {queue}. Other networks than those of the design say how far the table carries."
    )
    report.add_figure(Intervals("Throughput of a flow, while it is on", "Mbit/s", figures["mbps"], caption=caption))
    report.add_figure(Intervals("Queueing delay", "ms", figures["delay_ms"], caption=caption))
    columns = ["networks", "scheme", "Mbit/s", "low", "high", "queueing delay ms", "low", "high"]
    report.add_table("The same as numbers", columns, rows)


def _cells(cell: Cell) -> list[object]:
    numbers = [
        cell.mbps.value,
        cell.mbps.low,
        cell.mbps.high,
        cell.delay_ms.value,
        cell.delay_ms.low,
        cell.delay_ms.high,
    ]
    return [round(number, 3) for number in numbers]


def _range(low: float, high: float) -> str:
    return f"{low:.4g} and more" if high >= INFINITE else f"{low:.4g} to {high:.4g}"


def _add_rules(report: Report, evaluation: Evaluation) -> None:
    total = sum(rule["uses"] for rule in evaluation.rules) or 1
    order = sorted(enumerate(evaluation.rules), key=lambda pair: (-pair[1]["uses"], pair[0]))
    rows = [
        [
            number,
            f"{100 * rule['uses'] / total:.2f}",
            *(_range(low, high) for low, high in zip(rule["lower"], rule["upper"], strict=True)),
            round(rule["multiple"], 4),
            rule["increment"],
            round(rule["intersend"], 4),
        ]
        for number, rule in order
    ]
    axes = ["send_ewma (ms)", "ack_ewma (ms)", "rtt_ratio", "slow_ack_ewma (ms)"][: len(evaluation.rules[0]["lower"])]
    columns = ["rule", "uses %", *axes, "m", "b (segments)", "tau (ms)"]
    caption = (
        "At each ACK the rule whose range contains the sender's memory gives the window m * cwnd + b and the least "
        "time tau between two segments. The memory holds moving averages of the times between sent segments and "
        "between ACKs, and the last RTT over the smallest."
    )
    report.add_table("The rules, the most used first", columns, rows, caption=caption)


def _add_use(report: Report, evaluation: Evaluation) -> None:
    totals = [rule["uses"] for rule in evaluation.rules]
    most = sorted(range(len(totals)), key=lambda rule: (-totals[rule], rule))[:6]
    rows: list[list[object]] = []
    for number, specimen in enumerate(evaluation.specimens[:SHOWN_SPECIMENS], 1):
        uses = sum(specimen["uses"]) or 1
        drawn: dict[str, Any] = dict(specimen["drawn"])
        shares = [f"{100 * specimen['uses'][rule] / uses:.1f}" for rule in most]
        rows.append([number, *drawn.values(), round(specimen["score"] / max(specimen["flows"], 1), 3), *shares])
    names = list(dict(evaluation.specimens[0]["drawn"]))
    columns = ["network", *names, "score", *(f"rule {rule} %" for rule in most)]
    caption = "Share of the ACKs of each network on which a rule was used, for the rules that are used most."
    report.add_table("Which network uses which rule", columns, rows, caption=caption)
