"""The command ``drill``."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock.cli.output import UsageError, print_json, print_table, say
from ackclock.scenario import catalogue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.judge.drill import ScriptResult

__all__ = ["drill"]


def drill(
    *script: Path,
    backend: str = "sim",
    stack: str | None = None,
    define: tuple[str, ...] = (),
    json: bool = False,
) -> int:
    """Run packetdrill scripts against the simulator's TCP in virtual time, or against a Linux kernel.

    A script passes, fails or is unsupported. For a failure, the first difference between the script and the stack is
    printed; a syntax error is also a failure. A script is unsupported if it needs a feature that the backend does not
    have. The exit status is 1 if a script fails.

    Parameters
    ----------
    script
        Scripts, and folders whose *.pkt files are run, also in folders inside.
    backend
        sim, or a kernel: linux:VERSION such as linux:6.12, linux:DIGEST of `ackclock kernel list`, linux:TREE with the
        path of a kernel's source, which is built first, or linux for the running kernel. All but the running kernel
        have a virtual clock and need no root.
    stack
        With sim, the stack under test (by default linux), unless a script names its own. `ackclock list stack` lists
        the stacks.
    define
        NAME=VALUE: a symbol for the scripts, like packetdrill's -D. Can be repeated.
    json
        Print one JSON document.
    """
    from ackclock.judge import drill as drills

    if not script:
        raise UsageError("no scripts: expected files or folders, as in ackclock drill tests/")
    defines = [_define(text) for text in define]
    files = drills.find(script)
    if backend == "sim":
        about, results = _simulated(files, stack or drills.STACK, defines)
    else:
        if stack is not None:
            raise UsageError("--stack: a kernel has its own; accepted with --backend sim only")
        about, results = _on_kernel(backend, files, defines)
    document = about | drills.document(results)
    if json:
        print_json(document)
    else:
        for folder, group in groupby(results, key=lambda result: str(Path(result.path).parent)):
            rows = [[Path(result.path).name, result.verdict, result.reason] for result in group]
            print_table(folder, ["script", "verdict", "reason"], rows)
        counts = ", ".join(f"{count} {verdict}" for verdict, count in document["summary"].items())
        say(counts if backend == "sim" else f"{counts} on Linux {about['kernel']['version']}")
    return 1 if document["summary"]["fail"] else 0


def _simulated(
    files: Sequence[Path], stack: str, defines: Sequence[tuple[str, str]]
) -> tuple[dict[str, Any], list[ScriptResult]]:
    from ackclock.judge import drill as drills

    stacks = [entry["name"] for entry in catalogue()["stack"]]
    if stack not in stacks:
        raise UsageError(f"unknown stack {stack}; accepted: {', '.join(stacks)}")
    return {"backend": "sim"}, [drills.run(file, stack=stack, defines=defines) for file in files]


def _on_kernel(
    name: str, files: Sequence[Path], defines: Sequence[tuple[str, str]]
) -> tuple[dict[str, Any], list[ScriptResult]]:
    from ackclock.base import progress
    from ackclock.judge import drill as drills
    from ackclock.kernel import scripts

    with progress.reporter(True, f"the kernel of --backend {name}") as report:
        where = scripts.backend(name, report)
    with progress.reporter(True, f"{len(files)} scripts on Linux {where.version}") as report:
        return where.document(), drills.run_on_kernel(where, files, defines=defines, report=report)


def _define(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"--define {text}: expected NAME=VALUE")
    return name, value
