"""The files of a search: a page, a document, the scenario, and its figure where matplotlib is installed."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from ackclock.base import files
from ackclock.engine.run import run
from ackclock.judge.card.written import file_of
from ackclock.judge.worst.page import page
from ackclock.judge.worst.search import scenarios_of

if TYPE_CHECKING:
    from pathlib import Path

    from ackclock.judge.worst.search import Found
    from ackclock.results.result import Result

__all__ = ["run_of", "scenario_of", "write"]

NAME = "worst"


def write(found: Found, folder: Path, command: str) -> None:
    """Writes ``worst.html``, ``worst.json``, ``worst.toml`` and, with matplotlib, ``worst.png`` into a folder."""
    made = run_of(found)
    page(found, made, command).write(folder / f"{NAME}.html")
    files.write_json(folder / f"{NAME}.json", found.document() | {"command": command})
    files.write_text(folder / f"{NAME}.toml", scenario_of(found))
    if find_spec("matplotlib") is not None:
        from ackclock.judge.worst.figure import figure
        from ackclock.plot.canvas import save

        save(figure(found, made), folder / f"{NAME}.png")


def scenario_of(found: Found) -> str:
    """The case as the file of a scenario."""
    text, overrides = scenarios_of(found.case, found.candidate, found.goal, found.bounds)[0]
    damage = f"{found.goal.text}: {found.damage:.4g} {found.goal.unit} with {found.candidate.title}."
    return file_of(NAME, [*found.case.told(), damage], text, overrides, f"--seed {found.seed}")


def run_of(found: Found) -> Result:
    """The run of the case under the seed of the search."""
    text, overrides = scenarios_of(found.case, found.candidate, found.goal, found.bounds)[0]
    return run(text, seed=found.seed, overrides=overrides)
