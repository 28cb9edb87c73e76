"""Links from figures of the site to the laboratory, which the site has where the engine for browsers was built."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ackclock.report.lab import LabError, files, fragment, write
from ackclock.scenario import Scenario

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = "lab"
"""The folder of the laboratory in the site."""

QUEUE = """name = "queue"
duration = "30s"

[bottleneck]
rate = "20Mbps"
delay = "20ms"
queue = {queue}

[[flows]]
name = "download"
count = 3
app = "bulk"
cc = "cubic"
start_jitter = "1s"
"""
"""Three downloads over a queue."""

XCP = "xcp"
"""The queue that serves only the congestion control of the same name."""

_FIGURE = re.compile(r"(?m)^!\[[^\]]*\]\([^)]*\).*$")


def is_built() -> bool:
    """Whether this checkout has the engine for browsers."""
    try:
        files()
    except LabError:
        return False
    return True


def put(pages: Path) -> None:
    """Writes the laboratory into the folder of the pages, and links its page and the gallery to it; or nothing."""
    if not is_built():
        return
    write(pages / FOLDER)
    page = pages / "how-to" / "lab.md"
    title, *rest = page.read_text(encoding="utf-8").split("\n\n")
    page.write_text("\n\n".join([title, f"[Open the laboratory](../{FOLDER}/index.html)", *rest]), encoding="utf-8")
    for page in sorted((pages / "gallery").glob("*.md")):
        if page.stem != "index":
            link = f"[Open this experiment in the laboratory](../{FOLDER}/index.html#{page.stem})"
            text = page.read_text(encoding="utf-8")
            page.write_text(_FIGURE.sub(rf"\g<0>\n\n{link}", text, count=1), encoding="utf-8")


def link(scenario: str | dict[str, Any], words: str) -> str:
    """A link in Markdown, from a page one folder below the site's root; empty where the laboratory is not built.

    Parameters
    ----------
    scenario
        The scenario as TOML, or as a dict of the same shape.
    words
        The text of the link.
    """
    if not is_built():
        return ""
    text = scenario if isinstance(scenario, str) else Scenario.load(scenario).to_toml()
    return f"[{words}](../{FOLDER}/index.html{fragment(text)})"


def queue(example: str) -> str:
    """The scenario of a queue's page; `example` is the value of the queue as TOML."""
    text = QUEUE.format(queue=example)
    return text.replace('cc = "cubic"', f'cc = "{XCP}"') if XCP in example else text
