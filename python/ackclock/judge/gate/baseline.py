"""The baseline of a gate: a text file that people read, change, and keep beside their code."""

from __future__ import annotations

import json
import math
import os
import re
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ackclock import _core
from ackclock._errors import RefusedError
from ackclock.base import files, reading
from ackclock.base.documents import DocumentError, check_texts
from ackclock.judge.gate.expected import DIRECTIONS, Expected
from ackclock.judge.gate.refused import GateError
from ackclock.results.measure import Measure, MeasureError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

__all__ = ["FIRST", "LEVEL", "MOST_SEEDS", "SEEDS", "Baseline", "Entry", "Made", "Values", "kind_of"]

FORMAT = "ackclock gate"
VERSION = 1
"""Version of the file's form."""
SEEDS = 20
"""Number of seeds of a new baseline."""
MOST_SEEDS = 200
FIRST = 6
"""Number of seeds of the first look: an interval at 95 % needs six pairs."""
LEVEL = 0.999
"""Probability that a gate raises no false alarm, over all measures of all scenarios together."""
MOST_BYTES = 1 << 25
"""Largest file that is read as a baseline, in bytes."""


def kind_of(backend: str) -> str:
    """The kind of a backend by its name: the simulator, the running kernel, or a kernel in virtual time."""
    return {"sim": "the simulator", "linux": "the running kernel"}.get(backend, "a kernel in virtual time")


@dataclass(frozen=True, slots=True)
class Made:
    """The build that values come from."""

    version: str
    """Version of ackclock."""
    engine: str
    """Digest of the engine's code."""
    backend: str = "sim"
    """``sim``, ``linux`` in real time, or ``linux:`` with the version of a kernel in virtual time."""
    kernel: str = ""
    """Digest of a kernel in virtual time, or the version of the running kernel."""
    algorithms: Mapping[str, str] = field(default_factory=dict)
    """Congestion controls in Python: name to the digest of the source."""

    @property
    def kind(self) -> str:
        """The kind of the backend; values of different kinds are not compared."""
        return kind_of(self.backend)

    def __str__(self) -> str:
        parts = [f"ackclock {self.version}", f"engine {self.engine}"]
        if self.backend != "sim":
            parts.append(self.backend + (f" ({self.kernel})" if self.kernel else ""))
        return ", ".join([*parts, *(f"{name} {source}" for name, source in sorted(self.algorithms.items()))])


@dataclass(frozen=True, slots=True)
class Values:
    """A measure of a scenario and its value under each seed."""

    expected: Expected
    """The measure with direction and tolerance."""
    values: tuple[float, ...]
    """Values in the order of the seeds."""

    @property
    def mean(self) -> float:
        """The mean over all seeds."""
        return math.fsum(self.values) / len(self.values)

    @property
    def tolerance(self) -> float:
        """The change that does not matter, in the unit of the measure."""
        return self.expected.tolerance(self.mean)


