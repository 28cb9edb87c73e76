"""Tables that `reproduce` and `bench` print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ackclock.cli.output import print_table, say

if TYPE_CHECKING:
    from pathlib import Path

    from ackclock.studies.framework import StudyResult

__all__ = ["print_bench", "print_study"]


def print_study(result: StudyResult, folder: Path | None) -> None:
    """Prints each claim with the published and the measured number and the verdict."""
    quick = ", quick" if result.quick else ""
    count = len(result.seeds)
    say(f"{result.title}: {count} paired replication{'s' * (count != 1)}{quick}, ackclock {result.version}")
    if not result.claims:
        for sheet in result.sheets:
            if sheet.shown:
                print_table(sheet.name, list(sheet.columns), [[str(cell) for cell in row] for row in sheet.rows])
        if result.findings:
            say(result.findings)
        _tell(folder)
        return
    rows = []
    for claim in result.document()["claims"]:
        low, high = claim["ci"]
        interval = "-" if low is None else f"[{low:.2f}, {high:.2f}]"
        measured = "-" if claim["measured"] is None else f"{claim['measured']:.2f}"
        published = claim["published"] if isinstance(claim["published"], str) else f"{claim['published']:.2f}"
        rows.append([claim["statement"], published, measured, interval, claim["unit"], claim["verdict"]])
    print_table("claims", ["claim", "published", "measured", "95 % interval", "unit", "verdict"], rows)
    _tell(folder)


def _tell(folder: Path | None) -> None:
    if folder is not None:
        say(f"report: {folder / 'report.html'}")


def print_bench(document: dict[str, Any]) -> None:
    """Prints a row for each workload."""
    rows = [
        [
            row["name"],
            f"{row['packets']:,}",
            f"{row['cpu_s']:.3f}",
            f"{row['packets_per_cpu_s'] / 1e6:.2f}",
            f"{row['peak_rss_mib']:.0f}",
            f"{100 * row['utilisation']:.1f}",
            f"{100 * row['loss']:.3f}",
            f"{row['python_acks_per_cpu_s']:,.0f}" if "python_acks_per_cpu_s" in row else "-",
        ]
        for row in document["workloads"]
    ]
    columns = ["workload", "packets", "CPU s", "million packets/CPU s", "peak RSS MiB", "utilisation %", "loss %"]
    columns.append("ACKs in Python/CPU s")
    print_table(f"ackclock {document['version']}", columns, rows)


def print_beside_ns2(document: dict[str, Any]) -> None:
    """Prints a row for each workload and stack, with the ratio to ns-2."""
    rows = [
        [
            row["name"],
            row["stack"],
            f"{row['packets_per_cpu_s'] / 1e6:.2f}",
            f"{row['ns2_packets_per_cpu_s'] / 1e6:.2f}",
            f"{row['ratio']:.2f}",
            f"{row['ratio_least']:.2f} to {row['ratio_most']:.2f}",
        ]
        for row in document["workloads"]
    ]
    columns = ["workload", "stack", "million packets/CPU s", "of ns-2", "ratio", "range"]
    print_table(f"ackclock {document['version']} beside ns-2, rounds: {document['repeat']}", columns, rows, keys=2)
