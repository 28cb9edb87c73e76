"""Figures that share a place: panels one below the other, and a list to choose one of several from."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Protocol

from ackclock.report.figures import plot_html, share_x

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.report.figures import Plot

__all__ = ["Choice", "Panels"]


class Drawn(Protocol):
    """An element with a body in HTML."""

    def html(self, identifier: str) -> str:
        """The body, whose elements have names that begin with `identifier`."""
        ...


@dataclass(frozen=True, slots=True)
class Panels:
    """Plots one below the other over one range of x: hovering and zooming in one shows the same place of all."""

    plots: Sequence[Plot]

    def html(self, identifier: str) -> str:
        """The body."""
        figures = [plot.data() for plot in self.plots]
        share_x(figures, self.plots)
        bodies = ""
        for at, (plot, data) in enumerate(zip(self.plots, figures, strict=True)):
            note = f'<p class="source">{escape(plot.caption)}</p>' if plot.caption else ""
            body = plot_html(data, f"{identifier}-{at}")
            bodies += f'<div class="panel"><h4>{escape(plot.title)}</h4>{body}{note}</div>\n'
        return f'<div data-sync="{identifier}">{bodies}</div>\n'


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several figures at a time, chosen from a list; without a script all of them."""

    title: str
    what: str
    """Noun for the items of the list."""
    options: Sequence[tuple[str, Drawn]]
    caption: str = ""
    command: str = ""
    seed: int | None = None

    def html(self, identifier: str) -> str:
        """The body of the figure."""
        if not self.options:
            raise ValueError(f"figure {self.title!r} has nothing to choose from")
        if len(self.options) == 1:
            name, figure = self.options[0]
            told = f'<p class="chosen">{escape(self.what)}: {escape(name)}</p>' if name else ""
            return told + figure.html(identifier)
        listed = "".join(f"<option>{escape(name)}</option>" for name, _ in self.options)
        parts = ""
        for at, (name, figure) in enumerate(self.options):
            body = figure.html(f"{identifier}-{at}")
            parts += f'<div class="option"><h4 class="chosen">{escape(name)}</h4>{body}</div>\n'
        label = f"<label>{escape(self.what)} <select>{listed}</select></label>"
        return f'<div class="choice" id="{identifier}"><p class="controls">{label}</p>\n{parts}</div>\n'
