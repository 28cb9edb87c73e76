"""ackclock: a fast deterministic packet simulator with a complete TCP.

>>> import ackclock
>>> result = ackclock.run("scenario.toml")
>>> result.flows.to_pandas()
>>> result.plot.window()
"""

from ackclock import _core, stats
from ackclock._errors import Cancelled, Problem, ScenarioError
from ackclock._run import run
from ackclock.result import Replications, Result
from ackclock.scenario import catalogue, check, schema
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
    "run",
    "schema",
    "stats",
]
