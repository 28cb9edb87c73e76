"""A report: one self-contained HTML file that opens without a network, on a phone as on a desk, light or dark.

>>> report = Report("Title")
>>> report.add_claims(documents)
>>> report.add_figure(Plot("cwnd", "time (s)", "cwnd (kB)", [Series("reno", time, cwnd, colour_of(0), "step")], seed=1))
>>> report.write(Path("report.html"))
"""

from __future__ import annotations

from ackclock.plot.palette import colour_of
from ackclock.report.choice import Choice, Panels
from ackclock.report.clouds import Cloud, Clouds
from ackclock.report.figures import Intervals, Plot, Reference, Row, Series
from ackclock.report.front import front_page
from ackclock.report.heatmap import HeatMap
from ackclock.report.page import Figure, Report

__all__ = [
    "Choice",
    "Cloud",
    "Clouds",
    "Figure",
    "HeatMap",
    "Intervals",
    "Panels",
    "Plot",
    "Reference",
    "Report",
    "Row",
    "Series",
    "colour_of",
    "front_page",
]
