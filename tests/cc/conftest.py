"""The registry of each test."""

import pytest

from ackclock.cc import registry


@pytest.fixture(autouse=True)
def own_registry(monkeypatch):
    """Removes the congestion controls that a test registered."""
    monkeypatch.setattr(registry, "_entries", {})
