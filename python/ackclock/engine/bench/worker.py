"""One workload in this process: prints what it cost as JSON."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from importlib import resources
from pathlib import Path
from typing import Any

from ackclock import _core
from ackclock.base.table import Table
from ackclock.cc import registry, templates
from ackclock.cc.libraries import SUFFIXES
from ackclock.engine.bench import RUST, leaf_spine, text_of

MIB = 1024 * 1024


def main(name: str, stack: str | None = None) -> None:
    """Measures the workload `name`, with another stack than its own if one is given."""
    if name == "python-cc":
        from ackclock.engine.bench import counting
    if name == RUST:
        _load_crate()
    text = text_of(name)
    overrides = [] if stack is None else [("flows[0].stack", stack)]
    before = cpu_seconds()
    meta, tables = _core.run(text, "toml", overrides, algorithms=registry.algorithms())
    cpu_s = cpu_seconds() - before
    links, flows = Table(tables["links"]), Table(tables["flows"])
    row = {"scenario_hash": meta["scenario_hash"], "duration_s": meta["duration_s"]}
    row |= fabric_row(links, cpu_s) if name == leaf_spine.NAME else row_of(links, flows, cpu_s)
    if name == "python-cc":
        acks = counting.acks()
        row |= {"python_acks": acks, "python_acks_per_cpu_s": acks / cpu_s}
    json.dump(row | {"peak_rss_mib": peak_rss_bytes() / MIB}, sys.stdout)


def _load_crate() -> None:
    """Compiles and loads the algorithm of rust-cc."""
    source = resources.files("ackclock.engine.bench").joinpath("counting.rs").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="ackclock-") as folder:
        crate = templates.write_crate("bench-spread", full=True, within=Path(folder))
        (crate / "src/lib.rs").write_text(source, encoding="utf-8")
        command = ["cargo", "build", "--release", "--offline", "--quiet", "--target-dir", str(crate / "target")]
        subprocess.run(command, cwd=crate, check=True)  # noqa: S603
        (library,) = (file for file in (crate / "target/release").iterdir() if file.suffix in SUFFIXES)
        registry.load(library)


def row_of(links: Table, flows: Table, cpu_s: float) -> dict[str, Any]:
    """Packets, CPU seconds, utilisation and loss of a run."""
    bottleneck = next(row for row in links.rows() if row["link"] == "bottleneck")
    # What the sources sent besides data (SYN, FIN, bare ACKs) crossed the same link and is not counted.
    packets = int(bottleneck["packets"] - (flows["segments_sent"] - flows["data_segments_sent"]).sum())
    return {
        "packets": packets,
        "cpu_s": cpu_s,
        "packets_per_cpu_s": packets / cpu_s,
        "utilisation": bottleneck["utilisation"],
        "loss": bottleneck["drop_rate"],
    }


def fabric_row(links: Table, cpu_s: float) -> dict[str, Any]:
    """Packets over all links, acknowledgments too, CPU seconds, the mean utilisation and the loss of a run."""
    packets, drops = (int(links[name].sum()) for name in ("packets", "drops"))
    return {
        "packets": packets,
        "cpu_s": cpu_s,
        "packets_per_cpu_s": packets / cpu_s,
        "utilisation": float(links["utilisation"].mean()),
        "loss": drops / (packets + drops),
    }


def cpu_seconds() -> float:
    """User and system time of this process so far."""
    import resource

    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def peak_rss_bytes() -> int:
    """The largest resident size of this process.

    Linux carries ru_maxrss over from the process that started this one; VmHWM begins anew.
    """
    import resource

    status = Path("/proc/self/status")
    if status.exists():
        fields = dict(line.split(":", 1) for line in status.read_text(encoding="ascii").splitlines())
        return int(fields["VmHWM"].split()[0]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


if __name__ == "__main__":
    main(*sys.argv[1:])
