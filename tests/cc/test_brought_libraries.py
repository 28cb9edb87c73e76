"""Libraries as texts of documents that others wrote."""

import base64
import zlib

import pytest

from ackclock.cc import libraries


def test_a_text_that_unpacks_to_more_than_any_library_is_refused(monkeypatch):
    monkeypatch.setattr(libraries, "MOST_BYTES", 1000)
    assert libraries.decoded(libraries.encoded(b"x" * 999)) == b"x" * 999
    with pytest.raises(libraries.LibraryError, match="more than"):
        libraries.decoded(libraries.encoded(b"x" * 100_000))


def test_a_text_that_is_cut_off_is_refused():
    data = zlib.compress(bytes(range(256)) * 9)
    for text in (base64.b64encode(data[:-8]).decode(), "", "x", "\u00e9"):
        with pytest.raises(libraries.LibraryError, match="the text is no library"):
            libraries.decoded(text)
