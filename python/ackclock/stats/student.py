"""Student's t distribution: its quantiles and its tails, without a library for them."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

__all__ = ["quantile", "two_sided"]

NORMAL = NormalDist()
LARGE = 24.0
"""Argument from which on the series of the ratio of gamma functions has the precision of a float."""
NEARLY_NORMAL = 10_000.0
"""Degrees of freedom from which on a series around the normal distribution has the precision of a float."""
TINY = 1e-300
STEPS = 10_000
"""Terms of a continued fraction, and steps of Newton's method, after which the search is given up."""


def two_sided(freedom: float, t: float) -> float:
    """The probability that a variable of Student's distribution is at least as far from zero as `t`.

    Parameters
    ----------
    freedom
        Degrees of freedom, above zero, not necessarily whole.
    t
        The value.

    Raises
    ------
    ValueError
        If `freedom` is not above zero and finite, or `t` is NaN.

    Notes
    -----
    Abramowitz and Stegun 1964, 26.7.1 and 26.5.2: the regularised incomplete beta function of freedom / (freedom + t²)
    with the parameters freedom / 2 and 1 / 2, by its continued fraction (26.5.8). From 10,000 degrees of freedom on,
    the equal tail of the normal distribution by the series of Hill 1970 (Algorithm 395).
    """
    _check(freedom)
    if math.isnan(t):
        raise ValueError("t is NaN")
    square = t * t
    if math.isinf(square):
        return 0.0
    if freedom >= NEARLY_NORMAL:
        return math.erfc(_normal(freedom, square) / math.sqrt(2))
    a, x, rest = freedom / 2, freedom / (freedom + square), square / (freedom + square)
    if rest == 0:
        return 1.0
    # x^a (1 - x)^(1/2) / B(a, 1/2), where x is close to 1 if there are many degrees of freedom.
    front = math.exp(-a * math.log1p(square / freedom)) * math.sqrt(rest / math.pi) * _ratio(a)
    # The fraction converges fast on one side of the mean of the distribution.
    if x < (a + 1) / (a + 2.5):
        return front * _fraction(a, 0.5, x) / a
    return 1 - front * _fraction(0.5, a, rest) / 0.5


@lru_cache(maxsize=4096)
def quantile(freedom: float, p: float) -> float:
    """The value below which a variable of Student's distribution is with probability `p`.

    Parameters
    ----------
    freedom
        Degrees of freedom, above zero, not necessarily whole.
    p
        The probability, above 0 and below 1.

    Raises
    ------
    ValueError
        If `freedom` is not above zero and finite, or `p` is not between 0 and 1.

    Notes
    -----
    Newton's method for the logarithm of the tail, from a value below the quantile: the logarithm is concave there, so
    that no step goes too far.
    """
    _check(freedom)
    if not 0 < p < 1:
        raise ValueError(f"a quantile needs a probability between 0 and 1, not {p}")
    if p == 0.5:
        return 0.0
    if p < 0.5:
        return -_upper(freedom, 2 * p)
    return _upper(freedom, 2 * (1 - p))


def _upper(freedom: float, tails: float) -> float:
    """The value that is exceeded in either direction with the probability `tails`."""
    # The tails of Student's distribution are longer than those of the normal one.
    t = -NORMAL.inv_cdf(tails / 2)
    for _ in range(STEPS):
        there = two_sided(freedom, t)
        step = there * math.log(there / tails) / (2 * _density(freedom, t))
        if abs(step) <= 4e-16 * t:
            return t
        t += step
        if abs(step) <= 1e-9 * t:
            # Newton's method doubles the digits: this step was the last that can be told.
            return t
    raise ValueError(f"no quantile found for {freedom} degrees of freedom")


def _normal(freedom: float, square: float) -> float:
    """The value of the normal distribution with the tails that the root of `square` has."""
    a = freedom - 0.5
    b = 48 * a * a
    z = math.sqrt(a * math.log1p(square / freedom))
    second = z * (855 + z**2 * (240 + z**2 * (33 + z**2 * 4)))
    return z + (z**3 + 3 * z) / b - second / (10 * b * (b + 0.8 * z**4 + 100))


def _density(freedom: float, t: float) -> float:
    scale = _ratio(freedom / 2) / math.sqrt(math.pi * freedom)
    return scale * math.exp(-(freedom + 1) / 2 * math.log1p(t * t / freedom))


def _check(freedom: float) -> None:
    if not 0 < freedom < math.inf:
        raise ValueError(f"degrees of freedom must be above zero and finite, not {freedom}")


def _ratio(a: float) -> float:
    """Gamma(a + 1/2) / Gamma(a)."""
    factor = 1.0
    while a < LARGE:
        factor *= a / (a + 0.5)
        a += 1
    x = 1 / a
    series = 1 + x * (-1 / 8 + x * (1 / 128 + x * (5 / 1024 + x * (-21 / 32768 + x * (-399 / 262144 + x * SIXTH)))))
    return factor * math.sqrt(a) * (series + SEVENTH * x**7)


SIXTH, SEVENTH = 869 / 4194304, 39325 / 33554432
"""Coefficients of the series of Tricomi and Erdelyi 1951."""


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    value = c = 1.0
    d = 1 / _kept(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, STEPS):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _kept(1 + term * d)
            c = _kept(1 + term / c)
            value *= c * d
        if abs(c * d - 1) < 2e-16:
            return value
    raise ValueError("the incomplete beta function does not converge")


def _kept(value: float) -> float:
    """A denominator that is not zero."""
    return value if abs(value) > TINY else TINY
