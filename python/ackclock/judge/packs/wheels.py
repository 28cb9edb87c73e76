"""Whether the wheel in a pack is the ackclock that verifies the pack."""

from __future__ import annotations

import zipfile
from collections import Counter
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from ackclock import _core
from ackclock.base.shown import one_line
from ackclock.judge.packs.wheel import UNPACKED

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["foreign_files"]

NOT_IN_WHEELS = ("__pycache__",)
LOGS = ".learn.jsonl"
"""Ending of the names of searches' logs. These logs are in the sources alone (`exclude` in pyproject.toml)."""
LARGEST = 2**28
"""Most bytes of a file of a wheel."""
RECORD = "RECORD"


def foreign_files(wheel: Path) -> list[str]:
    """The files of a wheel that are not those of this ackclock, and this ackclock's that the wheel lacks.

    The compiled engine of a wheel for another system is one of them, as are files of a wheel of another version.
    RECORD, the wheel's own list of its files, is not looked at.
    """
    try:
        with zipfile.ZipFile(wheel) as archive:
            found = archive.infolist()
            names = Counter(one.filename for one in found)
            ours = dict(_files())
            wrong = [
                one.filename
                for one in found
                if not _is_record(one.filename)
                and (
                    one.filename not in ours
                    or one.file_size > LARGEST
                    or names[one.filename] > 1
                    or archive.read(one) != ours[one.filename].read_bytes()
                )
            ]
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError, OSError):
        return ["all of it: it is no wheel"]
    return [one_line(name) for name in [*wrong, *(name for name in ours if name not in names)]]


def _is_record(name: str) -> bool:
    return name.count("/") == 1 and name.endswith(f".dist-info/{RECORD}")


def _files() -> Iterator[tuple[str, Path]]:
    """The files of this ackclock by their names in a wheel."""
    package = Path(_core.__file__).parent
    for path in sorted(package.rglob("*")):
        place = path.relative_to(package.parent)
        if path.is_file() and not set(place.parts) & set(NOT_IN_WHEELS) and not path.name.endswith(LOGS):
            yield place.as_posix(), path
    for one in metadata.distribution("ackclock").files or []:
        if one.parts[0].endswith(".dist-info") and one.name not in UNPACKED and Path(str(one.locate())).is_file():
            yield one.as_posix(), Path(str(one.locate()))
