"""The figures of a run in a notebook, as a widget: zooming fetches the detail of a stretch of time."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from ackclock.base import extras
from ackclock.report import assets
from ackclock.report.experiment.traces import panels
from ackclock.report.figures import share_x

if TYPE_CHECKING:
    from ackclock.results.result import Result

__all__ = ["detail", "figures", "widget"]

POINTS = 1500
"""Points of a line that are sent at most."""

PACKETS = 8000
"""Points of a time-sequence graph that are sent at most."""


def figures(result: Result, span: tuple[float, float] | None = None) -> list[dict[str, Any]]:
    """The figures over time of a run as data, over a stretch of time in seconds or all of it."""
    plots = panels(result, POINTS, PACKETS, span, [])
    found = [plot.data() | {"note": plot.caption} for plot in plots]
    if span is None:
        share_x(found, plots)
    return found


def widget(result: Result) -> Any:
    """A widget with the figures over time of a run.

    Raises
    ------
    ExtraError
        If anywidget is not installed.
    ValueError
        If nothing of the run was recorded over time.
    """
    extras.require("anywidget", "widgets")
    found = figures(result)
    if not found:
        raise ValueError(
            "nothing of this run was recorded over time: run it with overrides={'probes.window': True} or other probes"
        )
    shown = _kind()(figures=found)
    shown.on_msg(lambda own, content, _: own.send(detail(result, content)))
    return shown


def detail(result: Result, content: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request for a stretch of time."""
    start, end = (float(one) for one in content["range"])
    return {"number": content["number"], "figures": figures(result, (start, end))}


@cache
def _kind() -> Any:
    """The class of widgets; its packages are imported at the first one."""
    import anywidget
    import traitlets

    class Run(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
        """A run's figures."""

        _esm = assets.bundle("widget.js")
        _css = assets.bundle("widget.css")
        figures: Any = traitlets.List().tag(sync=True)

    return Run
