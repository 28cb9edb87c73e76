"""The registry of each test."""

import pytest

from ackclock import _registry


@pytest.fixture(autouse=True)
def registry(monkeypatch):
    """What a test registers is gone after it."""
    monkeypatch.setattr(_registry, "_entries", {})
