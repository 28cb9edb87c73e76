"""The runs of a sweep as columns: a sweep may have a million of them, and a tuple for each takes ten times as much."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ackclock.base.documents import parse_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

__all__ = ["CHUNK", "Holders", "Keys", "Requested", "Runs", "split"]

CHUNK = 1 << 16
"""Runs of which there are Python objects at the same time."""

KEY = re.compile(r"[0-9A-Za-z_-]{1,64}")
"""The key of a run, which is a few letters and digits."""

BEGIN = '\n  "runs": [\n'
END = "\n  ]\n}\n"
NUMBER = r"(0|[1-9]\d{0,19})"
ENTRY = re.compile(rf'    \[\n      "([0-9A-Za-z_-]{{1,64}})",\n      {NUMBER},\n      {NUMBER}\n    \],\n', re.ASCII)
FRAME = len('    [\n      "",\n      ,\n      \n    ],\n')
PIECE = 1 << 22
"""Characters of a document that are read at once."""


class Keys(Sequence[str]):
    """Keys of runs, each of which takes as many bytes as the longest."""

    __slots__ = ("column",)

    def __init__(self, keys: Iterable[str] | NDArray[np.bytes_] = ()) -> None:
        """Takes keys, or a column of them.

        Raises
        ------
        ValueError
            If a key is not one of a run.
        """
        if isinstance(keys, np.ndarray):
            self.column: NDArray[np.bytes_] = keys
            return
        given = list(keys)
        wrong = next((key for key in given if not (isinstance(key, str) and KEY.fullmatch(key))), None)
        if wrong is not None:
            raise ValueError(f"{str(wrong)[:64]!r} is no key of a run")
        self.column = np.array(given, dtype=np.bytes_)

    def __len__(self) -> int:
        return int(self.column.size)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Keys: ...
    def __getitem__(self, place: int | slice) -> str | Keys:
        if isinstance(place, slice):
            return Keys(self.column[place])
        return bytes(self.column[place]).decode("ascii")

    def __iter__(self) -> Iterator[str]:
        for begin in range(0, len(self), CHUNK):
            yield from self.texts(begin)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and key.isascii() and bool((self.column == key.encode("ascii")).any())

    def texts(self, begin: int) -> list[str]:
        """The keys from a place on, at most `CHUNK` of them."""
        texts: list[str] = self.column[begin : begin + CHUNK].astype(np.str_).tolist()
        return texts


class Runs(Sequence[tuple[str, int, int, str]]):
    """The key, the number of the point, the seed and the scenario hash of every run, in the order of the sweep."""

    __slots__ = ("hashes", "keys", "points", "seeds")

    def __init__(self, keys: Keys, points: NDArray[np.int64], seeds: NDArray[np.uint64], hashes: Sequence[str]) -> None:
        self.keys = keys
        self.points = points
        self.seeds = seeds
        self.hashes = hashes
        """The scenario hash of every point."""

    def __len__(self) -> int:
        return len(self.keys)

    @overload
    def __getitem__(self, place: int) -> tuple[str, int, int, str]: ...
    @overload
    def __getitem__(self, place: slice) -> Runs: ...
    def __getitem__(self, place: int | slice) -> tuple[str, int, int, str] | Runs:
        if isinstance(place, slice):
            return Runs(self.keys[place], self.points[place], self.seeds[place], self.hashes)
        point = int(self.points[place])
        return self.keys[place], point, int(self.seeds[place]), self.hashes[point]

    def __iter__(self) -> Iterator[tuple[str, int, int, str]]:
        for begin in range(0, len(self), CHUNK):
            own = slice(begin, begin + CHUNK)
            rows = zip(self.keys.texts(begin), self.points[own].tolist(), self.seeds[own].tolist(), strict=True)
            for key, point, seed in rows:
                yield key, point, seed, self.hashes[point]


class Requested(Sequence[list[Any]]):
    """The runs as they are in the document of a sweep: a list of key, number of the point and seed for each."""

    __slots__ = ("runs",)

    def __init__(self, runs: Runs) -> None:
        self.runs = runs

    def __len__(self) -> int:
        return len(self.runs)

    @overload
    def __getitem__(self, place: int) -> list[Any]: ...
    @overload
    def __getitem__(self, place: slice) -> Requested: ...
    def __getitem__(self, place: int | slice) -> list[Any] | Requested:
        return Requested(self.runs[place]) if isinstance(place, slice) else [*self.runs[place][:3]]

    def __iter__(self) -> Iterator[list[Any]]:
        for key, point, seed, _ in self.runs:
            yield [key, point, seed]


class Holders:
    """Index of the parts of a store that hold a run."""

    def __init__(self, parts: Sequence[Keys]) -> None:
        keys = np.concatenate([np.array([], dtype=np.bytes_), *(one.column for one in parts)])
        order = np.argsort(keys, kind="stable")
        self._keys = keys[order]
        self._parts = np.repeat(np.arange(len(parts), dtype=np.int32), [len(one) for one in parts])[order]

    def of(self, keys: NDArray[np.bytes_]) -> list[int]:
        """The numbers of the parts that hold one of the runs."""
        begin = np.searchsorted(self._keys, keys, side="left")
        end = np.searchsorted(self._keys, keys, side="right")
        found: set[int] = set()
        # A run is in more than one part where a store is damaged.
        while (left := begin < end).any():
            found.update(np.unique(self._parts[begin[left]]).tolist())
            begin = begin + 1
        return sorted(found)


Columns = tuple[Keys, "NDArray[np.int64]", "NDArray[np.uint64]"]


def split(text: str) -> tuple[dict[str, Any], Columns]:
    """The document of a sweep without its runs, and the keys, points and seeds of these.

    Raises
    ------
    ValueError
        If the text is no document of a sweep, or a run is not three values of the right kinds.
    """
    begin = text.find(BEGIN)
    # No text of JSON has a line break, so that these are the brackets of the list as ackclock writes it.
    if begin >= 0 and text.endswith(END):
        columns = _as_written(text, begin + len(BEGIN))
        if columns is not None:
            return parse_object(f"{text[:begin]}{BEGIN}  ]\n}}"), columns
    document = parse_object(text)
    found = [(key, point, seed) for key, point, seed in document["runs"]]
    for _, point, seed in found:
        for value, most in ((point, 2**63), (seed, 2**64)):
            if type(value) is not int or not 0 <= value < most:
                raise ValueError(f"{value} is no number from 0 to {most - 1}")
    points = np.array([point for _, point, _ in found], dtype=np.int64)
    return document, (Keys(key for key, _, _ in found), points, np.array([seed for *_, seed in found], dtype=np.uint64))


def _as_written(text: str, begin: int) -> Columns | None:
    """The columns of the list that begins there, as far as it has the form in which ackclock writes it."""
    end = len(text) - len(END)
    keys, points, seeds = [], [], []
    while begin < end:
        cut = text.find("\n    ],\n", begin + PIECE, end)
        stop = end if cut < 0 else cut + len("\n    ],\n")
        # The last entry has no comma.
        piece = text[begin:stop] + (",\n" if stop == end else "")
        found = ENTRY.findall(piece)
        if sum(len(key) + len(point) + len(seed) + FRAME for key, point, seed in found) != len(piece):
            return None
        try:
            keys.append(np.array([key for key, _, _ in found], dtype=np.bytes_))
            points.append(np.array([int(point) for _, point, _ in found], dtype=np.int64))
            seeds.append(np.array([int(seed) for _, _, seed in found], dtype=np.uint64))
        except OverflowError:
            return None
        begin = stop
    if not keys:
        return None
    return Keys(np.concatenate(keys)), np.concatenate(points), np.concatenate(seeds)
