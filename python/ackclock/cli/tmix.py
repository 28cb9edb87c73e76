"""The commands ``tmix generate`` and ``tmix convert``."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path  # noqa: TC003 -- read by cyclopts from the annotations

from cyclopts import App

from ackclock.base import files
from ackclock.cli.output import UsageError, say
from ackclock.scenario.traffic import tmix as vectors

__all__ = ["app"]

app = App(name="tmix", help="Make connection vectors for the application tmix.")


@app.command
def generate(
    out: Path,
    /,
    *,
    duration: float,
    seed: int = 1,
    settings: tuple[str, ...] = (),
) -> int:
    """Draw web sessions from distributions.

    Parameters
    ----------
    out
        The file to write.
    duration
        Time during which sessions arrive, in seconds.
    seed
        The same seed gives the same vectors.
    settings
        NAME=VALUE: replaces a number of the workload, for example sessions_per_second=2. Can be repeated.
    """
    names = {one.name: one.type for one in fields(vectors.Workload)}
    numbers: dict[str, float] = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        if name not in names:
            raise UsageError(f"--set {setting}: expected NAME=VALUE; accepted: {', '.join(names)}")
        try:
            numbers[name] = int(value) if names[name] == "int" else float(value)
        except ValueError:
            raise UsageError(f"--set {setting}: {value!r} is not a number") from None
    try:
        workload = vectors.Workload(**numbers)  # type: ignore[arg-type]  # int only for fields of type int
        connections = vectors.generate(duration, seed=seed, workload=workload)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if not connections:
        raise UsageError(f"--duration {duration}: no session arrives during this time; use a longer one")
    given = " ".join(f"--set {setting}" for setting in settings)
    command = f"ackclock tmix generate --duration {duration:g} --seed {seed} {given}".rstrip()
    files.write_text(out, vectors.text(connections, command))
    say(f"{out}: {len(connections)} connections")
    return 0


@app.command
def convert(capture: Path, out: Path, /, *, quiet: float = 0.5) -> int:
    """Turn the TCP connections of a capture into connection vectors.

    Parameters
    ----------
    capture
        A file in the format pcap or pcapng, such as one of tcpdump or Wireshark.
    out
        The file to write.
    quiet
        Seconds without data after which a data unit ends. Data from the other side also end it.
    """
    try:
        connections = vectors.convert(capture, quiet_s=quiet)
    except ValueError as error:
        raise UsageError(str(error)) from None
    files.write_text(out, vectors.text(connections, f"from {capture.name}"))
    say(f"{out}: {len(connections)} connections")
    return 0
