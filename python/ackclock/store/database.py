"""What DuckDB raises, as a store tells it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import duckdb

from ackclock.store.layout import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["asking"]


@contextmanager
def asking(what: object) -> Iterator[None]:
    """Around everything that is asked of DuckDB: its errors become `StoreError`, and Ctrl-C stays Ctrl-C."""
    try:
        yield
    except duckdb.IOException as error:
        # DuckDB quotes its query below the message: a disk that cannot be read has nothing to do with it.
        raise StoreError(f"{what}: {str(error).partition(chr(10))[0]}") from None
    except duckdb.Error as error:
        raise StoreError(f"{what}: {error}") from None
    except RuntimeError as error:
        # All that DuckDB leaves of the exception that a signal's handler raised while it was at work.
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from None
        raise
