"""The floors of the crates and of the Python rooms, from the table in DESIGN.md."""

from tests.helpers.places import ROOT

CRATES, ROOMS = 1, 2
"""Columns of the table."""


def floors(column):
    """The names on each floor, from the lowest."""
    section = (ROOT / "DESIGN.md").read_text(encoding="utf-8").partition("\n### Floors\n")[2]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in row] for row in rows]
    # The head and the line below it come first, and the next table is of another section.
    numbered = [row for row in cells[2:] if row[0].isdecimal()]
    assert [int(row[0]) for row in numbered] == list(range(1, len(numbered) + 1))
    return [set(row[column].split(", ")) for row in numbered if row[column]]
