"""The registry of each test."""

import pytest

from ackclock import _registry


@pytest.fixture(autouse=True)
def registry(monkeypatch):
    """Removes the congestion controls that a test registered."""
    monkeypatch.setattr(_registry, "_entries", {})
