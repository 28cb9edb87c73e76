"""Stores on disk."""

import hashlib
from pathlib import Path

import ackclock
from tests.helpers.scenarios import SWEPT

REPORT_GRID = {
    "flows[0].cc": ["reno", "cubic"],
    "bottleneck.rate": ["2Mbps", "5Mbps", "10Mbps"],
    "bottleneck.queue": ["1bdp", "2bdp"],
}
"""The settings of a store whose report has every part: twelve points."""

CC_GRID = {"flows[0].cc": ["reno", "cubic"]}
"""The settings of a small store: two points."""


def bytes_of(root: Path) -> dict[str, str]:
    """Everything in a store but the accounts of when and where, as digests."""
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.name != "lock" and "provenance" not in path.parts
    }


def swept_again(out):
    """Starts the sweep of the store of the tests again, and returns the progress that it reported."""
    ran = []

    def watch(fraction):
        ran.append(fraction)

    ackclock.sweep(SWEPT, CC_GRID, seeds=6, out=out, progress=watch).close()
    return ran
