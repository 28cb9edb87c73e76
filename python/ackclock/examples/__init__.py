"""Example scenarios: the TOML files beside this one, and the files that they name."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from ackclock.files import FolderError

__all__ = ["names", "write"]


def names() -> list[str]:
    """The names of the examples, in alphabetical order."""
    files = (Path(file.name) for file in resources.files(__name__).iterdir())
    return sorted(file.stem for file in files if file.suffix == ".toml")


def write(name: str) -> list[Path]:
    """Writes an example and the files that it names to the current folder; the scenario is the first.

    Raises
    ------
    FolderError
        If no example has this name, or one of its files exists.
    """
    if name not in names():
        raise FolderError(f"unknown example {name}; accepted: {', '.join(names())}")
    sources = [file for file in resources.files(__name__).iterdir() if Path(file.name).stem == name]
    sources.sort(key=lambda file: (not file.name.endswith(".toml"), file.name))
    targets = [Path(file.name) for file in sources]
    for target in targets:
        if target.exists():
            raise FolderError(f"{target} exists; it is not overwritten")
    for source, target in zip(sources, targets, strict=True):
        with target.open("xb") as out:
            out.write(source.read_bytes())
    return targets
