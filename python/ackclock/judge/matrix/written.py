"""The files of a matrix: a page, a document, and a table in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.base import files
from ackclock.judge.matrix.matrix import MAPS
from ackclock.judge.matrix.page import how, page

if TYPE_CHECKING:
    from pathlib import Path

    from ackclock.judge.matrix.matrix import Map, Matrix

__all__ = ["markdown", "write"]


def write(matrix: Matrix, folder: Path, command: str) -> None:
    """Writes ``matrix.html``, ``matrix.json`` and ``matrix.md`` into a folder."""
    page(matrix, command).write(folder / "matrix.html")
    files.write_json(folder / "matrix.json", matrix.document(command))
    files.write_text(folder / "matrix.md", markdown(matrix, command))


def markdown(matrix: Matrix, command: str = "") -> str:
    """The shares, the harm and the delays as tables in Markdown, one for each network."""
    lines = ["# Matrix of congestion controls", "", how(matrix)]
    if command:
        lines += ["", "The following command repeats the numbers:", "", "~~~", command, "~~~"]
    for network in matrix.networks:
        lines += ["", f"## {network.title}"]
        for one in MAPS:
            lines += ["", f"{one.label}:", "", *_table(matrix, network.name, one)]
    lines += ["", "## Runs that failed", "", *(f"- {one}" for one in matrix.failures)] if matrix.failures else []
    return "\n".join(lines) + "\n"


def _table(matrix: Matrix, network: str, one: Map) -> list[str]:
    columns = matrix.ordered()
    lines = [f"| row, beside the column | {' | '.join(columns)} |", f"|---|{'---:|' * len(columns)}"]
    for row in matrix.rows():
        cells = [matrix.cell(one, network, row, column) for column in columns]
        lines.append(f"| {row} | {' | '.join('-' if cell is None else f'{cell.value:.3g}' for cell in cells)} |")
    return lines
