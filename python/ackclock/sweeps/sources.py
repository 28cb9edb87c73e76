"""Sources that a sweep needs besides its scenarios: files that these name, and congestion controls of the user."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from ackclock.base import files, reading
from ackclock.cc import registry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ackclock.store.layout import Layout
    from ackclock.sweeps.plan import Point

__all__ = ["Reference", "algorithms_of", "keep_files", "references"]

Reference = tuple[str, str, str]
"""The key of a file's path in a scenario, the path, and the file's SHA-256 in hexadecimal."""
DIGEST = "sha256"


def references(canonical: object, folder: str, at: str = "") -> Iterator[Reference]:
    """The files that a canonical scenario names: its tables with a digest have one other text, which is the path."""
    if isinstance(canonical, list):
        for number, one in enumerate(canonical):
            yield from references(one, folder, f"{at}[{number}]")
    if isinstance(canonical, dict):
        digest = canonical.get(DIGEST)
        for key, value in canonical.items():
            place = f"{at}.{key}" if at else key
            if isinstance(digest, str) and key != DIGEST and isinstance(value, str):
                path = Path(folder) / value
                if path.is_file():
                    yield place, str(path), digest
            else:
                yield from references(value, folder, place)


def keep_files(points: Iterable[Point], layout: Layout) -> None:
    """Copies the files that the points name into the store, each under its digest.

    A file that has changed since the points were checked is not copied.
    """
    for _, path, digest in {one[2]: one for point in points for one in point.files}.values():
        target = layout.sources / digest
        if target.exists():
            continue
        data = reading.contents(path)
        if hashlib.sha256(data).hexdigest() == digest:
            layout.sources.mkdir(exist_ok=True)
            files.write_bytes(target, data)


def algorithms_of(points: Sequence[Point]) -> dict[str, tuple[str, str] | None]:
    """The registered congestion controls that points name: source of its row to the name and text of its file.

    One whose class is in no file has none, and can be repeated nowhere else.
    """
    named = {name for point in points for name in point.algorithms}
    rows = [row for row in registry.rows() if row["name"] in named]
    return {row["source"]: registry.text_of(row["name"]) for row in rows}
