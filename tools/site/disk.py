"""Search in a site that is opened from a disk.

The theme searches in a web worker. A page at ``file://`` may not start a worker from a file, because browsers take
every such file for another origin. The script that this module writes gives the worker its program as a text. The
theme itself would load a script from another server for this purpose.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

__all__ = ["NAME", "script", "worker"]

NAME = "instead-of-iframe-worker.js"
"""The script's name in the site. The theme adds its own script unless one has ``iframe-worker`` in its name."""

_SCRIPT = """if (location.protocol === "file:") {
  const program = PROGRAM;
  const name = NAME;
  window.Worker = class extends Worker {
    constructor(address, options) {
      const own = new URL(address, location.href).pathname.endsWith("/" + name);
      super(own ? URL.createObjectURL(new Blob([program], { type: "text/javascript" })) : address, options);
    }
  };
}
"""


def worker() -> Path:
    """The program that searches, of the installed theme.

    Raises
    ------
    LookupError
        If zensical is not installed, or has not exactly one such program.
    """
    package = find_spec("zensical")
    if package is None or package.origin is None:
        raise LookupError("zensical is not installed; `make docs` installs it")
    folder = Path(package.origin).parent / "templates/assets/javascripts/workers"
    found = sorted(folder.glob("search.*.js"))
    if len(found) != 1:
        raise LookupError(f"{folder}: one search.*.js was expected, not {len(found)}")
    return found[0]


def script(program: Path) -> str:
    """The script that starts the worker `program` from its text, in pages at ``file://`` only."""
    text = json.dumps(program.read_text(encoding="utf-8"))
    return _SCRIPT.replace("NAME", json.dumps(program.name)).replace("PROGRAM", text)
