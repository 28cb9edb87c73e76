"""Firefox without a window, controlled over its protocol Marionette on a loopback port."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Self

import pytest

__all__ = ["Firefox", "needs_firefox"]

PROGRAM = shutil.which("firefox-esr") or shutil.which("firefox")

needs_firefox = pytest.mark.skipif(PROGRAM is None, reason="needs firefox")

PATIENCE_S = 600
"""Seconds after which the test gives up waiting for an answer, which may be long on a busy machine."""


class FirefoxError(Exception):
    """The browser refused a command, or a script of a test failed."""


class Firefox:
    """One page."""

    def __init__(self) -> None:
        self._profile = Path(tempfile.mkdtemp(prefix="ackclock-firefox-"))
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
        quiet = ("app.update.enabled", "datareporting.policy.dataSubmissionEnabled", "app.normandy.enabled")
        preferences = {"marionette.port": port} | dict.fromkeys(quiet, False)
        lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in preferences.items())
        (self._profile / "user.js").write_text("\n".join(lines) + "\n", encoding="utf-8")
        command = [str(PROGRAM), "--headless", "--marionette", "--no-remote", "--profile", str(self._profile)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._socket = self._connected(port)
        self._buffer = b""
        self._number = 0
        self._read()
        self._send("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {}}})
        self._send("WebDriver:SetTimeouts", {"script": 1000 * PATIENCE_S, "pageLoad": 1000 * PATIENCE_S})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
        self._process.terminate()
        self._process.wait(PATIENCE_S)
        shutil.rmtree(self._profile, ignore_errors=True)

    def _connected(self, port: int) -> socket.socket:
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            try:
                return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
            except ConnectionRefusedError:
                time.sleep(0.1)
        raise FirefoxError("the browser does not start")

    def _read(self) -> Any:
        """A message: its length in digits, a colon, and JSON."""
        while b":" not in self._buffer:
            self._more()
        length, _, self._buffer = self._buffer.partition(b":")
        while len(self._buffer) < int(length):
            self._more()
        text, self._buffer = self._buffer[: int(length)], self._buffer[int(length) :]
        return json.loads(text)

    def _more(self) -> None:
        data = self._socket.recv(1 << 16)
        if not data:
            raise FirefoxError("the browser has gone")
        self._buffer += data

    def _send(self, name: str, parameters: dict[str, Any]) -> Any:
        self._number += 1
        text = json.dumps([0, self._number, name, parameters]).encode()
        self._socket.sendall(f"{len(text)}:".encode() + text)
        _, number, error, result = self._read()
        assert number == self._number
        if error is not None:
            raise FirefoxError(f"{name}: {error['message']}")
        return result

    def open(self, address: str) -> None:
        """Opens a page and waits for it."""
        self._send("WebDriver:Navigate", {"url": address})

    def run(self, script: str) -> Any:
        """The value of a JavaScript expression."""
        return self._send("WebDriver:ExecuteScript", {"script": f"return ({script});", "args": []})["value"]

    def until(self, script: str) -> Any:
        """Waits for an expression to be true, and gives its value."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            value = self.run(script)
            if value:
                return value
            time.sleep(0.05)
        raise FirefoxError(f"never true: {script}")