@dataclass(frozen=True, slots=True)
class Entry:
    """A scenario of the baseline."""

    hash: str
    """16 hexadecimal digits that name the scenario without its seed and without the sources of congestion controls."""
    made: Made
    """The build that the values come from."""
    updated: str
    """Date of the last update, as 2026-11-25."""
    reason: str
    """Reason of the last update."""
    seeds: tuple[int, ...]
    """The seeds, in the order in which gates use them."""
    measures: tuple[Values, ...]
    """The measures with their values."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The values that a gate compares new runs with."""

    scenarios: Mapping[str, Entry]
    """Entries by the name of the scenario's file without its ending."""
    level: float = LEVEL
    """Probability that a gate raises no false alarm."""
    first: int = FIRST
    """Number of seeds of the first look."""

    @classmethod
    def read(cls, path: Path) -> Baseline:
        """Reads a baseline.

        Raises
        ------
        GateError
            With everything that is wrong with the file.
        """
        try:
            data = reading.contents(path, MOST_BYTES)
        except FileNotFoundError:
            raise GateError(f"{path}: no such file; make it with --update --reason TEXT") from None
        except OSError as error:
            raise GateError(f"{path}: cannot be read: {error.strerror}") from None
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            raise GateError(f"{path}: not UTF-8 text at byte {error.start}") from None
        conflict = re.search(r"(?m)^(<{7}|={7}|>{7})( |$)", text)
        if conflict:
            line = text.count("\n", 0, conflict.start()) + 1
            raise GateError(
                f"{path}: line {line}: a conflict of a merge; take one side, or the baseline anew: --update"
            )
        repeated: list[str] = []
        try:
            document = json.loads(text, object_pairs_hook=lambda pairs: _once(pairs, repeated))
            check_texts(text, document)
        except DocumentError as error:
            raise GateError(f"{path}: {error}") from None
        except json.JSONDecodeError as error:
            raise GateError(f"{path}: line {error.lineno}: not JSON: {error.msg}; the file is damaged") from None
        except (ValueError, RecursionError):
            raise GateError(f"{path}: not a baseline: a number is too long, or it is nested too deeply") from None
        if repeated:
            raise GateError.of(str(path), [f"{key} stands twice in one table" for key in repeated])
        return _Reader(str(path)).baseline(document)

    def text(self) -> str:
        """The file's content: sorted, one line per value or list, so that versions differ in few lines."""
        scenarios = {name: _entry_document(one) for name, one in self.scenarios.items()}
        about = {"format": FORMAT, "version": VERSION, "level": self.level, "first": self.first}
        return _lines(about | {"scenarios": scenarios}) + "\n"

    def renew(self, path: Path, names: Iterable[str], old: Baseline | None) -> Baseline:
        """Writes the scenarios of these names into the file, whole or not at all, and keeps its other scenarios.

        Another update of the file may have ended since `old` was read, so that it is read again, under a lock.

        Parameters
        ----------
        path
            The file.
        names
            The scenarios of this baseline that are new.
        old
            What the file had when this baseline was made; None if there was no file.

        Returns
        -------
        Baseline
            What the file has now.

        Raises
        ------
        GateError
            If the file is damaged, or another update of it holds the lock for longer than a minute.
        OSError
            If the file cannot be written.
        """
        with _alone(path):
            now = Baseline.read(path) if path.exists() else None
            whole = self
            if now is not None and now != old:
                renewed = {name: self.scenarios[name] for name in names}
                before = self if old is None else old
                level = now.level if self.level == before.level else self.level
                first = now.first if self.first == before.first else self.first
                whole = Baseline({**now.scenarios, **renewed}, level, first)
            whole.write(path)
        return whole

    def write(self, path: Path) -> None:
        """Writes the file whole or not at all.

        Raises
        ------
        OSError
            If the file cannot be written.
        """
        files.write_text(path, self.text())


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Holds the lock of baselines, where the system has locks and a folder for them.

    All baselines have one lock, which is held while a file is written, so that no folder fills with locks.
    """
    if os.name == "nt":
        yield
        return
    from ackclock.kernel import turns

    with ExitStack() as stack:
        try:
            stack.enter_context(turns.turn("gates", f"another update than that of {path}", PATIENCE_S))
        except turns.BusyError as error:
            raise GateError(str(error)) from None
        except (RefusedError, OSError):
            # There is no folder for locks. An update that ends between the look and the writing is then lost.
            pass
        yield


PATIENCE_S = 60.0
"""Seconds that an update waits for others to write their files."""


def _once(pairs: list[tuple[str, Any]], repeated: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            repeated.append(json.dumps(key))
        found[key] = value
    return found


def _entry_document(entry: Entry) -> dict[str, Any]:
    made: dict[str, Any] = {"version": entry.made.version, "engine": entry.made.engine, "backend": entry.made.backend}
    if entry.made.kernel:
        made["kernel"] = entry.made.kernel
    if entry.made.algorithms:
        made["algorithms"] = dict(entry.made.algorithms)
    measures = {
        one.expected.measure: {
            "direction": one.expected.direction,
            "relative": one.expected.relative,
            "absolute": one.expected.absolute,
            "unit": Measure.parse(one.expected.measure).unit,
            "values": list(one.values),
        }
        for one in entry.measures
    }
    return {
        "hash": entry.hash,
        "made": made,
        "updated": entry.updated,
        "reason": entry.reason,
        "seeds": list(entry.seeds),
        "measures": measures,
    }


def _lines(value: Any, indent: str = "") -> str:
    """JSON with sorted keys and lists on one line."""
    if not isinstance(value, dict) or not value:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    inner = indent + "  "
    rows = [f"{inner}{json.dumps(key, ensure_ascii=False)}: {_lines(value[key], inner)}" for key in sorted(value)]
    return "{\n" + ",\n".join(rows) + f"\n{indent}}}"


class _Reader:
    """Turns a document into a baseline, and collects everything that is wrong with it."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.problems: list[str] = []

    def baseline(self, document: Any) -> Baseline:
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise GateError(f'{self.source}: not a baseline of a gate, which has "format": "{FORMAT}"')
        if document.get("version") != VERSION:
            raise GateError(
                f"{self.source}: version {json.dumps(document.get('version'))} of the form; this ackclock, "
                f"{_core.version()}, reads version {VERSION}; use the ackclock that wrote it, or take it anew: --update"
            )
        table = self.table("", document, ("format", "version", "level", "first", "scenarios"))
        if not table:
            raise GateError.of(self.source, self.problems)
        level = self.number("level", table.get("level"), 0.95, 1, "a number from 0.95 to below 1")
        first = self.whole("first", table.get("first"), FIRST, MOST_SEEDS)
        scenarios = self.table("scenarios", table.get("scenarios"))
        entries = {name: self.entry(f"scenarios.{name}", one) for name, one in scenarios.items()}
        if self.problems:
            raise GateError.of(self.source, self.problems)
        return Baseline({name: one for name, one in entries.items() if one is not None}, level, first)

    def entry(self, path: str, given: Any) -> Entry | None:
        table = self.table(path, given, ("hash", "made", "updated", "reason", "seeds", "measures"))
        if not table:
            return None
        made = self.made(f"{path}.made", table.get("made"))
        texts = {key: self.text(f"{path}.{key}", table.get(key)) for key in ("hash", "updated", "reason")}
        seeds = table.get("seeds")
        if not (
            isinstance(seeds, list)
            and 1 <= len(seeds) <= MOST_SEEDS
            and all(type(one) is int and 0 <= one < 2**64 for one in seeds)
            and len({*seeds}) == len(seeds)
        ):
            self.problems.append(f"{path}.seeds: expected 1 to {MOST_SEEDS} different whole numbers")
            seeds = []
        measures = self.table(f"{path}.measures", table.get("measures"))
        if not measures:
            self.problems.append(f"{path}.measures: expected at least one measure")
        found = [self.values(f"{path}.measures.{name}", name, one, len(seeds)) for name, one in measures.items()]
        kept = tuple(one for one in found if one is not None)
        return Entry(texts["hash"], made, texts["updated"], texts["reason"], tuple(seeds), kept)

    def made(self, path: str, given: Any) -> Made:
        table = self.table(path, given, ("version", "engine", "backend"), ("kernel", "algorithms"))
        if not table:
            return Made("", "")
        texts = {key: self.text(f"{path}.{key}", table.get(key)) for key in ("version", "engine", "backend")}
        kernel = self.text(f"{path}.kernel", table["kernel"]) if "kernel" in table else ""
        sources = self.table(f"{path}.algorithms", table.get("algorithms", {}))
        algorithms = {name: self.text(f"{path}.algorithms.{name}", one) for name, one in sources.items()}
        return Made(**texts, kernel=kernel, algorithms=algorithms)

    def values(self, path: str, name: str, given: Any, count: int) -> Values | None:
        table = self.table(path, given, ("direction", "relative", "absolute", "unit", "values"))
        if not table:
            return None
        before = len(self.problems)
        try:
            measure = Measure.parse(name)
            measure.check()
        except MeasureError as error:
            self.problems.append(f"{path}: {error}")
        else:
            if table.get("unit") != measure.unit:
                self.problems.append(
                    f"{path}.unit: {json.dumps(table.get('unit'))}; this ackclock has {json.dumps(measure.unit)}"
                )
        direction = table["direction"]
        if direction not in DIRECTIONS:
            near = _core.suggestion(str(direction), list(DIRECTIONS))
            self.problems.append(f"{path}.direction: {json.dumps(direction)}; accepted: {', '.join(DIRECTIONS)}{near}")
        relative, absolute = (
            self.number(f"{path}.{key}", table.get(key), 0, math.inf, "a number of at least 0")
            for key in ("relative", "absolute")
        )
        values = table["values"]
        if not (isinstance(values, list) and all(_is_number(one) for one in values)):
            self.problems.append(f"{path}.values: expected a list of numbers")
        elif len(values) != count and count:
            self.problems.append(f"{path}.values: {len(values)} values for {count} seeds; the file is damaged")
        if len(self.problems) > before:
            return None
        return Values(Expected(name, direction, relative, absolute), tuple(float(one) for one in values))

    def table(
        self, path: str, given: Any, needed: tuple[str, ...] | None = None, optional: tuple[str, ...] = ()
    ) -> dict[str, Any]:
        if not isinstance(given, dict):
            self.problems.append(f"{path or 'the file'}: expected a table")
            return {}
        if needed is not None:
            dot = f"{path}." if path else ""
            accepted = [*needed, *optional]
            for key in given:
                if key not in accepted:
                    near = _core.suggestion(key, accepted)
                    self.problems.append(f"{dot}{key}: unknown; accepted: {', '.join(accepted)}{near}")
            missing = [key for key in needed if key not in given]
            self.problems += [f"{dot}{key}: missing" for key in missing]
            if missing:
                return {}
        return given

    def text(self, path: str, given: Any) -> str:
        if not (isinstance(given, str) and given.strip()):
            self.problems.append(f"{path}: {json.dumps(given)}; expected a text")
            return ""
        return given

    def number(self, path: str, given: Any, least: float, below: float, expected: str) -> float:
        if not (_is_number(given) and least <= given < below):
            self.problems.append(f"{path}: {json.dumps(given)}; expected {expected}")
            return least
        return float(given)

    def whole(self, path: str, given: Any, least: int, most: int) -> int:
        if not (type(given) is int and least <= given <= most):
            self.problems.append(f"{path}: {json.dumps(given)}; expected a whole number from {least} to {most}")
            return least
        return given


def _is_number(value: Any) -> bool:
    # The integers of Python can be larger than any float.
    return type(value) in (int, float) and abs(value) < 1e300
