"""Templates of pages and their parts, in which every text is escaped that is not a part made here."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ackclock.report.colours import both
from ackclock.report.words import cell_text

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["render"]


@cache
def _environment() -> Environment:
    # A template that lacks a value is an error, not an empty place.
    made = Environment(
        loader=PackageLoader("ackclock.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {"cell": cell_text, "both": both}
    return made


@cache
def _template(name: str) -> Template:
    return _environment().get_template(name)


def render(name: str, /, **values: Any) -> Markup:
    """A template of this package with these values. Texts are escaped; the result is HTML and is not escaped again."""
    return Markup(_template(name).render(values))  # noqa: S704 -- the template escapes
