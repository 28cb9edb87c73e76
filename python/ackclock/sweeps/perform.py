"""Doing one run of a sweep, wherever that is: what comes of it, as the bytes that a store keeps."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, Any

from arro3.core import Array, DataType, Field, RecordBatch, Schema
from arro3.core import Table as ArrowTable

from ackclock._errors import AlgorithmError, Cancelled, TransportError
from ackclock.engine.run import run_job
from ackclock.results.measure import MEASURES
from ackclock.store.packed import Record, pack
from ackclock.store.provenance import build

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock._core import Cancel
    from ackclock.base.progress import ProgressCallback
    from ackclock.engine.run import Job
    from ackclock.engine.threads import Worker
    from ackclock.results.result import Result
    from ackclock.sweeps.plan import Keep

__all__ = ["perform"]


def perform(
    key: str,
    job: Job,
    scenario_hash: str,
    name: str,
    keep: Keep,
    cancel: Cancel,
    progress: ProgressCallback,
    worker: Worker[Job, Result] = run_job,
) -> tuple[bytes, bool]:
    """Does a run and packs it, and says whether it went well; a run that fails is packed with its error.

    Raises
    ------
    Cancelled
        If `cancel` asked for it.
    MemoryError
        If this machine has not enough: another start may.
    """
    record = Record(
        run=key,
        scenario_hash=scenario_hash,
        seed=0 if job.seed is None else job.seed,
        version=build(),
        name=name,
        duration_s=None,
        status="done",
        error=None,
        details=None,
    )
    try:
        result = worker(job, cancel, progress)
        tables = _kept(result, keep)
    except (Cancelled, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 -- one run's failure, whatever it is, is a result of the sweep
        return pack(_failed(record, error), {}), False
    except BaseException as error:
        # A panic of the engine arrives as this class of PyO3, which cannot be imported.
        if type(error).__name__ != "PanicException":
            raise
        return pack(_failed(record, error), {}), False
    record["duration_s"] = result.meta["duration_s"]
    return pack(record, tables), True


def _kept(result: Result, keep: Keep) -> dict[str, Any]:
    wanted = (
        result.tables
        if keep.tables is None
        else {name: result.tables[name] for name in keep.tables if name in result.tables}
    )
    tables: dict[str, Any] = dict(wanted)
    if keep.measure is not None:
        tables[MEASURES] = _row(keep.measure(result))
    return tables


def _row(measured: Mapping[str, float]) -> ArrowTable:
    """One row of numbers; one that is none is NaN, for an empty cell says that nobody measured it."""
    if "run" in measured:
        raise ValueError("a measure cannot be called run: the table has a column of that name")
    cells = {name: float(value) for name, value in measured.items()}
    schema = Schema([Field(name, DataType.float64()) for name in cells])
    arrays = [Array([value], type=DataType.float64()) for value in cells.values()]
    return ArrowTable.from_batches([RecordBatch.from_arrays(arrays, schema=schema)])


def _failed(record: Record, error: BaseException) -> Record:
    text = str(error) if isinstance(error, AlgorithmError | TransportError) else f"{type(error).__name__}: {error}"
    told = "".join(traceback.format_exception(error.__cause__ or error))
    return record | {"status": "failed", "error": text, "details": told}
