"""Figures that share a place: panels one below the other, and a list to choose one of several from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ackclock.report.figures import plot_html, share_x
from ackclock.report.render import render

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

    from ackclock.report.figures import Plot

__all__ = ["Choice", "Panels"]


class Drawn(Protocol):
    """An element with a body in HTML."""

    def html(self, identifier: str) -> Markup:
        """The body, whose elements have names that begin with `identifier`."""
        ...


@dataclass(frozen=True, slots=True)
class Panels:
    """Plots one below the other over one range of x: hovering and zooming in one shows the same place of all."""

    plots: Sequence[Plot]

    def html(self, identifier: str) -> Markup:
        """The body."""
        figures = [plot.data() for plot in self.plots]
        share_x(figures, self.plots)
        bodies = [
            (plot.title, plot_html(data, f"{identifier}-{at}"), plot.caption)
            for at, (plot, data) in enumerate(zip(self.plots, figures, strict=True))
        ]
        return render("panels.html", identifier=identifier, panels=bodies)


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

    def html(self, identifier: str) -> Markup:
        """The body of the figure."""
        if not self.options:
            raise ValueError(f"figure {self.title!r} has nothing to choose from")
        single = len(self.options) == 1
        bodies = [
            (name, figure.html(identifier if single else f"{identifier}-{at}"))
            for at, (name, figure) in enumerate(self.options)
        ]
        return render("choice.html", identifier=identifier, what=self.what, options=bodies)
