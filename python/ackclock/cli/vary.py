"""The points of a sweep, as the command line spells them."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

from ackclock.base import reading
from ackclock.base.near import near_path
from ackclock.cli.output import UsageError
from ackclock.sweeps.vary import WEIGHT, LatinHypercube, Points, Range, is_weight

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ackclock.sweeps.vary import Vary

__all__ = ["points_in", "vary_of"]

EXAMPLE = "for example --vary 'flows[0].cc=cubic,reno' or --vary bottleneck.rate=1Mbps,10Mbps"
RANGE_EXAMPLE = "for example --vary bottleneck.rate=1Mbps..100Mbps:log"


def vary_of(given: Sequence[str], points: Path | None, hypercube: int | None, seed: int) -> Vary | None:
    """The points that the options ask for.

    Raises
    ------
    UsageError
        If an option cannot be understood, or two options contradict each other.
    """
    if points is not None and hypercube is not None:
        raise UsageError("--points has its own values: leave out --lhs")
    split = dict(_split(one) for one in given)
    if len(split) < len(given):
        raise UsageError("--vary names a path twice; give its values once, with commas between them")
    if hypercube is not None:
        if not split:
            raise UsageError(f"--lhs needs --vary with a range, {RANGE_EXAMPLE}")
        if hypercube < 1:
            raise UsageError(f"--lhs {hypercube}: expected a whole number of at least 1")
        return LatinHypercube(
            {path: _range(text) or _values(path, text) for path, text in split.items()}, hypercube, seed
        )
    for path, text in split.items():
        if _range(text) is not None:
            raise UsageError(f"--vary {path}={text}: a range goes with --lhs N, the number of points")
    grid = {path: _values(path, text) for path, text in split.items()}
    if points is not None:
        return Points(points_in(points), grid) if grid else points_in(points)
    return grid or None


def points_in(path: Path) -> list[dict[str, object]]:
    """The points of a CSV file: each column is a path, and each line is a point. The column weight has its weight.

    Raises
    ------
    UsageError
        If the file cannot be read, or a line has another number of columns than the first.
    """
    try:
        lines = list(csv.reader(reading.text(path).splitlines()))
    except OSError as error:
        near = near_path(path, "*.csv") if isinstance(error, FileNotFoundError) else ""
        raise UsageError(f"{path}: cannot be read: {error.strerror}{near}") from None
    except (ValueError, csv.Error) as error:
        raise UsageError(f"{path}: not a CSV file: {error}") from None
    if len(lines) < 2:
        raise UsageError(f"{path}: expected a line of paths, and below it a line for each point")
    paths = [name.strip() for name in lines[0]]
    if len({*paths}) < len(paths) or not all(paths):
        raise UsageError(f"{path}: line 1: expected different paths of the scenario, found {', '.join(paths)}")
    for number, line in enumerate(lines[1:], 2):
        if len(line) != len(paths):
            raise UsageError(
                f"{path}: line {number}: found {len(line)} values, expected {len(paths)}, one for each path in line 1"
            )
    points = [dict(zip(paths, (_value(cell.strip()) for cell in line), strict=True)) for line in lines[1:]]
    if WEIGHT in paths:
        wrong = [
            f"line {number}: {one[WEIGHT]!r}" for number, one in enumerate(points, 2) if not is_weight(one[WEIGHT])
        ]
        if wrong:
            raise UsageError(f"{path}: {WEIGHT}: {', '.join(wrong)}; accepted: a finite number of at least 0")
    return points


def _split(one: str) -> tuple[str, str]:
    path, equals, text = one.partition("=")
    if not equals or not path.strip() or not text.strip():
        raise UsageError(f"--vary {one}: expected PATH=VALUE,VALUE,..., {EXAMPLE}")
    return path.strip(), text.strip()


def _values(path: str, text: str) -> list[object]:
    """The values between commas. Commas inside brackets and quotes do not count."""
    parts, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "[{":
            depth += 1
        elif character in "]}":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append("")
            continue
        parts[-1] += character
    values = [part.strip() for part in parts]
    if not all(values):
        raise UsageError(f"--vary {path}={text}: a value is empty; {EXAMPLE}")
    return [_value(value) for value in values]


def _value(text: str) -> object:
    # Python converts no whole number of thousands of digits: as a text, it is refused where it is read.
    if re.fullmatch(r"[-+]?[0-9]{1,400}", text):
        return int(text)
    if re.fullmatch(r"[-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?", text):
        return float(text)
    return {"true": True, "false": False}.get(text, text)


def _range(text: str) -> Range | None:
    """The range of ``1Mbps..100Mbps``; ``:log`` at the end samples evenly over the logarithm."""
    match = re.fullmatch(r"([^,]+?)\.\.([^,]+?)(:log)?", text)
    if match is None or not re.match(r"[-+0-9.]", match[1]):
        return None
    low, high = (_value(end) for end in match.group(1, 2))
    return Range(low, high, log=match[3] is not None)  # type: ignore[arg-type]
