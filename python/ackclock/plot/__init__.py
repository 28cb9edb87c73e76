"""Figures in matplotlib for papers: ``result.plot.window()`` of a run, and functions of samples by scheme.

>>> axes = result.plot.throughput()
>>> ackclock.plot.save(axes, "throughput.pdf")

Fonts are legible at the width of a column (3.5 inches), labels have units, there is no title, and legends are above the
data. `paper` applies the same style to other figures.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ackclock.base import extras

if TYPE_CHECKING:
    from ackclock.plot.canvas import COLUMN, PAPER, paper, save
    from ackclock.plot.heatmap import benefit_map
    from ackclock.plot.run import Plot
    from ackclock.plot.samples import benefit_curves, cdfs, throughput_delay

__all__ = [
    "COLUMN",
    "PAPER",
    "Plot",
    "benefit_curves",
    "benefit_map",
    "cdfs",
    "paper",
    "save",
    "throughput_delay",
]

_HOMES = {
    "COLUMN": "canvas",
    "PAPER": "canvas",
    "Plot": "run",
    "benefit_curves": "samples",
    "benefit_map": "heatmap",
    "cdfs": "samples",
    "paper": "canvas",
    "save": "canvas",
    "throughput_delay": "samples",
}
"""Modules of the names: colours and series of figures are used without matplotlib."""

if not TYPE_CHECKING:  # A type checker that sees it takes every name for one of these.

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module 'ackclock.plot' has no attribute {name!r}")
        extras.require("matplotlib", "figures")
        value = getattr(import_module(f"ackclock.plot.{_HOMES[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
