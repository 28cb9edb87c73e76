"""Suggestions for names that are misspelt."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ackclock import _core

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["near_path", "suggestion"]


def suggestion(written: str, names: Iterable[str]) -> str:
    """The end of a message, ``; did you mean "NAME"?``, with the nearest name; empty if none is near."""
    # Bytes of a command line or of a folder that are no UTF-8 arrive as surrogates.
    written, *known = [one.encode("utf-8", "replace").decode("utf-8") for one in (written, *names)]
    found: str = _core.suggestion(written, known)
    if found:
        return found
    import difflib

    # Plurals such as studies, and names of another case, are farther away than a typing error.
    # The dashes of options would make all of them alike.
    lower = {name.lower().lstrip("-"): name for name in known}
    near = difflib.get_close_matches(written.lower().lstrip("-"), lower, 1, 0.6)
    return f'; did you mean "{lower[near[0]]}"?' if near else ""


def near_path(path: Path, pattern: str) -> str:
    """The same for a path that does not exist: the nearest path that matches the pattern in the same folder."""
    with suppress(OSError):
        names = [one.name for one in sorted(path.parent.glob(pattern))[:1000]]
        found = suggestion(path.name, names)
        if found:
            return found.replace('"', f'"{path.parent}/', 1) if str(path.parent) != "." else found
    return ""
