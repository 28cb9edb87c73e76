"""The store behind the page: read again when it has changed, by one request at a time."""

from __future__ import annotations

import re
import secrets
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ackclock.store import Store, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Shelf"]

TABLE = re.compile(r"[a-z][a-z0-9_]*\.parquet", re.ASCII)


class Shelf:
    """A store that a sweep may be writing to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._seen: object = None
        self._store: Store | None = None
        self._token = secrets.token_hex(4)
        self._opened = 0

    @property
    def version(self) -> str:
        """A text that is another one whenever the store has changed; for who holds the store."""
        return f"{self._token}-{self._opened}"

    def close(self) -> None:
        """Lets go of the files."""
        with self._lock:
            self._let_go()

    @contextmanager
    def store(self) -> Iterator[Store]:
        """The store as it is now.

        Raises
        ------
        StoreError
            If it is none, is damaged, or a file of it leads out of its folder.
        """
        with self._lock:
            now = self._fingerprint()
            if self._store is None or now != self._seen:
                self._let_go()
                self._store = Store(self.path, mixed=True)
                self._seen = now
                self._opened += 1
            yield self._store

    def _let_go(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    def _fingerprint(self) -> Any:
        """The files of the store with their times and sizes. Links out of the store and foreign tables are refused."""
        try:
            root = self.path.resolve(strict=True)
            found = []
            for path in sorted(root.rglob("*")):
                if path.name.startswith("."):
                    continue
                if not path.resolve().is_relative_to(root):
                    raise StoreError(f"{path}: leads out of the store; it is not served")
                if path.suffix == ".parquet" and TABLE.fullmatch(path.name) is None:
                    raise StoreError(f"{path}: no table of a store; it is not served")
                if path.is_file():
                    state = path.stat()
                    found.append((str(path), state.st_mtime_ns, state.st_size))
        except FileNotFoundError as error:
            if not self.path.exists():
                raise StoreError(f"{self.path}: no such folder") from None
            # A pending run became part of a part meanwhile.
            return error
        except (OSError, RuntimeError) as error:
            # Before Python 3.13 a symbolic link to itself is a RuntimeError.
            raise StoreError(f"{self.path}: cannot be looked through: {error}") from None
        return found
