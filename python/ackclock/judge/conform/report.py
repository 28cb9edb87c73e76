"""Verdicts of cases over seeds, as documents, tables and files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ackclock.base import files
from ackclock.judge.conform.perform import FAIL, NOT_APPLICABLE, PASS, perform

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from ackclock.judge.conform.case import Case
    from ackclock.judge.conform.perform import Found, Outcome, Subject

__all__ = ["Judged", "Line", "conform", "document", "write"]


@dataclass(frozen=True)
class Line:
    """A check with its values under all seeds."""

    found: tuple[Found, ...]

    @property
    def verdict(self) -> str:
        """A check fails if it fails under one seed; it passes if it passes under one; else it is not applicable."""
        return _worst([one.verdict for one in self.found])

    @property
    def shown(self) -> str:
        """The value, or the smallest and the largest value; of texts each once. Without a value, the reason."""
        check = self.found[0].check
        numbers = [float(one.value) for one in self.found if isinstance(one.value, int | float)]
        parts = list(dict.fromkeys(one.shown for one in self.found if not isinstance(one.value, int | float)))
        if numbers:
            low, high = f"{min(numbers):.4g}", f"{max(numbers):.4g}"
            parts.insert(0, f"{low if low == high else f'{low} to {high}'} {check.unit}".rstrip())
        return "; ".join(parts)

    def document(self) -> dict[str, Any]:
        """The check for JSON."""
        check = self.found[0].check
        return {
            "check": check.text,
            "measure": check.measure,
            "values": [one.value for one in self.found],
            "unit": check.unit,
            "accepted": check.accepted,
            "low": check.low,
            "high": check.high,
            "equals": check.equals,
            "basis": check.basis,
            "how": check.how,
            "verdict": self.verdict,
            "reason": "; ".join(dict.fromkeys(one.reason for one in self.found if one.reason)),
        }


@dataclass(frozen=True)
class Judged:
    """A case with its outcomes under all seeds."""

    case: Case
    outcomes: tuple[Outcome, ...]

    @property
    def verdict(self) -> str:
        """A case fails if it fails under one seed."""
        return _worst([one.verdict for one in self.outcomes])

    @property
    def reason(self) -> str:
        """The reasons why the case, or some of its checks, are not applicable, or why it could not be checked."""
        return "; ".join(dict.fromkeys(one.why for one in self.outcomes if one.why))

    @property
    def lines(self) -> list[Line]:
        """The checks. There are none if the case is not applicable as a whole."""
        outcomes = [one.found for one in self.outcomes if one.found]
        return [Line(tuple(found)) for found in zip(*outcomes, strict=True)]

    @property
    def told(self) -> Outcome:
        """The outcome whose figure is drawn: the first that fails, or else the first."""
        return next((one for one in self.outcomes if one.verdict == FAIL), self.outcomes[0])

    def document(self) -> dict[str, Any]:
        """The case for JSON."""
        return {
            "number": self.case.number,
            "name": self.case.name,
            "title": self.case.title,
            "verdict": self.verdict,
            "reason": self.reason,
            "checks": [line.document() for line in self.lines],
        }


def conform(
    chosen: Iterable[Case],
    subject: Subject,
    seeds: Sequence[int] = (1,),
    progress: Callable[[Judged], object] = lambda _: None,
) -> list[Judged]:
    """Runs cases under seeds, one after the other, and calls `progress` after each case.

    Raises
    ------
    ScenarioError
        If the stack under test, or an override, is not accepted.
    """
    judged = []
    for case in chosen:
        one = Judged(case, tuple(perform(case, subject, seed) for seed in seeds))
        progress(one)
        judged.append(one)
    return judged


def document(judged: Sequence[Judged], suite: str, subject: Subject, seeds: Sequence[int]) -> dict[str, Any]:
    """Everything for JSON."""
    return {
        "suite": suite,
        "flow": subject.fields(),
        "backend": subject.backend,
        "set": [f"{path}={value}" for path, value in subject.overrides],
        "seeds": list(seeds),
        "cases": [one.document() for one in judged],
        "summary": {verdict: sum(one.verdict == verdict for one in judged) for verdict in (PASS, FAIL, NOT_APPLICABLE)},
    }


def write(judged: Sequence[Judged], whole: dict[str, Any], folder: Path) -> None:
    """Writes ``conform.json`` and a figure of each case that ran, ``NUMBER-NAME.svg``, into a folder."""
    from ackclock.judge.conform.figure import figure
    from ackclock.plot.canvas import figure_of, save

    files.write_json(folder / "conform.json", whole)
    for one in judged:
        evidence = one.told.evidence
        if evidence is None:
            continue
        from matplotlib import pyplot as plt

        axes = figure(evidence)
        save(axes, folder / f"{one.case.number:02}-{one.case.name}.svg")
        plt.close(figure_of(axes))


def _worst(verdicts: Sequence[str]) -> str:
    return next(verdict for verdict in (FAIL, PASS, NOT_APPLICABLE) if verdict in verdicts)
