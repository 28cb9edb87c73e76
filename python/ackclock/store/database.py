"""Questions to DuckDB: they end at Ctrl-C, and their errors are those of a store."""

from __future__ import annotations

import threading
from concurrent.futures import Future, wait
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

import duckdb

from ackclock.store.layout import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["ask", "explained", "literal", "without_bar"]

POLL_S = 0.05
"""Seconds between two looks for an interrupt where waiting itself cannot be interrupted, as on Windows."""

T = TypeVar("T")


def ask(what: object, connection: duckdb.DuckDBPyConnection, question: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
    """Returns what `question` gives for the connection.

    The question runs on a thread of its own while the calling thread waits where signals reach it. DuckDB sees a signal
    only if the calling thread does a part of the work itself: otherwise a long query would not end at Ctrl-C.

    Raises
    ------
    StoreError
        In place of every error of DuckDB, beginning with `what`.
    """
    answer: Future[T] = Future()

    def work() -> None:
        try:
            answer.set_result(question(connection))
        except BaseException as error:  # noqa: BLE001 -- it is raised again on the calling thread
            answer.set_exception(error)

    threading.Thread(target=work, name="ackclock-duckdb", daemon=True).start()
    try:
        while not answer.done():
            wait([answer], POLL_S)
        return answer.result()
    except duckdb.IOException as error:
        # DuckDB quotes its query below the message, which has nothing to do with a disk that cannot be read.
        raise StoreError(f"{what}: {str(error).partition(chr(10))[0]}") from None
    except duckdb.Error as error:
        raise StoreError(f"{what}: {error}") from None
    finally:
        # After an interrupt. One call is not enough: the query may not have begun.
        while not answer.done():
            connection.interrupt()
            wait([answer], POLL_S)


def literal(text: str) -> str:
    """A text as SQL has it in a query."""
    return "'" + text.replace("'", "''") + "'"


def without_bar(connection: duckdb.DuckDBPyConnection) -> None:
    """Switches DuckDB's progress bar off. In a notebook without ipywidgets there is none, and DuckDB refuses to."""
    with suppress(duckdb.InvalidInputException):
        connection.execute("SET enable_progress_bar = false")


def explained(message: str, tables: Sequence[str]) -> str:
    """The end of a message about a refused query: DuckDB does not know the tables that no query has named yet."""
    if "Catalog Error: Table" in message:
        return f"\ntables of the store: {', '.join(tables)}"
    near = message.partition('syntax error at or near "')[2].partition('"')[0]
    if near in tables:
        return f"\n{near} is a word of SQL: as the name of the table, it needs double quotes"
    return ""
