"""Jobs over threads: order, errors, interrupts, progress. No engine runs here."""

import threading
import time

import pytest

from ackclock import Cancelled
from ackclock.engine.threads import execute


def double(job, cancel, note):
    note(0.5)
    return job * 2


def until_cancelled(job, cancel, note):
    while not cancel.cancelled:
        time.sleep(0.001)
    raise Cancelled


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_results_come_in_the_order_of_the_jobs(threads):
    def slow_first(job, cancel, note):
        time.sleep(0.02 if job == 0 else 0)
        return job * 2

    assert execute(range(20), slow_first, threads=threads) == [2 * job for job in range(20)]


def test_no_jobs_no_results():
    assert execute([], double) == []


def test_threads_are_counted_from_one():
    with pytest.raises(ValueError, match="threads"):
        execute([1], double, threads=0)


def test_an_error_ends_the_other_jobs_and_is_raised():
    def work(job, cancel, note):
        if job == 1:
            raise RuntimeError("job 1")
        return until_cancelled(job, cancel, note)

    with pytest.raises(RuntimeError, match="job 1"):
        execute(range(2), work, threads=2)


def test_jobs_that_wait_are_not_begun_after_an_error():
    begun = []

    def work(job, cancel, note):
        begun.append(job)
        if job == 0:
            raise RuntimeError("job 0")
        # One job may begin while the others are called off, whichever is then the first that waits; it is ended.
        return until_cancelled(job, cancel, note)

    with pytest.raises(RuntimeError, match="job 0"):
        execute(range(1000), work, threads=1)
    assert begun[0] == 0
    assert len(begun) <= 2


def test_an_interrupt_ends_running_jobs():
    """An exception on the calling thread, as Ctrl-C raises it, reaches the jobs through their Cancel."""
    running = threading.Barrier(3)

    def work(job, cancel, note):
        running.wait(600)
        return until_cancelled(job, cancel, note)

    def interrupt(fraction):
        running.wait(600)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        execute(range(2), work, threads=2, progress=interrupt)


def test_progress_is_the_mean_of_the_jobs_and_ends_at_one():
    seen = []
    caller = threading.get_ident()

    def report(fraction):
        assert threading.get_ident() == caller
        seen.append(fraction)

    execute(range(4), double, threads=2, progress=report)
    assert seen[-1] == 1
    assert seen == sorted(seen)


def test_progress_counts_every_job_alike():
    """One of two jobs half done is a quarter of the work."""
    seen, noted, go_on = [], threading.Barrier(3), threading.Event()

    def work(job, cancel, note):
        note(0.5 * job)
        noted.wait(600)
        go_on.wait(600)

    def report(fraction):
        if not seen:
            noted.wait(600)
        seen.append(fraction)
        if len(seen) == 2:
            go_on.set()

    execute(range(2), work, threads=2, progress=report)
    assert seen[1] == 0.25
