"""Chromium without a window, controlled over a pipe: no port, no network, and every error of a page is recorded."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Self

import pytest

needs_browser = pytest.mark.skipif(shutil.which("chromium") is None, reason="needs chromium")

FLAGS = (
    "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-sync "
    "--disable-component-update --disable-extensions --hide-scrollbars --remote-debugging-pipe"
)

PATIENCE_S = 600
"""Seconds after which the test gives up waiting for an answer, which may be long on a busy machine."""

DRAWN = """(() => [...document.querySelectorAll("canvas")].filter((one) => !one.closest("[hidden]")).map((one) => {
  const copy = Object.assign(document.createElement("canvas"), { width: one.width, height: one.height });
  const context = copy.getContext("2d", { willReadFrequently: true });
  context.drawImage(one, 0, 0);
  const data = context.getImageData(0, 0, one.width, one.height).data;
  const seen = new Set();
  for (let at = 0; at < data.length; at += 4)
    if (data[at + 3] > 200 && Math.max(data[at], data[at + 1], data[at + 2]) -
      Math.min(data[at], data[at + 1], data[at + 2]) > 60) seen.add(`${data[at]},${data[at + 1]},${data[at + 2]}`);
  return seen.size;
}))()"""
"""The number of colours other than grey of each visible plot: zero if no line is drawn."""


class PageError(Exception):
    """The browser refused a command, or a script of a test failed."""


class Browser:
    """One page. What it says on the console as an error, throws or asks a network for is kept."""

    def __init__(self) -> None:
        self._profile = tempfile.mkdtemp(prefix="ackclock-browser-")
        to_read, self._out = os.pipe()
        self._in, to_write = os.pipe()
        # The browser reads commands from descriptor 3 and writes to 4.
        command = f'exec chromium "$@" 3<&{to_read} 4>&{to_write}'
        self._process = subprocess.Popen(
            ["/bin/bash", "-c", command, "chromium", *FLAGS.split(), f"--user-data-dir={self._profile}", "about:blank"],
            pass_fds=(to_read, to_write),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self._loaded = False
        self._folder = Path(self._profile)
        self._names: dict[str, str] = {}
        self._complete: list[str] = []
        self.errors: list[str] = []
        self.requests: list[str] = []
        """Every address that was asked for, but files and data in the page."""
        targets = self.send("Target.getTargets")["targetInfos"]
        page = next(one["targetId"] for one in targets if one["type"] == "page")
        self._session = self.send("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._out)
        self._process.terminate()
        self._process.wait(PATIENCE_S)
        os.close(self._in)
        shutil.rmtree(self._profile, ignore_errors=True)

    def send(self, method: str, **parameters: Any) -> Any:
        """A command, and its answer."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            answer = self._read()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise PageError(f"{method}: {answer['error']}")
                return answer["result"]
        raise PageError(f"{method}: no answer")

    def _read(self) -> Any:
        while b"\0" not in self._buffer:
            data = os.read(self._in, 1 << 16)
            if not data:
                raise PageError("the browser has gone")
            self._buffer += data
        text, _, self._buffer = self._buffer.partition(b"\0")
        message = json.loads(text)
        parameters = message.get("params", {})
        match message.get("method"):
            case "Runtime.exceptionThrown":
                self.errors.append(json.dumps(parameters["exceptionDetails"].get("exception", parameters)))
            case "Runtime.consoleAPICalled" if parameters["type"] in ("error", "warning", "assert"):
                self.errors.append(json.dumps(parameters["args"]))
            case "Log.entryAdded" if parameters["entry"]["level"] in ("error", "warning"):
                self.errors.append(json.dumps(parameters["entry"]))
            case "Network.requestWillBeSent":
                address = parameters["request"]["url"]
                if not address.startswith(("file:", "data:", "about:")):
                    self.requests.append(address)
            case "Page.loadEventFired":
                self._loaded = True
            case "Browser.downloadWillBegin":
                self._names[parameters["guid"]] = parameters["suggestedFilename"]
            case "Browser.downloadProgress" if parameters["state"] == "completed":
                self._complete.append(parameters["guid"])
        return message

    def size(self, width: int, height: int, *, phone: bool = False) -> None:
        """Sets the size of the page's window, in CSS pixels."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def offline(self) -> None:
        """Switches the network off."""
        self.send("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)

    def download_to(self, folder: Path) -> None:
        """Names the folder that files are saved in, each under an identifier of its own until the test has it."""
        self._folder = folder
        self.send("Browser.setDownloadBehavior", behavior="allowAndName", downloadPath=str(folder), eventsEnabled=True)

    def saved(self, name: str) -> bytes:
        """Waits until the browser says that it has saved a file whose name ends so, and gives its content."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            for guid in [one for one in self._complete if self._names[one].endswith(name)]:
                self._complete.remove(guid)
                return (self._folder / guid).rename(self._folder / self._names[guid]).read_bytes()
            self.run("1")
            time.sleep(0.02)
        raise PageError(f"never saved: {name}; {self.errors}")

    def dark(self, on: bool) -> None:
        """Asks pages for their dark form."""
        value = "dark" if on else "light"
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": value}])

    def open(self, address: str | Path) -> None:
        """Opens a page and waits for it."""
        self._loaded = False
        answer = self.send("Page.navigate", url=address.as_uri() if isinstance(address, Path) else address)
        if "errorText" in answer:
            raise PageError(f"{address}: {answer['errorText']}")
        while not self._loaded:
            self._read()
        self.settle()

    def settle(self) -> None:
        """Waits for two frames: observers have been told, and what they asked for is drawn."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def run(self, script: str) -> Any:
        """The value of a JavaScript expression."""
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise PageError(json.dumps(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def until(self, script: str) -> Any:
        """Waits for an expression to be true, and gives its value."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            value = self.run(script)
            if value:
                return value
            time.sleep(0.05)
        raise PageError(f"never true: {script}; {self.errors}")

    def hover(self, x: float, y: float) -> None:
        """Moves the mouse to a place of the window."""
        self.mouse("mouseMoved", x, y, 0)

    def mouse(self, what: str, x: float, y: float, clicks: int = 1) -> None:
        """Sends a mouse event of the protocol at a place of the window. Without clicks no button is down."""
        button = "left" if clicks else "none"
        self.send("Input.dispatchMouseEvent", type=what, x=x, y=y, button=button, clickCount=clicks)
        self.settle()

    def picture(self, path: Path, *, whole: bool = True) -> None:
        """The page as PNG."""
        data = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))
