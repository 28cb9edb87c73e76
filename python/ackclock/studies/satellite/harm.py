"""Harm to the other applications (Ware, Mukerjee, Seshan, Sherry, HotNets 2019), against NewReno in the same place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.studies.satellite.cells import HSTCP, NEWRENO

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid

__all__ = ["APPLICATIONS", "DEFINITIONS", "MEAN_HARM", "Application", "mean_harm", "of", "relative_to_hstcp"]

MEAN_HARM = "mean of the five"


@dataclass(frozen=True, slots=True)
class Application:
    """An application beside the variant's flows, and the measure of its performance."""

    label: str
    measure: str
    more_is_better: bool
    least: float = 0.0
    """The least value of the measure, from which it is counted."""


WEB, PAGES = "web pages of 2500 B", "pages of 64 kB"
HFTP = Application("HFTP", "hftp_mbps", more_is_better=True)
FTP64 = Application("64-packet FTP", "ftp64_mbps", more_is_better=True)
CALL = Application("call", "mos", more_is_better=True)

APPLICATIONS = (
    Application(WEB, "web_mean_s", more_is_better=False),
    Application(PAGES, "http_mean_s", more_is_better=False),
    HFTP,
    FTP64,
    CALL,
)
"""The applications with the measures of the main definition."""

DEFINITIONS = {
    "medians of the pages": (
        Application(WEB, "web_s", more_is_better=False),
        Application(PAGES, "http_s", more_is_better=False),
        HFTP,
        FTP64,
        CALL,
    ),
    "MOS from 1": (*APPLICATIONS[:-1], Application("call", "mos", more_is_better=True, least=1.0)),
}
"""The definitions of harm beside the main one."""


def of(grid: Grid, reading: str, variant: str, application: Application) -> NDArray[np.float64]:
    """The harm of a variant to an application in per cent, one number a seed."""
    measured, solo = (
        grid.values(reading, one, application.measure) - application.least for one in (variant, NEWRENO.name)
    )
    if application.more_is_better:
        return np.asarray(100 * (solo - measured) / solo, dtype=np.float64)
    return np.asarray(100 * (measured - solo) / measured, dtype=np.float64)


def mean_harm(
    grid: Grid, reading: str, variant: str, applications: tuple[Application, ...] = APPLICATIONS
) -> NDArray[np.float64]:
    """The mean harm of a variant to all applications in per cent, one number a seed."""
    return np.asarray(np.mean([of(grid, reading, variant, one) for one in applications], axis=0), dtype=np.float64)


def relative_to_hstcp(
    grid: Grid, reading: str, variant: str, applications: tuple[Application, ...] = APPLICATIONS
) -> Estimate:
    """The mean harm of a variant less that of HSTCP, in points, over paired seeds."""
    pair = mean_harm(grid, reading, variant, applications), mean_harm(grid, reading, HSTCP.name, applications)
    return stats.paired_difference(*pair)
