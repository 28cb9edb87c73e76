"""ackclock: a fast deterministic packet simulator with a complete TCP.

>>> import ackclock
>>> result = ackclock.run("scenario.toml")
>>> result.flows.to_pandas()
>>> result.plot.window()
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ackclock import _core

if TYPE_CHECKING:
    from ackclock import stats
    from ackclock._errors import Cancelled, Problem, ScenarioError
    from ackclock._run import run
    from ackclock._trace import trace
    from ackclock.result import Replications, Result
    from ackclock.scenario import catalogue, check, event_schema, schema
    from ackclock.table import Table

__version__ = _core.version()

__all__ = [
    "Cancelled",
    "Problem",
    "Replications",
    "Result",
    "ScenarioError",
    "Table",
    "__version__",
    "catalogue",
    "check",
    "event_schema",
    "run",
    "schema",
    "stats",
    "trace",
]

_HOMES = {
    "Cancelled": "ackclock._errors",
    "Problem": "ackclock._errors",
    "Replications": "ackclock.result",
    "Result": "ackclock.result",
    "ScenarioError": "ackclock._errors",
    "Table": "ackclock.table",
    "catalogue": "ackclock.scenario",
    "check": "ackclock.scenario",
    "event_schema": "ackclock.scenario",
    "run": "ackclock._run",
    "schema": "ackclock.scenario",
    "trace": "ackclock._trace",
}
"""Where the public names live. They are imported at first use, so that the command line is ready for Ctrl-C at once."""


def __getattr__(name: str) -> Any:
    if name == "stats":
        return import_module("ackclock.stats")
    if name not in _HOMES:
        raise AttributeError(f"module 'ackclock' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
