"""The table of docs/faults.md."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from tools.faults.attacks import ATTACKS, FOREVER

__all__ = ["PAGE", "RECORD", "table", "write"]

PAGE = Path(__file__).parents[2] / "docs" / "faults.md"
RECORD = Path(__file__).with_name("record.json")
MARK = "<!-- python -m tools.faults writes this table -->\n"


def table(record: dict[str, dict[str, Any]]) -> str:
    """A row a command, and a column a disturbance: how often, and how often something was wrong."""
    lines = [f"| command | {' | '.join(ATTACKS)} |", f"|---{'|---' * len(ATTACKS)}|"]
    total = wrong = 0
    ended: Counter[str] = Counter()
    reasons = []
    for name, attacks in record.items():
        about = next((one["what"] for one in attacks.values()), name)
        cells = []
        for attack in ATTACKS:
            one = attacks.get(attack)
            if one is None or one.get("skipped"):
                cells.append("-")
                if one is not None:
                    reasons.append(f"{about}, {attack}: {one['skipped']}.")
                continue
            total += one["runs"]
            wrong += len(one["wrong"])
            ended.update(one["statuses"])
            cells.append(f"{one['runs']}" + (f", {len(one['wrong'])} wrong" if one["wrong"] else ""))
        lines.append(f"| {about} | {' | '.join(cells)} |")
    told = f"{total:,} disturbances; {wrong or 'none'} left something wrong."
    if ended[FOREVER]:
        told += f" {ended[FOREVER]} commands without memory waited for ever, and were ended by the campaign."
    return f"\n{told}\n\n" + "\n".join([*lines, *(f"\n{one}" for one in reasons)]) + "\n"


def write(record: dict[str, dict[str, Any]]) -> None:
    """Writes the table into the page."""
    before, mark, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    PAGE.write_text(f"{before}{mark}{table(record)}", encoding="utf-8")
