"""The files of a card: a page, a document, an appendix, and the scenarios that `ackclock run` repeats."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from ackclock.base import files
from ackclock.judge.card.candidate import CANDIDATE
from ackclock.judge.card.markdown import markdown
from ackclock.judge.card.page import page
from ackclock.judge.card.perform import scenario_of
from ackclock.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ackclock.judge.card.card import Card
    from ackclock.scenario import Text

__all__ = ["file_of", "write"]


def write(card: Card, folder: Path) -> None:
    """Writes ``card.html``, ``card.json``, ``appendix.md`` and the scenarios with the candidate into a folder.

    The first two have the name of the suite.
    """
    page(card).write(folder / f"{card.suite.name}.html")
    files.write_json(folder / f"{card.suite.name}.json", card.document())
    files.write_text(folder / "appendix.md", markdown(card))
    scenarios = folder / "scenarios"
    scenarios.mkdir()
    for cell in card.plan.cells:
        if (cell.section.number, cell.scenario.name, cell.point.name, CANDIDATE) in card.plan.refused:
            continue
        text, overrides = scenario_of(cell, card.candidate, CANDIDATE)
        point = re.sub(r"[^a-z0-9.]+", "-", cell.point.name.lower()).strip("-")
        name = "-".join(filter(None, (cell.section.number, cell.scenario.name, point)))
        seeds = f"--seeds {len(card.plan.seeds)}"
        files.write_text(scenarios / f"{name}.toml", file_of(name, [cell.scenario.summary], text, overrides, seeds))


def file_of(name: str, about: Sequence[str], text: Text, overrides: Sequence[tuple[str, str]], options: str) -> str:
    """The file of a scenario, with what it is about and the command that runs it at its head.

    The overrides are part of the command: their values are texts that the reader of scenarios reads.
    """
    settings = "".join(f" --set {_quoted(f'{path}={value}')}" for path, value in overrides)
    head = "".join(f"# {line}\n" for line in about) + f"#   ackclock run {name}.toml {options}{settings}\n"
    return head + Scenario.load(text).to_toml()


def _quoted(text: str) -> str:
    return shlex.quote(text) if re.search(r"[^A-Za-z0-9_.=%\[\]-]", text) else text
