"""The command ``drill``."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

import ackclock
from ackclock.cli.output import UsageError, print_json, print_table, say

__all__ = ["drill"]


def drill(
    *script: Path,
    stack: str = "linux",
    define: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    json: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> int:
    """Run packetdrill scripts against the simulator's TCP in virtual time.

    A script passes, fails or is unsupported. For a failure, the first difference between the script and the endpoint is
    printed; a syntax error is also a failure. A script is unsupported if it needs a feature that the simulated stack
    does not have. The exit status is 1 if a script fails.

    Parameters
    ----------
    script
        Scripts, and folders whose *.pkt files are run, also in folders inside.
    stack
        The stack under test, unless a script names its own. `ackclock list stack` lists the stacks.
    define
        NAME=VALUE: a symbol for the scripts, like packetdrill's -D. Can be repeated.
    json
        Print one JSON document.
    """
    from ackclock import drill as drills

    if not script:
        raise UsageError("no scripts: expected files or folders, as in ackclock drill tests/")
    stacks = [entry["name"] for entry in ackclock.catalogue()["stack"]]
    if stack not in stacks:
        raise UsageError(f"unknown stack {stack}; accepted: {', '.join(stacks)}")
    defines = [_define(text) for text in define]
    files = drills.find(script)
    results = [drills.run(file, stack=stack, defines=defines) for file in files]
    document = drills.document(results)
    if json:
        print_json(document)
    else:
        for folder, group in groupby(results, key=lambda result: str(Path(result.path).parent)):
            rows = [[Path(result.path).name, result.verdict, result.reason] for result in group]
            print_table(folder, ["script", "verdict", "reason"], rows)
        say(", ".join(f"{count} {verdict}" for verdict, count in document["summary"].items()))
    return 1 if document["summary"]["fail"] else 0


def _define(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"--define {text}: expected NAME=VALUE")
    return name, value
