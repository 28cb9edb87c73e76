"""``ackclock migrate``: scenario files with the names and the format of this version."""

from __future__ import annotations

import difflib
from pathlib import Path  # noqa: TC003 -- the command line is read from the annotations

from ackclock.base import files
from ackclock.cli.commands import load_files
from ackclock.cli.output import DONE, FAILED, UsageError, say
from ackclock.scenario import load as load_scenario
from ackclock.scenario._renamed import migrated

__all__ = ["migrate"]


def migrate(*scenarios: Path, check: bool = False, diff: bool = False, load: tuple[Path, ...] = ()) -> int:
    """Rewrite scenario files: old names become the present ones, and the file states its format.

    Comments and layout are kept. The meaning of a scenario does not change. All files are read before the first one is
    written.

    Parameters
    ----------
    scenarios
        The scenarios: TOML files.
    check
        Write nothing. The exit status is 1 if a file would change.
    diff
        Print the changes and write nothing.
    load
        Your own congestion controls and rate adaptations: a Python file, a library, or the folder of a crate. Can be
        repeated.
    """
    if not scenarios:
        raise UsageError("name at least one scenario file: ackclock migrate FILE...")
    load_files(load)
    found = [load_scenario(path) for path in scenarios]
    rewritten = [migrated(text) for text in found]
    changed = 0
    for path, text, new in zip(scenarios, found, rewritten, strict=True):
        if new == text.text:
            continue
        changed += 1
        if diff:
            old, lines = (one.splitlines() for one in (text.text, new))
            for line in difflib.unified_diff(old, lines, str(path), str(path), lineterm=""):
                say(line)
        elif check:
            say(f"{path}: would change")
        else:
            # The file keeps its place if it is a symbolic link.
            files.write_bytes(path.resolve(), new.encode())
            say(f"{path}: rewritten")
    if not changed:
        say("no file changes" if check or diff else "no file changed")
    return FAILED if check and changed else DONE
