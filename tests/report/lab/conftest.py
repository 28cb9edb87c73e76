"""A server of the laboratory, a browser, and the page in it."""

from threading import Thread

import pytest

from ackclock.report.lab import Server
from tests.helpers.browser import Browser
from tests.helpers.lab import opened


@pytest.fixture(scope="module")
def address():
    with Server(0) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server.address
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def browser():
    with Browser() as one:
        yield one


@pytest.fixture
def page(browser, address):
    browser.errors.clear()
    browser.requests.clear()
    browser.dark(False)
    browser.size(1300, 1000)
    opened(browser, address)
    yield browser
    assert browser.errors == []
    # The scripts of threads are texts of the page, at addresses that begin so.
    assert all(one.startswith((address, f"blob:{address}")) for one in browser.requests)
