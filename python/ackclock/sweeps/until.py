"""More seeds where they are needed: until the interval of a measure is narrow enough at every point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ackclock.results.measure import Measure, MeasureError
from ackclock.stats import Precision
from ackclock.store.reader import open_store
from ackclock.sweeps.vary import SweepError

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from ackclock.sweeps.plan import Plan

__all__ = ["Until"]


@dataclass(frozen=True, slots=True)
class Until:
    """A rule for seeds: each point gets as many as the interval of its mean needs."""

    measure: Measure
    precision: Precision

    @classmethod
    def parse(cls, precision: str | Precision, measure: str | Measure | None) -> Until:
        """Reads ``ci=2%`` and ``flows.goodput_bps``.

        Raises
        ------
        SweepError
            If either cannot be read, with what is accepted.
        """
        if measure is None:
            raise SweepError("a precision is one of a measure: name it too, as flows.goodput_bps")
        try:
            parsed = measure if isinstance(measure, Measure) else Measure.parse(measure)
            wanted = Precision.parse(precision, parsed.unit) if isinstance(precision, str) else precision
        except (MeasureError, ValueError) as error:
            raise SweepError(str(error)) from None
        return cls(parsed, wanted)

    def terms(self) -> dict[str, Any]:
        """Values that identify the rule."""
        wanted = self.precision
        return {
            "measure": str(self.measure),
            "relative": wanted.relative,
            "absolute": wanted.absolute,
            "level": wanted.level,
            "least": wanted.least,
            "most": wanted.most,
        }

    def more(self, values: NDArray[np.float64], runs: int) -> int:
        """The number of runs to add at a point whose runs gave these values.

        A run without a value counts as spent: at a point that has none, more would not bring any.
        """
        return max(min(self.precision.more(values), self.precision.most - runs), 0) if values.size else 0

    def extend(self, plan: Plan, root: Path) -> bool:
        """Adds the seeds that points still need, after those they have; says whether any did."""
        with open_store(root, sweep=plan.id) as store:
            found = store.values(self.measure)
        seeds: dict[int, list[int]] = {}
        for run in plan.runs:
            seeds.setdefault(run.point, []).append(run.job.seed or 0)
        added = False
        for one in found:
            mine = seeds[one.point]
            more = self.more(one.values, len(mine))
            if more > 0:
                last = max(mine)
                plan.add(range(last + 1, last + 1 + more), [one.point])
                added = True
        return added
