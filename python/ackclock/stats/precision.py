"""The number of replications for an interval of a given width, and a rule for adding replications."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock.base.quantities import RATES, TIMES, VOLUMES
from ackclock.stats.estimate import Estimate, check_level
from ackclock.stats.intervals import mean, t_quantile

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["Precision", "replications_needed"]

UNITS = {
    "bps": {name: float(factor) for name, factor in RATES.items()},
    "s": {name: factor / 1e9 for name, factor in TIMES.items()},
    "bytes": {"B": 1.0, "bytes": 1.0} | {name: float(factor) for name, factor in VOLUMES.items()},
}
"""Units of scenarios, each with its factor to the base unit of its group."""

LEAST, MOST = 10, 1000

LARGEST = 2**53
"""Largest number of replications that a float counts exactly."""


def replications_needed(
    pilot: Estimate | ArrayLike, *, half_width: float | None = None, relative: float | None = None
) -> int:
    """The total number of replications for an interval of the given half-width, estimated from a pilot.

    Parameters
    ----------
    pilot
        An estimate from a pilot's replications, or the replications themselves, whose mean at 95 % is then used.
    half_width
        Wanted half-width, in the unit of the estimate.
    relative
        Wanted half-width as a share of the estimate, 0.02 for 2 %; instead of `half_width`.

    Returns
    -------
    int
        For Student t intervals, the smallest n from 2 on for which t(n - 1) s / sqrt(n) is at most the half-width (Law
        2015, *Simulation Modeling and Analysis*, section 9.4.1). For bootstrap intervals, the pilot's n times the
        square of the pilot's half-width over the wanted one: the standard error of means, quantiles and their
        differences falls with the root of n (Serfling 1980, section 2.3.3).

    Raises
    ------
    ValueError
        If not exactly one of both widths is given, or it is not above zero; if the pilot has no interval; if the width
        is relative to zero; or if more than 2^53 replications are needed.

    Notes
    -----
    The deviation of the pilot is itself an estimate. With 10 replications, the true deviation is at 95 % between 0.69
    and 1.83 times the pilot's, and the needed number between 0.5 and 3.3 times the returned one.
    """
    if (half_width is None) == (relative is None):
        raise ValueError("give either half_width or relative")
    estimate = pilot if isinstance(pilot, Estimate) else mean(pilot)
    _check_width(half_width if relative is None else relative)
    if not estimate.has_interval:
        raise ValueError(f"a pilot of {estimate.n} has no interval; it needs more replications")
    wanted = half_width if half_width is not None else abs(estimate.value) * (relative or 0)
    if wanted == 0:
        raise ValueError("the estimate is zero, so no interval is narrow relative to it; give half_width")
    needed = _needed(estimate, wanted)
    if needed > LARGEST:
        raise ValueError(f"a half-width of {wanted:g} needs more than 2^53 replications")
    return int(needed)


def _check_width(width: float | None) -> None:
    if width is None or not 0 < width < math.inf:
        raise ValueError(f"the half-width must be above zero and finite, not {width}")


def _needed(estimate: Estimate, wanted: float) -> float:
    """The number of replications, as a float; it may be very large or infinite."""
    ratio = estimate.half_width / wanted
    if estimate.method != "t":
        return max(2.0, math.ceil(min(estimate.n * ratio * ratio, 2.0 * LARGEST)))
    spread = ratio * math.sqrt(estimate.n) / t_quantile(estimate.n, estimate.level)

    def narrow(n: int) -> bool:
        return t_quantile(n, estimate.level) * spread <= math.sqrt(n)

    high = 2
    while not narrow(high):
        if high > LARGEST:
            return math.inf
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if narrow(middle) else (middle, high)
    return max(2, high)


@dataclass(frozen=True, slots=True)
class Precision:
    """A wanted width of an interval, and the largest number of replications for it.

    ``while more := precision.more(stats.mean(values)): values += run(more)`` adds replications until the interval is
    narrow enough.

    A stopping rule looks at the numbers that are then reported. A sample whose deviation is small by chance stops
    early, so the interval covers the truth slightly less often than its level. The coverage reaches the level as the
    width goes to zero (Chow and Robbins 1965). From 10 replications on and with relative widths of up to 15 % it is
    close to the level (Law 2015, section 9.4.1). `least` is therefore 10.

    Coverage at 95 %, measured over 3,000 synthetic experiments:

    - ``ci=2%`` of normal values with a deviation of 10 %: 94.7 %;
    - ``ci=5%`` of normal values with a deviation of 20 %: 94.2 %, and of gamma values with one of 50 %: 94.9 %;
    - ``ci=5%,least=3`` of the latter: 93.6 %;
    - ``ci=15%`` of lognormal values with a deviation of 131 %, which are very skewed: 91.8 %.
    """

    relative: float | None = None
    """Wanted half-width as a share of the estimate's size, 0.02 for 2 %."""
    absolute: float | None = None
    """Wanted half-width in the unit of the estimate."""
    level: float = 0.95
    """Confidence level of the interval."""
    least: int = LEAST
    """Smallest number of replications for a decision."""
    most: int = MOST
    """Number of replications after which none are added, even if the interval is not narrow enough."""

    def __post_init__(self) -> None:
        if (self.relative is None) == (self.absolute is None):
            raise ValueError("a precision is either relative or absolute")
        _check_width(self.absolute if self.relative is None else self.relative)
        check_level(self.level)
        if not 2 <= self.least <= self.most:
            raise ValueError(f"least must be from 2 to most, {self.most}, not {self.least}")

    @classmethod
    def parse(cls, text: str, unit: str | None = None) -> Precision:
        """Parses ``ci=2%``, ``ci=50kbps`` or ``ci=0.01``, then optionally ``,level=99%``, ``,least=20``, ``,most=500``.

        Parameters
        ----------
        text
            The text. A half-width with ``%`` is relative. With a unit it is a time, rate or volume; without a unit it
            is a number in the unit of the measure.
        unit
            Unit of the measure: ``s``, ``ms``, ``bps``, ``bytes``, or empty if it has none. If `unit` is None, a
            half-width with a unit is converted to seconds, bits per second or bytes.

        Raises
        ------
        ValueError
            With the text, the error, and the accepted forms.
        """
        fields: dict[str, str] = {}
        for part in text.split(","):
            key, equals, value = (piece.strip() for piece in part.partition("="))
            if not equals or key not in ("ci", "level", "least", "most"):
                raise _refused(text, f"{part.strip()!r} does not begin with ci=, level=, least= or most=")
            if key in fields:
                raise _refused(text, f"{key} is given twice")
            fields[key] = value
        if "ci" not in fields:
            raise _refused(text, "ci= is missing")
        number, suffix = _quantity(text, fields["ci"])
        relative = number / 100 if suffix == "%" else None
        absolute = None if suffix == "%" else _in_unit(text, number, suffix, unit)
        level, suffix = _quantity(text, fields.get("level", "95%"))
        if suffix not in ("", "%"):
            raise _refused(text, f"level={fields['level']} is not a confidence level")
        most = _count(text, fields, "most", max(MOST, _count(text, fields, "least", LEAST)))
        least = _count(text, fields, "least", min(LEAST, most))
        try:
            return cls(relative, absolute, level / 100 if suffix else level, least, most)
        except ValueError as error:
            raise _refused(text, str(error)) from None

    def half_width(self, value: float) -> float:
        """The largest accepted half-width for an estimate with this value."""
        return self.absolute if self.absolute is not None else abs(value) * (self.relative or 0)

    def met(self, sample: Estimate | ArrayLike) -> bool:
        """Whether the sample has at least `least` replications and a narrow enough interval.

        Parameters
        ----------
        sample
            An estimate, or replications, whose mean is then used.

        Raises
        ------
        ValueError
            If the estimate has another confidence level.
        """
        estimate = self._estimate(sample)
        enough = estimate.n >= self.least and estimate.has_interval
        return enough and estimate.half_width <= self.half_width(estimate.value)

    def more(self, sample: Estimate | ArrayLike) -> int:
        """The number of replications to add now; 0 if the interval is narrow enough or there are `most`.

        The number is that of `replications_needed`, but at most the present number, because few replications give
        little information. Below `least` replications it is the number that is missing.

        Parameters
        ----------
        sample
            An estimate, or replications, whose mean is then used; an empty sample if there are none yet.

        Raises
        ------
        ValueError
            If the estimate has another confidence level.
        """
        if not isinstance(sample, Estimate) and np.size(sample) == 0:
            return self.least
        estimate = self._estimate(sample)
        n = estimate.n
        if n < self.least:
            return self.least - n
        if n >= self.most or self.met(estimate):
            return 0
        wanted = self.half_width(estimate.value)
        needed = _needed(estimate, wanted) if estimate.has_interval and wanted > 0 else math.inf
        return int(min(max(needed - n, 1), n, self.most - n))

    def _estimate(self, sample: Estimate | ArrayLike) -> Estimate:
        if not isinstance(sample, Estimate):
            return mean(sample, level=self.level)
        if sample.level != self.level:
            raise ValueError(f"an interval at {sample.level:g} cannot meet a precision at {self.level:g}")
        return sample


