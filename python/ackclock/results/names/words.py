"""Small parts of names: identifiers as words, capitals, units in parentheses."""

from __future__ import annotations

__all__ = ["capital", "identifier_words", "in_sentence", "ordinal", "with_unit"]

WORDS = {
    "abe": "ABE",
    "abr": "rate adaptation",
    "ack": "ACK",
    "acks": "ACKs",
    "app": "application",
    "aqm": "AQM",
    "bdp": "BDP",
    "bps": "bit/s",
    "cc": "congestion control",
    "ce": "CE",
    "cv": "coefficient of variation",
    "cwnd": "cwnd",
    "dsack": "D-SACK",
    "dup": "duplicate",
    "ecn": "ECN",
    "frto": "F-RTO",
    "max": "maximum",
    "min": "minimum",
    "mss": "MSS",
    "mtu": "MTU",
    "p": "probability",
    "pktsize": "packet size",
    "rtt": "RTT",
    "rto": "RTO",
    "sack": "SACK",
    "sd": "standard deviation",
    "thresh": "threshold",
    "tlp": "TLP",
}
"""Parts of identifiers that are not words."""


def identifier_words(identifier: str) -> str:
    """An identifier of a scenario or of a column as words: `min_rto` is minimum RTO."""
    return " ".join(WORDS.get(part, part) for part in identifier.split("_") if part)


def capital(text: str) -> str:
    """A text that begins with a capital, unless it begins with a word that has its own spelling, such as cwnd."""
    first = text.split(" ", 1)[0]
    return text if first in ("cwnd", "ssthresh", "pipeACK") else text[:1].upper() + text[1:]


def with_unit(name: str, unit: str) -> str:
    """A name with its unit in parentheses; a number without a unit has its name alone."""
    return f"{name} ({unit})" if unit else name


def ordinal(number: float) -> str:
    """A number as an ordinal: 95th, 1st, 99.9th."""
    text = f"{number:g}"
    if "." in text or text[-2:] in ("11", "12", "13"):
        return f"{text}th"
    return text + {"1": "st", "2": "nd", "3": "rd"}.get(text[-1], "th")


def in_sentence(name: str) -> str:
    """A name as it stands inside a sentence: its first word without a capital, unless the word has one of its own."""
    first, *rest = name.split(" ", 1)
    plain = first[1:].islower() and first not in ("Jain's",)
    return " ".join([first.lower() if plain else first, *rest])
