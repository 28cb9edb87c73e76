"""A workflow of GitHub that runs the gate."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from importlib import metadata, resources
from pathlib import Path

from ackclock import _core
from ackclock.base.files import FolderError, write_new
from ackclock.base.workplace import workplace
from ackclock.judge.packs.wheel import WheelError, wheel_of

__all__ = ["PLACE", "WHEELS", "Written", "write"]

PLACE = Path(".github", "workflows", "ackclock-gate.yml")
"""The place of the workflow in a repository."""

WHEELS = Path(".github", "ackclock")
"""The place of a wheel that no package index has."""


@dataclass(frozen=True, slots=True)
class Written:
    """Result of writing the workflow."""

    wheel: Path | None
    """The wheel beside the workflow; None if the workflow installs ackclock from elsewhere."""
    missing: bool
    """Whether a wheel has to be put into `WHEELS` first, because ackclock runs from its source."""


def write() -> Written:
    """Writes the workflow, with this version of ackclock, below the current folder.

    The workflow installs ackclock from where this one came: the package index, an address, or a revision in git. What
    came from a file of this machine is written as a wheel beside it.

    Raises
    ------
    FolderError
        If the file exists.
    OSError
        If a file cannot be written.
    """
    if PLACE.exists():
        raise FolderError(f"{PLACE} exists; it is not overwritten")
    requirement = _requirement(metadata.distribution("ackclock").read_text("direct_url.json"))
    wheel, missing = None, False
    if requirement is None:
        WHEELS.mkdir(parents=True, exist_ok=True)
        try:
            with workplace(WHEELS, ".ackclock-wheel-") as folder:
                made = wheel_of(None, folder)
                wheel = made.replace(WHEELS / made.name)
        except WheelError:
            missing = True
        given = f"{WHEELS.as_posix()}/*.whl" if wheel is None else shlex.quote(wheel.as_posix())
    else:
        given = shlex.quote(requirement)
    text = resources.files("ackclock.judge.gate").joinpath("workflow.yml").read_text(encoding="utf-8")
    PLACE.parent.mkdir(parents=True, exist_ok=True)
    write_new(PLACE, text.replace("REQUIREMENT", given).encode())
    return Written(wheel, missing)


def _requirement(origin: str | None) -> str | None:
    """Requirement with which pip installs this ackclock elsewhere, from the record of the origin (PEP 610).

    None if only this machine has the origin.
    """
    if origin is None:
        return f"ackclock=={_core.version()}"
    document = json.loads(origin)
    url = str(document["url"])
    if "vcs_info" in document:
        about = document["vcs_info"]
        return f"ackclock @ {about['vcs']}+{url}@{about['commit_id']}"
    return None if url.startswith("file:") else f"ackclock @ {url}"
