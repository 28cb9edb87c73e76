"""The tables and designs that come with ackclock."""

from __future__ import annotations

from pathlib import Path

__all__ = ["DELTAS", "DESIGNS", "TABLES", "design", "designs", "shipped"]

HERE = Path(__file__).parent
TABLES = HERE / "tables"
DESIGNS = HERE / "designs"
DELTAS = ("0.1", "1", "10")
"""The weights of the delay of the tables, as in the paper."""


def shipped(delta: str) -> Path:
    """The table for a delta of `DELTAS` on the published design range."""
    return TABLES / f"delta{delta}.dna"


def designs() -> list[str]:
    """The names of the designs, for `design` and in place of a path on the command line."""
    return sorted(path.stem for path in DESIGNS.glob("*.toml"))


def design(name: str) -> Path:
    """The file of a design."""
    return DESIGNS / f"{name}.toml"
