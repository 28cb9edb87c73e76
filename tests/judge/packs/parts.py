"""Packs for tests, and changes of them."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING

import ackclock
from ackclock.judge import packs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SCENARIO = """
name = "packed"
duration = "200ms"
[bottleneck]
rate = { kind = "trace", file = "slow.trace" }
delay = "10ms"
[[flows]]
name = "one"
cc = "reno"
app = "bulk"
"""
DOCUMENT = "ackclock-pack.json"


def made(folder: Path) -> Path:
    """A pack of four runs: two congestion controls under two seeds, over a trace of a file."""
    (folder / "slow.trace").write_text("\n".join(str(time) for time in range(1, 400, 2)) + "\n", encoding="utf-8")
    (folder / "packed.toml").write_text(SCENARIO, encoding="utf-8")
    ackclock.sweep(
        folder / "packed.toml", {"flows[0].cc": ["reno", "cubic"]}, seeds=2, out=folder / "store", name="packed"
    ).close()
    packs.pack(folder / "store", folder / "one.zip", without_wheel=True)
    return folder / "one.zip"


def contents_of(pack: Path) -> dict[str, bytes]:
    """The files of a pack by their names."""
    with zipfile.ZipFile(pack) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def written(contents: dict[str, bytes], target: Path) -> Path:
    """A pack with these files."""
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in contents.items():
            archive.writestr(name, data)
    return target


def sweep_of(contents: dict[str, bytes]) -> str:
    """The name of the document of the one sweep of a pack."""
    [name] = [name for name in contents if name.startswith("store/sweeps/")]
    return name


def with_sweep(contents: dict[str, bytes], change: Callable[[dict], object]) -> dict[str, bytes]:
    """The files with another document of the sweep."""
    name = sweep_of(contents)
    document = json.loads(contents[name])
    change(document)
    return contents | {name: json.dumps(document, indent=2).encode()}


def with_document(contents: dict[str, bytes], change: Callable[[dict], object]) -> dict[str, bytes]:
    """The files with another document of the pack."""
    document = json.loads(contents[DOCUMENT])
    change(document)
    return contents | {DOCUMENT: (json.dumps(document, indent=1, sort_keys=True) + "\n").encode()}