def _refused(text: str, why: str) -> ValueError:
    accepted = "accepted: a half-width such as ci=2% or ci=50kbps, then level=99%, least=10, most=1000 after commas"
    return ValueError(f"{text!r}: {why}; {accepted}")


def _count(text: str, fields: dict[str, str], key: str, default: int) -> int:
    if key not in fields:
        return default
    if not re.fullmatch(r"[0-9]{1,9}", fields[key], re.ASCII):
        raise _refused(text, f"{key}={fields[key]} is not a whole number")
    return int(fields[key])


def _quantity(text: str, value: str) -> tuple[float, str]:
    """A number and the unit after it."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]{1,2})?)\s*(%|[A-Za-z]*)", value, re.ASCII)
    if found is None:
        raise _refused(text, f"{value!r} is not a number, with or without a unit or %")
    return float(found[1]), found[2]


def _in_unit(text: str, number: float, suffix: str, unit: str | None) -> float:
    """A half-width in the unit of the measure."""
    if not suffix:
        return number
    for base, scales in UNITS.items():
        if suffix in scales:
            if unit is None or unit == base:
                return number * scales[suffix]
            if unit in scales:
                return number * scales[suffix] / scales[unit]
            raise _refused(text, f"{suffix} does not fit the measure, which is {f'in {unit}' if unit else 'a number'}")
    known = ", ".join(one for scales in UNITS.values() for one in scales)
    raise _refused(text, f"{suffix!r} is not a unit; units: %, {known}")
