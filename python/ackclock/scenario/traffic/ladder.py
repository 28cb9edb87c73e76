"""Tables of the sizes of video segments as ladders of the application ``dash``.

A table is text: a column for each bitrate and a row for each segment, with bytes in the cells. The first row has the
bitrates, as ``300kbps`` or as bit/s. Columns are separated by commas, semicolons, tabs or spaces.

    300kbps,750kbps,1.2Mbps
    181801,450283,668286
    155580,398865,611087

The other common form is a folder with a file of sizes for each bitrate, one size in a line; `columns` joins such files.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from ackclock.base import reading
from ackclock.scenario.traffic.mpd import MOST_BYTES, MOST_SEGMENTS, ManifestError, Presentation

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["ManifestError", "Presentation", "columns", "read_table"]

RATE = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>bps|kbps|Mbps|Gbps|bit/s|kbit/s|Mbit/s|Gbit/s)?", re.ASCII)
FACTORS = {"k": 1e3, "M": 1e6, "G": 1e9}
SEPARATOR = re.compile(r"[,;\t ]+")


def read_table(path: Path | str, segment_s: float) -> Presentation:
    """Reads a table with a column for each bitrate and a row for each segment.

    Parameters
    ----------
    path
        The table.
    segment_s
        Playing time of a segment in seconds, which the table does not have.

    Raises
    ------
    ManifestError
        If the file is no such table. The message names the line.
    OSError
        If the file cannot be read.
    """
    rows = [(number, SEPARATOR.split(line.strip(",; \t"))) for number, line in enumerate(_lines(path), 1) if line]
    if len(rows) < 2:
        raise ManifestError(f"{path}: expected a line of bitrates and a line for each segment")
    (number, names), *cells = rows
    rates = [_rate(f"{path}: line {number}", name) for name in names]
    sizes: list[list[int]] = [[] for _ in rates]
    for number, row in cells:
        if len(row) != len(rates):
            raise ManifestError(
                f"{path}: line {number}: {len(row)} sizes; accepted: {len(rates)}, one for each bitrate"
            )
        for column, cell in zip(sizes, row, strict=True):
            column.append(_size(f"{path}: line {number}", cell))
    return _presentation(str(path), rates, sizes, segment_s)


def columns(files: Mapping[float, Path | str], segment_s: float) -> Presentation:
    """Joins files that have the sizes of one bitrate each, one size in a line.

    Parameters
    ----------
    files
        Bitrate in bit/s to its file.
    segment_s
        Playing time of a segment in seconds.

    Raises
    ------
    ManifestError
        If a file has something else, or the files have different numbers of segments.
    OSError
        If a file cannot be read.
    """
    if not files:
        raise ManifestError("no file is given; expected a file for each bitrate")
    sizes = []
    for path in files.values():
        sizes.append([_size(f"{path}: line {number}", line) for number, line in enumerate(_lines(path), 1) if line])
        if len(sizes[-1]) != len(sizes[0]):
            raise ManifestError(f"{path}: has {len(sizes[-1])} sizes; accepted: {len(sizes[0])}, as the first file")
    return _presentation(
        ", ".join(map(str, files.values())), [_rate("a bitrate", f"{one:f}") for one in files], sizes, segment_s
    )


def _lines(path: Path | str) -> list[str]:
    content = reading.contents(path, MOST_BYTES)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ManifestError(f"{path}: is no text; accepted: a table of sizes") from None
    return [line.partition("#")[0].strip() for line in text.splitlines()]


def _rate(place: str, text: str) -> int:
    found = RATE.fullmatch(text)
    if found is None or float(found["number"]) <= 0:
        raise ManifestError(f"{place}: {text!r} is no bitrate; accepted: a rate such as 750kbps, or a number of bit/s")
    return round(float(found["number"]) * FACTORS.get((found["unit"] or "")[:1], 1.0))


def _size(place: str, text: str) -> int:
    if not re.fullmatch(r"\d{1,12}", text, re.ASCII) or int(text) == 0:
        raise ManifestError(f"{place}: {text!r} is no size; accepted: a whole number of bytes above zero")
    return int(text)


def _presentation(place: str, rates: list[int], sizes: list[list[int]], segment_s: float) -> Presentation:
    if not (math.isfinite(segment_s) and segment_s > 0):
        raise ManifestError(f"a segment of {segment_s:g} s: expected a playing time above zero")
    if len(set(rates)) < len(rates):
        raise ManifestError(f"{place}: a bitrate occurs twice; accepted: each once")
    if not sizes[0]:
        raise ManifestError(f"{place}: has no sizes; accepted: at least one segment")
    if len(sizes[0]) > MOST_SEGMENTS:
        raise ManifestError(f"{place}: has {len(sizes[0])} segments; accepted: at most {MOST_SEGMENTS}")
    order = sorted(range(len(rates)), key=rates.__getitem__)
    return Presentation(
        ladder_bps=tuple(rates[at] for at in order),
        segment_s=segment_s,
        segments=len(sizes[0]),
        sizes=tuple(tuple(sizes[at]) for at in order),
        latency_s=None,
    )
