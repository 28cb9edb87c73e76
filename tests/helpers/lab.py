"""The laboratory in a browser, for tests: what its page shows, and what somebody does who uses it."""

from __future__ import annotations

import json

from ackclock import _core
from tests.helpers.browser import needs_browser
from tests.helpers.node import needs_engine

NEEDS = [needs_browser, needs_engine]
"""The marks of tests of the page."""

STATUS = "document.getElementById('status').textContent"
NUMBERS = "[...document.querySelectorAll('#numbers tbody tr')].map(row => [...row.cells].map(one => one.textContent))"
DIGESTS = (
    "Object.fromEntries([...document.querySelectorAll('.digests li')].map(one => "
    "[one.firstChild.data.trim(), one.querySelector('code').textContent]))"
)
TEXT = "[...document.querySelectorAll('#editor .cm-line')].map(one => one.textContent).join('\\n')"

SHORT = """duration = "2s"

[bottleneck]
rate = "5Mbps"
delay = "10ms"
queue = "1bdp"

[[flows]]
name = "one"
app = "bulk"
start_jitter = "100ms"
"""


def opened(browser, address):
    """Opens an address anew, even where only what follows # differs, and waits for the first run."""
    browser.open("about:blank")
    browser.open(address)
    browser.until(f"document.body.dataset.ran || !{STATUS}.startsWith('Running') && !{STATUS}.startsWith('Loading')")


def after(browser, action):
    """Does something, and waits for the run that follows."""
    before = browser.run("document.body.dataset.ran ?? '0'")
    browser.run(action)
    browser.until(f"document.body.dataset.ran > {before}")


def control(label):
    return (
        f"[...document.querySelectorAll('#knobs label')].find(one => one.textContent.startsWith('{label}')).lastChild"
    )


def turned(label, value, event="input"):
    return (
        f"(() => {{ const one = {control(label)}; one.value = '{value}'; one.dispatchEvent(new Event('{event}')) }})()"
    )


def write(browser, text, place="editor"):
    """Replaces the scenario, or the text of another editor, as somebody does who writes."""
    browser.run(f"document.querySelector('#{place} .cm-content').focus()")
    for kind in ("keyDown", "keyUp"):
        browser.send("Input.dispatchKeyEvent", type=kind, key="a", code="KeyA", modifiers=2, commands=["selectAll"])
    browser.send("Input.insertText", text=text)


def link(browser, **state):
    """A link with this state, as this version writes it."""
    about = state.pop("about", {"version": _core.version(), "engine": _core.engine()})
    given = {"base": "", "seed": 1, "view": "over"} | state
    return browser.run(f"ackclock.write({json.dumps(given)}, {{}}, {json.dumps(about)})")


def press(browser, key):
    """Presses and releases a key."""
    code = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowRight": 39, "ArrowDown": 40, "+": 187, "1": 49}[key]
    # A key without its text activates nothing.
    text = {"text": "\r"} if key == "Enter" else {}
    for kind in ("keyDown", "keyUp"):
        given = text if kind == "keyDown" else {}
        browser.send("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **given)
    browser.settle()
