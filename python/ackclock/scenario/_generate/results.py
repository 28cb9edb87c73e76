"""The properties of results, one for each declared table, as Python."""

from __future__ import annotations

import textwrap

from ackclock.results.declared import TABLES
from ackclock.scenario._generate.text import formatted

__all__ = ["FILE", "properties"]

FILE = "results/tables.py"
"""Path of the module from the folder of the package."""

HEAD = '''"""Tables of results. Written by ackclock.scenario._generate from the declarations; not to be edited."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ackclock.base.table import Table

__all__ = ["NamedTables"]


class NamedTables(ABC):
    """A property for each table that a run may give."""

    @abstractmethod
    def _table(self, name: str) -> Table:
        """The table with a name."""
'''


def properties() -> str:
    """The text of the module."""
    parts = [HEAD]
    for name, table in TABLES.items():
        lines = []
        for paragraph in table["about"].replace("`", "``").split("\n\n"):
            lines += [*textwrap.wrap(paragraph, 108, break_long_words=False, break_on_hyphens=False), ""]
        body = textwrap.indent("\n".join(lines).rstrip(), " " * 8).strip()
        end = "\n        " if len(lines) > 2 else ""
        parts.append(
            f'    @property\n    def {name}(self) -> Table:\n        """{body}{end}"""\n'
            f'        return self._table("{name}")\n'
        )
    return formatted("\n".join(parts))
