"""The commands of ``ackclock kernel``."""

from __future__ import annotations

import sys
from pathlib import Path

from cyclopts import App

from ackclock import kernel
from ackclock.base import files, progress
from ackclock.cli.commands import overrides_of
from ackclock.cli.output import print_json, print_table, say
from ackclock.kernel import modules
from ackclock.kernel.runs import choose

__all__ = ["app"]

app = App(
    name="kernel",
    help="Build kernels that run scenarios in virtual time, and load congestion controls into the running one.",
)


@app.command
def build(*, source: Path | None = None, version: str = "6.12", hz: int = 1000, json: bool = False) -> int:
    """Build a user-mode kernel and keep it in the user's cache.

    A build takes nine minutes on two cores and needs gcc, make, flex, bison, bc and perl.

    Parameters
    ----------
    source
        The tree or the tarball of a kernel's source. By default, that of Debian's package linux-source-VERSION.
    version
        The version of Debian's package.
    hz
        Ticks a second, 100 or 1000. Some congestion controls measure in ticks.
    json
        Print one JSON document.
    """
    with progress.reporter(True, f"building Linux {source or version}") as report:
        made = kernel.build(source, version, hz, report)
    if json:
        print_json(_row(made))
    else:
        say(f"Linux {made.version} with {made.hz} Hz: {made.folder}")
        if made.missing:
            say(f"its source does not have {', '.join(made.missing)}")
    return 0


@app.command(name="list")
def list_(*, json: bool = False) -> int:
    """List the kernels of the cache.

    Parameters
    ----------
    json
        Print one JSON document.
    """
    found = kernel.built()
    if json:
        print_json([_row(one) for one in found])
    elif not found:
        say("no kernel has been built; `ackclock kernel build` builds one")
    else:
        rows = [[one.version, str(one.hz), one.digest, one.source] for one in found]
        print_table("kernels", ["version", "Hz", "digest", "source"], rows)
    return 0


@app.command
def run(
    scenario: Path,
    /,
    *,
    version: str = "6.12",
    hz: int | None = None,
    settings: tuple[str, ...] = (),
    out: Path | None = None,
    patience: float = 3600.0,
    json: bool = False,
) -> int:
    """Run a scenario in a kernel of the cache.

    Parameters
    ----------
    scenario
        The scenario: a TOML file. What the kernel cannot do is refused with the path of the field.
    version
        The kernel: a version such as 6.12 or 6.12.117, or a digest of `ackclock kernel list`.
    hz
        The kernel's ticks a second, if the cache has the version with several.
    settings
        PATH=VALUE: replaces a value of the scenario. Can be repeated.
    out
        A new folder for the summary and the tables.
    patience
        Seconds of real time after which the run is ended.
    json
        Print one JSON document.
    """
    found = choose(version, hz)
    if out is not None:
        with files.output_folder(out) as folder:
            result = kernel.run(scenario, found, overrides_of(settings), patience)
            result.write(folder)
    else:
        result = kernel.run(scenario, found, overrides_of(settings), patience)
    if json:
        print_json(result.document())
        return 0
    say(f"Linux {found.version} with {found.hz} Hz, {result.meta['duration_s']:g} s of virtual time")
    for name in ("flows", "transfers"):
        table = result.tables[name]
        if len(table):
            print_table(name, table.column_names, [[_cell(cell) for cell in row] for row in table.cells()])
    return 0


@app.command
def load(module: str, /) -> int:
    """Load congestion controls into the running kernel, where they stay until they are unloaded.

    They are BPF programs: no kernel module is built. Sockets choose them with TCP_CONGESTION, and new connections with
    the setting net.ipv4.tcp_congestion_control. Needs root.

    Parameters
    ----------
    module
        The module: a name of `ackclock kernel status`.
    """
    found = modules.load(module)
    say(f"loaded {' and '.join(found.algorithms)} into the running kernel")
    return 0


@app.command
def unload(module: str, /) -> int:
    """Take congestion controls out of the running kernel; connections that use them keep them until they close.

    Parameters
    ----------
    module
        The module: a name of `ackclock kernel status`.
    """
    using = modules.unload(module)
    say(f"unloaded {' and '.join(using)}")
    kept = sum(count or 0 for count in using.values())
    if kept:
        say(f"{kept} connection{'s' * (kept > 1)} of this network namespace {'keep' if kept > 1 else 'keeps'} it")
    return 0


@app.command
def status(*, json: bool = False) -> int:
    """List the congestion controls that can be loaded, and what the running kernel has of them.

    Parameters
    ----------
    json
        Print one JSON document.
    """
    states = modules.status()
    if json:
        print_json(
            [
                {
                    "module": one.module.name,
                    "algorithm": one.algorithm,
                    "loaded": one.loaded,
                    "connections": one.connections,
                    "source": one.module.source,
                }
                for one in states
            ]
        )
        return 0
    rows = [
        [
            one.module.name,
            one.algorithm,
            "yes" if one.loaded else "no",
            "unknown" if one.connections is None else str(one.connections),
            one.module.source,
        ]
        for one in states
    ]
    print_table("congestion controls", ["module", "algorithm", "loaded", "connections", "source"], rows)
    return 0


@app.command
def unit(module: str, /) -> int:
    """Print a unit for systemd that loads a module when the machine starts.

    Parameters
    ----------
    module
        The module: a name of `ackclock kernel status`.
    """
    say(modules.unit(module, Path(sys.executable)).rstrip())
    return 0


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _row(one: kernel.Built) -> dict[str, object]:
    return {
        "version": one.version,
        "hz": one.hz,
        "digest": one.digest,
        "source": one.source,
        "missing": list(one.missing),
        "modules": one.modules,
        "folder": str(one.folder),
    }
