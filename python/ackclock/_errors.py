"""The exceptions that ackclock raises on purpose."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "AlgorithmError",
    "Cancelled",
    "ClusterError",
    "Problem",
    "ProcessError",
    "RefusedError",
    "RenamedWarning",
    "ScenarioError",
    "TransportError",
    "VerificationError",
]


class RefusedError(ValueError):
    """Something was asked for that cannot be; the message is for people: what, why, and what would be accepted."""

    code = "ACK009"


class ClusterError(RefusedError):
    """No scheduler or no worker of a cluster answers, or a worker has another build of ackclock."""

    code = "ACK035"


class Problem(TypedDict):
    """One thing wrong with a scenario."""

    path: str
    """Where: a key path such as ``flows[0].cc``; empty when the text as a whole is wrong."""
    line: int | None
    """Line of the text, counted from 1, where it is known."""
    message: str
    """The problem, and the accepted values."""


SHOWN = 20
"""Problems that a message lists; the others are counted. All of them are in ``ScenarioError.problems``."""


class ScenarioError(ValueError):
    """A scenario that cannot run. Everything wrong with it is in ``problems``; nothing has been run or written."""

    code = "ACK010"

    def __init__(self, problems: Sequence[Problem], source: str = "") -> None:
        self.problems: list[Problem] = list(problems)
        self.source = source
        """The scenario's file, where there is one."""
        super().__init__(self.problems, source)

    @classmethod
    def of(cls, message: str, source: str = "") -> ScenarioError:
        """The error of a single problem that concerns the scenario as a whole."""
        return cls([Problem(path="", line=None, message=message)], source)

    def lines(self) -> list[str]:
        """One readable line a problem, for the first of them, and a count of the others."""
        prefix = f"{self.source}: " if self.source else ""
        lines = [prefix + describe(problem) for problem in self.problems[:SHOWN]]
        more = len(self.problems) - len(lines)
        return [*lines, f"{prefix}and {more} more"] if more else lines

    def __str__(self) -> str:
        return "\n".join(self.lines())


class RenamedWarning(FutureWarning):
    """A scenario has an old name of a field or value. The next release refuses it; ``ackclock migrate`` replaces it."""

    code = "ACK011"


class AlgorithmError(Exception):
    """An algorithm of the user raised an exception, which is the cause, panicked, or left a wrong value."""

    code = "ACK020"

    def __init__(self, algorithm: str, flow: str, time_s: float | None, callback: str, what: str) -> None:
        super().__init__(algorithm, flow, time_s, callback, what)
        self.algorithm = algorithm
        """Its name in the scenario."""
        self.flow = flow
        """The flow whose connection it was called for."""
        self.time_s = time_s
        """The simulated time, seconds; None where the callback is not told of it."""
        self.callback = callback
        self.what = what
        """The type and the text of the exception, the message and the place of the panic, or the value."""

    def __str__(self) -> str:
        at = "" if self.time_s is None else f" at {self.time_s:.9g} s"
        return f"{self.algorithm} of flow {self.flow}{at}, in {self.callback}: {self.what}"


class TransportError(Exception):
    """A transport that is not ours broke the rules of its interface, and the run ended."""

    code = "ACK023"

    def __init__(self, transport: str, flow: str, time_s: float, call: str, what: str) -> None:
        super().__init__(transport, flow, time_s, call, what)
        self.transport = transport
        """Its name in the scenario."""
        self.flow = flow
        """The flow whose connection it was called for."""
        self.time_s = time_s
        """The simulated time, seconds."""
        self.call = call
        """The function of the interface."""
        self.what = what
        """The mistake, as a sentence about the transport."""

    def __str__(self) -> str:
        return f"{self.transport} of flow {self.flow} at {self.time_s:.9g} s, in {self.call}: {self.what}"


class ProcessError(Exception):
    """The process of a run with code of the user, such as a congestion control in Python, ended before the run did."""

    code = "ACK024"

    def __init__(self, why: str, said: str | None = None) -> None:
        super().__init__(why, said)
        self.said = said
        """The end of the output of the process; None if there is none."""

    def __str__(self) -> str:
        return str(self.args[0])


class VerificationError(Exception):
    """The verification of a run found something: its numbers are not to be used. It is a defect of ackclock."""

    code = "ACK026"

    def __init__(self, seed: int, findings: Sequence[str]) -> None:
        super().__init__(seed, findings)
        self.seed = seed
        """The seed of the run."""
        self.findings = list(findings)
        """One line a finding: at most a hundred of the replay of the events, and a hundred of the tables."""

    def lines(self) -> list[str]:
        """One readable line a finding, for the first of them, and a count of the others."""
        lines = [f"seed {self.seed}: {finding}" for finding in self.findings[:SHOWN]]
        more = len(self.findings) - len(lines)
        return [*lines, f"seed {self.seed}: and {more} more"] if more else lines

    def __str__(self) -> str:
        return "\n".join(self.lines())


class Cancelled(Exception):  # noqa: N818 -- not an error: someone asked for it
    """A run was ended through its ``Cancel``."""


def describe(problem: Problem) -> str:
    """A problem as ``line 3: flows[0].cc: ...``, without the parts that are not known."""
    line = problem["line"]
    parts = [f"line {line}" if line is not None else "", problem["path"], problem["message"]]
    return ": ".join(part for part in parts if part)
