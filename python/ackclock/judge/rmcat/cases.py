"""All cases of the suite, and the choice among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock._errors import RefusedError
from ackclock.base.near import suggestion
from ackclock.judge.rmcat.basic import BASIC
from ackclock.judge.rmcat.further import FURTHER
from ackclock.judge.rmcat.wireless import WIRELESS

if TYPE_CHECKING:
    from ackclock.judge.rmcat.case import Case

__all__ = ["CASES", "CONTROLS", "chosen"]

CONTROLS = ("nada", "scream", "scream2", "gcc")
"""Controls that the suite compares unless others are asked for."""

CASES = (*BASIC, *FURTHER, *WIRELESS)
"""The cases: the basic ones of RFC 8867 section 5, those of its section 6, and those of RFC 8869."""


def chosen(names: tuple[str, ...]) -> tuple[Case, ...]:
    """The cases with these names or sections; all without any.

    Raises
    ------
    RefusedError
        With every name that no case has.
    """
    known = [one.name for one in CASES] + [one.number for one in CASES]
    wrong = [name for name in dict.fromkeys(names) if name not in known]
    if wrong:
        lines = [
            f"{name}: no case of RFC 8867 or RFC 8869 has this name or section{suggestion(name, known)}"
            for name in wrong
        ]
        raise RefusedError("\n".join([*lines, f"accepted: {', '.join(known)}"]))
    return tuple(one for one in CASES if not names or one.name in names or one.number in names)
