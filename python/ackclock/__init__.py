"""ackclock: a fast deterministic packet simulator with a complete TCP.

>>> import ackclock
>>> result = ackclock.run("scenario.toml")
>>> result.flows.to_pandas()
>>> result.plot.window()
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ackclock import _core
from ackclock.base import hooks

if TYPE_CHECKING:
    from ackclock import plot, stats
    from ackclock._errors import (
        AlgorithmError,
        Cancelled,
        ClusterError,
        Problem,
        ProcessError,
        RenamedWarning,
        ScenarioError,
        TransportError,
        VerificationError,
    )
    from ackclock.base.table import Table
    from ackclock.cc import CongestionControl, Scope, WindowRules, congestion_control, parameter
    from ackclock.cc.abr import RateAdaptation, rate_adaptation
    from ackclock.cc.registry import load
    from ackclock.engine.compare import compare
    from ackclock.engine.run import run
    from ackclock.engine.trace import trace
    from ackclock.results import fairness
    from ackclock.results.measure import Measure, MeasureError
    from ackclock.results.result import Replications, Result
    from ackclock.scenario import catalogue, check, event_schema, schema
    from ackclock.store import Store, StoreError
    from ackclock.store import open_store as open  # noqa: A004 -- as other libraries name it
    from ackclock.sweeps import LatinHypercube, Points, Range, SweepError, sweep

__version__ = _core.version()

__all__ = [
    "AlgorithmError",
    "Cancelled",
    "ClusterError",
    "CongestionControl",
    "LatinHypercube",
    "Measure",
    "MeasureError",
    "Points",
    "Problem",
    "ProcessError",
    "Range",
    "RateAdaptation",
    "RenamedWarning",
    "Replications",
    "Result",
    "ScenarioError",
    "Scope",
    "Store",
    "StoreError",
    "SweepError",
    "Table",
    "TransportError",
    "VerificationError",
    "WindowRules",
    "__version__",
    "catalogue",
    "check",
    "compare",
    "congestion_control",
    "event_schema",
    "fairness",
    "load",
    "open",
    "parameter",
    "plot",
    "rate_adaptation",
    "run",
    "schema",
    "stats",
    "sweep",
    "trace",
]

_HOMES = {
    "AlgorithmError": "ackclock._errors",
    "Cancelled": "ackclock._errors",
    "ClusterError": "ackclock._errors",
    "CongestionControl": "ackclock.cc",
    "LatinHypercube": "ackclock.sweeps",
    "Measure": "ackclock.results.measure",
    "MeasureError": "ackclock.results.measure",
    "Points": "ackclock.sweeps",
    "Problem": "ackclock._errors",
    "ProcessError": "ackclock._errors",
    "Range": "ackclock.sweeps",
    "RateAdaptation": "ackclock.cc.abr",
    "RenamedWarning": "ackclock._errors",
    "Replications": "ackclock.results.result",
    "Result": "ackclock.results.result",
    "ScenarioError": "ackclock._errors",
    "Scope": "ackclock.cc",
    "Store": "ackclock.store",
    "StoreError": "ackclock.store",
    "SweepError": "ackclock.sweeps",
    "Table": "ackclock.base.table",
    "TransportError": "ackclock._errors",
    "VerificationError": "ackclock._errors",
    "WindowRules": "ackclock.cc",
    "catalogue": "ackclock.scenario",
    "check": "ackclock.scenario",
    "compare": "ackclock.engine.compare",
    "congestion_control": "ackclock.cc",
    "event_schema": "ackclock.scenario",
    "load": "ackclock.cc.registry",
    "open": "ackclock.store",
    "parameter": "ackclock.cc",
    "rate_adaptation": "ackclock.cc.abr",
    "run": "ackclock.engine.run",
    "schema": "ackclock.scenario",
    "sweep": "ackclock.sweeps",
    "trace": "ackclock.engine.trace",
}
"""Modules of the public names. Names are imported at first use, so the command line is ready for Ctrl-C at once."""

_HOOKS = {
    "column.unit": "ackclock.results.declared:column_unit",
    "table.html": "ackclock.report.tables:html_table",
    "comparison.html": "ackclock.report.notebook:comparison_html",
    "result.figures": "ackclock.plot.run:Plot",
    "result.html": "ackclock.report.notebook:result_html",
    "result.lab": "ackclock.report.lab:show",
    "result.widget": "ackclock.report.widget:widget",
    "replications.html": "ackclock.report.notebook:replications_html",
    "compared.html": "ackclock.report.notebook:compared_html",
    "estimates.html": "ackclock.report.notebook:estimates_html",
    "paired.html": "ackclock.report.notebook:paired_html",
    "kernel.choose": "ackclock.kernel.backends:backend",
    "kernel.check": "ackclock.kernel.live:checked",
    "kernel.run": "ackclock.kernel.live:run",
}
"""Functions of higher rooms that lower rooms use; see `ackclock.base.hooks`."""

hooks.fill(_HOOKS)

_INNER = {"open": "open_store"}
"""Public names that differ from the names in their modules."""

if not TYPE_CHECKING:  # A type checker that sees it takes every name for one of these.

    def __getattr__(name: str) -> Any:
        if name in ("fairness", "plot", "stats"):
            return import_module(f"ackclock.{name}")
        if name not in _HOMES:
            raise AttributeError(f"module 'ackclock' has no attribute {name!r}")
        value = getattr(import_module(_HOMES[name]), _INNER.get(name, name))
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
