"""The programs of the test bed, which are not ackclock's."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from ackclock._errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["PACKAGES", "MissingError", "found", "require"]

PACKAGES = {
    "ffmpeg": "ffmpeg",
    "nginx": "nginx",
    "cvlc": "vlc-bin vlc-plugin-base",
    "setpriv": "util-linux",
    "ss": "iproute2",
    "ip": "iproute2",
}
"""Program to the packages of Debian that have it."""
PLACES = ("/usr/local/sbin", "/usr/sbin", "/sbin")
"""Folders of programs for administrators, which the search path of users may lack."""


class MissingError(RefusedError):
    """A program that the test bed needs is not installed."""

    code = "ACK054"


def found(program: str) -> str | None:
    """The path of a program."""
    return shutil.which(program, path=os.pathsep.join([os.environ.get("PATH", ""), *PLACES]))


def require(programs: Sequence[str]) -> dict[str, str]:
    """The paths of programs.

    Raises
    ------
    MissingError
        With everything that is not installed.
    """
    paths = {program: found(program) for program in programs}
    missing = [program for program, path in paths.items() if path is None]
    if missing:
        packages = " ".join(dict.fromkeys(PACKAGES[program] for program in missing))
        raise MissingError(f"the test bed needs {', '.join(missing)}; on Debian: apt-get install {packages}")
    return {program: path for program, path in paths.items() if path is not None}
