"""A learned policy as a file with a congestion control."""

from __future__ import annotations

import dataclasses
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ackclock._errors import RefusedError
from ackclock.base import files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from ackclock.cc.policy import Steering

__all__ = ["write_policy"]

TEMPLATE = '''"""{summary}."""

import ackclock
from ackclock.cc.policy import Perceptron, Steering


@ackclock.congestion_control("{name}")
class Policy(Perceptron):
    """{summary}."""

    steering = {steering}
    layers = (
{layers}    )
'''
DIGITS = 6
WIDTH = 118


def write_policy(
    path: str | Path,
    name: str,
    summary: str,
    steering: Steering,
    layers: Sequence[tuple[ArrayLike, ArrayLike]],
) -> None:
    """Writes a policy as a Python file that registers a congestion control, for ``--load`` and for scenarios.

    Parameters
    ----------
    path
        The file.
    name
        Name of the congestion control.
    summary
        Its description, without a full stop at the end.
    steering
        The steering of the environment in which the policy was learned.
    layers
        The weights, of shape (outputs, inputs), and the biases of each layer. tanh follows all layers but the last one,
        which has one output. Numbers are written with six digits.

    Raises
    ------
    RefusedError
        If the shapes do not fit each other, the observation or the action, or a number is not finite.
    """
    size = len(steering.fields())
    parts = []
    for place, (weights, biases) in enumerate(layers):
        weight, bias = np.asarray(weights, float), np.asarray(biases, float)
        if weight.ndim != 2 or bias.shape != weight.shape[:1] or weight.shape[1] != size:
            raise RefusedError(
                f"layer {place}: weights {weight.shape} and biases {bias.shape}; accepted: (n, {size}) and (n,)"
            )
        if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
            raise RefusedError(f"layer {place}: a weight is not finite, so that the policy has diverged")
        size = len(bias)
        rows = "".join(_listed(row, 16) for row in weight)
        parts.append(f"        (\n            [\n{rows}            ],\n{_listed(bias, 12)}        ),\n")
    if size != 1 or not parts:
        raise RefusedError(f"the last layer has {size} outputs; accepted: 1, the action")
    text = TEMPLATE.format(name=name, summary=summary, steering=_call(steering), layers="".join(parts))
    files.write_text(Path(path), text)


def _listed(numbers: ArrayLike, indent: int) -> str:
    """A list of numbers over as many lines as it needs."""
    numbers = ", ".join(f"{one:.{DIGITS}g}" for one in np.asarray(numbers, float))
    lines = textwrap.fill(numbers, WIDTH, initial_indent=" " * (indent + 4), subsequent_indent=" " * (indent + 4))
    return f"{' ' * indent}[\n{lines},\n{' ' * indent}],\n"


def _call(steering: Steering) -> str:
    """The expression that makes the steering; defaults are left out."""
    given = [
        f"{one.name}={getattr(steering, one.name)!r}"
        for one in dataclasses.fields(steering)
        if getattr(steering, one.name) != one.default
    ]
    return f"Steering({', '.join(given)})"
