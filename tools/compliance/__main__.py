"""``python -m tools.compliance`` writes the page; with a folder of texts it checks the tables against them instead."""

from __future__ import annotations

import sys
from pathlib import Path

from tools.compliance.annotations import ROOT
from tools.compliance.report import PAGE, examine, page
from tools.compliance.texts import missing


def main(arguments: list[str]) -> int:
    """Writes the page, or compares the tables with the texts ``rfcN.txt`` of a folder. 1 where something is wrong."""
    documents, findings, problems = examine()
    if arguments:
        problems = []
        for document in documents:
            path = Path(arguments[0]) / f"rfc{document.rfc}.txt"
            if path.exists():
                problems += missing(document, path.read_text(encoding="utf-8", errors="replace"))
            else:
                problems.append(f"{path}: not there")
    else:
        (ROOT / PAGE).write_text(page(documents, findings), encoding="utf-8")
    sys.stderr.write("".join(f"{problem}\n" for problem in problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
