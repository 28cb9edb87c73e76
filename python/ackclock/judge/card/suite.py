"""A suite: sections with their scenarios, under a title, that a candidate runs beside CUBIC and Reno."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ackclock.judge.card.section import chosen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ackclock.judge.card.section import Section

__all__ = ["CARD", "Suite"]


@dataclass(frozen=True)
class Suite:
    """A suite and the words of its pages."""

    name: str
    """Name of the files that it writes."""
    title: str
    subtitle: str
    heading: str
    """Heading of its text in Markdown."""
    criteria: str
    """The document whose criteria the text in Markdown names, after the word "by"."""
    chosen: Callable[[tuple[str, ...]], tuple[Section, ...]]
    """The sections by their numbers; all without any."""
    facts: Mapping[str, Any]
    """Keys of its JSON document that say what it is."""
    note: str = ""
    """A note on the suite for readers of its page, in Markdown."""


CARD = Suite(
    name="card",
    title="Report card",
    subtitle="RFC 9743 (BCP 133) section by section, beside CUBIC and Reno",
    heading="Evaluation According to RFC 9743",
    criteria="the criteria of {{?RFC9743}}, section by section",
    chosen=chosen,
    facts={"rfc": 9743},
)
"""The report card by RFC 9743."""
