"""Prints the oldest supported versions of the Python dependencies, for pip: the floors of pyproject.toml as pins.

The tools of the tests come in the versions of requirements.txt. ``make oldest`` installs all of them and runs tests.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

__all__ = ["OTHERS", "TOOLS", "floors", "pins"]

ROOT = Path(__file__).parents[2]

EXTRAS = ("cluster", "plot", "serve", "worst")
"""The optional dependencies of users; those of tests have no floor that anybody relies on."""

TOOLS = ("hypothesis", "jsonschema", "pytest", "pytest-xdist")
"""The packages that the tests need besides."""

OTHERS = ("pandas", "polars", "pyarrow<21", "scipy")
"""The packages to which tests hand tables, and with whose numbers they compare, in versions that go with the oldest
numpy."""


def floors() -> list[str]:
    """The requirements that pyproject.toml states as ``NAME>=VERSION``."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [requirement for extra in EXTRAS for requirement in project["optional-dependencies"][extra]]
    return [*project["dependencies"], *extras]


def pins() -> list[str]:
    """Each floor, and each tool of the tests, as ``NAME==VERSION``; then the names of the others."""
    locked = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    tools = [line for line in locked if line.split("==")[0] in TOOLS]
    return [*(re.sub(r"^([\w-]+)>=([\w.]+)$", r"\1==\2", floor) for floor in floors()), *tools, *OTHERS]


if __name__ == "__main__":
    print("\n".join(pins()))  # noqa: T201
