"""Locks of open files, between descriptors and processes."""

import os

import pytest

from ackclock.base import locks

pytest.importorskip("fcntl")


@pytest.fixture
def descriptors(tmp_path):
    """Three descriptors of one file, each of which has locks of its own."""
    opened = [os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT) for _ in range(3)]
    yield opened
    for descriptor in opened:
        os.close(descriptor)


def test_a_lock_is_held_alone_or_with_others_that_share_it(descriptors):
    first, second, third = descriptors
    locks.take(first, alone=False)
    locks.take(second, alone=False)
    with pytest.raises(BlockingIOError):
        locks.take(third)
    locks.take(third, alone=False)


def test_a_lock_ends_with_its_descriptor(tmp_path):
    descriptor = os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT)
    locks.take(descriptor)
    other = os.open(tmp_path / "lock", os.O_RDWR)
    try:
        with pytest.raises(BlockingIOError):
            locks.take(other, alone=False)
        os.close(descriptor)
        locks.take(other)
    finally:
        os.close(other)
