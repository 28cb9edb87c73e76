"""Writes the modules of the typed objects and the properties of results, in place of those that are there."""

from __future__ import annotations

from pathlib import Path

from ackclock.scenario._generate.results import FILE, properties
from ackclock.scenario._generate.text import MARK, sources

folder = Path(__file__).parent.parent
modules = sources()
for old in folder.glob("*.py"):
    if MARK in old.read_text(encoding="utf-8"):
        old.unlink()
for name, source in modules.items():
    (folder / name).write_text(source, encoding="utf-8")
(folder.parent / FILE).write_text(properties(), encoding="utf-8")
