"""Base of the objects that stand for a part of a scenario."""

from __future__ import annotations

from typing import Any

__all__ = ["Document"]


class Document:
    """An object that a scenario may be written from."""

    __slots__ = ()

    def document(self) -> dict[str, Any]:
        """The part of the scenario as a dict of what JSON and TOML can hold."""
        raise NotImplementedError
