"""The studies that shaped the field, one command each.

A study is a package beside this file with scenarios (TOML), the published claims as data (``claims.toml``), a page
(``README.md``: question, set-up, unknowns, result) and a module with ``STUDY``, an `ackclock.studies.framework.Study`.
A new study needs its folder and a line in `STUDIES`. The package ``framework`` has the parts that studies share.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ackclock.base import files
from ackclock.base.progress import reporter
from ackclock.engine.run import SIM
from ackclock.studies.framework import Lab, Study

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ackclock.studies.framework import StudyResult

__all__ = ["RUNS", "STUDIES", "catalogue", "get", "live_names", "names", "reproduce"]

RUNS = "runs"
"""The store in the folder of a study's results."""

STUDIES = {
    "newcwv-dash": "ackclock.studies.newcwv_dash",
    "newcwv-http": "ackclock.studies.newcwv_http",
    "newcwv-sharing": "ackclock.studies.newcwv_sharing",
    "iw10": "ackclock.studies.iw10",
    "iw10-aqm": "ackclock.studies.iw10_aqm",
    "irto": "ackclock.studies.irto",
    "freebsd-prr": "ackclock.studies.freebsd_prr",
    "freebsd-newcwv": "ackclock.studies.freebsd_newcwv",
    "response-functions": "ackclock.studies.response_functions",
    "munir-fairness": "ackclock.studies.munir_fairness",
    "transocean": "ackclock.studies.transocean",
    "remy": "ackclock.studies.remy",
    "satellite": "ackclock.studies.satellite",
    "bbr-loss": "ackclock.studies.bbr_loss",
    "bbr-when": "ackclock.studies.bbr_when",
    "bbr-share": "ackclock.studies.bbr_share",
    "dctcp": "ackclock.studies.dctcp",
    "l4s": "ackclock.studies.l4s",
    "gcc-queues": "ackclock.studies.gcc_queues",
    "scream-l4s": "ackclock.studies.scream_l4s",
    "call-newcwv": "ackclock.studies.call_newcwv",
    "calls-together": "ackclock.studies.calls_together",
}
"""Name on the command line to module."""


def names() -> list[str]:
    """The studies, in order."""
    return list(STUDIES)


def get(name: str) -> Study:
    """A study by its name.

    Raises
    ------
    KeyError
        If no study has that name.
    """
    if name not in STUDIES:
        raise KeyError(f"no study {name!r}; there are {', '.join(STUDIES)}")
    study: Study = importlib.import_module(STUDIES[name]).STUDY
    return study


def live_names() -> list[str]:
    """The studies that have a part for the running kernel, in order."""
    return [name for name in STUDIES if get(name).live is not None]


def catalogue() -> list[dict[str, str]]:
    """Name, summary and source of every study."""
    studies = [(name, get(name)) for name in STUDIES]
    return [{"name": name, "summary": study.summary, "source": study.source} for name, study in studies]


def reproduce(
    name: str,
    *,
    quick: bool = False,
    out: Path | None = None,
    threads: int | None = None,
    progress: bool | Callable[[float], object] = False,
    backend: str = SIM,
) -> StudyResult:
    """Reproduces a study and, with `out`, writes its report, verdicts and tables there, whole or not at all.

    With the backend ``linux``, the study's live part runs over the sockets of the running kernel, beside the simulator
    under the same settings. Only the studies of `live_names` have one.

    The folder ``runs`` in `out` is a store of all measured numbers, with one sweep or more. A study that was stopped
    continues from this store.
    """
    if out is not None:
        files.check_folder(out, kept=RUNS)
    with reporter(progress, name) as report:
        lab = Lab(quick, threads, report, root=None if out is None else out / RUNS)
        study = get(name)
        result = study.reproduce(lab) if backend == SIM else study.reproduce_live(lab)
    if out is not None:
        with files.output_folder(out, kept=RUNS) as folder:
            result.write(folder)
    return result
