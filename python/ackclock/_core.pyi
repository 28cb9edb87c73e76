"""The private extension: thin bindings to the Rust engine. Use the public names of `ackclock` instead."""

import os
from collections.abc import Callable
from typing import Literal, final

from arro3.core import Table

from ackclock.result import Meta

__all__ = [
    "Cancel",
    "Trace",
    "catalogue",
    "check",
    "drill",
    "event_schema",
    "run",
    "scenario_hash",
    "schema",
    "version",
]

@final
class Cancel:
    def __new__(cls) -> Cancel: ...
    def cancel(self) -> None: ...
    @property
    def cancelled(self) -> bool: ...

@final
class Trace:
    def __new__(cls, captures: list[str], *, ipv6: bool, payload: bool, events: bool) -> Trace: ...

def version() -> str: ...
def check(
    text: str, format: Literal["toml", "json"], overrides: list[tuple[str, str]], folder: str | os.PathLike[str] = ""
) -> str: ...
def scenario_hash(
    text: str, format: Literal["toml", "json"], overrides: list[tuple[str, str]], folder: str | os.PathLike[str] = ""
) -> str: ...
def schema() -> str: ...
def event_schema() -> str: ...
def catalogue() -> str: ...
def drill(text: str, folder: str, stack: str, defines: list[tuple[str, str]]) -> str: ...
def run(
    text: str,
    format: Literal["toml", "json"],
    overrides: list[tuple[str, str]],
    seed: int | None = None,
    cancel: Cancel | None = None,
    progress: Callable[[float], object] | None = None,
    trace: Trace | None = None,
    write: Callable[[str, bytes], object] | None = None,
    folder: str | os.PathLike[str] = "",
) -> tuple[Meta, dict[str, Table]]: ...
