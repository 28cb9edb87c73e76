"""The answer of a study's page, made of sentences that follow from the verdicts of the run that is shown.

A study may have a file ``answer.toml``:

    [[sentences]]
    claims = ["pacing-raises"]
    holds = "With pacing the rate is {pacing-raises:.1f} % higher."
    fails = "Pacing does not raise the rate."
    open = "Whether pacing raises the rate is not decided here."

A sentence holds if all of its claims are reproduced or are illustrations, fails if one of them is not reproduced, and
is open otherwise. The name of a claim in braces stands for its measured number without the sign.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["compose", "of_record", "with_answer"]

HEADING = "## The answer"

OF_RECORD = "*The answer is that of the full run on record. The verdicts of this quick run are in the table below.*"


def compose(text: str, verdicts: Mapping[str, str], measured: Mapping[str, float | None]) -> str:
    """The answer from the text of an ``answer.toml``, and from the verdicts and the measured numbers of claims.

    Raises
    ------
    ValueError
        If a sentence names a claim that does not exist.
    """
    said = []
    for sentence in tomllib.loads(text)["sentences"]:
        missing = [name for name in sentence["claims"] if name not in verdicts]
        if missing:
            raise ValueError(f"answer.toml names claims that do not exist: {', '.join(missing)}")
        numbers = {name: abs(value) for name, value in measured.items() if value is not None}
        said.append(sentence[_state(verdicts[name] for name in sentence["claims"])].format_map(numbers))
    return " ".join(said)


def _state(verdicts: Iterable[str]) -> str:
    found = set(verdicts)
    if found <= {"reproduced", "illustration"}:
        return "holds"
    return "fails" if "not reproduced" in found else "open"


def with_answer(page: str, answer: str) -> str:
    """A study's page with this answer in the place of its own."""
    return re.sub(rf"(^{HEADING}\n\n).*?(?=\n\n## )", lambda match: match[1] + answer, page, count=1, flags=re.M | re.S)


def of_record(page: str) -> str:
    """A study's page that says of its answer that it is not the answer of the run that is shown."""
    return page.replace(f"{HEADING}\n\n", f"{HEADING}\n\n{OF_RECORD}\n\n", 1)
