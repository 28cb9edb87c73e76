"""The framework of the studies: it runs their experiments, judges their claims and writes their reports.

A study is a package in ``ackclock.studies`` with a `Study` named ``STUDY``. The function ``run`` of the study receives
the `Study` and a `Lab`, and returns an `Outcome`. The parts are:

- `Reading`, `Variant` and `Grid` describe and hold measured numbers: readings of the original x variants x seeds.
- `Lab` runs a grid or a list of `Experiment`, as a sweep into a store.
- `Claim` is one published claim of ``claims.toml``. `assess` gives the verdict from measured estimates.
- `Study`, `Outcome`, `Sheet` and `StudyResult` are the entry of a study, its own results, its tables, and the
  assembled result.
- `Study.nulls` names how the mechanisms of a study are removed; the module `nulls` measures the claims without them.
- The module `sweep` has sweeps of one parameter, and ``setups`` has set-ups that several studies share.

A study imports nothing from another study, and the framework imports nothing from a study.
"""

from ackclock.studies.framework import nulls
from ackclock.studies.framework.claims import (
    CAUSES,
    NO_NULL,
    VERDICTS,
    Cause,
    Claim,
    ClaimResult,
    Kind,
    NullReading,
    Verdict,
    assess,
    combined,
    judge,
    load_claims,
    with_null,
)
from ackclock.studies.framework.grid import (
    ALL_CELLS,
    Grid,
    Reading,
    Variant,
    command_of,
    geometric,
    hash_of,
    hashes,
    job,
)
from ackclock.studies.framework.lab import Experiment, Lab, Removal, StudyError
from ackclock.studies.framework.study import Outcome, Sheet, Study, StudyResult, assess_all, side_sheet, study_file

__all__ = [
    "ALL_CELLS",
    "CAUSES",
    "NO_NULL",
    "VERDICTS",
    "Cause",
    "Claim",
    "ClaimResult",
    "Experiment",
    "Grid",
    "Kind",
    "Lab",
    "NullReading",
    "Outcome",
    "Reading",
    "Removal",
    "Sheet",
    "Study",
    "StudyError",
    "StudyResult",
    "Variant",
    "Verdict",
    "assess",
    "assess_all",
    "combined",
    "command_of",
    "geometric",
    "hash_of",
    "hashes",
    "job",
    "judge",
    "load_claims",
    "nulls",
    "side_sheet",
    "study_file",
    "with_null",
]
