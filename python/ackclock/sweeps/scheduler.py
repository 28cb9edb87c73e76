"""The connection to a Dask scheduler and its workers, for sweeps and searches."""

from __future__ import annotations

import logging
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ackclock._errors import ClusterError
from ackclock.base import reading
from ackclock.base.documents import DocumentError, parse_object
from ackclock.engine.threads import POLL_S
from ackclock.store.provenance import build

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["AHEAD", "Connection", "check_build", "is_news"]

AHEAD = 4
"""Tasks that are handed out for each thread of the workers: enough for none to wait for this process."""

CONNECT_S = 10
"""Seconds to wait for the scheduler, and for its first worker."""


def is_news(record: logging.LogRecord) -> bool:
    """Whether an error that tornado logs is one.

    A signal may interrupt a call of the client before the call has begun. The client's function that cancels the call
    then fails for lack of a name, and tornado logs a traceback beside the message that the command was interrupted.
    """
    return "sync.<locals>.cancel" not in record.getMessage()


def check_build(wanted: str) -> None:
    """Refuses to work for another build of ackclock; a worker calls it before each task."""
    if build() != wanted:
        raise ClusterError(
            f"a worker has ackclock {build()}, and this task is of {wanted}; install the same everywhere"
        )


def _address_in(file: str) -> str:
    """The address in a scheduler file. Given the file, the client would wait for ever for one that does not exist."""
    try:
        address = parse_object(reading.contents(file, reading.MOST_WRITTEN)).get("address")
    except FileNotFoundError:
        raise ClusterError(f"{file}: no such file, so no Dask scheduler answers there") from None
    except OSError as error:
        raise ClusterError(f"{file}: cannot be read: {error.strerror}") from None
    except DocumentError as error:
        raise ClusterError(f"{file}: no file of a Dask scheduler: {error}") from None
    if not isinstance(address, str):
        raise ClusterError(f"{file}: no file of a Dask scheduler: it names no address")
    return address


class Connection:
    """Hands tasks to the workers of a Dask scheduler: ``tcp://HOST:PORT``, or ``file:PATH`` of a scheduler file.

    A worker that dies has its tasks done by another.
    """

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise ClusterError("a cluster needs the package distributed: pip install 'ackclock[cluster]'") from None
        file = address.removeprefix("file:")
        given = address if file == address else _address_in(file)
        client: Any = Client
        logging.getLogger("tornado.application").addFilter(is_news)
        try:
            self._client = client(given, timeout=CONNECT_S, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise ClusterError(f"{address}: no Dask scheduler answers there: {error}") from None
        self.where = f"Dask scheduler at {self._client.scheduler.address}"
        """Place of the runs, for the account of the work."""

    def threads(self) -> int:
        """Waits for a worker, and returns the number of threads of all workers, at least 1."""
        try:
            self._client.wait_for_workers(1, timeout=CONNECT_S)
            threads: int = sum(self._client.nthreads().values())
        except TimeoutError:
            raise ClusterError(f"{self.where}: no worker within {CONNECT_S} s; start one with `dask worker`") from None
        except OSError:
            raise self._lost() from None
        return max(1, threads)

    def submit(self, task: Callable[..., object], *arguments: object, key: str) -> Any:
        """Hands out a task and returns its future. `task` is a function of a module that the workers have."""
        return self._client.submit(task, *arguments, key=key, pure=False)

    def finished(self, futures: Iterable[Any]) -> Iterable[Any]:
        """Returns the futures that have finished within a moment, which may be none."""
        import distributed

        wait: Any = distributed.wait
        done: Iterable[Any] = ()
        try:
            with suppress(TimeoutError), self._client.as_current():
                done = wait(list(futures), timeout=POLL_S, return_when="FIRST_COMPLETED").done
        except (OSError, CancelledError):
            raise self._lost() from None
        if self._client.status != "running":
            # The client would wait for another scheduler at the same place, which knows nothing of these tasks.
            raise self._lost()
        return done

    def _lost(self) -> ClusterError:
        return ClusterError(f"{self.where}: the scheduler is lost; what was done is kept, and the same command goes on")

    def close(self) -> None:
        """Says goodbye to the scheduler; what is still queued for us is dropped."""
        self._client.close()
