"""Figures in matplotlib for papers: ``result.plot.window()`` of a run, and functions of samples by scheme.

>>> axes = result.plot.throughput()
>>> ackclock.plot.save(axes, "throughput.pdf")

Fonts are legible at the width of a column (3.5 inches), labels have units, there is no title, and legends are above the
data. `paper` applies the same style to other figures.
"""

from __future__ import annotations

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
