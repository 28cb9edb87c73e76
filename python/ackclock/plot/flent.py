"""Data files of flent (``NAME.flent.gz``, ``NAME.flent``) as measurements.

A data file is one JSON document, compressed or not: ``x_values`` are times in seconds, ``results`` has a list of values
or null for each series, and ``metadata`` tells the test and the units (flent's documentation, "The Data File Format").
"""

from __future__ import annotations

import gzip
import io
import json
import re
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.base import reading
from ackclock.plot.measured import MOST, MeasurementError, Series, Stream

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["document_of", "is_flent", "streams_of"]

LARGEST = 256 << 20
"""Bytes of a document at most, uncompressed."""

MAGIC = b"\x1f\x8b"
"""The first bytes of gzip."""

TRANSFER = re.compile(
    r"(?P<name>TCP (?:upload|download)(?:::\d+| (?!(?:avg|sum|fairness)$)[^:]+)?)(?:::(?P<of>tcp_\w+))?"
)
"""Series of one connection, and of what a socket says about it; means and sums are left out."""

PING = re.compile(r"Ping \(ms\) (?!avg)\S.*")

FACTORS = {"Mbits/s": 1e6, "Kbits/s": 1e3, "Gbits/s": 1e9, "bits/s": 1.0}
"""Units of flent's rates in bit/s."""


def document_of(path: Path | str) -> bytes:
    """The content of a file, uncompressed if it is compressed with gzip.

    Raises
    ------
    MeasurementError
        If the file is damaged or too large.
    OSError
        If the file cannot be read.
    """
    content = reading.contents(path, LARGEST)
    if not content.startswith(MAGIC):
        return content
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            content = file.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise MeasurementError(f"{path}: is compressed with gzip and damaged: {error}") from None
    if len(content) > LARGEST:
        raise MeasurementError(f"{path}: has more than {LARGEST} bytes; accepted: at most so many")
    return content


def is_flent(document: Any) -> bool:
    """Whether a JSON document is a data file of flent."""
    return isinstance(document, dict) and "x_values" in document and "results" in document


def streams_of(document: dict[str, Any], path: str) -> list[Stream]:
    """The connections of a test with their goodputs and SRTTs, and its pings with their times.

    Raises
    ------
    MeasurementError
        If the document is not as flent writes it, or has neither connections nor pings.
    """
    times, results = document["x_values"], document["results"]
    if not isinstance(times, list) or not isinstance(results, dict):
        raise MeasurementError(f"{path}: x_values and results are no list and no object; accepted: a file of flent")
    x = _numbers(times, f"{path}: x_values")
    if len(x) < 2 or np.isnan(x).any() or not (np.diff(x) > 0).all():
        raise MeasurementError(f"{path}: x_values are not two or more ascending times; accepted: a test over time")
    found: dict[str, dict[str, Series]] = {}
    for name, values in results.items():
        if not isinstance(values, list) or len(values) != len(x):
            raise MeasurementError(f"{path}: results[{name!r}] has not one value for each time")
        transfer = TRANSFER.fullmatch(name)
        if transfer is not None:
            own = _of_connection(transfer["of"], x, values, f"{path}: results[{name!r}]", _unit(document, name))
            if own:
                found.setdefault(transfer["name"], {}).update(own)
        elif PING.fullmatch(name) is not None:
            y = _numbers(values, f"{path}: results[{name!r}]")
            told = np.isfinite(y)
            if told.any():
                found[name] = {"ping_ms": Series(x[told], x[told], y[told])}
    if not found:
        raise MeasurementError(f"{path}: has no TCP upload, TCP download or Ping; accepted: rrul, tcp_nup and the like")
    return [Stream(name, own) for name, own in found.items()]


def _of_connection(
    of: str | None, x: NDArray[np.float64], values: list[Any], place: str, unit: str | None
) -> dict[str, Series]:
    y = _numbers(values, place)
    told = np.isfinite(y)
    if not told.any():
        return {}
    if of == "tcp_rtt":
        return {"srtt_ms": Series(x[told], x[told], y[told])}
    if of is not None:
        # The window is in packets, whose size the file does not have.
        return {}
    factor = FACTORS.get("Mbits/s" if unit is None else unit)
    if factor is None:
        raise MeasurementError(f"{place}: unknown unit {unit!r}; accepted: {', '.join(FACTORS)}")
    # A value is the mean since the time before.
    kept = told[1:]
    return {"goodput_bps": Series(x[:-1][kept], x[1:][kept], factor * y[1:][kept])}


def _unit(document: dict[str, Any], name: str) -> str | None:
    """The unit of a series; None if the file does not tell."""
    metadata = document.get("metadata")
    series = metadata.get("SERIES_META") if isinstance(metadata, dict) else None
    own = series.get(name) if isinstance(series, dict) else None
    unit = own.get("UNITS") if isinstance(own, dict) else None
    return unit if isinstance(unit, str) else None


def _numbers(values: list[Any], place: str) -> NDArray[np.float64]:
    """Numbers, with NaN for null."""
    for value in values:
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not -MOST <= value <= MOST:
            raise MeasurementError(f"{place}: {json.dumps(value)[:60]} is no number; accepted: numbers and null")
    return np.array([np.nan if value is None else float(value) for value in values], dtype=np.float64)
